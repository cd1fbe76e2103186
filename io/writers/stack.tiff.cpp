// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/atomic.hpp"
#include "io/files/types.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <tiffio.h>
#include <unistd.h>
#include <vector>

namespace tessera::io::writers {
namespace {

/// Keeps libtiff from printing, for a scope; `reason` is its first message. Its handlers belong to the whole process.
class Messages {
 public:
  Messages() : warning_(TIFFSetWarningHandler(nullptr)), error_(TIFFSetErrorHandler(&Messages::keep)) {
    text().fill(0);
    errno = 0;
  }
  ~Messages() {
    TIFFSetErrorHandler(error_);
    TIFFSetWarningHandler(warning_);
  }
  Messages(Messages const&) = delete;
  Messages& operator=(Messages const&) = delete;
  static std::string reason() { return errno != 0 ? std::strerror(errno) : text().data(); }

 private:
  static std::array<char, 300>& text() {
    static std::array<char, 300> message;
    return message;
  }
  static void keep(char const*, char const* format, std::va_list arguments) {
    if (text()[0] == 0) std::vsnprintf(text().data(), text().size(), format, arguments);
  }
  TIFFErrorHandler warning_, error_;
};

/// Picture or stack of pictures with the values as they are, one picture a layer, as integers of 8, 16, 32 or 64 bits or
/// floating point of 32 or 64: as the field has them, or as asked for (`RowFormat::type`). Strips without compression,
/// 64-bit offsets (BigTIFF) where the file passes 4 GB. Memory: one row.
///
/// Source: TIFF Revision 6.0, Adobe 1992.
class Tiff final : public RowSink {
 public:
  Tiff(std::string const& file, RowFormat const& format) : name_(file), part_(file + ".part"), format_(format) {
    auto const& n = format.cells;
    core::Count const most = std::numeric_limits<std::int32_t>::max();
    if (n[0] > most / 8 || n[1] > most || n[2] > 65535)
      throw core::Error(
          file, 0,
          fmt::format("{} x {} x {} cells are too many for a TIFF stack (layers up to 65535)", n[0], n[1], n[2]));
    detail::make_folder_of(file);
    type_ = detail::raw_type(format.type, format.element, file);
    bits_ = static_cast<int>(8 * type_.bytes);
    double const bytes = static_cast<double>(n[0] * n[1] * n[2]) * bits_ / 8 + 1000.0 * static_cast<double>(n[2]);
    int const out = core::create_file(part_);
    Messages const messages;
    tiff_ = TIFFFdOpen(out, part_.c_str(), bytes > 4e9 ? "w8" : "w");
    if (tiff_ != nullptr) return;
    ::close(out);
    std::remove(part_.c_str());
    fail();
  }
  ~Tiff() override { close(); }
  Tiff(Tiff const&) = delete;
  Tiff& operator=(Tiff const&) = delete;

  bool top_down() const override { return true; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    Messages const messages;
    std::size_t const bytes = static_cast<std::size_t>(format_.cells[0]) * size_of(format_.element);
    for (core::Count r = 0; r < rows; ++r, ++row_) {
      if (row_ == format_.cells[1]) end_layer();
      if (row_ == 0) begin_layer();
      detail::store(format_.element, values.subspan(static_cast<std::size_t>(r) * bytes, bytes), type_, line_, name_);
      if (TIFFWriteScanline(tiff_, line_.data(), static_cast<std::uint32_t>(row_)) != 1) fail();
    }
  }
  void finish() override {
    Messages const messages;
    if (TIFFWriteDirectory(tiff_) != 1) fail();
    errno = 0;
    TIFFClose(tiff_);
    tiff_ = nullptr;
    if (errno == ENOSPC || errno == EIO || errno == EDQUOT) {
      std::string const reason = Messages::reason();
      std::remove(part_.c_str());
      throw core::RunError(fmt::format("{}: cannot be written: {}", name_, reason));
    }
    detail::rename(part_, name_);
  }

 private:
  void begin_layer() {
    auto const set = [&](std::uint32_t tag, auto value) {
      if (TIFFSetField(tiff_, tag, value) != 1) fail();
    };
    bool const real = type_.name.starts_with("float"), natural = type_.name.starts_with("u");
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(format_.cells[0]));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(format_.cells[1]));
    set(TIFFTAG_BITSPERSAMPLE, bits_);
    set(TIFFTAG_SAMPLESPERPIXEL, 1);
    set(TIFFTAG_SAMPLEFORMAT, real ? SAMPLEFORMAT_IEEEFP : natural ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_INT);
    set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    set(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    // strips of some 64 KiB, as readers expect them
    std::size_t const rows =
        std::max<std::size_t>(1, 65536 / (static_cast<std::size_t>(format_.cells[0]) * type_.bytes));
    set(TIFFTAG_ROWSPERSTRIP,
        static_cast<std::uint32_t>(std::min<std::size_t>(rows, static_cast<std::size_t>(format_.cells[1]))));
    if (format_.cells[2] == 1) return;
    set(TIFFTAG_SUBFILETYPE, static_cast<std::uint32_t>(FILETYPE_PAGE));
    if (TIFFSetField(tiff_, TIFFTAG_PAGENUMBER, static_cast<int>(layer_), static_cast<int>(format_.cells[2])) != 1)
      fail();
  }
  void end_layer() {
    if (TIFFWriteDirectory(tiff_) != 1) fail();
    row_ = 0;
    core::expect(++layer_ < format_.cells[2], "more rows handed over than the pictures have");
  }

  [[noreturn]] void fail() const {
    throw core::RunError(fmt::format("{}: cannot be written: {}", name_, Messages::reason()));
  }
  /// Ends writing; a file that was not finished goes away.
  void close() {
    if (tiff_ == nullptr) return;
    Messages const messages;
    TIFFClose(tiff_);
    std::remove(part_.c_str());
  }

  std::string name_, part_;
  RowFormat format_;
  detail::RawType type_{};
  int bits_ = 8;
  TIFF* tiff_ = nullptr;
  core::Count row_ = 0, layer_ = 0;
  std::vector<std::byte> line_;
};

class TiffWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"tif", "tiff"}; }
  std::vector<std::string> types() const override { return detail::raw_type_names(); }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Tiff>(file, format);
  }
};

[[maybe_unused]] bool const added =
    Writers::add<TiffWriter>("tiff", "TIFF picture or stack with the values as they are, 8, 32 or 64 bits");

}  // namespace
}  // namespace tessera::io::writers
