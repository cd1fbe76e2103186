// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/geometry.hpp"

#include "core/grid/upload.hpp"

#include <algorithm>

namespace tessera::solvers::heat {

Geometry::Geometry(core::Grid const& grid) {
  for (int a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(a);
    double const length = axis.length();
    host_[a].assign(axis.cells(), length / static_cast<double>(axis.cells()));
    if (!axis.uniform())
      for (core::Count n = 0; n < axis.cells(); ++n) host_[a][n] = axis.width(n);
    widths_[a] = core::upload("widths", host_[a]);
    auto below = host_[a];
    std::rotate(below.begin(), below.end() - 1, below.end());
    below_[a] = core::upload("widths below", below);
    total_volume_ *= length;
  }
}

}  // namespace tessera::solvers::heat
