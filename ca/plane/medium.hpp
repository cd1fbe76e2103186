// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/joins.hpp"
#include "ca/percolation.hpp"
#include "core/grid/halo.hpp"

namespace tessera::ca::percolation {

using parts::BitTile;
using parts::Id;
using parts::Word;

/// Bits of Record::flags: black clusters and nodes that touch a bar, white clusters that hold a side.
enum Flag : std::uint8_t { low = 1, high = 2, both = 3 };

/// Where the bars and the sides are in the bits of a tile with a ring of 0 or 1 cells. Everything beyond a bar counts as
/// bar.
class Place {
 public:
  Place(core::Grid const& grid, core::TileInfo const& info, Direction direction, int ring);

  Direction direction() const { return direction_; }

  /// Bits of word w of row r that are no bar: cells of the medium and of its sides.
  Word inner(int r, int w) const {
    if (direction_ == Direction::y) return r > low_ && r < high_ ? ~Word{0} : 0;
    return BitTile::below(w, high_) & ~BitTile::below(w, low_ + 1);
  }
  /// Calls f(row, first bit, last bit, flag) for the cells next to a bar, of a bar, or on a side, as far as they are in
  /// the tile.
  template <class F>
  void next_to_bars(F const& f) const {
    lines(direction_, low_ + 1, high_ - 1, f);
  }
  template <class F>
  void bars(F const& f) const {
    lines(direction_, low_, high_, f);
  }
  template <class F>
  void sides(F const& f) const {
    lines(direction_ == Direction::y ? Direction::x : Direction::y, side_low_, side_high_, f);
  }

 private:
  template <class F>
  void lines(Direction across, std::int64_t first, std::int64_t last, F const& f) const {
    for (int end = 0; end < 2; ++end) {
      auto const at = static_cast<int>(end == 0 ? first : last);
      if (at < ring_ || at >= ring_ + (across == Direction::y ? nj_ : ni_)) continue;
      Flag const flag = end == 0 ? low : high;
      if (across == Direction::y)
        f(at, ring_, ring_ + ni_ - 1, flag);
      else
        for (int r = ring_; r < ring_ + nj_; ++r) f(r, at, at, flag);
    }
  }

  Direction direction_;
  int ring_, ni_, nj_;
  std::int64_t low_, high_;            ///< row or bit of the bars
  std::int64_t side_low_, side_high_;  ///< bit or row of the sides
};

/// Sets `flag` on the parts that hold set bits of a row from bit x0 to x1.
void flag_parts(parts::TileParts& tile, int r, int x0, int x1, Flag flag);

/// Takes away cells with at most one set neighbour, in three sweeps: most of the dead ends. The cells at the tile's edge
/// stay, so that the tiles round it know them. Any amount of pruning leaves the faces of the remaining graph as they
/// were: a cell taken away joins the one face round it.
/// Cost: about 0.05 ns a cell with wide vectors, 0.15 ns without.
void prune(BitTile& cells);
void prune_portable(BitTile& cells);
void prune_wide(BitTile& cells);  ///< only where parts::wide_kernels() says so

}  // namespace tessera::ca::percolation
