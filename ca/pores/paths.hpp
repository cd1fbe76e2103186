// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "core/grid/field.hpp"

namespace tessera::ca {

/// The length of the shortest path to each open cell (`open` not 0) from the source cells (`source` not 0, those that are open) through
/// open ones, in straight lines between the centres of neighbours, in the unit of the grid's axes; infinity where none leads, and on cells
/// that are not open. Collective.
core::Field<double> path_lengths(core::Field<std::uint8_t> const& open, core::Field<std::uint8_t> const& source,
                                 Lattice const& lattice);

/// The least that can be reached for the highest cost on a path to each cell from the source cells, both ends included: how high
/// water must stand to get there from its sources. Cells of infinite cost are closed; infinity where no path leads. Collective.
core::Field<double> lowest_passes(core::Field<double> const& cost, core::Field<std::uint8_t> const& source,
                                  Lattice const& lattice);

// Both: a window of costs at a time, each tile goes on from its waiting cells in the order of their costs, and sends what crosses
// its edges to the tiles that own the cells, until nothing waits. Values are the same bits for any ranks, tiles and owners. Axes that
// the grid makes periodic are joined; lengths take the widths of equal cells. 17 B a cell besides the arguments.
// Sources: Dijkstra 1959, Numer. Math. 1:269; Meyer & Sanders 2003, J. Algorithms 49:114 (windows).

}  // namespace tessera::ca
