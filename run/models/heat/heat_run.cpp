// SPDX-License-Identifier: Apache-2.0
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/grid/migrate.hpp"
#include "core/grid/sweep.hpp"
#include "core/times.hpp"
#include "io/foam/poly_mesh.hpp"
#include "io/pictures/picture.hpp"
#include "run/models/heat/heat_case.hpp"
#include "run/models/heat/heat_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::run::heat {

namespace foam = io::foam;

void HeatCase::set_time(double time) {
  bool changed = false;
  for (std::size_t s = 0; s < 6; ++s)
    if (conditions_[s].varies) changed |= heat_->set_side(static_cast<core::Side>(s), conditions_[s].at(time));
  for (std::size_t n = 0; n < part_conditions_.size(); ++n)
    if (auto const& condition = part_conditions_[n].condition; condition.varies)
      changed |= heat_->set_part(n, condition.at(time));
  for (std::size_t n = 0; n < sources_.size(); ++n)
    if (auto const& s = sources_[n]; !s.constant())
      changed |= heat_->set_source(n, s.active(time) ? s.Su(time) : 0, s.active(time) ? s.Sp(time) : 0,
                                   takes_implicitly(s, time));
  for (std::size_t n = 0; n < held_.size(); ++n)
    if (!held_[n].value.constant()) heat_->set_held(n, held_[n].value(time));
  if (changed) stepper_->matrix_changed();
}

double HeatCase::fitted(double time, double dt) const {
  double target = *control_.end_time;  // or infinite
  if (control_.meets_write_times) {
    double const interval = control_.write_interval, since = time - control_.start_time;
    target = std::min(target, control_.start_time + (std::floor(since / interval + 1e-9) + 1) * interval);
  }
  double const left = target - time;
  if (std::isinf(left)) return std::min(dt, control_.max_delta_t);
  return left / std::max(1.0, std::ceil(left / std::min(dt, control_.max_delta_t) - 1e-9));
}

solvers::StepResult HeatCase::solve(Step& step, Stepping& stepping) {
  double const length = *control_.end_time - control_.start_time;
  // an end that is not meant to be reached says nothing of the steps
  double const shortest = 1e-12 * std::min(length, 1e9 * *control_.delta_t);
  for (;;) {
    set_time(step.time);
    solvers::Controls::Abandon abandon;
    if (stepping.balance.looks_within_step())
      abandon = [&](int done, double expected) {
        return stepping.balance.within_first_step(done, expected, 1 + steps_after(step, step.dt));
      };
    auto result = stepper_->step(step.dt, abandon);
    if (result.abandoned) {
      stepping.move(stepping.balance.wanted());
      continue;
    }
    if (!control_.adjust_time_step || result.error <= control_.delta_t_tolerance) return result;
    stepper_->reject();
    records_->reject();
    // with some reserve, so that the next attempt is the last
    step.dt = std::min(0.9 * step.dt, stepper_->next_step(step.dt, result.error, control_.delta_t_tolerance));
    if (!(step.dt > shortest))
      throw core::RunError(fmt::format("time {}: deltaT would fall below {:.3g} s to keep the error below {} K",
                                       control_.time_name(step.before), shortest, control_.delta_t_tolerance));
    step.time = step.before + step.dt;
    step.last = false;
  }
}

void HeatCase::log_solves(solvers::StepResult const& result) {
  for (auto const& p : result.solves) {
    session_.log.line("{}", solvers::log_line(p));
    if (!p.note.empty()) session_.log.line("{}", p.note);
    if (p.at_rounding && !std::exchange(told_.rounding, true))
      session_.log.line("T: the residual stays at {:.2g} by rounding, above the tolerance {:g}", p.final,
                        solvers::Controls(*solver_entry_).tolerance);
  }
  if (settings_.outer_most > 1)
    session_.log.line("Outer iterations {}, last change of T {:.3g} K{}", result.outer, result.outer_change,
                      result.outer_converged ? "" : ": not converged");
  log_runaway(result);
}

void HeatCase::log_runaway(solvers::StepResult const& result) {
  if (!result.runaway && !(result.accelerates && !told_.acceleration)) return;
  std::string losses;
  for (auto const& s : sources_)
    if (!s.Sp.constant() || s.Sp(0) > 0)
      losses += fmt::format("{}{} in {}", losses.empty() ? "" : ", ", s.name, s.cells);
  double const hottest = solvers::range(*temperature_).max;
  if (!result.runaway) {
    told_.acceleration = true;
    session_.log.line("Thermal runaway: T rises faster from step to step, up to {:.6g} K now: there is no steady "
                      "temperature at these losses ({})",
                      hottest, losses);
    return;
  }
  session_.log.line(
      "Thermal runaway: {} at these losses ({}): each outer iteration changes T {:.4g} times as much as the "
      "one before, to {:.6g} K in outer iteration {}",
      settings_.scheme.type == solvers::TimeScheme::Type::steady
          ? "no steady temperature"
          : "no temperature at the end of a step as long as deltaT",
      losses, result.feedback, hottest, result.outer);
}

