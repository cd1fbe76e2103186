// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/part_file.hpp"
#include "io/files/values.hpp"
#include "io/pictures/palette.hpp"
#include "io/pictures/png_rows.png.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace tessera::io::writers {
namespace {

/// One pixel a cell: the value's place between lo and hi as one of the palette's 256 colours, 8-bit grey or RGB.
/// Values outside are drawn as the nearer end, NaN as the lower. Memory: one row, and what libpng holds.
class Png final : public RowSink {
 public:
  Png(std::string const& file, RowFormat const& format)
      : format_(check(file, format)),
        palette_(palette(format.palette)),
        grey_(format.palette == "grey"),
        out_(file),
        png_(static_cast<png_uint_32>(format.cells[0]), static_cast<png_uint_32>(format.cells[1]),
             grey_ ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB) {
    row_.resize(static_cast<std::size_t>(format.cells[0]) * (grey_ ? 1 : 3));
  }

  bool top_down() const override { return true; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    std::size_t const bytes = static_cast<std::size_t>(format_.cells[0]) * size_of(format_.element);
    for (core::Count r = 0; r < rows; ++r) {
      paint(values.subspan(static_cast<std::size_t>(r) * bytes, bytes));
      png_.write(row_.data());
      out_.write(png_.take());
    }
  }

  void finish() override {
    png_.finish();
    out_.write(png_.take());
    out_.finish();
  }

 private:
  static RowFormat const& check(std::string const& file, RowFormat const& format) {
    if (format.cells[2] != 1)
      throw core::Error(file, 0, fmt::format("a PNG picture holds one layer, not {}", format.cells[2]));
    core::Count const most = PNG_UINT_31_MAX;
    if (std::max(format.cells[0], format.cells[1]) > most)
      throw core::Error(file, 0,
                        fmt::format("{} x {} cells are too many for a PNG picture", format.cells[0], format.cells[1]));
    return format;
  }

  void paint(std::span<std::byte const> values) {
    double const scale = format_.hi > format_.lo ? 255.0 / (format_.hi - format_.lo) : 0.0;
    detail::with_type(format_.element, [&]<class T>(std::type_identity<T>) {
      for (std::size_t i = 0; i < values.size() / sizeof(T); ++i) {
        T value;
        std::memcpy(&value, values.data() + i * sizeof(T), sizeof(T));
        double const x = (static_cast<double>(value) - format_.lo) * scale;
        Colour const c = palette_[static_cast<std::size_t>(x > 0 ? std::min(std::floor(x + 0.5), 255.0) : 0.0)];
        if (grey_) {
          row_[i] = c.r;
        } else {
          row_[3 * i] = c.r;
          row_[3 * i + 1] = c.g;
          row_[3 * i + 2] = c.b;
        }
      }
    });
  }

  RowFormat format_;
  Palette const& palette_;
  bool grey_;
  detail::PartFile out_;
  detail::PngRows png_;
  std::vector<png_byte> row_;
};

class PngWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"png"}; }
  bool is_picture() const override { return true; }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Png>(file, format);
  }
};

[[maybe_unused]] bool const added = Writers::add<PngWriter>("png", "PNG picture, one pixel a cell, grey or in colours");

}  // namespace
}  // namespace tessera::io::writers
