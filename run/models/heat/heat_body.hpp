// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/heat/heat_case.hpp"

#include <optional>

namespace tessera::run::heat {

/// The body of a case, which steps through time: its matrix, solver and stepper. A preconditioner that refuses the matrix
/// names the sources that may have spoilt it.
class Body {
 public:
  /// The case must outlive the body and have one address. Throws core::Error. Collective.
  explicit Body(HeatCase& c);

  solvers::Heat const& heat() const { return *heat_; }
  solvers::HeatStepper& stepper() { return *stepper_; }
  solvers::HeatStepper const& stepper() const { return *stepper_; }
  /// Boundaries and sources at a time; functions of time at its `sum` (Step).
  void set_time(double time, double sum);
  /// Goes on upon another layout, to which all that lies on the present one moves.
  void move_to(std::unique_ptr<core::Layout> layout);
  double setup_seconds() const { return assembly_seconds_ + stepper_->setup_seconds(); }

 private:
  /// The matrix for a time weight (0: steady), and the stepper with its solver.
  void build(double time_weight);
  std::unique_ptr<solvers::LinearSolver> make_solver(solvers::StencilMatrix const& matrix) const;
  /// Whether Sp T of a source stands on the diagonal: OpenFOAM's SuSp on the right side is implicit where heat rises with
  /// T, and laplacianFoam does what OpenFOAM does; heatConduction is so where that is stable.
  bool takes_implicitly(io::foam::HeatSource const& source, double time) const;

  HeatCase& case_;
  std::optional<solvers::Heat> heat_;  // has one address, also when it is made anew
  std::unique_ptr<solvers::HeatStepper> stepper_;
  double assembly_seconds_ = 0;
};

}  // namespace tessera::run::heat
