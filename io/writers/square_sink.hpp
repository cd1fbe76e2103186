// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace tessera::io {

/// What a RowSink may be besides: one that takes a tree of squares of which equal ones are one in place of rows (SquareTree, the other way
/// round), so that it may stand for more cells than anybody can go through.
class SquareSink {
 public:
  using Number = std::uint32_t;  ///< of a square; 0: all its cells are 0
  virtual ~SquareSink() = default;
  /// 8 x 8 cells of two states, not all 0: a bit each, row by row from below, the leftmost of a row lowest.
  virtual Number leaf(std::uint64_t cells) = 0;
  /// 2^level x 2^level cells, not all 0, of four squares: lower left, lower right, upper left, upper right; at level 1 states of cells.
  /// The last one that is given holds all cells, and its middle is the corner (0, 0) of the plane.
  virtual Number square(int level, std::array<Number, 4> const& parts) = 0;
};

}  // namespace tessera::io
