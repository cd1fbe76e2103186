// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/stepper.hpp"

#include "core/error.hpp"
#include "core/grid/migrate.hpp"
#include "solvers/heat/step_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tessera::solvers {
namespace {

using Clock = core::RunClock;

constexpr int growths_believed = 5;  // in a row, of changes of T

std::unique_ptr<core::Field<double>> make_field(bool wanted, core::FieldInfo info, core::Layout const& layout) {
  return wanted ? std::make_unique<core::Field<double>>(std::move(info), layout, 0) : nullptr;
}

core::FieldInfo memory_info(char const* name, char const* description, double seconds = 0) {
  return {.name = name,
          .description = description,
          .units = seconds == 0 ? "K" : "K/s",
          .dimensions = {0, 0, seconds, 1, 0, 0, 0},
          .restart = true};
}
core::FieldInfo old_info() { return memory_info("T_old", "temperature of the step before"); }
core::FieldInfo setup_info() { return memory_info("T_setup", "temperature that the solver was set up for"); }
core::FieldInfo before_info() { return memory_info("T_before", "temperature two steps before"); }
core::FieldInfo rate_info() { return memory_info("dTdt", "derivative in time that the scheme keeps", -1); }

bool looks_back(StepSettings const& s) { return s.extrapolate || s.estimate_error; }
bool looks_back_twice(StepSettings const& s) { return s.extrapolate || (s.estimate_error && s.scheme.order() == 2); }
bool wants_old(StepSettings const& s) { return looks_back(s) || s.scheme.type == TimeScheme::Type::backward; }
bool keeps_rate(StepSettings const& s) { return s.scheme.type == TimeScheme::Type::crank_nicolson; }

}  // namespace

bool StepResult::converged() const {
  return outer_converged && std::all_of(solves.begin(), solves.end(), [](auto const& p) { return p.converged; });
}

HeatStepper::HeatStepper(Heat& heat, core::Field<double>& t, MakeSolver make_solver, StepSettings settings)
    : HeatStepper(heat, t, std::move(make_solver), settings, Renew{}) {}

HeatStepper::HeatStepper(Heat& heat, core::Field<double>& t, MakeSolver make_solver, StepSettings settings, Renew renew)
    : heat_(heat),
      t_(t),
      make_solver_(std::move(make_solver)),
      settings_(settings),
      renew_(std::move(renew)),
      t_old_(old_info(), heat.layout(), 0),
      b_("b", heat.layout(), 0),
      history_(make_field(settings.scheme.has_history(), rate_info(), heat.layout())),
      before_(make_field(looks_back(settings), before_info(), heat.layout())),
      before2_(make_field(looks_back_twice(settings), core::FieldInfo{"T before that", {}, {}, {}}, heat.layout())),
      iterate_(make_field(settings.outer_most > 1, core::FieldInfo{"last T", {}, {}, {}}, heat.layout())) {
  core::expect(&t.layout() == &heat.layout(), "T and the body lie on different layouts");
  StepResult none;
  renew_solver(none, false);
}

HeatStepper::~HeatStepper() = default;

void HeatStepper::go_on_from(HeatStepper const& other) {
  core::migrate(other.t_old_, t_old_);
  for (auto field : {&HeatStepper::history_, &HeatStepper::before_, &HeatStepper::before2_})
    if (this->*field) core::migrate(*(other.*field), *(this->*field));
  weights_ = other.weights_;
  dt_ = other.dt_;
  dt0_ = other.dt0_;
  dt00_ = other.dt00_;
  taken_ = other.taken_;
  rate_ = other.rate_;
  last_rate_ = other.last_rate_;
  ratio_ = other.ratio_;
  faster_ = other.faster_;
  faster_before_ = other.faster_before_;
  retry_ = other.retry_;
  explicit_heat_ = other.explicit_heat_;
  setup_seconds_ += other.setup_seconds_;
  setups_ += other.setups_;
  followed_ += other.followed_;
  setup_ = other.setup_;
  if (other.setup_t_) {
    setup_t_ = std::make_unique<core::Field<double>>(setup_info(), heat_.layout(), 0);
    core::migrate(*other.setup_t_, *setup_t_);
  }
  take_over(other.learned());
}

void HeatStepper::take_over(std::string const& learned) {
  learned_ = learned;
  if (solver_) solver_->learn(learned_);
}

