// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/halo.hpp"
#include "solvers/algebra/residual.hpp"

namespace tessera::solvers::methods {

/// r = b - A x in one pass over the fields, 56 B a cell in 2-D, where the product and the difference apart take 88. Same
/// bits as solvers::residual.
class Defect {
 public:
  explicit Defect(StencilMatrix const& matrix);

  /// r = b - A x, and its norm; r must be another field than b and x, whose halo is filled. Collective.
  Residual normalised(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r);
  /// r = b - A x; returns |r|_1. Collective.
  double operator()(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r);

 private:
  StencilMatrix const& matrix_;
  core::Halo halo_;
};

}  // namespace tessera::solvers::methods
