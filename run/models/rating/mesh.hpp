// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"
#include "run/models/rating/site.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace tessera::run::rating {

/// Cells of one width where something is, and wider by `growth` times the distance from there.
struct Sizes {
  double finest = 0;  ///< [m]
  double growth = 0.08;
};

/// An axis from `low` to `high` for some intervals of fine cells, which may overlap; their width is h(x) = finest + growth
/// d(x), d the distance to the nearest of them, made a little smaller so that cells fill the axis: faces lie at equal steps
/// of the integral of 1 / h.
core::Axis graded_axis(double low, double high, std::vector<std::pair<double, double>> fine, Sizes const& sizes);

/// The ground round the cables: `far` [m] to either side of them and below the deepest, up to the surface; one cell of one
/// metre along the cables.
core::Grid make_grid(Site const& site, double far, Sizes const& sizes);

/// The width of the finest cells with which the grid has about so many [m].
double finest_width(Site const& site, double far, double growth, core::Count cells);

}  // namespace tessera::run::rating