std::vector<core::FieldInfo> HeatStepper::memory_of(StepSettings const& settings) {
  std::vector<core::FieldInfo> infos;
  if (wants_old(settings)) infos.push_back(old_info());
  if (looks_back_twice(settings)) infos.push_back(before_info());
  if (keeps_rate(settings)) infos.push_back(rate_info());
  if (settings.renews) infos.push_back(setup_info());
  return infos;
}

std::vector<core::FieldBase const*> HeatStepper::memory_fields() const {
  std::vector<core::FieldBase const*> fields;
  if (taken_ == 0) return fields;
  if (wants_old(settings_)) fields.push_back(&t_old_);
  // where one older temperature is kept it is formed from T_old when the next step begins
  if (looks_back_twice(settings_) && taken_ > 1) fields.push_back(before_.get());
  if (keeps_rate(settings_)) fields.push_back(history_.get());
  if (!setup_.empty()) fields.push_back(setup_t_.get());
  return fields;
}

bool HeatStepper::resume(Memory const& memory) {
  auto const take = [&](char const* name, core::Field<double>& into) {
    for (auto const& field : memory.fields)
      if (field->name() == name) {
        heat::detail::copy(*field, into);
        return true;
      }
    return false;
  };
  taken_ = memory.taken;
  dt0_ = memory.dt0;
  dt00_ = memory.dt00;
  ratio_ = memory.ratio;
  take_over(memory.learned);
  if (taken_ > 0 && renew_ && !memory.setup.empty()) {
    setup_t_ = std::make_unique<core::Field<double>>(setup_info(), heat_.layout(), 0);
    setup_ = take("T_setup", *setup_t_) ? memory.setup : "";
  }
  if (taken_ > 0 && !take("T_old", t_old_) && wants_old(settings_)) taken_ = 0;
  if (taken_ > 0 && keeps_rate(settings_) && !take("dTdt", *history_) && settings_.scheme.goes_on_from_rate())
    taken_ = 0;
  if (taken_ > 1 && looks_back_twice(settings_) && !take("T_before", *before_)) taken_ = 1;
  if (taken_ > 0 && settings_.scheme.type == TimeScheme::Type::backward) heat::detail::copy(t_old_, *history_);
  if (taken_ > 0) weights_ = settings_.scheme.weights(dt0_, dt00_, taken_);
  return taken_ == memory.taken;
}

void HeatStepper::keep_setup_temperature() {
  if (!setup_t_) setup_t_ = std::make_unique<core::Field<double>>(setup_info(), heat_.layout(), 0);
  heat::detail::copy(t_, *setup_t_);
}

void HeatStepper::begin(double dt) {
  bool const guess = settings_.extrapolate && taken_ > 0;
  if (!retry_) {
    if (before2_ && taken_ > 1) before2_->swap_values(*before_);
    if (before_ && taken_ > 0) before_->swap_values(t_old_);
  }
  if (guess) {
    // a parabola follows what goes on smoothly: not the first steps, nor steps that become much longer
    bool const parabola = taken_ > 3 && dt <= 2 * dt0_ && dt <= 2 * dt00_;
    auto const before = std::as_const(*before_).view(), before2 = std::as_const(*before2_).view();
    core::for_each(
        "first guess", heat_.layout().all(),
        heat::detail::Extrapolate{t_.view(), t_old_.view(), before, parabola ? before2 : heat::detail::ConstView{},
                                  parabola ? heat::detail::ahead(dt, dt0_, dt00_) : heat::detail::ahead(dt, dt0_)});
  } else {
    heat::detail::copy(t_, t_old_);
  }
  // held cells are no part of what changes, nor of the error
  heat_.impose(t_);
  heat_.impose(t_old_);
  if (before_) heat_.impose(*before_);
  if (before2_) heat_.impose(*before2_);
  retry_ = false;
  dt_ = dt;
  weights_ = settings_.scheme.weights(dt, dt0_, taken_ + 1);
}

