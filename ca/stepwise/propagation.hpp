// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/percolation.hpp"

namespace tessera::ca {

/// Steps of the exact automaton that changed something; those that find no change are not counted. Without spanning all
/// but `colours` are 0.
struct SynchronousSteps {
  std::int64_t colours = 0;         ///< A2: white clusters take the largest colour of their seeds
  std::int64_t classification = 0;  ///< 1: the arms of each black cell in groups
  std::int64_t flood = 0;           ///< from both bars, group by group: the backbone (D1)
  std::int64_t clusters = 0;        ///< from both bars over all black cells: spanning clusters
  std::int64_t electrodes = 0;      ///< D2 only: from both bars over the cells of D1
  /// Of the exact automaton for D1: with A1 one more.
  std::int64_t total() const { return 1 + colours + classification + flood; }
};

struct SynchronousResult {
  PercolationResult result;  ///< masks, labels and counts as percolate gives them
  SynchronousSteps steps;
  std::int64_t cell_updates = 0;  ///< cells computed by all steps; tiles at rest are not. Depends on the tile shape
};

/// The exact backbone by a cellular automaton of radius 1, all cells at once: what `percolate` finds from labels, step by
/// step.
///
///  colours         A1 and A2 of the published automata (see run_paper); the medium spans if the two side columns differ
///  classification  one step: the black neighbours ("arms") of a black cell are in one group unless some colour lies on
///                  both arcs between them; an arm alone is dead. Outside the bars lies a face of its own. A cell with
///                  a colour on both arcs between two arms is an articulation cell, one beside the colours of both side
///                  columns a red one
///  flood           a group of a cell is reached if a neighbour has reached the group of its arm towards the cell, and
///                  the arm back is in the group; the bars are reached from the start. A cell of two groups belongs to
///                  two blocks, which stay apart. Cells with a group reached are D1
///  clusters        which bar a black cell is joined to: cells of spanning clusters are joined to both, articulation and red
///                  cells are among them
///  electrodes      the same over the cells of D1: those joined to both bars are D2
///
/// The automaton gives `spans`, the masks `spanning`, `backbone`, `dangling`, `articulation`, `red` and (always) their
/// counts; they are equal to percolate's, bit for bit. `label`, `clusters`, `largest_cluster`, `spanning_clusters` and `sizes` have no place in
/// it and are percolate's own, where `label`, `clusters` or `sizes` asks for them.
///
/// Results and steps depend on the medium alone: not on ranks, tiles or owners. Collective. Cost: a step is one halo
/// exchange and one pass over the tiles that are not at rest; steps grow like the longest ways (at the threshold about
/// 2.5 times the side for the colours, 1.2 times for the flood at side 512). Peak memory besides the results: 20 B a
/// cell and halos.
/// Throws core::Error unless the grid is 2-D with 3 cells or more along x and y, or if the frame (see ca::frame) is
/// missing. The halo of at least 1 of `occupied` is exchanged where labels, numbers or sizes of clusters are found.
/// Source: Stamatovic, Trobec et al. 2014, NESUS workshop (A1, A2); classification and flood are exact where A3 .. A5 are
/// not.
SynchronousResult percolate_synchronously(core::Field<std::uint8_t>& occupied, PercolationOptions const& options);

}  // namespace tessera::ca
