// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/stepwise/automata.hpp"
#include "ca/stepwise/until_still.hpp"

namespace tessera::ca::paper {

/// Checks that a framed 2-D medium is one and returns its number of black interior cells. Collective.
/// Throws core::Error unless the grid is 2-D with 3 cells or more along x and y, or if the frame is missing.
std::int64_t check_medium(core::Field<std::uint8_t> const& occupied, Direction direction);

/// What A1 and A2 give: the white clusters (8 neighbours), each in the largest colour of its seeds.
struct Colours {
  Colour left = 0, right = 0;  ///< of the two side columns: black cells join bar to bar if they differ
  Progress progress;           ///< of A2
  bool spans() const { return left != right; }
};

/// Black cells 1, white ones 0, from which A1 starts.
void start_colours(core::Field<std::uint8_t> const& occupied, core::Field<Colour>& colour);
/// The colour of a side column, taken at its lower end. Collective.
Colour side_colour(core::Field<Colour> const& colour, Compass const& compass, core::Count column);

/// Takes A1 and A2, the phases 0 and 1 of the cells, for a medium. Collective.
template <class R>
Colours colour_white_clusters(PhasedCells<R>& cells, core::Field<std::uint8_t> const& occupied, Order const& order) {
  auto& field = cells.state().first();
  start_colours(occupied, field);
  cells.template take<phase::seed>();
  Progress const progress = until_still<phase::spread>(cells, order);
  Compass const& compass = cells.rule().first.compass;
  return {side_colour(field, compass, 0), side_colour(field, compass, compass.columns - 1), progress};
}

}  // namespace tessera::ca::paper
