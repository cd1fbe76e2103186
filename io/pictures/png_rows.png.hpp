// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"

#include <array>
#include <csetjmp>
#include <cstdio>
#include <png.h>
#include <string>
#include <utility>

namespace tessera::io::detail {

/// A PNG file of 8 bits a channel, made row by row in memory: `take` gives the bytes since the last call.
/// All members throw core::RunError with libpng's reason.
///
/// The functions that call setjmp hold no C++ objects, and none is above them on the stack when libpng jumps.
class PngRows {
 public:
  /// `colour`: PNG_COLOR_TYPE_GRAY or PNG_COLOR_TYPE_RGB.
  PngRows(png_uint_32 width, png_uint_32 height, int colour) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, &PngRows::on_error, &PngRows::on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    bool const made = info_ != nullptr && begin(width, height, colour);
    if (made) return;
    png_destroy_write_struct(&png_, &info_);
    fail();
  }
  ~PngRows() { png_destroy_write_struct(&png_, &info_); }
  PngRows(PngRows const&) = delete;
  PngRows& operator=(PngRows const&) = delete;

  void write(png_byte const* row) {
    if (!write_row(row)) fail();
  }
  void finish() {
    if (!end()) fail();
  }
  std::string take() { return std::exchange(out_, {}); }

 private:
  bool begin(png_uint_32 width, png_uint_32 height, int colour) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_write_fn(png_, this, &PngRows::on_bytes, nullptr);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png_, info_, width, height, 8, colour, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    return true;
  }
  bool write_row(png_byte const* row) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_write_row(png_, row);
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_write_end(png_, info_);
    return true;
  }
  [[noreturn]] void fail() const {
    throw core::RunError(std::string("a picture cannot be compressed: ") + message_.data());
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto* const self = static_cast<PngRows*>(png_get_error_ptr(png));
    std::snprintf(self->message_.data(), self->message_.size(), "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_bytes(png_structp png, png_bytep data, png_size_t size) {
    static_cast<PngRows*>(png_get_io_ptr(png))->out_.append(reinterpret_cast<char const*>(data), size);
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 200> message_{"out of memory"};
  std::string out_;
};

}  // namespace tessera::io::detail
