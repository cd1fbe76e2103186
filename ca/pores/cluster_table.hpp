// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <array>
#include <vector>

namespace tessera::ca {

/// What one cluster looks like.
struct ClusterShape {
  std::int64_t label, cells;
  core::Box box;                 ///< of the grid's cells
  std::array<double, 3> centre;  ///< mean of the centres of its cells, in the unit of the grid's axes
  double gyration;               ///< root of the mean square distance of its cells' centres from there
};

/// The clusters of `least` cells or more by their labels (a field of int32 or int64; 0: no cluster), the largest first, of one size the
/// smallest label first. On rank 0; nothing on the others. A cluster that goes on beyond a periodic side is taken as its
/// cells lie in the grid. Cells must be of equal widths along each axis. Sums are of whole numbers: the same bits on any ranks. Collective.
std::vector<ClusterShape> cluster_table(core::FieldBase const& labels, std::int64_t least);

}  // namespace tessera::ca
