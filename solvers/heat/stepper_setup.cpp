// SPDX-License-Identifier: Apache-2.0
// The solver of a body whose matrix changes.
#include "solvers/heat/stepper.hpp"

#include <chrono>

namespace tessera::solvers {
void HeatStepper::matrix_changed() {
  if (!renew_) release_solver();  // otherwise it follows when the body is renewed
}

void HeatStepper::release_solver() {
  if (!solver_) return;
  learned_ = solver_->learned();
  solver_.reset();
  set_up_ = false;
}

void HeatStepper::make_solver() {
  solver_ = make_solver_(heat_.matrix());
  solver_->learn(learned_);
}

/// Makes the solver where there is none for this matrix.
void HeatStepper::renew_solver(StepResult& result, bool renewed) {
  if (solver_ && !renewed) return;
  using Clock = core::RunClock;
  auto const start = Clock::now();
  if (renewed && renew_) {
    fit_solver(result.outer == 1);
  } else {
    if (renewed) release_solver();
    make_solver();
    if (!renew_) ++setups_;
  }
  double const seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.setup_seconds += seconds;
  setup_seconds_ += seconds;
}

/// To the matrix, which is that of T; in a step's first outer iteration it may be any other than before.
void HeatStepper::fit_solver(bool first) {
  bool const made = !solver_;
  if (made) make_solver();
  std::string const key = heat_.matrix_key();
  if (setup_ == key && !solver_->outdated() && (set_up_ || restore_solver())) {
    solver_->follow(first ? Follow::closely : Follow::loosely);
    ++followed_;
    return;
  }
  ++setups_;
  if (!solver_->follow(Follow::anew)) {
    // it cannot: a new one for every matrix
    setup_.clear();
    if (made) return;
    release_solver();
    make_solver();
    return;
  }
  keep_setup_temperature();
  setup_ = key;
  set_up_ = new_in_step_ = true;
}

/// Sets a new solver up as the one before it was; the matrix is that of T then. False where there is nothing to go by.
bool HeatStepper::restore_solver() {
  if (setup_.empty()) return false;
  std::string const learned = solver_->learned();
  renew_.fit(*setup_t_);
  set_up_ = solver_->follow(Follow::anew);
  solver_->learn(learned);
  renew_.fit(t_);
  return set_up_;
}

}  // namespace tessera::solvers
