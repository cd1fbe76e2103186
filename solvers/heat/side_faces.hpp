// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid.hpp"
#include "solvers/heat/boundary.hpp"
#include "solvers/heat/cells.hpp"
#include "solvers/heat/geometry.hpp"

namespace tessera::solvers::heat {

/// The rank's faces on one side of the grid. Through each flows inflow - conductance T into the body [W].
class SideFaces {
 public:
  SideFaces(core::Layout const& layout, core::Side side);

  /// Forms both numbers for a boundary condition; `fixed`, if given, marks cells whose faces are closed. Returns whether
  /// a conductance differs from before on any rank: the matrix must then be formed anew. Collective.
  bool set(Boundary const& boundary, Geometry const& geometry, core::Field<double> const& lambda,
           Cells::Mask const* fixed);

  void add_conductance(core::Field<double>& diagonal) const;
  void add_inflow(core::Field<double>& b) const;
  /// Heat that flows in at the temperature T [W]. Collective.
  double heat(core::Field<double> const& t) const;
  /// Whether any conductance is not 0, on any rank: whether T is felt through this side. Collective.
  bool conducts() const;

 private:
  core::Layout const* layout_;
  core::Side side_;
  core::Count count_ = 0;
  Kokkos::View<core::BoxCopy const*> boxes_;
  std::vector<core::BoxCopy> host_boxes_;
  Kokkos::View<double*> conductance_, inflow_;
};

}  // namespace tessera::solvers::heat
