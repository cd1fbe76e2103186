// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/halo.hpp"
#include "solvers/dic/substitution.hpp"
#include "solvers/smoother.hpp"

namespace tessera::solvers::smoothers {

/// Gauss and Seidel's iteration in natural (row) order over the whole grid:
///   x_i = (b_i + sum over neighbours f x_j) / a_ii, with the new x_j of neighbours j < i,
/// by a wavefront over tiles, so that the bits do not depend on tiles, ranks and owners, and are those of one sweep over
/// the whole grid. (OpenFOAM takes old values across processor patches, so that its iterations grow with ranks.) Across
/// periodic sides the values before the sweep are taken, as OpenFOAM does for cyclic patches.
/// Cost of a sweep in 2-D: one pass, 56 B a cell; sequential along a row and from tile to tile. Keys: none.
class GaussSeidel : public Smoother {
 public:
  GaussSeidel(StencilMatrix const& matrix, core::Dictionary& settings);
  void smooth(int sweeps, core::Field<double> const& b, core::Field<double>& x) override;

 protected:
  /// Halos of x are filled, and hold new values where these were passed on.
  void sweep_up(core::Field<double> const& b, core::Field<double>& x);
  void sweep_down(core::Field<double> const& b, core::Field<double>& x);
  void exchange(core::Field<double>& x) { halo_.exchange(x); }

 private:
  StencilMatrix const& matrix_;
  core::Halo halo_;
  Substitution up_, down_;
};

}  // namespace tessera::solvers::smoothers
