// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/geometry.hpp"

#include "core/grid/upload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::solvers::heat {

Geometry::Geometry(core::Grid const& grid, std::optional<core::Wedge> const& wedge) : wedge_(wedge) {
  for (int a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(a);
    double const length = axis.length();
    host_[a].assign(axis.cells(), length / static_cast<double>(axis.cells()));
    if (!axis.uniform())
      for (core::Count n = 0; n < axis.cells(); ++n) host_[a][n] = axis.width(n);
    auto above = host_[a], below = host_[a];
    std::rotate(below.begin(), below.end() - 1, below.end());
    double extent = length;
    if (wedge && a == wedge->thin) {
      host_[a] = {1.0};
      extent = 1;
    } else if (wedge && a == wedge->radial) {
      radius_ = axis;
      for (core::Count n = 0; n < axis.cells(); ++n) {
        double const face = axis.face(n), at_face = wedge->thickness(face);
        host_[a][n] = axis.width(n) * wedge->mean_thickness(axis, n);
        if (n > 0) below[n] = 2 * (face - core::Wedge::centre(axis, n - 1)) / at_face;
        if (n > 0) above[n] = 2 * (core::Wedge::centre(axis, n) - face) / at_face;
      }
      extent = std::accumulate(host_[a].begin(), host_[a].end(), 0.0);
    }
    widths_[a] = core::upload("widths", host_[a]);
    below_[a] = core::upload("widths below", below);
    above_[a] = core::upload("widths above", above);
    total_volume_ *= extent;
  }
}

double Geometry::area(core::Index const& x, core::Side side) const {
  int const a = static_cast<int>(side) / 2, b = (a + 1) % 3, c = (a + 2) % 3;
  double const area = of(b, along(x, b)) * of(c, along(x, c));
  if (!wedge_ || a != wedge_->radial) return area;
  return area * wedge_->thickness(radius_->face(along(x, a) + static_cast<int>(side) % 2));
}

double Geometry::distance(core::Index const& x, core::Side side) const {
  int const a = static_cast<int>(side) / 2;
  core::Count const n = along(x, a);
  if (!wedge_ || a != wedge_->radial) return 0.5 * of(a, n);
  return std::abs(radius_->face(n + static_cast<int>(side) % 2) - core::Wedge::centre(*radius_, n));
}

}  // namespace tessera::solvers::heat
