// SPDX-License-Identifier: Apache-2.0
#include "solvers/methods/iterative_solver.hpp"

#include "core/error.hpp"

#include <cmath>
#include <limits>

namespace tessera::solvers::methods {

namespace {

/// Where there is nothing to solve, as where x is the same everywhere and stays so, OpenFOAM's norm is rounding as much as the
/// residual is, and no iteration makes their ratio smaller. There the norm is the one by which a residual of rounding, some
/// units in the last place of a_ii |x_i| a row, just meets the tolerance. The norm of any other problem is as it was.
Residual above_rounding(StencilMatrix const& matrix, Controls const& controls, Residual const& found) {
  constexpr double quiet = 1e9;  // times the rounding: tolerances down to its inverse keep their meaning above it
  if (!(controls.tolerance > 0) || controls.converged(found.initial, found.initial)) return found;
  double const rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(found.mean) * matrix.trace();
  if (!(found.norm < quiet * rounding && controls.tolerance * found.norm < rounding)) return found;
  double const norm = rounding / controls.tolerance;
  return {norm, found.initial * found.norm / norm, found.mean};
}

}  // namespace

Performance IterativeSolver::solve(core::Field<double> const& b, core::Field<double>& x) {
  core::expect(&b.layout() == &matrix_.layout() && &x.layout() == &matrix_.layout(),
               "b and x are not on the matrix's layout");
  core::SolveClock const clock;
  Performance p{solver_, preconditioner_, x.name()};
  Residual const residual = above_rounding(matrix_, controls_, first_residual(b, x, r_));
  p.initial = p.final = residual.initial;
  if (controls_.least > 0 || !controls_.converged(p.initial, p.final)) iterate(residual, b, x, r_, p);
  p.converged = controls_.converged(p.initial, p.final);
  clock.tell(p);
  return p;
}

}  // namespace tessera::solvers::methods