void HeatCase::observe(Step const& m, solvers::StepResult const& result, bool writes) {
  if (functions_->empty()) return;
  core::Timed const timed(core::Part::io);
  seen_->solves = result.solves;
  foam::StepTime const now{m.number, m.time, m.time - control_.start_time, m.dt, writes, m.last};
  if (auto const text = functions_->execute(now); !text.empty()) session_.log.write(text.substr(0, text.size() - 1));
}

std::vector<std::string> HeatCase::directory_fields() const { return {"T", "T_0", "ddt0(T)", names_.conductivity}; }

void HeatCase::write_directory(Step const& step) {
  std::string const name = control_.time_name(step.time), folder = session_.files.path(name);
  auto const put = [&](core::Field<double> const& field, foam::Dimensions const& dimensions,
                       std::string const& boundary, std::string const& file) {
    foam::write_field(folder, field, dimensions, boundary, format(), mesh_->blocks, file);
  };
  put(*temperature_, foam::dimensions_of_temperature, boundary_text_, "T");
  // what OpenFOAM's schemes of second order go on from, and what its laplacianFoam reads beside T
  if (settings_.scheme.has_history()) put(stepper_->t_old(), foam::dimensions_of_temperature, boundary_text_, "T_0");
  if (settings_.scheme.type == solvers::TimeScheme::Type::crank_nicolson) {
    core::Field<double> rate("ddt0(T)", *parts_.layout, 0);
    stepper_->old_rate(rate);
    put(rate, foam::dimensions_of_heating, foam::plain_boundary(*mesh_, "calculated"), "ddt0(T)");
  }
  if (!names_.capacity)
    put(materials_->conductivity(), names_.conductivity_dimensions, materials_->boundary_text(format()),
        names_.conductivity);
  double const before = stepper_->memory().dt00;
  if (session_.comm.root())
    foam::write_time(folder, step.time, name, step.number, step.dt, before > 0 ? before : step.dt);
  if (directories_.empty() || directories_.back() != name) directories_.push_back(name);
  for (; control_.purge_write > 0 && directories_.size() > static_cast<std::size_t>(control_.purge_write);
       directories_.pop_front())
    if (session_.comm.root()) foam::remove_fields(session_.files.path(directories_.front()), directory_fields());
}

std::vector<core::FieldBase const*> HeatCase::saved(bool in_memory) const {
  std::vector<core::FieldBase const*> fields{&*temperature_};
  if (!in_memory) fields.push_back(&materials_->conductivity());
  for (auto const* field : stepper_->memory_fields()) fields.push_back(field);
  bool const old =
      std::any_of(fields.begin(), fields.end(), [](auto const* field) { return field->name() == "T_old"; });
  if (!in_memory && directory_has_old() && !old) fields.push_back(&stepper_->t_old());
  return fields;
}

void HeatCase::write(Moment const&) {
  if (control_.write_format) write_directory(at_);
}

double HeatCase::setup_seconds() const { return assembly_seconds_ + stepper_->setup_seconds(); }

void HeatCase::move_to(std::unique_ptr<core::Layout> layout) {
  core::Timed const timed(core::Part::rebalance);
  materials_->move_to(*layout);
  core::migrate_to(*layout, *temperature_);
  for (auto* kind : {&sets_.sets, &sets_.zones})
    for (auto& [name, mask] : *kind) core::migrate_to(*layout, mask);
  auto const before = std::move(stepper_);
  before->matrix_changed();  // its solver goes before another is made
  std::swap(parts_.layout, layout);
  build(before->time_weight());
  stepper_->go_on_from(*before);
  seen_->layout = parts_.layout.get();
}

std::vector<std::string> HeatCase::open_patches() const {
  std::vector<std::string> patches(6);
  for (std::size_t s = 0; s < 6; ++s)
    if (conditions_[s].at(control_.start_time).open()) patches[s] = mesh_->patch(static_cast<core::Side>(s)).name;
  for (auto const& [part, condition] : part_conditions_)
    patches.push_back(condition.at(control_.start_time).open() ? part.name : "");
  return patches;
}

long HeatCase::last_step() const {
  // steps are counted from the base, the last one is not before the beginning
  long const left = control_.steps(begin_.base_time);
  return left > std::numeric_limits<long>::max() - begin_.base_step ? left : begin_.base_step + left;
}

double HeatCase::steps_after(Step const& step, double wanted) const {
  return control_.adjust_time_step ? (*control_.end_time - step.time) / wanted
                                   : static_cast<double>(last_step() - step.number);
}

bool HeatCase::at_end(Step const& step) const {
  return control_.adjust_time_step ? step.time >= *control_.end_time - 1e-9 * step.dt : step.number >= last_step();
}

HeatCase::Step HeatCase::after(Step const& step, double wanted) const {
  bool const adjust = control_.adjust_time_step;
  Step next{step.number + 1, step.time, step.time, step.dt, false};
  if (adjust) next.dt = fitted(next.before, wanted);
  next.time =
      adjust ? next.before + next.dt : begin_.base_time + static_cast<double>(next.number - begin_.base_step) * next.dt;
  if (!(next.time > next.before))
    throw core::RunError(
        fmt::format("time {}: a deltaT of {:.3g} s is lost in rounding", control_.time_name(next.before), next.dt));
  next.last = at_end(next);
  return next;
}

