// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "core/grid/field.hpp"

#include <cstdint>
#include <memory>

namespace tessera::ca {

/// Distances through occupied cells. All numbers are over all ranks.
struct Distances {
  /// Field `distance`: the fewest steps between neighbours from a source, 0 on sources, -1 where none leads. Its halo is
  /// scratch.
  std::unique_ptr<core::Field<std::int32_t>> field;
  std::int64_t reached = 0;      ///< cells with a distance, sources included
  std::int32_t farthest = -1;    ///< largest distance
  std::int64_t rounds = 0;       ///< exchanges between tiles
  std::int64_t relaxations = 0;  ///< cells that a distance was written to, those improved later counted again
};

/// Chemical distance: the fewest steps through cells with occupied == 1 from the cells where `source` is not 0 (a source
/// that is not occupied is none). 2-D and 3-D; axes that the grid makes periodic are joined.
///
/// Method: a window of distances at a time. Each tile that has cells to visit within the window goes breadth-first from
/// them to a fixed point of its own; what crosses its edges is sent cell by cell to the tile that owns them, until
/// no tile has anything left in the window. Tiles without such cells are not touched. Results, rounds and relaxations
/// depend on the medium and (the last two) on the tile shape: not on ranks or owners. Collective.
/// Cost: 55 to 130 ns a reached cell in the plane (4096 x 4096 at p = 0.65 and at the threshold: memory latency, and setting
/// up); 5 B a cell besides the masks. Neither mask needs a halo.
/// Throws core::Error if the grid has several layers but the lattice joins none; core::RunError if a distance does not
/// fit into 31 bits.
/// Sources: Meyer & Sanders 2003, J. Algorithms 49:114 (delta-stepping); Moore 1959 (breadth-first search).
Distances distances(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& source,
                    Lattice const& lattice);

struct ShortestPath {
  std::int64_t sites = 0;           ///< cells on a shortest path, both ends included; 0 if none leads
  std::int64_t straight_sites = 0;  ///< the same in a medium without white cells; 0 if `sites` is
  double tortuosity = 0;            ///< sites / straight_sites; 0 if no path leads
};

/// The fewest occupied cells on a path from an inlet to an outlet cell (`inlet`, `outlet` not 0; a cell that is both
/// makes a path of one). The search ends as soon as no shorter path can be found. Everything else as in `distances`.
/// `full`: the medium without white cells that straight_sites is of, where that is not the whole grid.
/// Between opposite sides of n x n cells straight_sites is n. In a framed medium (ca::frame) with the bars as inlet and
/// outlet both counts hold one cell of each bar.
/// Cost: about that of two calls of `distances`.
ShortestPath shortest_path(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& inlet,
                           core::Field<std::uint8_t> const& outlet, Lattice const& lattice,
                           core::Field<std::uint8_t> const* full = nullptr);

/// 1 on the layer of cells `depth` cells inside of a side of the grid, 0 elsewhere: an inlet or outlet for `distances`
/// and `backbone_between`. With depth 1 along a bar it is the first row inside the frame (and its two side cells).
std::unique_ptr<core::Field<std::uint8_t>> side_mask(core::Layout const& layout, core::Side side,
                                                     core::Count depth = 0);

}  // namespace tessera::ca
