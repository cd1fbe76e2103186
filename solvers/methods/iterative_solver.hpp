// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/computed.hpp"
#include "solvers/algebra/residual.hpp"
#include "solvers/linear_solver.hpp"

namespace tessera::solvers::methods {

/// What iterative solvers share: Controls, the residual of the first guess, and the result.
class IterativeSolver : public LinearSolver {
 public:
  Performance solve(core::Field<double> const& b, core::Field<double>& x) final;
  Controls& controls() final { return controls_; }

 protected:
  IterativeSolver(StencilMatrix const& matrix, core::Dictionary const& dictionary, std::string solver)
      : matrix_(matrix),
        controls_(dictionary),
        solver_(std::move(solver)),
        r_("r", matrix.layout(), 1) {
    core::note_computed(solver_, core::By::sweeps);
  }

  /// The residual of the first guess: r = b - A x, and OpenFOAM's norm.
  virtual Residual first_residual(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r) {
    return residual(matrix_, b, x, r);
  }
  /// Iterates from x with the residual r = b - A x until the controls say so; fills p.iterations and p.final, and sets
  /// p.at_rounding where it stops because the tolerance asks for more than numbers hold.
  virtual void iterate(Residual const& residual, core::Field<double> const& b, core::Field<double>& x,
                       core::Field<double>& r, Performance& p) = 0;

  StencilMatrix const& matrix_;
  Controls controls_;
  std::string solver_, preconditioner_;

 private:
  core::Field<double> r_;
};

}  // namespace tessera::solvers::methods
