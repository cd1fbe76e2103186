// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/files/types.hpp"
#include "io/readers/reader_of.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <tiffio.h>

namespace tessera::io::readers {
namespace {

/// While it lives, libtiff prints nothing and the first error (`strict`: or warning) is kept here. libtiff's handlers
/// belong to the whole process: those of others are put back at the end. Not for several threads.
class Messages {
 public:
  explicit Messages(bool strict = false)
      : warning_(TIFFSetWarningHandler(strict ? &Messages::keep : nullptr)),
        error_(TIFFSetErrorHandler(&Messages::keep)) {
    text() = {};
  }
  ~Messages() {
    TIFFSetErrorHandler(error_);
    TIFFSetWarningHandler(warning_);
  }
  Messages(Messages const&) = delete;
  Messages& operator=(Messages const&) = delete;
  static bool any() { return text()[0] != 0; }
  static std::string first() { return any() ? text().data() : "is damaged"; }

 private:
  static std::array<char, 300>& text() {
    static std::array<char, 300> message;
    return message;
  }
  static void keep(char const*, char const* format, std::va_list arguments) {
    if (!any()) std::vsnprintf(text().data(), text().size(), format, arguments);
  }
  TIFFErrorHandler warning_, error_;
};

/// What one picture of the file is made of.
struct Layout {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT, photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t orientation = ORIENTATION_TOPLEFT, planar = PLANARCONFIG_CONTIG, compression = COMPRESSION_NONE;
  bool operator==(Layout const&) const = default;

  bool fax() const { return compression >= COMPRESSION_CCITTRLE && compression <= COMPRESSION_CCITTFAX4; }
  bool integer() const { return format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_INT; }
  core::Element element() const {
    if (!integer()) return bits == 32 ? core::Element::float32 : core::Element::float64;
    bool const is_signed = format == SAMPLEFORMAT_INT;
    if (photometric == PHOTOMETRIC_PALETTE || (!is_signed && bits <= 8)) return core::Element::uint8;
    return bits > 32 || (bits == 32 && !is_signed) ? core::Element::int64 : core::Element::int32;
  }
};

/// Picture or stack of pictures in strips, one row after the other; the pictures of a file are the layers k = 0, 1, ...
///
/// Palettes and RGB of 8 bits become luminance 0 black .. 255 white, as in PNG pictures:
/// Y = 0.2126 R + 0.7152 G + 0.0722 B of the stored values. All else keeps its values: grey of 1 to 8 bits as uint8, grey
/// and RGB of 16 bits (0 .. 65535) and signed integers as int32, unsigned ones of 32 bits and those of 64 as int64 (2^63
/// and more is refused), floating-point numbers as they are. Grey that is stored with white as 0 is turned round. Refused by name: tiles, planes of single colours,
/// transparency, other colour spaces, pictures of a stack that differ. Memory: one row, and libtiff's one strip.
///
/// Source: TIFF Revision 6.0, Adobe 1992.
class Tiff final : public RowSource {
 public:
  static constexpr std::string_view thing = "picture";
  static constexpr std::array extensions{"tif", "tiff"};
  static bool knows(std::string_view text) {
    // byte order, then 42, or 43 of the files with 64-bit offsets
    for (std::string_view const magic : {std::string_view("II*\0", 4), {"MM\0*", 4}, {"II+\0", 4}, {"MM\0+", 4}})
      if (text.starts_with(magic)) return true;
    return false;
  }

  explicit Tiff(std::string const& file) : name_(file) {
    detail::Characters beginning(file);
    int const first = beginning.get();
    if ((first != 'I' && first != 'M') || beginning.get() != first) fail("is not a TIFF picture");
    Messages messages;
    tiff_ = TIFFOpen(file.c_str(), "rm");
    if (tiff_ == nullptr) fail_as_told();
    try {
      open();
    } catch (...) {
      TIFFClose(tiff_);
      throw;
    }
  }
  ~Tiff() override {
    Messages messages;
    TIFFClose(tiff_);
  }
  Tiff(Tiff const&) = delete;
  Tiff& operator=(Tiff const&) = delete;

