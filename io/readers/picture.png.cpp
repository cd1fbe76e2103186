// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/files.hpp"
#include "io/readers/reader_of.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <png.h>

namespace tessera::io::readers {
namespace {

/// Interlaced pictures must be held whole; up to this many bytes.
constexpr std::uint64_t largest_interlaced = std::uint64_t{1} << 28;

/// Grey, colour or palette picture of 1 to 16 bits, one row after the other.
///
/// Grey of 1 to 8 bits keeps its values. All else becomes luminance, 0 black .. 255 white:
/// Y = 0.2126 R + 0.7152 G + 0.0722 B of the stored (gamma-encoded) values, rounded to the nearest; transparent pixels are
/// laid over white; 16 bits are scaled to 8. Memory: one row (interlaced: the picture). The whole file is checked: the
/// last `next` fails unless the file ends as it should.
///
/// libpng reports errors by longjmp, which must not jump over the end of a C++ object's life: the functions that call
/// setjmp (`start`, `read_row`, `end`) hold none, all state is in members.
class Png final : public RowSource {
 public:
  static constexpr std::string_view thing = "picture";
  static constexpr std::array extensions{"png"};
  static bool knows(std::string_view text) {
    return text.size() >= 8 && png_sig_cmp(reinterpret_cast<png_const_bytep>(text.data()), 0, 8) == 0;
  }

  explicit Png(std::string const& file) : name_(file) {
    file_ = core::open_to_read(file).release();
    try {
      open();
    } catch (...) {
      close();
      throw;
    }
  }
  ~Png() override { close(); }
  Png(Png const&) = delete;
  Png& operator=(Png const&) = delete;

  core::Grid::Shape cells() const override { return {width_, height_, 1}; }
  core::Element element() const override { return core::Element::uint8; }
  bool top_down() const override { return true; }
  std::string name() const override { return name_; }
  StoredType stored() const override {
    return {fmt::format("uint{}", bits_), std::array{0.0, static_cast<double>((1 << bits_) - 1)}};
  }
  std::string note() const override {
    std::string text = depth_ == 16 ? "16 bits of this picture are scaled to 8: its values are 0 .. 255" : "";
    if (!has_alpha()) return text;
    return text + (text.empty() ? "" : "; ") + "pixels of this picture may be transparent: they are laid over white";
  }

  void next(core::Count rows, std::span<std::byte> values) override {
    core::expect(next_ + rows <= height_, "more rows asked for than the picture has");
    for (core::Count r = 0; r < rows; ++r, ++next_) {
      png_byte const* row = pixels_.data() + static_cast<std::size_t>(next_) * row_bytes_;
      if (!interlaced_) {
        if (!read_row()) fail();
        row = pixels_.data();
      }
      to_luminance(row, values.data() + r * width_);
    }
    if (next_ == height_ && !end()) fail();
  }

 private:
  void open() {
    std::array<png_byte, 8> signature;
    if (std::fread(signature.data(), 1, signature.size(), file_) < signature.size() ||
        png_sig_cmp(signature.data(), 0, signature.size()) != 0)
      throw core::Error(name_, 0, "is not a PNG picture");
    if (!start()) fail();
    // deflate packs at most 1032 bytes into one: a picture that claims more than that is damaged, and is not given memory
    double const bytes = static_cast<double>(raw_row_bytes_) * static_cast<double>(height_);
    std::error_code unknown;
    auto const size = std::filesystem::file_size(name_, unknown);
    if (!unknown && bytes > 1032.0 * static_cast<double>(size) + 1024)
      throw core::Error(
          name_, 0,
          fmt::format("{} bytes cannot hold a picture of {} x {} pixels; the file is damaged or truncated", size,
                      width_, height_));
    if (interlaced_ && row_bytes_ * static_cast<std::uint64_t>(height_) > largest_interlaced)
      throw core::Error(
          name_, 0,
          fmt::format("{} x {} pixels are too many for an interlaced picture; save it without interlacing", width_,
                      height_));
    pixels_.resize(row_bytes_ * static_cast<std::size_t>(interlaced_ ? height_ : 1));
    if (interlaced_) {
      rows_.resize(height_);
      for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r] = pixels_.data() + r * row_bytes_;
      if (!read_image()) fail();
    }
  }

  /// Reads the header and asks libpng for grey or RGB of 8 bits, with alpha where there is any, or for grey of fewer as it
  /// is, a byte a pixel.
  bool start() {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Png::on_error, &Png::on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      std::strcpy(message_.data(), "out of memory");
      return false;
    }
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, &Png::on_read);
    png_set_sig_bytes(png_, 8);
    png_read_info(png_, info_);
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    depth_ = png_get_bit_depth(png_, info_);
    raw_row_bytes_ = png_get_rowbytes(png_, info_);
    interlaced_ = png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
    if (depth_ < 8 && png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY &&
        png_get_valid(png_, info_, PNG_INFO_tRNS) == 0) {
      bits_ = depth_;
      png_set_packing(png_);
    } else {
      png_set_expand(png_);
      png_set_scale_16(png_);
    }
    if (interlaced_) png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    channels_ = png_get_channels(png_, info_);
    row_bytes_ = png_get_rowbytes(png_, info_);
    return true;
  }
  bool read_row() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_row(png_, pixels_.data(), nullptr);
    return true;
  }
  bool read_image() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows_.data());
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_end(png_, nullptr);
    return true;
  }

  void to_luminance(png_byte const* row, std::byte* values) const {
    int const colours = channels_ >= 3 ? 3 : 1;
    if (channels_ == 1) {
      std::memcpy(values, row, static_cast<std::size_t>(width_));
      return;
    }
    for (core::Count i = 0; i < width_; ++i, row += channels_) {
      // Y = 0.2126 R + 0.7152 G + 0.0722 B
      int luminance = colours == 1 ? 10000 * row[0] : 2126 * row[0] + 7152 * row[1] + 722 * row[2];
      // over white: a Y + (1 - a) 255
      if (has_alpha()) luminance = luminance * row[colours] / 255 + 10000 * (255 - row[colours]);
      values[i] = static_cast<std::byte>((luminance + 5000) / 10000);
    }
  }

  bool has_alpha() const { return channels_ == 2 || channels_ == 4; }

  static void on_read(png_structp png, png_bytep data, std::size_t size) {
    auto* const self = static_cast<Png*>(png_get_io_ptr(png));
    if (std::fread(data, 1, size, self->file_) == size) return;
    png_error(png, std::ferror(self->file_) ? "cannot be read" : "the picture is truncated");
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto* const self = static_cast<Png*>(png_get_error_ptr(png));
    std::snprintf(self->message_.data(), self->message_.size(), "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  [[noreturn]] void fail() const { throw core::Error(name_, 0, fmt::format("{} (PNG)", message_.data())); }
  void close() {
    png_destroy_read_struct(&png_, &info_, nullptr);
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
  }

  std::string name_;
  std::FILE* file_ = nullptr;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 200> message_{};
  core::Count width_ = 0, height_ = 0, next_ = 0;
  int channels_ = 1, depth_ = 8, bits_ = 8;  // of the file; of a value
  bool interlaced_ = false;
  std::size_t row_bytes_ = 0, raw_row_bytes_ = 0;
  std::vector<png_byte> pixels_;  // one row, or all of an interlaced picture
  std::vector<png_bytep> rows_;
};

}  // namespace

[[maybe_unused]] static bool const added = Readers::add<ReaderOf<Png>>(
    "png", "PNG picture, grey of up to 8 bits with its own values, all else as luminance 0 .. 255");
}  // namespace tessera::io::readers
