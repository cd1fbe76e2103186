// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/detail/atomic.hpp"
#include "io/detail/values.hpp"
#include "io/palette.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <png.h>
#include <vector>

namespace tessera::io::writers {
namespace {

/// One pixel a cell: the value's place between lo and hi as one of the palette's 256 colours, 8-bit grey or RGB.
/// Values outside are drawn as the nearer end, NaN as the lower. Memory: one row.
///
/// The functions that call setjmp hold no C++ objects, as in the reader.
class Png final : public RowSink {
 public:
  Png(std::string const& file, RowFormat const& format)
      : name_(file),
        part_(file + ".part"),
        format_(format),
        palette_(palette(format.palette)),
        grey_(format.palette == "grey") {
    if (format.cells[2] != 1)
      throw core::Error(file, 0, fmt::format("a PNG picture holds one layer, not {}", format.cells[2]));
    core::Count const most = PNG_UINT_31_MAX;
    if (std::max(format.cells[0], format.cells[1]) > most)
      throw core::Error(file, 0,
                        fmt::format("{} x {} cells are too many for a PNG picture", format.cells[0], format.cells[1]));
    detail::make_folder_of(file);
    errno = 0;
    file_ = std::fopen(part_.c_str(), "wb");
    if (file_ == nullptr) fail(std::strerror(errno));
    row_.resize(static_cast<std::size_t>(format.cells[0]) * (grey_ ? 1 : 3));
    if (!start()) {
      close();
      fail(message_.data());
    }
  }
  ~Png() override { close(); }
  Png(Png const&) = delete;
  Png& operator=(Png const&) = delete;

  bool top_down() const override { return true; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    std::size_t const bytes = static_cast<std::size_t>(format_.cells[0]) * size_of(format_.element);
    for (core::Count r = 0; r < rows; ++r) {
      paint(values.subspan(static_cast<std::size_t>(r) * bytes, bytes));
      if (!write_row()) fail(message_.data());
    }
  }

  void finish() override {
    if (!end()) fail(message_.data());
    bool const ok = std::fclose(file_) == 0;
    file_ = nullptr;
    if (!ok) {
      std::string const reason = std::strerror(errno);
      std::remove(part_.c_str());
      fail(reason);
    }
    detail::rename(part_, name_);
  }

 private:
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

  bool start() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, &Png::on_error, &Png::on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      std::strcpy(message_.data(), "out of memory");
      return false;
    }
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_init_io(png_, file_);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(format_.cells[0]), static_cast<png_uint_32>(format_.cells[1]), 8,
                 grey_ ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    return true;
  }
  bool write_row() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_write_row(png_, row_.data());
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_write_end(png_, info_);
    return true;
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto* const self = static_cast<Png*>(png_get_error_ptr(png));
    // libpng only says "Write Error"; the system's reason is better
    std::snprintf(self->message_.data(), self->message_.size(), "%s", errno != 0 ? std::strerror(errno) : text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  [[noreturn]] void fail(std::string const& reason) const {
    throw core::RunError(fmt::format("{}: cannot be written: {}", name_, reason));
  }
  /// Ends writing; a file that was not finished goes away.
  void close() {
    png_destroy_write_struct(&png_, &info_);
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(part_.c_str());
    file_ = nullptr;
  }

  std::string name_, part_;
  RowFormat format_;
  Palette const& palette_;
  bool grey_;
  std::FILE* file_ = nullptr;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 200> message_{};
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
