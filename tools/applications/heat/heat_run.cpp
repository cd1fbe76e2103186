// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/migrate.hpp"
#include "core/runtime.hpp"
#include "core/sweep.hpp"
#include "core/times.hpp"
#include "io/foam/poly_mesh.hpp"
#include "io/picture.hpp"
#include "io/preview.hpp"
#include "io/snapshot.hpp"
#include "tools/applications/heat/heat_case.hpp"
#include "tools/applications/heat/heat_records.hpp"
#include "tools/run_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::tools::heat {

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

solvers::StepResult HeatCase::step(Moment& moment, HeatRecords& records, LoadBalance& balance) {
  double const length = *control_.end_time - control_.start_time;
  // an end that is not meant to be reached says nothing of the steps
  double const shortest = 1e-12 * std::min(length, 1e9 * *control_.delta_t);
  for (;;) {
    set_time(moment.time);
    solvers::Controls::Abandon abandon;
    if (balance.looks_within_step())
      abandon = [&](int done, double expected) {
        return balance.within_first_step(done, expected, 1 + steps_after(moment, moment.dt));
      };
    auto result = stepper_->step(moment.dt, abandon);
    if (result.abandoned) {
      move_tiles(balance.wanted(), balance);
      continue;
    }
    if (!control_.adjust_time_step || result.error <= control_.delta_t_tolerance) return result;
    stepper_->reject();
    records.reject();
    // with some reserve, so that the next attempt is the last
    moment.dt = std::min(0.9 * moment.dt, stepper_->next_step(moment.dt, result.error, control_.delta_t_tolerance));
    if (!(moment.dt > shortest))
      throw core::RunError(fmt::format("time {}: deltaT would fall below {:.3g} s to keep the error below {} K",
                                       control_.time_name(moment.before), shortest, control_.delta_t_tolerance));
    moment.time = moment.before + moment.dt;
    moment.last = false;
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

void HeatCase::observe(Moment const& m, solvers::StepResult const& result, bool writes) {
  if (functions_->empty()) return;
  core::Timed const timed(core::Part::io);
  seen_->solves.clear();
  for (auto const& p : result.solves)
    seen_->solves.push_back({"T", p.preconditioner + p.solver, p.initial, p.final, p.iterations, p.converged});
  foam::StepTime const now{m.step, m.time, m.time - control_.start_time, m.dt, writes, m.last};
  if (auto const text = functions_->execute(now); !text.empty()) session_.log.write(text.substr(0, text.size() - 1));
}

std::vector<std::string> HeatCase::directory_fields() const { return {"T", "T_0", "ddt0(T)", names_.conductivity}; }

void HeatCase::write_directory(Moment const& moment) {
  std::string const name = control_.time_name(moment.time), folder = session_.files.path(name);
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
    foam::write_time(folder, moment.time, name, moment.step, moment.dt, before > 0 ? before : moment.dt);
  if (directories_.empty() || directories_.back() != name) directories_.push_back(name);
  for (; control_.purge_write > 0 && directories_.size() > static_cast<std::size_t>(control_.purge_write);
       directories_.pop_front())
    if (session_.comm.root()) foam::remove_fields(session_.files.path(directories_.front()), directory_fields());
}

void HeatCase::write(Moment const& moment, io::SnapshotSeries& series, double next_dt) {
  core::Timed const timed(core::Part::io);
  std::vector<core::FieldBase const*> fields{&*temperature_, &materials_->conductivity()};
  for (auto const* field : stepper_->memory_fields()) fields.push_back(field);
  bool const old =
      std::any_of(fields.begin(), fields.end(), [](auto const* field) { return field->name() == "T_old"; });
  if (directory_has_old() && !old) fields.push_back(&stepper_->t_old());
  // The snapshot first: what a kill leaves undone after it, the next start makes from it (complete_directory, and the series).
  // The other way round that start would find a directory later than the snapshots, and go on from its T alone.
  series.write(moment.step, moment.time, fields, session_.files.texts(), state(next_dt));
  if (control_.write_format) write_directory(moment);
}

void HeatCase::keep(Moment const& moment, RunControl::Decision const& decision, double next_dt) {
  if (!checkpoints_->due(moment.step, decision)) return;
  std::vector<core::FieldBase const*> fields{&*temperature_};
  for (auto const* field : stepper_->memory_fields()) fields.push_back(field);
  checkpoints_->save(moment.step, moment.time, fields, state(next_dt));
}

void HeatCase::move_tiles(std::vector<int> owners, LoadBalance& balance) {
  core::Timed const timed(core::Part::rebalance);
  auto const begin = std::chrono::steady_clock::now();
  auto layout = std::make_unique<core::Layout>(parts_.layout->shared_grid(), owners, session_.comm);
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
  balance.moved(std::move(owners), begin);
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

double HeatCase::steps_after(Moment const& moment, double wanted) const {
  return control_.adjust_time_step ? (*control_.end_time - moment.time) / wanted
                                   : static_cast<double>(last_step() - moment.step);
}

bool HeatCase::at_end(Moment const& moment) const {
  return control_.adjust_time_step ? moment.time >= *control_.end_time - 1e-9 * moment.dt : moment.step >= last_step();
}

HeatCase::Moment HeatCase::after(Moment const& moment, double wanted) const {
  bool const adjust = control_.adjust_time_step;
  Moment next{moment.step + 1, moment.time, moment.time, moment.dt, false};
  if (adjust) next.dt = fitted(next.before, wanted);
  next.time =
      adjust ? next.before + next.dt : begin_.base_time + static_cast<double>(next.step - begin_.base_step) * next.dt;
  if (!(next.time > next.before))
    throw core::RunError(
        fmt::format("time {}: a deltaT of {:.3g} s is lost in rounding", control_.time_name(next.before), next.dt));
  next.last = at_end(next);
  if (!(next.time > next.before))
    throw core::RunError(fmt::format("time {:.17g}: steps of {:.3g} s are lost in its rounding", next.before, next.dt));
  return next;
}

void HeatCase::make_room_for_name(Moment const& moment, bool writes) {
  // where nothing is written, names of two steps must still differ
  double const tolerance = writes ? control_.name_tolerance(moment.dt) : std::max(0.1 * moment.dt, 1e-15);
  int const before = control_.time_precision;
  control_.time_precision = control_.precision_for(moment.time, tolerance);
  if (control_.time_precision > before)
    session_.log.line("Increased the timePrecision from {} to {} to distinguish between timeNames at time {}", before,
                      control_.time_precision, control_.time_name(moment.time));
}

solvers::StepResult HeatCase::advance(Moment& moment, HeatRecords& records, LoadBalance& balance) {
  bool const adjust = control_.adjust_time_step;
  if (!adjust) session_.log.line("Time = {}\n", control_.time_name(moment.time));
  auto result = step(moment, records, balance);
  if (adjust) make_room_for_name(moment, false);
  if (adjust) session_.log.line("deltaT = {:.6g}\nTime = {}\n", moment.dt, control_.time_name(moment.time));
  log_solves(result);
  auto const range = solvers::range(*temperature_);
  if (!std::isfinite(range.mean))
    throw core::RunError(fmt::format("T is not finite any more at time {}", control_.time_name(moment.time)));
  records.add(moment.time, moment.dt, result, range, stepper_->balance());
  stepper_->accept();
  return result;
}

void HeatCase::show(Moment const& moment, bool last) {
  if (preview_ && preview_->due(moment.step))
    preview_->add(*temperature_, fmt::format("t = {} s", control_.time_name(moment.time)));
  if (in_situ_ && moment.step > begin_.step)
    in_situ_->observe(moment.step, moment.time, last,
                      std::array{io::insitu::Shown(*temperature_), io::insitu::Shown(materials_->conductivity())});
}

int HeatCase::run(core::Report& report) {
  io::SnapshotSeries series(session_.files.path("results"), session_.files.name(), {}, begin_.goes_on,
                            control_.purge_write);
  if (control_.write_mesh) {
    core::Timed const timed(core::Part::io);
    foam::write_poly_mesh(session_.files.path("constant/polyMesh"), *mesh_, *parts_.layout, sets_, format());
  }
  HeatRecords records(session_.comm, session_.files.path("postProcessing"), open_patches(), keep_rows_before());
  RunControl run_control(session_, control_, begin_.time, control_.start_time);
  checkpoints_->begin(run_control);
  if (preview_style_) preview_.emplace(session_.files.path("results/preview.png"), *preview_style_);
  LoadBalance balance(session_, parts_, assembly_seconds_ + stepper_->setup_seconds());
  double wanted = begin_.dt;
  Moment moment{begin_.step, begin_.time, begin_.time, wanted, false};
  moment.last = at_end(moment);
  remove_leftovers(session_, directory_fields());
  if (begin_.goes_on) series.go_on(*parts_.layout, begin_.step);
  complete_directory();
  if (in_situ_) in_situ_->start(begin_.step, begin_.time);
  show(moment, false);
  for (RunControl::Decision decision{false, moment.last}; !decision.stop;) {
    moment = after(moment, wanted);
    if (!control_.adjust_time_step)
      make_room_for_name(moment, moment.last || run_control.due(moment.step, moment.time));
    auto const result = advance(moment, records, balance);
    if (control_.adjust_time_step) {
      // a matrix that is kept saves more than a step that is a little longer
      double const next = stepper_->next_step(moment.dt, result.error, control_.delta_t_tolerance);
      wanted = next > 1.25 * moment.dt || next < moment.dt ? next : moment.dt;
    }
    decision = run_control.after(moment.step, moment.time, moment.last);
    session_.log.line("ExecutionTime = {:.2f} s  ClockTime = {:.0f} s\n", core::times().wall(), core::times().wall());
    // the function objects first: a snapshot holds what they counted, too
    if (decision.write) make_room_for_name(moment, true);
    if (!run_control.by_signal()) moment.last = decision.stop;
    observe(moment, result, decision.write);
    if (decision.write) write(moment, series, wanted);
    keep(moment, decision, wanted);
    show(moment, decision.stop);
    if (decision.stop) break;
    if (auto owners = balance.after_step(steps_after(moment, wanted))) move_tiles(std::move(*owners), balance);
  }
  if (preview_) preview_->finish(session_.comm);
  if (!run_control.reason().empty())
    session_.log.line("Stopped at time {} by {}{}", control_.time_name(moment.time), run_control.reason(),
                      run_control.reason() == "stopAt noWriteNow"
                          ? ""
                          : fmt::format(": results/{:06d}.h5 holds all to go on from", moment.step));
  return finish(moment, records, balance, report);
}

int HeatCase::finish(Moment const& moment, HeatRecords& records, LoadBalance& balance, core::Report& report) {
  core::Field<double> const& T = *temperature_;
  {
    core::Timed const timed(core::Part::io);
    bool const steady = settings_.scheme.type == solvers::TimeScheme::Type::steady;
    io::draw_field(session_.files.path("results/T.png"), T,
                   {.title = steady ? "Steady temperature"
                                    : fmt::format("Temperature after {} s", control_.time_name(moment.time))});
  }
  auto const range = solvers::range(T);
  report.describe(*parts_.layout, parts_.method, parts_.weights);
  records.report(report, range, assembly_seconds_ + stepper_->setup_seconds(), stepper_->setups());
  report.hash("T", core::hash(T));
  if (in_situ_) report["inSitu"] = in_situ_->report();
  balance.finish(report);
  checkpoints_->finish(report);
  report.finish(session_.comm, records.steps(),
                static_cast<double>(mesh_->grid.total()) * static_cast<double>(records.steps()));
  session_.log.line("T: min {:.6g} K, max {:.6g} K, mean {:.6g} K; {:.1f} iterations a step", range.min, range.max,
                    range.mean, records.average_iterations());
  if (records.converged()) return core::Exit::done;
  session_.log.line("Not every step converged: see solvers.T in the report");
  return must_converge_ ? core::Exit::not_converged : core::Exit::done;
}

}  // namespace tessera::tools::heat
