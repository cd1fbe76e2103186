// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/bits.hpp"
#include "ca/engine/boundary.hpp"
#include "core/grid/layout.hpp"

namespace tessera::ca::bits {

/// What lies beyond the ends of the grid's rows of words, and what of them a tile works on. A grid of n cells along x has
/// rows of ceil(n / 64) words; the bits of the last one that are no cells stand for what lies beyond the side, as do
/// the words before the first and after the last one.
struct RowEnds {
  core::Count cells;  ///< of the grid along x
  bool around;        ///< the axis is periodic
  bool one_tile;      ///< a tile has the whole axis
  bool copies[2];     ///< beyond the low, high side cells are as the outermost one; only for one generation at a time
  int beyond[2];      ///< otherwise, where the axis is not periodic: their state

  RowEnds(Boundaries const& sides, core::Grid const& grid)
      : cells(grid.cells()[0]),
        around(grid.periodic(0)),
        one_tile(grid.tile()[0] >= grid.cells()[0]),
        copies{sides.side[0].copies(), sides.side[1].copies()},
        beyond{static_cast<int>(sides.side[0].value), static_cast<int>(sides.side[1].value)} {}

  /// The part of a tile's rows that a generation computes, and whether the grid's ends lie in or beside it.
  struct Span {
    int first, last;  ///< words, counted from the tile's first one
    int end;          ///< the grid's last word
    bool low, high;   ///< its first cell is that of the grid; its last one lies in what is computed
  };
  /// Of a tile; `margin`: one word more on either side where the grid goes on, for the generations that follow.
  KOKKOS_FUNCTION Span span(core::TileInfo const& cells_of, bool margin) const {
    int const own = (cells_of.ni + 63) / 64, end = static_cast<int>((cells - cells_of.i0 + 63) / 64) - 1;
    if (one_tile) return {0, own, end, true, true};
    bool const low = cells_of.i0 == 0, high = end <= own;
    int const first = margin && !(low && !around) ? -1 : 0;
    int const last = !margin ? own : high && !around ? end + 1 : own + 1;
    return {first, last, end, low, high};
  }
  KOKKOS_FUNCTION int rest() const { return static_cast<int>(cells % 64); }

  /// Sets what a row of a bit plane shows beyond the ends of the grid, from the row itself: for the next generation.
  KOKKOS_FUNCTION void close(Word* row, int plane, Span const& span) const {
    int const used = rest(), end = span.end;
    if (around) {
      if (!one_tile) return;  // the words beside it come from other tiles
      Word const mask = used == 0 ? ~Word{0} : first_bits(used), first = row[0] & 1, last = row[end] & mask;
      row[-1] = used == 0 ? last : last << (64 - used);
      row[end] = used == 0 ? last : last | first << used;
      row[end + 1] = row[0];
      return;
    }
    if (span.low) row[-1] = copies[0] ? all_or_none((row[0] & 1) != 0) : bit_of(beyond[0], plane);
    if (!span.high) return;
    Word const value =
        copies[1] ? all_or_none((row[end] >> (used == 0 ? 63 : used - 1) & 1) != 0) : bit_of(beyond[1], plane);
    if (used != 0) row[end] = select(first_bits(used), row[end], value);
    row[end + 1] = value;
  }

  /// The same for a row of a tile and its halo, just exchanged: for up to 64 generations. Rows of words go round a periodic
  /// axis as words, so that those beside its ends are shifted by what the last word has too few cells. Once an exchange.
  KOKKOS_FUNCTION void open(Word* row, int plane, Span const& span) const {
    int const used = rest(), end = span.end;
    if (!around || one_tile) return close(row, plane, span);
    if (used == 0) return;
    if (span.low) row[-1] = row[-2] >> used | row[-1] << (64 - used);
    if (!span.high) return;
    Word const first = row[end + 1];
    row[end] = (row[end] & first_bits(used)) | first << used;
    if (end + 2 <= span.last) row[end + 1] = first >> (64 - used) | row[end + 2] << used;
  }
};

}  // namespace tessera::ca::bits
