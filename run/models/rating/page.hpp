// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/results.hpp"

#include <string>
#include <vector>

namespace tessera::run::rating {

/// Temperatures round the cables [C], at the centres of the cells of a part of the grid.
struct Surroundings {
  std::vector<double> x, y, values;  ///< values[j * x.size() + i]
};
/// Whole on the root, empty elsewhere. Collective.
Surroundings surroundings(core::Field<double> const& kelvin, core::Box const& part);

/// What an engineer looks at, as one page of HTML: the circuits, the cables, isotherms round them, and the courses of daily loads
/// and of an emergency.
std::string page(std::string const& name, Site const& site, Ratings const& fine, Ratings const& coarse,
                 Surroundings const& around);

}  // namespace tessera::run::rating
