// SPDX-License-Identifier: Apache-2.0
#include "ca/plane/medium.hpp"

#include "ca/parts/kernels.hpp"

#include <algorithm>

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

namespace {

/// One row of a sweep, left to right; dead ends along the row lose two cells.
void prune_row(BitTile& cells, int r) {
  Word *const row = cells.row(r), *const below = cells.row(r - 1), *const above = cells.row(r + 1);
  Word last = 0;
  for (int w = 0; w < cells.words; ++w) {
    Word const next = w + 1 < cells.words ? row[w + 1] << 63 : 0;
    // bits 0 and 1, ni and ni + 1 stay
    Word const own = cells.own(w),
               stay = ~own | (w == 0 ? Word{2} : 0) | (cells.ni >> 6 == w ? Word{1} << (cells.ni & 63) : 0);
    Word const both = below[w] & above[w], some = below[w] | above[w];
    Word c = row[w];
    for (int round = 0; round < 2; ++round) {
      Word const left = c << 1 | last, right = c >> 1 | next;
      c &= both | (left & right) | (some & (left | right)) | stay;
    }
    row[w] = c;
    last = c >> 63;
  }
}

}  // namespace

void prune_portable(BitTile& cells) {
  for (int r = 2; r < cells.nj; ++r) prune_row(cells, r);
  for (int r = cells.nj - 1; r > 1; --r) prune_row(cells, r);
  for (int r = 2; r < cells.nj; ++r) prune_row(cells, r);
}

void prune(BitTile& cells) {
  if (parts::wide_kernels() != nullptr)
    prune_wide(cells);
  else
    prune_portable(cells);
}

}  // namespace tessera::ca::percolation
