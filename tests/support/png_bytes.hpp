// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tests {

/// An encoder of PNG pictures with nothing in it but the format (data are stored, not compressed), so that the reader is
/// tested against something else than the library it uses.
struct PngBytes {
  static std::uint32_t crc(std::string const& data) {
    std::uint32_t c = 0xffffffffu;
    for (unsigned char const byte : data) {
      c ^= byte;
      for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xedb88320u : 0u);
    }
    return ~c;
  }
  static std::string big_endian(std::uint32_t x) {
    return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
  }
  static std::string chunk(std::string const& type, std::string const& data) {
    return big_endian(static_cast<std::uint32_t>(data.size())) + type + data + big_endian(crc(type + data));
  }
  static std::string zlib_stored(std::string const& data) {
    std::string out = "\x78\x01";
    std::size_t at = 0;
    do {
      auto const n = static_cast<std::uint16_t>(std::min<std::size_t>(65535, data.size() - at));
      bool const last = at + n == data.size();
      out += static_cast<char>(last ? 1 : 0);
      for (std::uint16_t const x : {n, static_cast<std::uint16_t>(~n)}) {
        out += static_cast<char>(x & 255);
        out += static_cast<char>(x >> 8);
      }
      out += data.substr(at, n);
      at += n;
    } while (at < data.size());
    std::uint32_t a = 1, b = 0;
    for (unsigned char const byte : data) {
      a = (a + byte) % 65521;
      b = (b + a) % 65521;
    }
    return out + big_endian(b << 16 | a);
  }

  std::uint32_t width = 0, height = 0;
  int depth = 8, colour_type = 0;  // 0 grey, 2 RGB, 3 palette, 4 grey + alpha, 6 RGB + alpha
  bool interlaced = false;
  std::string palette = "", transparency = "";

  std::string header() const {
    return chunk("IHDR", big_endian(width) + big_endian(height) + static_cast<char>(depth) +
                             static_cast<char>(colour_type) + std::string(2, '\0') + (interlaced ? '\1' : '\0'));
  }
  /// `scanlines`: filter byte and packed samples of each row.
  std::string file(std::string const& scanlines) const {
    return "\x89PNG\r\n\x1a\n" + header() + (palette.empty() ? "" : chunk("PLTE", palette)) +
           (transparency.empty() ? "" : chunk("tRNS", transparency)) + chunk("IDAT", zlib_stored(scanlines)) +
           chunk("IEND", "");
  }
  /// Rows from the top, each as samples of `depth` bits, channels interleaved.
  std::string picture(std::vector<std::vector<int>> const& rows) const {
    std::string data;
    if (!interlaced) {
      for (auto const& row : rows) data += scanline(row);
      return file(data);
    }
    std::size_t const channels = rows[0].size() / width;
    constexpr int first_x[] = {0, 4, 0, 2, 0, 1, 0}, first_y[] = {0, 0, 4, 0, 2, 0, 1};
    constexpr int step_x[] = {8, 8, 4, 4, 2, 2, 1}, step_y[] = {8, 8, 8, 4, 4, 2, 2};
    for (int pass = 0; pass < 7; ++pass)
      for (std::size_t y = static_cast<std::size_t>(first_y[pass]); y < height;
           y += static_cast<std::size_t>(step_y[pass])) {
        std::vector<int> row;
        for (std::size_t x = static_cast<std::size_t>(first_x[pass]); x < width;
             x += static_cast<std::size_t>(step_x[pass]))
          for (std::size_t c = 0; c < channels; ++c) row.push_back(rows[y][x * channels + c]);
        if (!row.empty()) data += scanline(row);
      }
    return file(data);
  }

 private:
  std::string scanline(std::vector<int> const& samples) const {
    std::string out(1, '\0');
    int bits = 0, pending = 0;
    for (int const sample : samples) {
      if (depth == 16) {
        out += static_cast<char>(sample >> 8);
        out += static_cast<char>(sample & 255);
        continue;
      }
      pending = pending << depth | sample;
      bits += depth;
      if (bits == 8) {
        out += static_cast<char>(pending);
        bits = pending = 0;
      }
    }
    if (bits > 0) out += static_cast<char>(pending << (8 - bits));
    return out;
  }
};

}  // namespace tessera::tests
