// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/stencil_matrix.hpp"

namespace tessera::solvers {

/// OpenFOAM's normalised L1 residual: sum |b - A x| / norm, with
///   norm = sum (|A x - xbar A 1| + |b - xbar A 1|) + 1e-20,  xbar = the plain mean of x over the cells.
struct Residual {
  double norm, initial;
  double mean = 0;  ///< xbar
};

/// OpenFOAM's test for a breakdown of conjugate gradients: (p, A p) / norm is nothing.
inline bool singular(double p_ap, Residual const& residual) {
  return (p_ap < 0 ? -p_ap : p_ap) / residual.norm < 1e-300;
}

/// r = b - A x, and its norm. `r` must be another field than b and x; `x`'s halo is filled. Two passes and two
/// reductions, as OpenFOAM has them. Collective.
Residual residual(StencilMatrix const& matrix, core::Field<double> const& b, core::Field<double>& x,
                  core::Field<double>& r);

}  // namespace tessera::solvers
