// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"

namespace tessera::core {

/// A grid of one layer that stands for a wedge between two planes through an axis of coordinates, as OpenFOAM's `wedge`
/// patches bound it: one of its axes is the distance from that axis (measured in the plane between the two), another
/// lies across, where the cell is as thick as its distance says. Cells are prisms with plane faces; those at the axis
/// end in an edge.
struct Wedge {
  int radial, thin;
  double slope;  ///< thickness over distance: 2 tan(angle / 2)

  double thickness(double r) const { return slope * r; }
  /// Of the cells of a row: volume over that of a cell one metre thick, and distance of the centre of gravity.
  double mean_thickness(Axis const& r, Count n) const { return slope * r.centre(n); }
  static double centre(Axis const& r, Count n) {
    double const lo = r.face(n), hi = r.face(n + 1);
    return 2.0 / 3.0 * (lo * lo + lo * hi + hi * hi) / (lo + hi);
  }
};

}  // namespace tessera::core
