// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "core/grid/field.hpp"

#include <cstdint>
#include <memory>

namespace tessera::ca {

/// Which masks backbone_between keeps. The counts are always found.
struct BackboneOptions {
  bool backbone = true, articulation = true, red = true;
};

/// All counts are over all ranks; nothing is marked unless inlet and outlet are joined.
struct Backbone {
  bool spans = false;               ///< occupied cells join an inlet cell to an outlet cell
  std::int64_t backbone_sites = 0;  ///< cells on some path without crossings from inlet to outlet
  /// Cells of clusters that join inlet and outlet whose removal cuts other cells off both.
  std::int64_t articulation_sites = 0;
  std::int64_t red_sites = 0;       ///< cells on every path from inlet to outlet
  std::int64_t searched_sites = 0;  ///< cells left after pruning, gathered on one rank

  std::unique_ptr<core::Field<std::uint8_t>> backbone, articulation, red;
};

/// The exact backbone of occupied cells (occupied == 1) between any inlet and outlet cells (masks, not 0) on any
/// lattice, in 2-D and 3-D; periodic axes are joined.
///
/// Definition: join a vertex s to every inlet cell, t to every outlet cell, and s to t. The backbone is the biconnected
/// component that holds the edge s t: all cells on some self-avoiding path from s to t. Inlet and outlet are electrodes:
/// with the rows beside the bars as inlet and outlet, and the bars not occupied, this is definition D2 of
/// ca::percolate; with the bars themselves as occupied inlet and outlet cells it is D1.
///
/// Method: 1. clusters that join inlet and outlet, by ca::find_clusters; 2. dead ends pruned tile by tile: cells
/// with one neighbour at most (s and t counted) go, and what they uncover, over tiles and ranks; a cell that holds a
/// pruned one is an articulation cell; 3. what is left goes as lists of neighbours to rank 0; 4. one depth-first search
/// there from s, without the edge s t: the blocks on the way from s to t are the backbone, the vertices between them
/// the red cells. In the plane ca::percolate is much faster and needs no rank to hold it all; use this where it does
/// not apply.
///
/// Results depend on the medium alone: not on ranks, tiles or owners. Collective. Cost: in all about 0.25 us a searched
/// cell (4096 x 4096 at the threshold: 1.0 s, at p = 0.65: 2.0 s; 200^3 at p = 0.33, cubic 6: 0.45 s). Memory: 6 B a
/// cell, halos and the masks; on rank 0 while searching 30 B for each searched cell and 4 B for each of its neighbours
/// (twice that while lists arrive). Inlet and outlet need no halo, neither does `occupied`.
/// Throws core::Error if the grid has several layers but the lattice joins none; core::RunError if 2^31 - 3 cells or
/// more are left to be searched.
/// Source: Hopcroft & Tarjan 1973, Commun. ACM 16:372, with lists in place of recursion.
Backbone backbone_between(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& inlet,
                          core::Field<std::uint8_t> const& outlet, Lattice const& lattice,
                          BackboneOptions const& options = {});

}  // namespace tessera::ca
