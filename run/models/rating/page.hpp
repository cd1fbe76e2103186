// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/results.hpp"

#include <string>
#include <vector>

namespace tessera::run::rating {

/// A field round the cables, at the centres of the cells of a part of the grid.
struct Surroundings {
  std::vector<double> x, y, values;  ///< values[j * x.size() + i]
  std::vector<double> areas;         ///< of the cells, alike [m2]
};
/// Of a temperature in kelvins as degrees Celsius, of anything else as it is. Whole on the root, empty elsewhere. Collective.
Surroundings surroundings(core::Field<double> const& field, core::Box const& part);

/// What an engineer looks at, as one page of HTML: the circuits, the cables, isotherms round them, and the courses of daily loads
/// and of an emergency. `temperature`: of the ground, where cables lie in it. `maps`: of the circuits' sensitivities.
std::string page(std::string const& name, Site const& site, Ratings const& fine, Ratings const& coarse,
                 Surroundings const& temperature, std::vector<Surroundings> const& maps);

}  // namespace tessera::run::rating
