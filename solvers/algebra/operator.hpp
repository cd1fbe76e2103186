// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

namespace tessera::solvers {

/// A linear map y = A x over the owned cells of a layout: a matrix, a preconditioner or an inner solver, so that any may
/// stand for another.
class Operator {
 public:
  virtual ~Operator() = default;

  /// y = A x. x and y are different fields on the operator's layout, both with a halo of at least 1. The owned cells of
  /// x are not changed, its halo may be; y's halo is left undefined. Collective.
  virtual void apply(core::Field<double>& x, core::Field<double>& y) const = 0;
};

}  // namespace tessera::solvers
