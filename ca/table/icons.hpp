// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/table/lines.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::ca::table {

using Pixel = std::array<std::uint8_t, 3>;  ///< red, green, blue

/// Pictures of the states of a rule, `size` x `size` pixels each, row by row from the top.
struct Icons {
  int size = 0;
  bool grey = true;  ///< shades of the state's own colour on that of state 0
  std::vector<std::vector<Pixel>> of =
      {};  ///< of the states 1, 2, ...; the last one is that of all further states, too
};

/// Reads a section @ICONS: sets of bitmaps in XPM, and the words circles, diamonds and hexagons. Bitmaps that are not 7, 15 or 31
/// pixels wide are passed over, as are other words. Throws core::Error with file and line for what is wrong in a bitmap.
/// Source: Golly's help, File Formats, "@ICONS".
std::vector<Icons> read_icons(Lines& lines);

/// The pixels of a state's icon: black is the colour of state 0; where all are grey, white is the state's own colour, and other
/// shades lie between the two.
std::vector<Pixel> drawn(Icons const& icons, int state, Pixel background, Pixel colour);

}  // namespace tessera::ca::table
