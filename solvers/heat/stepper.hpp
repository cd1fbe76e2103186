// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/heat.hpp"

#include <functional>
#include <limits>
#include <optional>

namespace tessera::solvers {

/// How a body is taken through time.
struct StepSettings {
  TimeScheme scheme = {};
  int correctors = 0;  ///< solutions a step after the first, b formed anew: OpenFOAM's nNonOrthogonalCorrectors
  int outer_most = 1;  ///< outer iterations at most, for what depends on T
  double outer_tolerance =
      0;  ///< they end when T will change by no more than this in any cell [K] (StepResult::outer_rest)
  /// First guess: T extrapolated by a parabola through the last three (a line where steps become much longer, and in the first
  /// ones) instead of T^n.
  bool extrapolate = false;
  bool estimate_error = false;
  std::optional<double> mean = {};  ///< of a steady body that nothing ties to a temperature [K]
  /// Boundaries, sources and lambda do not change in time: only losses that rise with T can make T rise faster and faster.
  bool watch_acceleration = false;
  bool renews = false;  ///< the body is renewed at each T: what a run goes on from has T_setup
};

/// What one step cost and reached.
struct StepResult {
  std::vector<Performance> solves;
  int outer = 1;
  bool outer_converged = true;
  double outer_change = 0;  ///< largest change of T in the last outer iteration [K]
  /// What all further ones would change T by [K]: change * q / (1 - q) where changes fall by q < 1/2 from one to the next, as
  /// they do by a constant factor in the end; else the change itself. q is the larger of the last two ratios of changes, those
  /// of the step before counted, or five times the only one. Or, where that is less, twice the range of T times the part of itself
  /// by which the conductivity at T differs from that which T was solved for: what heat flows across moves by no more, as a rule.
  double outer_rest = 0;
  double error = std::numeric_limits<double>::quiet_NaN();  ///< estimate of the step's own error in time [K]
  double setup_seconds = 0;                                 ///< making solvers
  /// Norm of an outer iteration's change of T over that of the one before, where losses rise with T (Heat::feedback).
  double feedback = 0;
  bool runaway = false;  ///< it stayed above 1: the losses have no temperature that they keep (in a step: at its end)
  bool accelerates = false;  ///< T has changed more from step to step, for several steps
  bool abandoned = false;    ///< there is no result
  bool converged() const;
};

/// Takes a body through time: keeps the old temperatures that the scheme, the first guess and the estimate of the error
/// want, makes the solver anew when the matrix changes and only then, iterates what depends on T. A new solver goes on with
/// what the one before it had learned, so that the bits do not depend on when solvers are made.
/// Where the body is renewed at each T, a solver that can follows the matrix with what it had set up for an earlier T
/// (LinearSolver::follow), until it calls that outdated, or until something else in the matrix changes (Heat::matrix_key). That T
/// is kept, so that a solver on other tiles, or of a run that goes on, sets up the same.
///
/// The error of a step is the difference to the polynomial through the temperatures before, of the scheme's order, times
/// the quotient of the leading terms of both errors; in the first step half the change of T, in the second the estimate
/// of first order. [Gresho & Sani, Incompressible Flow and the Finite Element Method, section 3.16.]
/// Memory: T_old and b; a field more for Crank-Nicolson, backward, each order of the estimate, and outer iterations; two, which
/// the estimate uses, too, for the first guess; one for a solver that follows.
class HeatStepper {
 public:
  using MakeSolver = std::function<std::unique_ptr<LinearSolver>(StencilMatrix const&)>;
  /// What depends on T in the matrix. Both collective.
  struct Renew {
    /// Fits the body to T before an outer iteration; returns whether the matrix is another one now.
    std::function<bool(core::Field<double> const& t)> fit = {};
    /// By what part of itself the conductivity at T differs from that of the body, at most; may be left out.
    std::function<double(core::Field<double> const& t)> apart = {};
    explicit operator bool() const { return bool(fit); }
  };

  /// All references must outlive the object. Makes the solver, too. Collective.
  HeatStepper(Heat& heat, core::Field<double>& t, MakeSolver make_solver, StepSettings settings, Renew renew);
  HeatStepper(Heat& heat, core::Field<double>& t, MakeSolver make_solver, StepSettings settings);
  ~HeatStepper();