void HeatCase::make_room_for_name(Step const& step, bool writes) {
  // where nothing is written, names of two steps must still differ
  double const tolerance = writes ? control_.name_tolerance(step.dt) : std::max(0.1 * step.dt, 1e-15);
  int const before = control_.time_precision;
  control_.time_precision = control_.precision_for(step.time, tolerance);
  if (control_.time_precision > before)
    session_.log.line("Increased the timePrecision from {} to {} to distinguish between timeNames at time {}", before,
                      control_.time_precision, control_.time_name(step.time));
}

solvers::StepResult HeatCase::advance(Step& step, Stepping& stepping) {
  bool const adjust = control_.adjust_time_step;
  if (!adjust) session_.log.line("Time = {}\n", control_.time_name(step.time));
  auto result = solve(step, stepping);
  if (adjust) make_room_for_name(step, false);
  if (adjust) session_.log.line("deltaT = {:.6g}\nTime = {}\n", step.dt, control_.time_name(step.time));
  log_solves(result);
  auto const range = solvers::range(*temperature_);
  if (!std::isfinite(range.mean))
    throw core::RunError(fmt::format("T is not finite any more at time {}", control_.time_name(step.time)));
  records_->add(step.time, step.dt, result, range, stepper_->balance());
  stepper_->accept();
  return result;
}

std::vector<io::insitu::Shown> HeatCase::shown() const {
  return {io::insitu::Shown(*temperature_), io::insitu::Shown(materials_->conductivity())};
}

std::string HeatCase::name(Moment const& now) const { return "time " + control_.time_name(now.time); }
std::string HeatCase::stamp(Moment const& now) const { return fmt::format("t = {} s", control_.time_name(now.time)); }

Start HeatCase::begin() {
  if (control_.write_mesh) {
    core::Timed const timed(core::Part::io);
    foam::write_poly_mesh(session_.files.path("constant/polyMesh"), *mesh_, *parts_.layout, sets_, format());
  }
  records_ = std::make_unique<HeatRecords>(session_.comm, session_.files.path("postProcessing"), open_patches(),
                                           keep_rows_before());
  wanted_ = begin_.dt;
  at_ = {begin_.step, begin_.time, begin_.time, wanted_, false};
  at_.last = at_end(at_);
  remove_leftovers(session_, directory_fields());
  complete_directory();
  return {{at_.number, at_.time, at_.last}, begin_.goes_on, false, control_.start_time};
}

Moment HeatCase::step(Moment const&, Stepping& stepping) {
  at_ = after(at_, wanted_);
  if (!control_.adjust_time_step) make_room_for_name(at_, at_.last || stepping.control.due(at_.number, at_.time));
  result_ = advance(at_, stepping);
  if (control_.adjust_time_step) {
    // a matrix that is kept saves more than a step that is a little longer
    double const next = stepper_->next_step(at_.dt, result_.error, control_.delta_t_tolerance);
    wanted_ = next > 1.25 * at_.dt || next < at_.dt ? next : at_.dt;
  }
  return {at_.number, at_.time, at_.last};
}

double HeatCase::steps_to_come(Moment const&) const { return steps_after(at_, wanted_); }

void HeatCase::after_step(Moment const&, bool writes, bool stops, bool by_signal) {
  session_.log.line("ExecutionTime = {:.2f} s  ClockTime = {:.0f} s\n", core::times().wall(), core::times().wall());
  if (writes) make_room_for_name(at_, true);
  if (!by_signal) at_.last = stops;
  // before a snapshot, which holds what the function objects counted, too
  observe(at_, result_, writes);
}

SteppedModel::Outcome HeatCase::finish(Moment const& now, std::string const&, core::Report& report) {
  core::Field<double> const& T = *temperature_;
  {
    core::Timed const timed(core::Part::io);
    bool const steady = settings_.scheme.type == solvers::TimeScheme::Type::steady;
    io::draw_field(
        session_.files.path("results/T.png"), T,
        {.title = steady ? "Steady temperature" : fmt::format("Temperature after {} s", control_.time_name(now.time))});
  }
  auto const range = solvers::range(T);
  report.describe(*parts_.layout, parts_.method, parts_.weights);
  records_->report(report, range, setup_seconds(), stepper_->setups());
  report.hash("T", core::hash(T));
  session_.log.line("T: min {:.6g} K, max {:.6g} K, mean {:.6g} K; {:.1f} iterations a step", range.min, range.max,
                    range.mean, records_->average_iterations());
  if (!records_->converged()) session_.log.line("Not every step converged: see solvers.T in the report");
  return {must_converge_ && !records_->converged() ? core::Exit::not_converged : core::Exit::done, records_->steps(),
          static_cast<double>(mesh_->grid.total()) * static_cast<double>(records_->steps())};
}

}  // namespace tessera::run::heat
