// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"
#include "solvers/heat/boundary.hpp"
#include "solvers/heat/cells.hpp"
#include "solvers/heat/geometry.hpp"

namespace tessera::solvers::heat {

/// Heat that flows in through a face is inflow - conductance T [W/m^2].
struct FaceTerms {
  double conductance = 0;  ///< [W/(m^2 K)]
  double inflow = 0;       ///< [W/m^2]
};
/// For a face of a side (its number as in FaceValues) at the distance d of the centre of a cell of conductivity lambda.
FaceTerms face_terms(Boundary const& boundary, std::size_t face, double lambda, double d);
/// Temperature of that face where t is that of the cell [K].
double face_temperature(Boundary const& boundary, std::size_t face, double lambda, double d, double t);

/// Number of the face of a cell on a side, as in FaceValues.
inline std::size_t face_number(core::Grid const& grid, core::Side side, core::Index const& x) {
  int const axis = static_cast<int>(side) / 2, low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2;
  return static_cast<std::size_t>(Geometry::along(x, high) * grid.cells()[low] + Geometry::along(x, low));
}

/// The cells along a side of the grid.
core::Box layer_at(core::Grid const& grid, core::Side side);

/// The rank's faces on one side of the grid, or on some of its boxes. Through each flows inflow - conductance T into
/// the body [W].
class SideFaces {
 public:
  /// The faces of those cells in `boxes` that lie at the side; of a box that does not reach it the faces on that side of all
  /// its cells. No cell lies in two boxes.
  SideFaces(core::Layout const& layout, core::Side side, std::vector<core::Box> const& boxes);

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
