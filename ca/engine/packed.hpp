// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/bits.hpp"

namespace tessera::ca {

/// Whether a two-state rule in the plane is kept a bit a cell on this layout: `storage auto | bits | bytes;` in the case's
/// properties, auto by default. Words of 64 cells must not cross tiles: a tile is as wide as the grid, or a multiple of 64.
/// Throws core::Error where the case asks for bits and the tiles are of another width.
bool keeps_bits(RuleContext const& context);

/// The cells that a rule counts: all eight around; the four beside it; six, all but those at the upper right and lower left.
enum class Neighbours { eight, four, six };

/// The automaton of a two-state rule on the count of its neighbours, in words of 64 cells (`rule`: its numbers as
/// the rulestring has them). States other than 1 count as dead.
///
/// state() unpacks to bytes, and what is written there is packed again with the next step. Ahead (work_ahead) up to 64
/// generations are computed in place, tile by tile: each follows the one before it a few rows behind, in a few rows of
/// memory that stay in the cache, and the last one overwrites rows that nobody needs any more. Tiles that rest are passed
/// over (Activity).
/// Cost ahead: about 25 to 45 operations for 64 cells times the width of vectors, one pass over memory for all generations;
/// a bit a cell and halos. Otherwise two bits a cell.
std::unique_ptr<Automaton> make_packed(bits::Totals const& rule, Neighbours neighbours, RuleContext& context);

}  // namespace tessera::ca
