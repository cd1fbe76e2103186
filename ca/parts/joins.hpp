// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/rank_joins.hpp"
#include "ca/parts/tile_parts.hpp"

#include <cstdint>
#include <vector>

namespace tessera::ca::parts {

/// Joins the parts of clusters in tiles over the tiles' borders, on all ranks.
///
/// The border parts are sets with distances in periods (record.hpp), joined first within the rank: each thread joins those of
/// tiles in a row, then what meets where these end is joined. Then each rank sends the borders of tiles that touch another
/// rank to that rank, and what meets there is joined up and down a tree over the ranks (rank_joins.hpp).
class Joins {
 public:
  explicit Joins(core::Layout const& layout) : layout_(layout) {}

  /// Parts are one where the lattice joins their cells over faces, also round periodic axes. `tiles` by slot, measured.
  /// Collective.
  void join(std::vector<TileParts> const& tiles, Lattice const& lattice);
  /// Parts are one where the cell of a tile's ring is the same cell as at the edge of the tile that it lies in; in a grid
  /// of one layer, never round an axis. `tiles` by slot. Collective.
  void join(std::vector<Strips> const& tiles);

  /// After join, of border part `border` (from 0) of a tile: a number that is the same for parts that are one, on this
  /// rank; and the record of the whole cluster, over all ranks.
  Id root(int slot, Id border) const { return sets_.root(offset_[slot] + border); }
  Record const& record(int slot, Id border) const { return sets_.record(root(slot, border)); }
  /// Calls f(record) for the clusters with border parts; over all ranks each comes once.
  template <class F>
  void for_each_counted(F const& f) const {
    for (Id n = 0; n < sets_.size(); ++n)
      if (sets_.is_root(n) && !counted_elsewhere_[n]) f(sets_.record(n));
  }
  std::size_t bytes() const { return sets_.bytes() + counted_elsewhere_.capacity() / 8; }

 private:
  /// Tile number * 2^32 + border part.
  Key key(Id node) const;
  template <class Links>
  void join_all(Links const& links);
  template <class Links>
  void join_here(Links const& links);
  /// Calls f(group, first, end) for groups of tiles first <= slot < end, one a thread.
  template <class F>
  void for_each_group(char const* label, F const& f) const;
  /// Every part hangs on its root afterwards, where the roots of groups do before.
  void flatten();
  template <class Links>
  std::vector<Joint> foreign_joints(Links const& links);
  void join_ranks(std::vector<Joint> joints);

  core::Layout const& layout_;
  std::vector<Id> offset_;  ///< of each tile: its first border part among all of this rank; their number last
  PartSets sets_;
  std::vector<bool> counted_elsewhere_;
};

/// Calls f(cells, flags) for the whole clusters that have a part in tiles of this rank; over all ranks each comes once.
/// Cells are 0 where they were not measured.
template <class F>
void for_each_whole(std::vector<TileParts> const& tiles, Joins const& joins, F const& f) {
  for (TileParts const& tile : tiles)
    for (Id part = 0; part < tile.count(); ++part)
      if (tile.border[part] == 0)
        f(tile.cells.empty() ? std::int64_t{0} : std::int64_t{tile.cells[part]}, std::uint64_t{tile.flags[part]});
  joins.for_each_counted([&](Record const& whole) { f(whole.cells, whole.flags); });
}

/// 1 + the number in the grid of the first cell of each part's whole cluster. Of measured tiles. Label: int32 or int64.
template <class Label>
void first_cells(TileParts const& tile, core::TileInfo const& info, core::Grid const& grid, Joins const& joins,
                 int slot, std::vector<Label>& first) {
  first.resize(tile.count());
  // parts are in raster order: a row's number is found once
  std::int64_t end = 0, shift = 0;
  for (Id part = 0; part < tile.count(); ++part) {
    std::uint32_t const n = tile.first[part];
    if (n >= end) {
      auto const ni = static_cast<std::uint32_t>(info.ni);
      end = std::int64_t{n - n % ni} + ni;
      shift = grid_number(grid, info, n) + 1 - n;
    }
    first[part] = static_cast<Label>(shift + n);
  }
  for (Id b = 0; b < tile.borders.size(); ++b) first[tile.borders[b]] = static_cast<Label>(joins.record(slot, b).first);
}

}  // namespace tessera::ca::parts
