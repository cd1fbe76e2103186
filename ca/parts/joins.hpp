// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/rank_joins.hpp"
#include "ca/parts/tile_clusters.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace tessera::ca::clusters {

using components::Record;

using components::Joint;
using components::Key;
using components::PartSets;
using components::Periods;

/// Joins the parts of clusters in tiles over the tiles' faces and round periodic axes, on all ranks.
///
/// The parts at faces are sets with distances in periods (record.hpp), joined first within the rank; then each rank sends
/// the rims of tiles that touch another rank to that rank, and what meets there is joined up and down a tree over the
/// ranks (rank_joins.hpp).
class Joins {
 public:
  explicit Joins(core::Layout const& layout) : layout_(layout) {}

  /// `tiles` by slot. Collective.
  void join(std::vector<TileClusters> const& tiles, Lattice const& lattice);

  /// After join, of the whole cluster that border part `border` (from 0) of a tile belongs to, over all ranks.
  Record const& record(int slot, Id border) const { return parts_.record(parts_.root(offset_[slot] + border)); }
  /// Calls f(record) for the clusters with parts at faces; over all ranks each comes once.
  template <class F>
  void for_each_counted(F const& f) const {
    for (Id n = 0; n < parts_.size(); ++n)
      if (parts_.is_root(n) && !counted_elsewhere_[n]) f(parts_.record(n));
  }
  std::size_t bytes() const { return parts_.bytes() + counted_elsewhere_.capacity() / 8; }

 private:
  /// A tile of another rank: its rim, and root and distance of each border part there.
  struct Foreign {
    Rim rim;
    std::vector<Key> key;
    std::vector<Periods> from_root;
  };

  /// Tile number * 2^32 + border part.
  Key key(Id node) const;
  void start(std::vector<TileClusters> const& tiles);
  void join_own(std::vector<TileClusters> const& tiles, Lattice const& lattice);
  void write_rim(int slot, TileClusters const& tile, core::Bytes& bytes);
  static Foreign read_rim(core::ByteReader& in, core::Index const& shape);
  std::map<int, Foreign> exchange_rims(std::vector<TileClusters> const& tiles, Lattice const& lattice);
  std::vector<Joint> foreign_joints(std::vector<TileClusters> const& tiles, Lattice const& lattice);
  void join_ranks(std::vector<Joint> joints);

  core::Layout const& layout_;
  std::vector<Id> offset_;
  PartSets parts_;
  std::vector<bool> counted_elsewhere_;
};

}  // namespace tessera::ca::clusters
