// SPDX-License-Identifier: Apache-2.0
#include "ca/plane/medium.hpp"

#include "ca/parts/kernels.hpp"
#include "ca/plane/medium_loops.hpp"

namespace tessera::ca::percolation {

Place::Place(core::Grid const& grid, core::TileInfo const& info, Direction direction, int ring)
    : direction_(direction),
      ring_(ring),
      ni_(info.ni),
      nj_(info.nj) {
  std::int64_t const x_low = ring - info.i0, x_high = x_low + grid.cells()[0] - 1;
  std::int64_t const y_low = ring - info.j0, y_high = y_low + grid.cells()[1] - 1;
  low_ = direction == Direction::y ? y_low : x_low;
  high_ = direction == Direction::y ? y_high : x_high;
  side_low_ = direction == Direction::y ? x_low : y_low;
  side_high_ = direction == Direction::y ? x_high : y_high;
}

void flag_parts(parts::TileParts& tile, int r, int x0, int x1, Flag flag) {
  for (int x = x0; x <= x1; ++x)
    if (tile.bits.test(r, x)) tile.flags[tile.of[tile.runs.at(r, x)]] |= flag;
}

void prune_portable(BitTile& cells) { prune_with<parts::PlainBits>(cells); }

void prune(BitTile& cells) {
  if (parts::wide_kernels() != nullptr)
    prune_wide(cells);
  else
    prune_portable(cells);
}

}  // namespace tessera::ca::percolation