  core::Grid::Shape cells() const override { return {layout_.width, layout_.height, layers_}; }
  core::Element element() const override { return layout_.element(); }
  bool top_down() const override { return layout_.orientation == ORIENTATION_TOPLEFT; }
  std::string name() const override { return name_; }
  StoredType stored() const override {
    bool const palette = layout_.photometric == PHOTOMETRIC_PALETTE;
    if (layout_.bits < 8 && !palette)
      return {fmt::format("uint{}", layout_.bits), std::array{0.0, static_cast<double>((1 << layout_.bits) - 1)}};
    if (element() == core::Element::uint8 || !layout_.integer()) return RowSource::stored();
    std::string const name = (layout_.format == SAMPLEFORMAT_INT ? "int" : "uint") + std::to_string(layout_.bits);
    return detail::stored_type(detail::raw_type(name, element(), name_));
  }
  std::string note() const override {
    return layout_.photometric == PHOTOMETRIC_MINISWHITE
               ? "white is 0 in this picture (MINISWHITE): its values are turned round, 0 becomes the largest"
               : "";
  }

  void next(core::Count rows, std::span<std::byte> values) override {
    Messages messages(layout_.fax());  // fax schemes only warn of damage
    std::size_t const bytes = layout_.width * size_of(element());
    for (core::Count r = 0; r < rows; ++r, ++row_) {
      if (row_ == layout_.height) {
        core::expect(++layer_ < layers_, "more rows asked for than the pictures have");
        if (TIFFReadDirectory(tiff_) == 0) fail_as_told();
        start_layer();
      }
      int const read = TIFFReadScanline(tiff_, line_.data(), static_cast<std::uint32_t>(row_));
      if (read != 1 || (layout_.fax() && Messages::any())) fail_as_told();
      convert(values.subspan(static_cast<std::size_t>(r) * bytes, bytes));
    }
  }

 private:
  void open() {
    do {
      Layout const layout = read_layout();
      if (layers_ == 0) {
        layout_ = layout;
        check_layout();
      } else if (layout != layout_) {
        fail(fmt::format(
            "picture {} is {} x {} of {} bits, the first is {} x {} of {} bits; expected a stack of equals",
            layers_ + 1, layout.width, layout.height, layout.bits, layout_.width, layout_.height, layout_.bits));
      }
      check_size();
      check_link();
      ++layers_;
    } while (TIFFReadDirectory(tiff_) != 0);
    if (Messages::any()) fail_as_told();
    if (char* text = nullptr; layers_ == 1 && TIFFGetField(tiff_, TIFFTAG_IMAGEDESCRIPTION, &text) == 1) {
      // ImageJ keeps large stacks as one picture followed by raw data
      std::string_view const description(text);
      if (description.starts_with("ImageJ=") && description.find("\nimages=") != std::string_view::npos)
        fail("is a stack of ImageJ's own sort (one picture and raw data), expected a picture for each layer");
    }
    if (TIFFSetDirectory(tiff_, 0) == 0) fail_as_told();
    start_layer();
  }

