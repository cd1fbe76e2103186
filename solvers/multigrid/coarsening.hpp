// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/level.hpp"
#include "solvers/multigrid/lines.hpp"

#include <array>
#include <vector>

namespace tessera::solvers::multigrid {

using Widths = std::array<std::vector<double>, 3>;  ///< of the lines of a level, by axis

/// Which lines of a level to remove: those that are thin in the metric of the conductivity, and not isolated.
///
/// Thickness of a line across d: its width times sqrt(K / kappa_d), where ln kappa_d is the mean over the cells of
/// ln(s_d h_d^2), s_d the conductances towards other lines across d, and K the geometric mean of the kappa_d. A line
/// may go if it is thinner than 1.9 times the thinnest of all directions. So thin lines merge first, thick ones wait, the
/// cells tend to squares, and a point smoother is enough on stretched and graded grids. Square cells give the usual
/// coarsening by two. Where few lines are so thin, as between the fine parts of a mesh graded towards several bodies, the
/// level would hardly shrink: thicker ones go, too, until at most four fifths of the cells are left. The few thin lines
/// that are merged together with lines across them cost an iteration or two, and levels that hardly shrink much more.
/// A line is isolated where a cell in it hangs together with others in the line 20 times more than with those beside it: a
/// conducting body one cell thick, in insulation, as any body becomes on some level. Removed, the body would have no coarse
/// cell of its own and follow its surroundings, which no smoother corrects (up to 25 iterations where 8 are enough). Such a
/// line stays, and the line after it goes. Where this kept more than an eighth more lines, only lines of 200, 2000, ...
/// count. Does not depend on ranks or owners. Collective; two reductions, one pass.
std::array<Lines, 3> choose_lines(Level<double> const& level, Widths const& widths);

}  // namespace tessera::solvers::multigrid
