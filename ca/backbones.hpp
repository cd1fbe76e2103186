// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "core/grid/field.hpp"

#include <cstdint>
#include <memory>

namespace tessera::ca {

/// Cells where ways begin or end: those of a mask (not 0), or the outermost ones at a side, which take no memory.
struct EndCells {
  EndCells(core::Field<std::uint8_t> const& cells) : mask(&cells) {}
  EndCells(core::Side at) : side(at) {}
  core::Field<std::uint8_t> const* mask = nullptr;
  core::Side side{};  ///< without a mask
};

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
  std::int64_t red_sites = 0;  ///< cells on every path from inlet to outlet

  std::unique_ptr<core::Field<std::uint8_t>> backbone, articulation, red;
};

/// The exact backbone of occupied cells (occupied == 1) between any inlet and outlet cells on any
/// lattice, in 2-D and 3-D; periodic axes are joined.
///
/// Definition: join a vertex s to every inlet cell, t to every outlet cell, and s to t. The backbone is the biconnected
/// component that holds the edge s t: all cells on some self-avoiding path from s to t. Inlet and outlet are electrodes:
/// with the rows beside the bars as inlet and outlet, and the bars not occupied, this is definition D2 of
/// ca::percolate; with the bars themselves as occupied inlet and outlet cells it is D1.
///
/// Method (ca/blocks): a piece of a tile is replaced by what its border can see of it, its tree of blocks reduced to the
/// cells with edges that leave it. Pieces are joined, up to eight at once on a rank, two where ranks meet, and reduced
/// again, up to the whole, of which source and sink are left and one chain of blocks between them. Answers go back down,
/// and each piece marks its cells. Why it is exact: with H all that lies outside a region, cycles through both pass its
/// terminals alone, so
///  1. a block of the region with one way out, or none, is in no block of an edge of H: it is dropped;
///  2. one with two ways out acts as an edge, one with more as a ring through them: splitting the graph at any vertex
///     parts the same edges of H;
///  3. blocks in series whose common cell leads nowhere else share the answer: they are one edge. The common cell is
///     red, or an articulation in what is dropped, if that edge stays a block by itself up to the end.
/// A cell is an articulation as soon as a block dropped hangs on it, in clusters that join inlet and outlet.
///
/// Results depend on the medium alone: not on ranks, tiles or owners. Collective. Cost: linear, docs/percolation.md has
/// figures. Memory beside the fields: 1 to 2 B a cell of the rank's tiles; while regions are joined 60 B a cell at the
/// border of those that meet. Inlet and outlet need no halo, neither does `occupied`.
/// Throws core::Error if the grid has several layers but the lattice joins none; core::RunError if borders that meet have
/// 2^30 cells or more.
/// Source: Hopcroft & Tarjan 1973, Commun. ACM 16:372, for the search of a piece.
Backbone backbone_between(core::Field<std::uint8_t> const& occupied, EndCells const& inlet, EndCells const& outlet,
                          Lattice const& lattice, BackboneOptions const& options = {});

}  // namespace tessera::ca
