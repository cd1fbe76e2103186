// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/rank_joins.hpp"
#include "ca/parts/runs.hpp"
#include "core/grid/layout.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace tessera::ca::components {

/// What a tile tells of its components that may go on in other tiles: the `border` components, numbered from 0.
/// Strips hold border component + 1, or 0, by core::Side: `own` along the tile's edge cells (nj, nj, ni, ni of them),
/// `halo` along the ring outside, where there is one (nj, nj, ni + 2, ni + 2: bottom and top with the corners).
struct SeamTile {
  std::array<std::vector<Id>, 4> own, halo;
  std::vector<Record> border;
};

/// When two components of neighbouring tiles are one: the cell of a tile's ring is the same cell as in the `own` strip of
/// the tile it lies in, or cells of the `own` strips on both sides touch, with 4 or 8 neighbours.
enum class Meet { in_ring, beside_4, beside_8 };

/// Joins the components of tiles over the tiles' seams, on all ranks.
///
/// First within the rank; then each rank sends the strips of tiles that touch another rank to that rank, and what meets
/// there is joined up and down a tree over the ranks (rank_joins.hpp).
class Seams {
 public:
  explicit Seams(core::Layout const& layout) : layout_(layout) {}

  /// `tiles` by slot. Collective.
  void join(std::vector<SeamTile> const& tiles, Meet meet);

  /// After join: one and the same number for border components that are one, on this rank.
  Id root(int slot, Id border) const { return parent_[offset_[slot] + border]; }
  /// Of the whole component, on all ranks.
  Record const& record(Id root) const { return record_[root]; }
  /// Whole components with a part at some seam: each is told of on one rank. Their number, or f(record) for each.
  std::int64_t components_here() const { return static_cast<std::int64_t>(here_.size()); }
  template <class F>
  void for_each_component_here(F const& f) const {
    for (Record const& record : here_) f(record);
  }

 private:
  using Strips = std::array<std::vector<Key>, 4>;  // keys: tile number * 2^32 + border component + 1

  /// Whether the pair of tiles is looked at from the one whose neighbour lies at (dx, dy).
  bool looks(int dx, int dy) const { return meet_ == Meet::in_ring || dy > 0 || (dy == 0 && dx > 0); }
  Id find(Id a);
  void unite(Id a, Id b);
  void join_own(std::vector<SeamTile> const& tiles);
  std::map<int, Strips> exchange_strips(std::vector<SeamTile> const& tiles) const;
  std::vector<Joint> foreign_joints(std::vector<SeamTile> const& tiles, std::map<int, Strips> const& foreign) const;
  void join_ranks(std::vector<Joint> joints);

  core::Layout const& layout_;
  Meet meet_ = Meet::in_ring;
  std::vector<Id> offset_, parent_;
  std::vector<Key> key_;
  std::vector<Record> record_, here_;
};

}  // namespace tessera::ca::components