StepResult HeatStepper::step(double dt, Controls::Abandon const& abandon) {
  std::string const learned_before = learned();
  begin(dt);
  new_in_step_ = false;
  step_ratio_ = ratio_;
  StepResult result;
  bool renewed = heat_.set_time_weight(weights_.now);
  bool const explicit_sources = heat_.has_explicit_sources();
  double last_change = 0;
  int growths = 0;
  for (result.outer = 1;; ++result.outer) {
    if (renew_ && renew_.fit(t_)) renewed = true;
    if (iterate_) heat::detail::copy(t_, *iterate_);
    renew_solver(result, renewed);
    renewed = false;
    bool accurate = true;
    for (int corrector = 0; corrector <= settings_.correctors; ++corrector) {
      if (corrector == 0 || explicit_sources) {
        // before the first solution T is a guess: what is taken at a given T is taken at the old one then
        auto const& seen = result.outer == 1 && corrector == 0 ? t_old_ : t_;
        heat_.right_side(weights_, t_old_, history_.get(), seen, b_);
        if (explicit_sources) explicit_heat_ = heat_.explicit_heat(seen);
      }
      if (settings_.mean) check_compatible();
      if (abandon && result.solves.empty())
        solver_->controls().abandon = [&](int done, double expected) {
          return result.abandoned = abandon(done, expected);
        };
      accurate = solve(result, looseness(result, explicit_sources));
      if (result.abandoned) {
        undo(learned_before);
        return result;
      }
    }
    if (settings_.mean) shift_to_mean();
    if (!iterate_) break;
    settle(result, explicit_sources);
    if (explicit_sources && result.outer > 1 && !result.outer_converged) {
      // the first change is that from a guess
      double const now = heat_.feedback(t_, *iterate_);
      result.feedback = last_change > 0 ? now / last_change : 0;
      last_change = now;
      growths = result.feedback > 1 ? growths + 1 : 0;
      result.runaway = growths >= growths_believed;
    }
    // a conductivity that depends on T may catch up with the losses
    if (!result.outer_converged && result.outer < settings_.outer_most && (!result.runaway || renew_)) continue;
    if (!accurate) {
      solve(result, 0);
      if (settings_.mean) shift_to_mean();
    }
    break;
  }
  if (settings_.watch_acceleration && explicit_sources && weights_.now > 0) watch(result);
  if (settings_.estimate_error) result.error = estimate(dt);
  return result;
}

/// How far the next solution must lower its residual, of what it begins with; 0: as far as the case wants. Where the next outer
/// iteration will have another conductivity and is expected to begin with a residual q times as large, less than that is enough.
double HeatStepper::looseness(StepResult const& result, bool explicit_sources) const {
  double const q = step_ratio_;  // of changes of T, at first those of the step before
  if (!renew_ || !iterate_) return 0;
  if (result.outer > 1) {
    double const change = q * result.outer_change, rest = q < 0.5 ? q / (1 - q) * change : change;
    if (explicit_sources || rest <= settings_.outer_tolerance) return 0;
  }
  return std::min(0.2 * q, 0.1);
}

/// Returns whether the solution is as accurate as the case wants it.
bool HeatStepper::solve(StepResult& result, double looseness) {
  auto& controls = solver_->controls();
  double const wanted = controls.relative;
  controls.relative = std::max(wanted, looseness);
  auto const& p = result.solves.emplace_back(solver_->solve(b_, t_));
  controls.abandon = {};
  controls.relative = wanted;
  return controls.converged(p.initial, p.final) || !p.converged;
}

/// After an outer iteration: how far T moved, what is still to come, and whether that is little enough.
void HeatStepper::settle(StepResult& result, bool explicit_sources) {
  constexpr double reserve = 5;  // of one ratio alone: changes that are large do not yet fall as small ones will
  constexpr double hopeless = 1000;
  double const before = std::exchange(result.outer_change, change()), tolerance = settings_.outer_tolerance;
  // sources that are taken at the old T have no part in the change from a first guess
  bool const comparable = result.outer > (explicit_sources ? 2 : 1) && before > 0;
  if (comparable) {
    double const now = result.outer_change / before, last = std::exchange(step_ratio_, now);
    double const q = last > 0 ? std::max(now, last) : reserve * now;
    result.outer_rest = (q < 0.5 ? q / (1 - q) : 1) * result.outer_change;
  } else {
    result.outer_rest = result.outer_change;
  }
  if (result.outer_rest > tolerance && result.outer_rest < hopeless * tolerance && renew_.apart && !explicit_sources) {
    auto const range = heat_.range(t_);
    result.outer_rest = std::min(result.outer_rest, 2 * (range.max - range.min) * renew_.apart(t_));
  }
  result.outer_converged = result.outer_rest <= tolerance;
}

