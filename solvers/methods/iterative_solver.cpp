// SPDX-License-Identifier: Apache-2.0
#include "solvers/methods/iterative_solver.hpp"

#include "core/error.hpp"

#include <chrono>

namespace tessera::solvers::methods {

Performance IterativeSolver::solve(core::Field<double> const& b, core::Field<double>& x) {
  core::expect(&b.layout() == &matrix_.layout() && &x.layout() == &matrix_.layout(),
               "b and x are not on the matrix's layout");
  auto const start = std::chrono::steady_clock::now();
  Performance p{solver_, preconditioner_, x.name()};
  Residual const residual = first_residual(b, x, r_);
  p.initial = p.final = residual.initial;
  if (controls_.least > 0 || !controls_.converged(p.initial, p.final)) iterate(residual, b, x, r_, p);
  p.converged = controls_.converged(p.initial, p.final);
  p.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return p;
}

}  // namespace tessera::solvers::methods
