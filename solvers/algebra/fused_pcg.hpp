// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/algebra/residual.hpp"
#include "solvers/linear_solver.hpp"

#include <string>

namespace tessera::solvers {

/// Conjugate gradients together with one preconditioner, in a form that takes fewer passes than the two apart. The
/// preconditioner offers it (Preconditioner::fused) and must outlive it.
class FusedPcg {
 public:
  virtual ~FusedPcg() = default;
  /// As solvers::residual.
  virtual Residual residual(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r) = 0;
  /// Iterates from the residual r of x until the controls say so; fills p.iterations, p.final and what else it knows.
  /// Collective.
  virtual void iterate(Controls const& controls, Residual const& residual, core::Field<double> const& b,
                       core::Field<double>& x, core::Field<double>& r, Performance& p) = 0;
  /// See LinearSolver::learned.
  virtual std::string learned() const { return ""; }
  virtual void learn(std::string const& words) { (void)words; }
  /// See LinearSolver::follow and outdated.
  virtual bool follow([[maybe_unused]] Follow how) { return false; }
  virtual bool outdated() const { return false; }
};

}  // namespace tessera::solvers
