// SPDX-License-Identifier: Apache-2.0
#include "ca/table/icons.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace tessera::ca::table {
namespace {

constexpr std::array sizes{7, 15, 31};
bool usual(int size) { return std::find(sizes.begin(), sizes.end(), size) != sizes.end(); }

/// What stands between the quotes that a line begins with; nothing where it does not.
std::optional<std::string_view> quoted(std::string_view line) {
  if (line.empty() || line[0] != '"') return std::nullopt;
  auto const end = line.find('"', 1);
  if (end == line.npos) return std::nullopt;
  return line.substr(1, end - 1);
}

/// The next string of a bitmap.
std::string_view next_string(Lines& lines, char const* what) {
  std::string_view line;
  if (lines.next_whole(line))
    if (auto const text = quoted(line)) return *text;
  lines.fail(fmt::format("expected {} between quotes", what));
}

Pixel colour_in(Lines const& lines, std::string_view text) {
  auto const at = text.find('#');
  auto const digits = at == text.npos ? text.substr(0, 0) : text.substr(at + 1, text.find(' ', at) - at - 1);
  bool const hexadecimal = digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
  if (!hexadecimal || (digits.size() != 6 && digits.size() != 12))
    lines.fail(fmt::format("found '{}', expected a colour such as 'c #FF8000'", text));
  Pixel pixel{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    auto const part = digits.substr(channel * digits.size() / 3, 2);
    std::from_chars(part.data(), part.data() + 2, pixel[channel], 16);
  }
  return pixel;
}

/// The bitmap behind a line XPM; of no size where it is none of ours.
Icons read_bitmap(Lines& lines) {
  auto const header = Lines::words(next_string(lines, "width, height, colours and characters a pixel"), " \t");
  if (header.size() < 4) lines.fail("expected width, height, colours and characters a pixel");
  int const width = lines.number(header[0]), height = lines.number(header[1]), colours = lines.number(header[2]);
  auto const characters = static_cast<std::size_t>(lines.number(header[3]));
  if (!usual(width)) return {};
  if (height < width || height % width != 0)
    lines.fail(fmt::format("found a height of {}, expected a multiple of the width {}", height, width));
  if (characters != 1 && characters != 2) lines.fail("expected 1 or 2 characters a pixel");
  std::map<std::string, Pixel, std::less<>> palette;
  Icons icons{width};
  for (int n = 0; n < colours; ++n) {
    auto const text = next_string(lines, "a colour");
    Pixel const pixel = colour_in(lines, text.substr(std::min(characters, text.size())));
    palette[std::string(text.substr(0, characters))] = pixel;
    icons.grey = icons.grey && pixel[0] == pixel[1] && pixel[1] == pixel[2];
  }
  for (int row = 0; row < height; ++row) {
    auto const text = next_string(lines, "a row of pixels");
    if (row % width == 0) icons.of.emplace_back();
    if (text.size() < characters * static_cast<std::size_t>(width))
      lines.fail(fmt::format("expected {} pixels in the row", width));
    for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n) {
      auto const found = palette.find(text.substr(n * characters, characters));
      if (found == palette.end())
        lines.fail(fmt::format("'{}' is none of the colours", text.substr(n * characters, characters)));
      icons.of.back().push_back(found->second);
    }
  }
  return icons;
}

/// The share of each pixel that lies in a figure of the square from -1 to 1, as a shade of grey.
template <class Inside>
Icons shaded(int size, Inside const& inside) {
  constexpr int fine = 8;
  Icons icons{.size = size, .of = {{}}};
  auto const place = [&](int pixel, int part) { return 2 * (pixel + (part + 0.5) / fine) / size - 1; };
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      int hits = 0;
      for (int b = 0; b < fine; ++b)
        for (int a = 0; a < fine; ++a) hits += inside(place(x, a), -place(y, b));
      auto const shade = static_cast<std::uint8_t>(255 * hits / (fine * fine));
      icons.of[0].push_back({shade, shade, shade});
    }
  return icons;
}

}  // namespace

std::vector<Icons> read_icons(Lines& lines) {
  std::vector<Icons> all;
  auto const add = [&](auto const& inside) {
    for (int const size : sizes) all.push_back(shaded(size, inside));
  };
  for (std::string_view line; lines.next_whole(line);) {
    if (line == "circles") add([](double x, double y) { return x * x + y * y <= 1; });
    if (line == "diamonds") add([](double x, double y) { return std::abs(x) + std::abs(y) <= 1; });
    // neighbours are north, east, south-east and opposite
    if (line == "hexagons") add([](double x, double y) { return std::abs(x - y) <= 1; });
    if (line != "XPM") continue;
    if (Icons icons = read_bitmap(lines); icons.size > 0) all.push_back(std::move(icons));
  }
  return all;
}

std::vector<Pixel> drawn(Icons const& icons, int state, Pixel background, Pixel colour) {
  auto pixels = icons.of[std::min(static_cast<std::size_t>(state), icons.of.size()) - 1];
  for (Pixel& pixel : pixels) {
    if (icons.grey)
      for (std::size_t channel = 0, shade = pixel[0]; channel < 3; ++channel)
        pixel[channel] =
            static_cast<std::uint8_t>((background[channel] * (255 - shade) + colour[channel] * shade) / 255);
    else if (pixel == Pixel{})
      pixel = background;
  }
  return pixels;
}

}  // namespace tessera::ca::table
