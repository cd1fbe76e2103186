// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/files/part_file.hpp"
#include "io/files/values.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tessera::io::writers {
namespace {

/// Binary PGM picture (P5), one pixel a cell: lo .. hi becomes black .. white. Whole numbers stay as they are where lo is 0
/// and hi a maxval, 1 .. 65535; else black is 0 and white 255 for uint8, 65535 (16 bits) for all other types. Values outside
/// are drawn as the nearer end, NaN as the lower. Memory: one row.
class Pgm final : public RowSink {
 public:
  Pgm(std::string const& file, RowFormat const& format) : format_(checked(file, format)), out_(file) {
    bool const whole = format_.element != core::Element::float32 && format_.element != core::Element::float64;
    if (whole && format_.lo == 0 && format_.hi >= 1 && format_.hi <= 65535 && format_.hi == std::floor(format_.hi))
      maxval_ = static_cast<int>(format_.hi);
    else
      maxval_ = format_.element == core::Element::uint8 ? 255 : 65535;
    out_.write(fmt::format("P5\n{} {}\n{}\n", format.cells[0], format.cells[1], maxval_));
  }

  bool top_down() const override { return true; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    std::size_t const bytes = static_cast<std::size_t>(format_.cells[0]) * size_of(format_.element);
    for (core::Count r = 0; r < rows; ++r) {
      paint(values.subspan(static_cast<std::size_t>(r) * bytes, bytes));
      out_.write(row_);
    }
  }
  void finish() override { out_.finish(); }

 private:
  static RowFormat const& checked(std::string const& file, RowFormat const& format) {
    if (format.cells[2] != 1)
      throw core::Error(file, 0, fmt::format("a PGM picture holds one layer, not {}", format.cells[2]));
    if (std::max(format.cells[0], format.cells[1]) > detail::longest_side)
      throw core::Error(file, 0,
                        fmt::format("{} x {} cells are too many for a PGM picture", format.cells[0], format.cells[1]));
    if (format.palette != "grey")
      throw core::Error(file, 0, fmt::format("a PGM picture is grey, the palette '{}' needs a PNG", format.palette));
    return format;
  }
  void paint(std::span<std::byte const> values) {
    row_.clear();
    double const most = maxval_, scale = format_.hi > format_.lo ? most / (format_.hi - format_.lo) : 0.0;
    detail::with_type(format_.element, [&]<class T>(std::type_identity<T>) {
      for (std::size_t at = 0; at < values.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, values.data() + at, sizeof(T));
        double const x = (static_cast<double>(value) - format_.lo) * scale;
        int const pixel = static_cast<int>(x > 0 ? std::min(std::floor(x + 0.5), most) : 0.0);
        if (maxval_ > 255) row_ += static_cast<char>(pixel >> 8);
        row_ += static_cast<char>(pixel & 255);
      }
    });
  }

  RowFormat format_;
  detail::PartFile out_;
  int maxval_ = 255;
  std::string row_;
};

class PgmWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"pgm"}; }
  bool is_picture() const override { return true; }
  double largest_kept() const override { return 65535; }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Pgm>(file, format);
  }
};

[[maybe_unused]] bool const added =
    Writers::add<PgmWriter>("pnm", "PGM picture, one pixel a cell, whole numbers 0 .. 65535 as they are");

}  // namespace
}  // namespace tessera::io::writers
