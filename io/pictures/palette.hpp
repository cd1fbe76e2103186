// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(Colour const&, Colour const&) = default;
};

/// 256 colours from the lowest to the highest value of a continuous quantity.
using Palette = std::array<Colour, 256>;

/// `viridis` (perceptually uniform, also for colour-blind eyes and in grey print) or `grey` (black to white).
/// Throws core::Error naming the palettes there are. Source of viridis: Smith & van der Walt 2015, here as a polynomial of
/// degree 6 in each channel that is within 3 of 255 of it (Zucker).
Palette const& palette(std::string const& name);
std::vector<std::string> palettes();

/// Colours for kinds of cells, to be told apart by colour-blind eyes, too (after Okabe & Ito 2008).
namespace colours {
inline constexpr Colour white{255, 255, 255}, light_grey{216, 216, 216}, grey{150, 150, 150}, black{0, 0, 0},
    sky_blue{86, 180, 233}, blue{0, 114, 178}, green{0, 158, 115}, yellow{240, 228, 66}, orange{230, 159, 0},
    vermillion{213, 94, 0}, purple{204, 121, 167};
}  // namespace colours

}  // namespace tessera::io
