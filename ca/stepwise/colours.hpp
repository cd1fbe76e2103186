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
  core::Field<Colour> field;   ///< halo of 1, current
  Colour left = 0, right = 0;  ///< of the two side columns: black cells join bar to bar if they differ
  Progress progress;           ///< of A2; cells of A1 counted too
  bool spans() const { return left != right; }
};

/// Runs A1 and A2; exchanges the halo of `occupied`. 16 B a cell while it runs, 8 B after. Collective.
Colours colour_white_clusters(core::Field<std::uint8_t>& occupied, Compass const& compass, core::Halo& halo,
                              Order const& order);

}  // namespace tessera::ca::paper
