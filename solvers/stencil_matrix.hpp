// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/halo.hpp"
#include "solvers/algebra/operator.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace tessera::solvers {

/// Coefficients of a symmetric 3-, 5- or 7-point matrix while it is assembled.
///
/// `diagonal` is A_ii. `face(a)` of cell i is the conductance f >= 0 of the face to its lower neighbour on axis a (west,
/// south, down): A_ij = A_ji = -f. Zero at the low side of the grid unless the axis is periodic. An axis of one cell has
/// no faces: `has(a)` tells. Both start as zero; write through `host()`.
class Coefficients {
 public:
  explicit Coefficients(core::Layout const& layout);
  core::Layout const& layout() const { return diagonal.layout(); }
  bool has(int axis) const { return faces_[axis].has_value(); }
  core::Field<double>& face(int axis) { return *faces_[axis]; }
  core::Field<double> const& face(int axis) const { return *faces_[axis]; }

  core::Field<double> diagonal;
  /// Cells of the grid that are no unknowns (x = 0, b = 0, without faces), on all ranks: a mean of x leaves them out.
  core::Count absent = 0;

 private:
  std::array<std::optional<core::Field<double>>, 3> faces_;
};

/// Symmetric matrix of the finite-volume stencil on a layout: y_i = a_ii x_i - sum over faces f x_neighbour.
///
/// apply: one exchange of x's halo, hidden behind the tiles that need no other rank. Cost in 2-D: one pass, 40 B a cell
/// (double, streamed: diagonal, two faces, x, y); axes of one cell cost nothing. The bits of y do not depend on tiles or
/// ranks. Periodic axes work like any other.
class StencilMatrix final : public Operator {
 public:
  /// Exchanges the halos of the faces once. Collective.
  explicit StencilMatrix(Coefficients coefficients);

  core::Layout const& layout() const { return coefficients_.layout(); }
  core::Field<double> const& diagonal() const { return coefficients_.diagonal; }
  /// Whether the grid has faces across this axis (an axis of one cell has none).
  bool has(int axis) const { return coefficients_.has(axis); }
  /// Number of unknowns.
  core::Count unknowns() const { return layout().grid().total() - coefficients_.absent; }
  /// Conductance of the face to the lower neighbour; halos are filled, zero outside the grid.
  core::Field<double> const& face(int axis) const { return coefficients_.face(axis); }
  /// A 1, formed when it is asked for first.
  core::Field<double> const& row_sums() const;
  /// Sum of the diagonal, formed when it is asked for first. Collective.
  double trace() const;

  void apply(core::Field<double>& x, core::Field<double>& y) const override;

  /// Lets `write` change coefficients in place, with a halo at hand: those of faces have theirs filled when it ends. Solvers and
  /// preconditioners of the old coefficients must be made anew by their owner. Collective.
  void change(std::function<void(Coefficients&, core::Halo&)> const& write);

 private:
  Coefficients coefficients_;
  std::unique_ptr<core::Halo> halo_;  // its buffers change while apply does not change the matrix
  mutable core::Field<double> row_sums_;
  mutable bool row_sums_formed_ = false;
  mutable std::optional<double> trace_;
};

}  // namespace tessera::solvers