/// Of a step that was abandoned; what the solver learned in it is forgotten.
void HeatStepper::undo(std::string const& learned) {
  reject();
  release_solver();
  learned_ = learned;
  if (new_in_step_) setup_.clear();  // the step that begins anew makes it again
}

double HeatStepper::change() {
  return core::max("change of T", heat_.layout(),
                   heat::detail::Deviation{std::as_const(t_).view(), std::as_const(*iterate_).view(), {}, {}, {}});
}

void HeatStepper::watch(StepResult& result) {
  rate_ = heat_.stored_norm(t_, t_old_) / dt_;
  faster_ = taken_ > 0 && rate_ > last_rate_ && last_rate_ > 0 ? faster_before_ + 1 : 0;
  result.accelerates = faster_ >= growths_believed;
}

double HeatStepper::estimate(double dt) const {
  auto const t = std::as_const(t_).view(), t_old = t_old_.view();
  auto const largest = [&](heat::detail::Deviation const& d) { return core::max("error", heat_.layout(), d); };
  if (taken_ == 0) return 0.5 * largest({t, t_old, {}, {}, {}});
  auto const before = std::as_const(*before_).view();
  double const two = dt + dt0_;
  // T - predicted = dt (dt + dt0) T''/2, error of Euler dt^2 T''/2
  if (settings_.scheme.order() == 1 || taken_ == 1)
    return dt / two * largest({t, t_old, before, {}, heat::detail::ahead(dt, dt0_)});
  // T - predicted = dt (dt + dt0) (dt + dt0 + dt00) T'''/6
  double const three = two + dt00_;
  double const error =
      settings_.scheme.type == TimeScheme::Type::backward ? dt * dt * two * two / (6 * (dt + two)) : dt * dt * dt / 12;
  return error * 6 / (dt * two * three) *
         largest({t, t_old, before, std::as_const(*before2_).view(), heat::detail::ahead(dt, dt0_, dt00_)});
}

double HeatStepper::next_step(double dt, double error, double tolerance) const {
  double const factor = 0.9 * std::pow(tolerance / std::max(error, 1e-300), 1.0 / (settings_.scheme.order() + 1));
  return dt * std::clamp(factor, 0.2, 2.0);
}

void HeatStepper::accept() {
  auto const& all = heat_.layout().all();
  if (settings_.scheme.type == TimeScheme::Type::crank_nicolson)
    core::for_each("rate", all,
                   heat::detail::Rate{std::as_const(t_).view(), std::as_const(t_old_).view(), history_->view(),
                                      weights_.now, weights_.past});
  if (settings_.scheme.type == TimeScheme::Type::backward) heat::detail::copy(t_old_, *history_);
  last_rate_ = rate_;
  ratio_ = step_ratio_;
  faster_before_ = faster_;
  dt00_ = dt0_;
  dt0_ = dt_;
  ++taken_;
}

void HeatStepper::old_rate(core::Field<double>& rate) const {
  core::expect(keeps_rate(settings_), "Crank-Nicolson keeps a derivative");
  core::for_each("old rate", heat_.layout().all(),
                 heat::detail::OldRate{std::as_const(t_).view(), t_old_.view(), std::as_const(*history_).view(),
                                       rate.view(), weights_.now, weights_.past});
}

void HeatStepper::reject() {
  heat::detail::copy(t_old_, t_);
  retry_ = true;
}

HeatBalance HeatStepper::balance() const { return heat_.balance(weights_, t_, t_old_, history_.get(), explicit_heat_); }

void HeatStepper::shift_to_mean() {
  core::for_each("shift", heat_.layout().all(), heat::detail::Shift{t_.view(), *settings_.mean - heat_.range(t_).mean});
}

/// A steady body that is not tied to a temperature must get as much heat as it gives away.
void HeatStepper::check_compatible() const {
  auto const balance = heat_.balance({}, t_, t_, nullptr, explicit_heat_);
  // what cells are given, and what is taken from others, cancels but for the rounding of these
  double most = heat_.exchanged(t_);
  for (double in : balance.in) most = std::max(most, std::abs(in));
  if (std::abs(balance.error()) > 1e-9 * most)
    throw core::Error(
        fmt::format("the body gains {:.6g} W and nothing takes them away: there is no steady state", balance.error()));
}

}  // namespace tessera::solvers
