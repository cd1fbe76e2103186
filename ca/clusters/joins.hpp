// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/clusters/tile_clusters.hpp"
#include "ca/components/seams.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace tessera::ca::clusters {

using components::Record;

/// Periods between two cells of the endless grid of images, along x, y, z.
struct Periods {
  std::array<std::int32_t, 3> n{};
  friend Periods operator+(Periods a, Periods const& b) {
    for (std::size_t q = 0; q < 3; ++q) a.n[q] += b.n[q];
    return a;
  }
  friend Periods operator-(Periods a, Periods const& b) {
    for (std::size_t q = 0; q < 3; ++q) a.n[q] -= b.n[q];
    return a;
  }
  friend bool operator==(Periods const&, Periods const&) = default;
  friend auto operator<=>(Periods const&, Periods const&) = default;
};

/// Joins the parts of clusters in tiles over the tiles' faces and round periodic axes, on all ranks.
///
/// A union-find over the parts at faces, each with its distance in periods from its parent in the tree. A link within a
/// cluster that does not agree with the distances closes a walk round the grid: the difference says along which axes.
///
/// First within the rank; then each rank sends the rims of tiles that touch another rank to that rank, and the joints
/// found there to all ranks: about 30 B a joint, then 32 B for each part that has one. No rank sees more of the grid.
class Joins {
 public:
  explicit Joins(core::Layout const& layout) : layout_(layout) {}

  /// `tiles` by slot. Collective.
  void join(std::vector<TileClusters> const& tiles, Lattice const& lattice);

  /// After join, of the whole cluster that border part `border` (from 0) of a tile belongs to, over all ranks.
  Record const& record(int slot, Id border) const {
    return record_[parent_[offset_[static_cast<std::size_t>(slot)] + border]];
  }
  /// Calls f(record) for the clusters with parts at faces; over all ranks each comes once.
  template <class F>
  void for_each_counted(F const& f) const {
    for (Id n = 0; n < parent_.size(); ++n)
      if (parent_[n] == n && !counted_elsewhere_[n]) f(record_[n]);
  }
  std::size_t bytes() const {
    return parent_.capacity() * (sizeof(Id) + sizeof(Periods) + sizeof(Record)) + parent_.capacity() / 8;
  }

 private:
  using Key = std::int64_t;  // tile number * 2^32 + border part: unique in the grid
  struct Place {
    Id root;
    Periods from_root;
  };
  /// The parts in cells that a link joins are `periods` apart.
  struct Joint {
    Key a, b;
    Periods periods;
    friend bool operator==(Joint const&, Joint const&) = default;
    friend auto operator<=>(Joint const&, Joint const&) = default;
  };
  /// A tile of another rank: its rim, and root and distance of each border part there.
  struct Foreign {
    Rim rim;
    std::vector<Key> key;
    std::vector<Periods> from_root;
  };

  Place find(Id a);
  void unite(Id a, Id b, Periods const& periods);
  Key key(Id node) const;
  void start(std::vector<TileClusters> const& tiles);
  void join_own(std::vector<TileClusters> const& tiles, Lattice const& lattice);
  void write_rim(int slot, TileClusters const& tile, core::Bytes& bytes);
  static Foreign read_rim(core::ByteReader& in, core::Index const& shape);
  std::map<int, Foreign> exchange_rims(std::vector<TileClusters> const& tiles, Lattice const& lattice);
  std::vector<Joint> foreign_joints(std::vector<TileClusters> const& tiles, Lattice const& lattice);
  std::vector<Joint> share(std::vector<Joint> const& joints) const;
  std::vector<Record> share_records(std::vector<Key> const& keys) const;
  void join_ranks(std::vector<Joint> const& joints);

  core::Layout const& layout_;
  std::vector<Id> offset_, parent_;
  std::vector<Periods> from_parent_;
  std::vector<Record> record_;
  std::vector<bool> counted_elsewhere_;
};

}  // namespace tessera::ca::clusters
