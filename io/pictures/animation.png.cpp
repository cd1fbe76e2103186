// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/animation.hpp"

#include "core/error.hpp"
#include "io/pictures/png_rows.png.hpp"

#include <string_view>
#include <vector>
#include <zlib.h>

namespace tessera::io::detail {
namespace {

std::string big_endian(std::uint32_t x) {
  return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
}
std::string big_endian(std::uint16_t x) { return {static_cast<char>(x >> 8), static_cast<char>(x)}; }

std::string chunk(std::string_view type, std::string_view data) {
  std::string const content = std::string(type) + std::string(data);
  auto const check = crc32_z(0, reinterpret_cast<Bytef const*>(content.data()), content.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + content + big_endian(static_cast<std::uint32_t>(check));
}

/// A picture as a PNG file.
std::string encode(Raster const& picture) {
  PngRows png(static_cast<png_uint_32>(picture.width), static_cast<png_uint_32>(picture.height), PNG_COLOR_TYPE_RGB);
  std::vector<png_byte> row(3 * picture.width);
  for (core::Count y = 0; y < picture.height; ++y) {
    for (core::Count x = 0; x < picture.width; ++x) {
      Colour const c = picture.at(x, y);
      std::size_t const at = static_cast<std::size_t>(3 * x);
      row[at] = c.r;
      row[at + 1] = c.g;
      row[at + 2] = c.b;
    }
    png.write(row.data());
  }
  png.finish();
  return png.take();
}

/// The contents of all IDAT chunks of a PNG file.
std::string pixels_of(std::string const& file) {
  std::string data;
  for (std::size_t at = 8; at + 12 <= file.size();) {
    std::uint32_t length = 0;
    for (std::size_t b = 0; b < 4; ++b) length = length << 8 | static_cast<unsigned char>(file[at + b]);
    if (file.compare(at + 4, 4, "IDAT") == 0) data.append(file, at + 8, length);
    at += 12 + length;
  }
  return data;
}

}  // namespace

void Animation::add(Raster const& picture) {
  if (pictures_.empty()) {
    width_ = picture.width;
    height_ = picture.height;
  }
  core::expect(picture.width == width_ && picture.height == height_, "the pictures of an animation have one size");
  pictures_.push_back(pixels_of(encode(picture)));
}

void Animation::thin() {
  for (std::size_t n = 1; 2 * n < pictures_.size(); ++n) pictures_[n] = std::move(pictures_[2 * n]);
  pictures_.resize((pictures_.size() + 1) / 2);
}

std::size_t Animation::bytes() const {
  std::size_t total = 0;
  for (auto const& picture : pictures_) total += picture.size();
  return total;
}

std::string Animation::file() const {
  core::expect(!pictures_.empty(), "an animation has a picture");
  std::string const size =
      big_endian(static_cast<std::uint32_t>(width_)) + big_endian(static_cast<std::uint32_t>(height_));
  std::string file = "\x89PNG\r\n\x1a\n";
  file += chunk("IHDR", size + std::string("\x08\x02\0\0\0", 5));  // 8 bits, RGB
  file += chunk("acTL", big_endian(static_cast<std::uint32_t>(pictures_.size())) + big_endian(std::uint32_t{0}));
  std::uint32_t sequence = 0;  // of fcTL and fdAT together
  for (auto const& picture : pictures_) {
    // the whole canvas, shown for so long, nothing disposed of, nothing blended
    file += chunk("fcTL", big_endian(sequence++) + size + std::string(8, '\0') + big_endian(milliseconds_) +
                              big_endian(std::uint16_t{1000}) + std::string(2, '\0'));
    file += &picture == &pictures_.front() ? chunk("IDAT", picture) : chunk("fdAT", big_endian(sequence++) + picture);
  }
  return file + chunk("IEND", "");
}

}  // namespace tessera::io::detail