  Layout read_layout() const {
    Layout l;
    if (TIFFGetField(tiff_, TIFFTAG_IMAGEWIDTH, &l.width) != 1 ||
        TIFFGetField(tiff_, TIFFTAG_IMAGELENGTH, &l.height) != 1)
      fail("says nothing of its width and height");
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_BITSPERSAMPLE, &l.bits);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_SAMPLESPERPIXEL, &l.samples);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_SAMPLEFORMAT, &l.format);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_ORIENTATION, &l.orientation);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_PLANARCONFIG, &l.planar);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_COMPRESSION, &l.compression);
    TIFFGetField(tiff_, TIFFTAG_PHOTOMETRIC, &l.photometric);
    if (l.format == SAMPLEFORMAT_VOID) l.format = SAMPLEFORMAT_UINT;
    if (TIFFIsTiled(tiff_)) fail("is stored in tiles, expected strips (as by tiffcp -s)");
    return l;
  }

  /// Refuses by name what is not read.
  void check_layout() const {
    Layout const& l = layout_;
    if (l.width == 0 || l.height == 0 || l.width > detail::longest_side || l.height > detail::longest_side)
      fail(fmt::format("is a picture of {} x {} pixels, expected sides of 1 .. {}", l.width, l.height,
                       detail::longest_side));
    bool const rgb = l.photometric == PHOTOMETRIC_RGB, palette = l.photometric == PHOTOMETRIC_PALETTE,
               inverse = l.photometric == PHOTOMETRIC_MINISWHITE;
    if (!rgb && !palette && !inverse && l.photometric != PHOTOMETRIC_MINISBLACK)
      fail(fmt::format("has the colour space {} (photometric interpretation), expected grey, palette or RGB",
                       l.photometric));
    if (l.samples != (rgb ? 3 : 1))
      fail(fmt::format("has {} samples a pixel, expected {} (no transparency)", l.samples, rgb ? 3 : 1));
    if (rgb && l.planar != PLANARCONFIG_CONTIG) fail("has its colours in planes, expected them pixel by pixel");
    if (l.orientation != ORIENTATION_TOPLEFT && l.orientation != ORIENTATION_BOTLEFT)
      fail(fmt::format("has the orientation {}, expected 1 (from the top) or 4 (from the bottom)", l.orientation));
    bool const natural = l.format == SAMPLEFORMAT_UINT, plain = !rgb && !palette && !inverse;
    bool const small = natural && (l.bits == 1 || l.bits == 2 || l.bits == 4 || l.bits == 8);
    bool const known =
        (small && !(rgb && l.bits < 8)) || (natural && l.bits == 16 && !palette) ||
        (natural && plain && (l.bits == 32 || l.bits == 64)) ||
        (l.format == SAMPLEFORMAT_INT && plain && (l.bits == 8 || l.bits == 16 || l.bits == 32 || l.bits == 64)) ||
        (l.format == SAMPLEFORMAT_IEEEFP && plain && (l.bits == 32 || l.bits == 64));
    if (!known)
      fail(fmt::format(
          "has {} values of {} bits{}, expected integers of up to 64 bits (palette 8, RGB 8 or 16) or floating "
          "point of 32 or 64",
          natural                           ? "unsigned"
          : l.format == SAMPLEFORMAT_INT    ? "signed"
          : l.format == SAMPLEFORMAT_IEEEFP ? "floating-point"
                                            : "other",
          l.bits,
          rgb       ? " (RGB)"
          : palette ? " (palette)"
          : inverse ? " (white is 0)"
                    : ""));
  }

  /// A picture that claims far more pixels than its file can hold is refused before anybody sets memory aside for it.
  void check_size() const {
    std::error_code unknown;
    auto const size = static_cast<double>(std::filesystem::file_size(name_, unknown));
    if (unknown) return;
    auto const row = static_cast<double>(TIFFScanlineSize64(tiff_));
    double const picture = row * layout_.height;
    // no scheme packs a first row by more than some 30000; fax schemes store later rows that are equal in a bit
    bool const stored = layout_.compression == COMPRESSION_NONE;
    double const most = layout_.fax() ? row * 8 * size : stored ? size : 40000 * size;
    if (row > 40000 * size || picture > most)
      fail(fmt::format("{} bytes cannot hold a picture of {} x {} pixels; the file is damaged or truncated", size,
                       layout_.width, layout_.height));
  }

  /// libtiff takes a directory that is cut off in front of the place of the next one for the last one.
  void check_link() const {
    std::ifstream in(name_, std::ios::binary);
    std::array<unsigned char, 8> bytes{};
    auto const number = [&](std::uint64_t at, unsigned size) {
      in.seekg(static_cast<std::streamoff>(at));
      in.read(reinterpret_cast<char*>(bytes.data()), size);
      std::uint64_t value = 0;
      for (unsigned b = 0; b < size; ++b) value = value << 8 | bytes[TIFFIsBigEndian(tiff_) ? b : size - 1 - b];
      return value;
    };
    // a number of entries, the entries, the offset of the next directory
    std::uint64_t const at = TIFFCurrentDirOffset(tiff_);
    bool const wide = number(2, 2) == 43;  // offsets of 64 bits
    std::uint64_t const entries = number(at, wide ? 8 : 2);
    number(at + (wide ? 8 + 20 * entries : 2 + 12 * entries), wide ? 8 : 4);
    if (!in) fail("is truncated");
  }

  void start_layer() {
    row_ = 0;
    // libtiff writes its own idea of a row's length
    line_.resize(TIFFScanlineSize64(tiff_));
    if (line_.size() < (std::size_t{layout_.width} * layout_.bits * layout_.samples + 7) / 8) fail("is damaged");
    if (layout_.photometric != PHOTOMETRIC_PALETTE) return;
    std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
    if (TIFFGetField(tiff_, TIFFTAG_COLORMAP, &red, &green, &blue) != 1) fail("has no palette, although it needs one");
    std::size_t const colours = std::size_t{1} << layout_.bits;
    // old programs wrote palettes of 0 .. 255
    bool wide = false;
    for (std::size_t c = 0; c < colours; ++c) wide = wide || red[c] > 255 || green[c] > 255 || blue[c] > 255;
    for (std::size_t c = 0; c < colours; ++c) {
      std::int64_t const y = luminance(red[c], green[c], blue[c]);
      palette_[c] = static_cast<std::uint8_t>(wide ? (y * 255 + 32767) / 65535 : y);
    }
  }

  static std::int64_t luminance(std::int64_t red, std::int64_t green, std::int64_t blue) {
    return (2126 * red + 7152 * green + 722 * blue + 5000) / 10000;
  }
  template <class T>
  std::int64_t stored(std::size_t n) const {
    T value;
    std::memcpy(&value, line_.data() + n * sizeof(T), sizeof(T));
    return static_cast<std::int64_t>(value);
  }
  /// The n-th sample of the row.
  std::int64_t sample(std::size_t n) const {
    bool const is_signed = layout_.format == SAMPLEFORMAT_INT;
    switch (layout_.bits) {
    case 8:
      return is_signed ? stored<std::int8_t>(n) : stored<std::uint8_t>(n);
    case 16:
      return is_signed ? stored<std::int16_t>(n) : stored<std::uint16_t>(n);
    case 32:
      return is_signed ? stored<std::int32_t>(n) : stored<std::uint32_t>(n);
    case 64:
      if (!is_signed) detail::check_unsigned(std::as_bytes(std::span(line_)).subspan(8 * n, 8), name_);
      return stored<std::int64_t>(n);
    default:
      break;
    }
    // 1, 2 or 4 bits, the first sample in the highest
    std::size_t const bit = n * layout_.bits;
    return stored<std::uint8_t>(bit / 8) >> (8 - layout_.bits - bit % 8) & ((1 << layout_.bits) - 1);
  }
  std::int64_t pixel(std::size_t i) const {
    if (layout_.photometric == PHOTOMETRIC_RGB) return luminance(sample(3 * i), sample(3 * i + 1), sample(3 * i + 2));
    std::int64_t const value = sample(i);
    if (layout_.photometric == PHOTOMETRIC_PALETTE) return palette_[value];
    std::int64_t const most = layout_.bits <= 16 ? (std::int64_t{1} << layout_.bits) - 1 : 0;
    return layout_.photometric == PHOTOMETRIC_MINISWHITE ? most - value : value;
  }
  void convert(std::span<std::byte> values) const {
    auto const put = [&]<class T>(T) {
      for (std::size_t i = 0; i < layout_.width; ++i) {
        T const value = static_cast<T>(pixel(i));
        std::memcpy(values.data() + i * sizeof(T), &value, sizeof(T));
      }
    };
    switch (element()) {
    case core::Element::uint8:
      return put(std::uint8_t{});
    case core::Element::int32:
      return put(std::int32_t{});
    case core::Element::int64:
      return put(std::int64_t{});
    case core::Element::float32:
    case core::Element::float64:
      std::memcpy(values.data(), line_.data(), values.size());
    }
  }

  [[noreturn]] void fail(std::string_view message) const { throw core::Error(name_, 0, message); }
  /// With libtiff's own words, which begin with the file's name here and there.
  [[noreturn]] void fail_as_told() const {
    std::string text = Messages::first();
    if (text.starts_with(name_ + ": ")) text.erase(0, name_.size() + 2);
    fail(text + " (TIFF)");
  }

  std::string name_;
  TIFF* tiff_ = nullptr;
  Layout layout_;
  core::Count layers_ = 0, layer_ = 0, row_ = 0;
  std::vector<std::byte> line_;
  std::array<std::uint8_t, 256> palette_{};
};

[[maybe_unused]] bool const added =
    Readers::add<ReaderOf<Tiff>>("tiff", "TIFF picture or stack, grey with its own values, colours as luminance");

}  // namespace
}  // namespace tessera::io::readers
