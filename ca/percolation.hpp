// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/sizes.hpp"
#include "core/grid/field.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::ca {

/// The axis along which a medium is to be crossed. The bars are the first and the last row (y) or column (x) of cells.
enum class Direction { x, y };

/// Which cells the backbone holds, in the graph of black cells and bars.
///   `D1`  bars are rows of sites: a path may run along a bar, so arches that leave a bar and return to it are backbone
///   `D2`  bars are electrodes: arches carry no current and are out
enum class Definition { D1, D2 };

/// What percolate is to find. Masks and labels are kept where asked for. The counts of a mask are found with it, or with
/// `clusters`; those not asked for stay 0.
struct PercolationOptions {
  Direction direction = Direction::y;
  Definition definition = Definition::D1;
  bool label = true, spanning = true, backbone = true, articulation = true, red = true;  ///< fields to keep
  bool dangling = false;  ///< another field: sites of spanning clusters that are not backbone
  /// Find the clusters of black sites, and all counts: without it, and without the fields label, spanning, dangling and
  /// articulation, only spans, occupation and the sites of backbone and red sites are found, in half the time.
  bool clusters = true;
  bool sizes = false;  ///< how many clusters there are of each size

  /// For counts alone, without fields.
  static PercolationOptions counts(Direction direction, Definition definition, bool clusters = true) {
    return {.direction = direction,
            .definition = definition,
            .label = false,
            .spanning = false,
            .backbone = false,
            .articulation = false,
            .red = false,
            .clusters = clusters};
  }
};

/// All counts are of interior cells over all ranks; all fields are 0 on the frame (bars and side columns).
struct PercolationResult {
  bool spans = false;                  ///< black cells join bar to bar
  std::int64_t clusters = 0;           ///< of black interior cells, 4 neighbours, bars left out
  std::int64_t largest_cluster = 0;    ///< cells
  std::int64_t spanning_clusters = 0;  ///< of them, those that touch both bars
  std::int64_t spanning_sites = 0;     ///< cells of the clusters that touch both bars
  std::int64_t backbone_sites = 0;     ///< cells on some path without crossings from bar to bar
  std::int64_t dangling_sites = 0;     ///< cells of the clusters that touch both bars outside the backbone
  /// Cells of clusters that touch both bars whose removal cuts other cells off the bars.
  std::int64_t articulation_sites = 0;
  std::int64_t red_sites = 0;    ///< cells whose removal ends the spanning
  double occupation = 0;         ///< black fraction of the interior
  std::vector<SizeCount> sizes;  ///< by size, on every rank

  /// 1 + smallest cell number of the cluster, 0 on white cells: Field<int32> where the grid has fewer than 2^31 cells,
  /// Field<int64> otherwise (core::visit).
  std::unique_ptr<core::FieldBase> label;
  std::unique_ptr<core::Field<std::uint8_t>> spanning, backbone, dangling, articulation, red;
};

/// The cells within the frame: all but the bars and the side rows or columns.
core::Box interior(core::Grid const& grid);

/// Writes the frame: bars 1, the sides between them 0. Throws core::Error unless the grid is 2-D with 3 cells or more
/// along x and y.
void frame(core::Field<std::uint8_t>& occupied, Direction direction);

/// Clusters and the exact backbone of a framed 2-D medium (1 black, 0 white; the halo of at least 1 is exchanged here).
///
/// Backbone: the vertices of the biconnected component of the graph of black cells and bars that holds an edge joined
/// from bar to bar: all cells on some self-avoiding path between the bars. Found without a search, by planar duality:
///  1. white clusters (8 neighbours) are the faces of the graph;
///  2. an edge with the same face on both sides is a bridge: dead. A cell with four black neighbours and one face in
///     opposite corners belongs to two blocks: it is split;
///  3. cells joined by live edges, split cells taken apart, make components; those joined to a bar (D1), to both bars
///     (D2) are the backbone.
/// Articulation cells are cells of spanning clusters with a white cluster in two different gaps between their black
/// neighbours; red ones touch both the left and the right outer white cluster. Without spanning the backbone and the other masks are empty.
///
/// Results depend on the medium alone: not on ranks, tiles or owners. Cost near the threshold with wide vectors: about
/// 2.5 ns a cell for the backbone alone, 5 ns for all fields. Memory besides the fields: about 3 B a cell near the
/// threshold, at most about 12 B (vertical stripes); so the backbone alone takes 6 B a cell all in, medium and mask
/// included, and with all fields (label 4 or 8 B, masks 1 B each) 15 B. Buffers and fields are kept for the next run.
/// Source: Stamatovic, Trobec et al. 2014, NESUS workshop (automata A1 .. A5), made exact by keeping the blocks of a
/// cell apart.
class Percolator {
 public:
  /// Throws core::Error unless the grid is 2-D with 3 cells or more along x and y.
  explicit Percolator(core::Layout const& layout);
  ~Percolator();

  /// Collective. The result stays as it is until the next run, but may be moved away.
  /// Throws core::Error if the frame is missing.
  PercolationResult& run(core::Field<std::uint8_t>& occupied, PercolationOptions const& options);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// One run without keeping buffers.
PercolationResult percolate(core::Field<std::uint8_t>& occupied, PercolationOptions const& options);

}  // namespace tessera::ca
