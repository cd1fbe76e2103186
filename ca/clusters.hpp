// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "ca/parts/joins.hpp"
#include "ca/parts/sizes.hpp"
#include "core/grid/field.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::ca {

/// What find_clusters is to find; counts are always found, fields are kept where asked for.
struct ClusterOptions {
  Lattice lattice = make_lattice("square", 4);
  std::uint8_t occupied = 1;                         ///< cells of this value form clusters
  core::Field<std::uint8_t> const* inlet = nullptr;  ///< cells other than 0; both or none, on the layout of the grid
  core::Field<std::uint8_t> const* outlet = nullptr;
  bool label = false;        ///< keep the labels
  bool wide_labels = false;  ///< of 64 bits also where 32 would do
  bool spanning = false;     ///< keep the mask of the clusters that span or wrap ...
  int axis = -1;             ///< ... along this axis, -1: along any
  bool connecting = false;   ///< keep the mask of the clusters that connect inlet and outlet
};

/// Clusters of one sort: their number and their cells.
struct ClusterCount {
  std::int64_t clusters = 0, sites = 0;
  explicit operator bool() const { return clusters > 0; }
  friend bool operator==(ClusterCount const&, ClusterCount const&) = default;
};

/// Over all ranks, and the same on each of them.
struct ClusterResult {
  std::int64_t sites = 0;        ///< occupied cells
  std::int64_t clusters = 0;     ///< number of clusters
  std::int64_t largest = 0;      ///< cells of the largest one
  std::vector<SizeCount> sizes;  ///< by size, smallest first

  /// By axis: clusters that touch both sides of the grid along an open axis (none along a periodic one), and clusters
  /// that wrap round a periodic axis (none round an open one).
  std::array<ClusterCount, 3> spanning, wrapping;
  ClusterCount connecting;  ///< clusters that hold cells of the inlet and of the outlet

  /// 1 + smallest cell number of the cluster (raster order), 0 on other cells; int32 where the grid has fewer than 2^31
  /// cells, int64 otherwise.
  std::unique_ptr<core::FieldBase> label;
  std::unique_ptr<core::Field<std::uint8_t>> spanning_mask, connecting_mask;  ///< 1 on their cells
};

/// Finds the clusters of occupied cells on a lattice in two or three dimensions, with open and periodic axes.
///
/// A cluster wraps round an axis when a closed walk within it winds round that axis, that is, when it reaches its own
/// image one or more periods away. A walk that winds round two axes at once counts for both: in the plane,
/// "either" = wraps x or y, "both" = x and y (Newman & Ziff's events). An axis of one cell is not joined to itself.
///
/// Method: rows of a tile as bits; runs joined by union-find with the rows before them that the lattice names; parts of
/// clusters at tile faces joined over tiles and ranks by a union-find that carries the number of periods between the
/// parts (ca/parts/joins.hpp). Results are the same on any number of ranks and for any tiles and owners.
///
/// Cost near the thresholds on one core with wide vectors (bench/clusters): 1.3 ns a cell in the plane, 2.3 ns on the
/// cubic lattices, 0.5 ns more for labels. Memory besides the fields: 1/3 B a cell for bits, 4 B a run and 13 B a part
/// of a cluster in a tile: 1.3 to 2.8 B a cell near the thresholds, with the 40 B for each part that lies at a face
/// between tiles. Buffers are kept for the next call.
/// Sources: Machta, Choi, Lucke, Schweizer & Chayes 1996, Phys. Rev. E 54:1332 (wrapping by union-find with offsets);
/// Newman & Ziff 2001, Phys. Rev. E 64:016706; Wu, Otoo & Suzuki 2009, Pattern Anal. Appl. 12:117 (runs).
class ClusterFinder {
 public:
  explicit ClusterFinder(core::Layout const& layout);

  /// Collective. The halo of `occupied` is neither read nor exchanged.
  /// Throws core::Error if the lattice has one layer and the grid more, if only one of inlet and outlet is given, or if
  /// a tile has 2^32 cells or more.
  ClusterResult run(core::Field<std::uint8_t> const& occupied, ClusterOptions const& options) {
    ClusterResult result;
    run(occupied, options, result);
    return result;
  }
  /// The same into a result of an earlier call: fields that it has and that are asked for again are written anew, which
  /// for labels takes half the time.
  void run(core::Field<std::uint8_t> const& occupied, ClusterOptions const& options, ClusterResult& result);

  /// Memory held on this rank by the search itself, without fields.
  std::size_t bytes() const;

 private:
  void count(ClusterResult& result) const;
  void write_fields(ClusterOptions const& options, ClusterResult& result) const;

  core::Layout const& layout_;
  std::vector<parts::TileParts> tiles_;
  parts::Joins joins_;
};

/// One search without keeping buffers.
inline ClusterResult find_clusters(core::Field<std::uint8_t> const& occupied, ClusterOptions const& options) {
  return ClusterFinder(occupied.layout()).run(occupied, options);
}

}  // namespace tessera::ca
