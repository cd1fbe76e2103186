// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/bits.hpp"

#include <bit>

namespace tessera::ca {

/// More are not made: with 17 states and more a cell takes a byte.
inline constexpr int most_planes = 4;
/// Bit planes that hold so many states, 2 or more: the bits of the last one as a binary number; 0 where they are too many.
constexpr int planes_of(int states) {
  int const bits = std::bit_width(static_cast<unsigned>(states - 1));
  return bits <= most_planes ? bits : 0;
}

/// Whether a rule of so many states in the plane is kept in bit planes on this layout: `storage auto | bits | bytes;` in the
/// case's properties, auto by default. Words of 64 cells must not cross tiles: a tile is as wide as the grid, or a multiple of 64.
/// Throws core::Error where the case asks for bits and the tiles are of another width, or the states too many.
bool keeps_bits(RuleContext const& context, int states);

/// The cells that a rule counts: all eight around; the four beside it; six, all but those at the upper right and lower left.
enum class Neighbours { eight, four, six };

/// The automaton of a rule on the count of its neighbours that are alive, in words of 64 cells (`rule`: its numbers as
/// the rulestring has them): of two states or, of the Generations family, up to 16 (bits::Aging), in planes_of(states) words.
/// States that the rule has not are taken as 0.
///
/// state() unpacks to bytes, and what is written there is packed again with the next step. Ahead (work_ahead) up to 64
/// generations are computed in place, tile by tile: each follows the one before it a few rows behind, in a few rows of
/// memory that stay in the cache, and the last one overwrites rows that nobody needs any more. Tiles that rest are passed
/// over (Activity).
/// Cost ahead: about 25 to 45 operations for 64 cells times the width of vectors, some five more for each plane beyond the first,
/// one pass over memory for all generations; a bit a cell and plane, and halos. Otherwise two bits.
std::unique_ptr<Automaton> make_packed(bits::Totals const& rule, Neighbours neighbours, int states,
                                       RuleContext& context);

}  // namespace tessera::ca
