// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

namespace tessera::ca {

/// On each cell the largest of the balls that hold its centre, by the square of its radius in widths of cells; 0 where none
/// does. `squares` has the same of the ball about each cell's centre, 0 for none; a ball is open: it holds the centres that are
/// nearer than its radius. Cells are taken for cubes (squares in one layer) of equal size; periodic axes are joined, and a ball may
/// overlap itself there.
///
/// Method: a ball all of whose cells lie in the ball of a neighbour is left out, which a table of squares tells exactly; the others,
/// some percent, are dealt to the tiles that they touch and written there row by row. Same bits on any ranks, tiles
/// and owners. Collective.
/// Cost: proportional to the cells in the balls that remain (bench/pores); 20 B for each of these and each tile it touches.
/// Sources: Hildebrand & Ruegsegger 1997, J. Microsc. 185:67 (local thickness); Remy & Thiel 2002, Pattern Recognit. Lett.
/// 23:649 (tables).
core::Field<std::int32_t> largest_balls(core::Field<std::int32_t> const& squares);

}  // namespace tessera::ca