  /// T from the last accepted time to dt later; accept or reject it then. dt is ignored when steady. Where `abandon`,
  /// asked in its first solution, says so, the step ends there, as if it had never begun.
  StepResult step(double dt, Controls::Abandon const& abandon = {});
  void accept();
  /// T is again what it was.
  void reject();
  /// Goes on from where `other` is, a stepper of the same body on another layout: takes over what it keeps of the steps
  /// before. T is moved by the caller. Collective.
  void go_on_from(HeatStepper const& other);
  /// 1 / dt of the matrix, with the scheme's factor.
  double time_weight() const { return weights_.now; }
  /// To be called when the matrix was changed from outside.
  void matrix_changed();
  /// The solver goes, until the next step.
  void release_solver();

  /// Of the step that was taken; before it is accepted. Collective.
  HeatBalance balance() const;

  /// What a run goes on from besides T: T_old of the last step (for the first guess, the estimate of the error and
  /// backward), T_before (one step further back, for the first two) and dTdt (of Crank-Nicolson), those that `settings` want, and T_setup, where a
  /// solver follows the matrix.
  struct Memory {
    std::vector<std::unique_ptr<core::Field<double>>> fields;
    long taken = 0;            ///< steps so far
    double dt0 = 0, dt00 = 0;  ///< the last step, the one before it [s]
    double ratio = 0;          ///< of the last two changes of T in outer iterations; 0: there were none
    std::string learned = {};  ///< by the solver
    std::string setup =
        {};  ///< what the matrix had besides T_setup when the solver was set up; empty: it is to be set up
  };
  static std::vector<core::FieldInfo> memory_of(StepSettings const& settings);
  /// After accept(): those fields that have a value by now, and the numbers (of which `fields` stays empty).
  std::vector<core::FieldBase const*> memory_fields() const;
  Memory memory() const { return {{}, taken_, dt0_, dt00_, ratio_, learned(), setup_}; }
  /// Goes on as after the step `memory.taken`; to be called before the first step. Where a field is missing the scheme or
  /// the estimate begin anew, as in the first or second step. Returns whether they had all they want. T_old is taken where
  /// it is there, wanted or not: t_old and old_rate then are those of the last step. Collective.
  bool resume(Memory const& memory);
  core::Field<double> const& t_old() const { return t_old_; }
  /// dT/dt at the old time of the step that was accepted last, which Crank-Nicolson began with and OpenFOAM writes as
  /// ddt0(T) [K/s]; 0 after a step of Euler's. Into own cells.
  void old_rate(core::Field<double>& rate) const;
  double setup_seconds() const { return setup_seconds_; }  ///< in all
  int setups() const { return setups_; }                   ///< how often the solver was set up
  int followed() const { return followed_; }               ///< how often it followed the matrix instead

  /// The step that would have had the error `tolerance`, with some reserve: dt 0.9 (tolerance / error)^(1 / (order + 1)),
  /// at least a fifth and at most twice the last one.
  double next_step(double dt, double error, double tolerance) const;

 private:
  void begin(double dt);
  void undo(std::string const& learned);
  void renew_solver(StepResult& result, bool renewed);
  void make_solver();
  void fit_solver(bool first);
  bool restore_solver();
  void keep_setup_temperature();
  std::string learned() const { return solver_ ? solver_->learned() : learned_; }
  void take_over(std::string const& learned);
  double change();
  double looseness(StepResult const& result, bool explicit_sources) const;
  bool solve(StepResult& result, double looseness);
  void settle(StepResult& result, bool explicit_sources);
  double estimate(double dt) const;
  void watch(StepResult& result);
  void shift_to_mean();
  void check_compatible() const;

  Heat& heat_;
  core::Field<double>& t_;
  MakeSolver make_solver_;
  StepSettings settings_;
  Renew renew_;
  std::unique_ptr<LinearSolver> solver_;
  std::string learned_;  // by solvers that are gone
  // of the solver's set-up where it follows the matrix: T and Heat::matrix_key, empty where there is none to go on with
  std::unique_ptr<core::Field<double>> setup_t_;
  std::string setup_;
  bool set_up_ = false;       // the solver is
  bool new_in_step_ = false;  // the set-up was made in the step that is taken
  core::Field<double> t_old_, b_;
  std::unique_ptr<core::Field<double>> history_, before_, before2_, iterate_;
  TimeWeights weights_;
  double dt_ = 0, dt0_ = 0, dt00_ = 0;  // this step, the one before, the one before that
  double rate_ = 0, last_rate_ = 0;     // norm of dT/dt in this step and the one before
  double step_ratio_ = 0,
         ratio_ = 0;  // of changes of T in outer iterations, the last of this step and of the one before
  int faster_ = 0, faster_before_ = 0;  // steps in a row in which it grew, up to this one and the one before
  long taken_ = 0;
  bool retry_ = false;
  double explicit_heat_ = 0, setup_seconds_ = 0;
  int setups_ = 0, followed_ = 0;
};

}  // namespace tessera::solvers
