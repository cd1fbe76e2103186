// SPDX-License-Identifier: Apache-2.0
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "core/times.hpp"
#include "io/foam/patch_faces.hpp"
#include "io/foam/poly_mesh.hpp"
#include "io/pictures/picture.hpp"
#include "run/models/heat/heat_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tessera::run::heat {

namespace foam = io::foam;

solvers::StepResult HeatModel::solve(Step& step, Stepping& stepping) {
  double const length = *control_.end_time - control_.start_time;
  // an end that is not meant to be reached says nothing of the steps
  double const shortest = 1e-12 * std::min(length, 1e9 * *control_.delta_t);
  for (;;) {
    body_->set_time(step.time, step.sum);
    solvers::Controls::Abandon abandon;
    if (stepping.balance.looks_within_step())
      abandon = [&](int done, double expected) {
        return stepping.balance.within_first_step(done, expected, 1 + steps().count_after(step, step.dt));
      };
    auto result = body_->stepper().step(step.dt, abandon);
    if (result.abandoned) {
      stepping.move(stepping.balance.wanted());
      continue;
    }
    if (!control_.adjust_time_step || result.error <= control_.delta_t_tolerance) return result;
    body_->stepper().reject();
    records_->reject();
    // with some reserve, so that the next attempt is the last
    step.dt = std::min(0.9 * step.dt, body_->stepper().next_step(step.dt, result.error, control_.delta_t_tolerance));
    if (!(step.dt > shortest))
      throw core::RunError(fmt::format("time {}: deltaT would fall below {:.3g} s to keep the error below {} K",
                                       control_.time_name(step.before), shortest, control_.delta_t_tolerance));
    step.time = step.sum = step.before + step.dt;
    step.last = false;
  }
}

void HeatModel::log_solves(solvers::StepResult const& result) {
  for (auto const& p : result.solves) {
    session_.log.line("{}", solvers::log_line(p));
    if (!p.note.empty()) session_.log.line("{}", p.note);
    if (p.at_rounding && !std::exchange(told_.rounding, true))
      session_.log.line("T: the residual stays at {:.2g} by rounding, above the tolerance {:g}", p.final,
                        solvers::Controls(case_->solver).tolerance);
  }
  if (case_->solution.settings.outer_most > 1)
    session_.log.line("Outer iterations {}, last change of T {:.3g} K, at most {:.3g} K to come{}", result.outer,
                      result.outer_change, result.outer_rest, result.outer_converged ? "" : ": not converged");
  log_runaway(result);
}

void HeatModel::log_runaway(solvers::StepResult const& result) {
  if (!result.runaway && !(result.accelerates && !told_.acceleration)) return;
  std::string losses;
  for (auto const& s : case_->sources.rates)
    if (!s.Sp.constant() || s.Sp(0) > 0)
      losses += fmt::format("{}{} in {}", losses.empty() ? "" : ", ", s.name, s.cells);
  double const hottest = body_->heat().range(case_->fields->temperature).max;
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
      case_->steady() ? "no steady temperature" : "no temperature at the end of a step as long as deltaT", losses,
      result.feedback, hottest, result.outer);
}

void HeatModel::observe(Step const& m, solvers::StepResult const& result, bool writes) {
  if (functions_->list.empty()) return;
  core::Timed const timed(core::Part::io);
  functions_->seen.solves = result.solves;
  foam::StepTime const now{m.number, m.time, m.time - control_.start_time, m.dt, writes, m.last};
  if (auto const text = functions_->list.execute(now); !text.empty())
    session_.log.write(text.substr(0, text.size() - 1));
}

void HeatModel::write_directory(Step const& step) {
  std::string const name = control_.time_name(step.time);
  auto const& scheme = case_->solution.settings.scheme;
  solvers::HeatStepper const& stepper = body_->stepper();
  std::optional<core::Field<double>> rate;
  if (scheme.goes_on_from_rate()) {
    rate.emplace("ddt0(T)", case_->mesh.layout(), 0);
    stepper.old_rate(*rate);
  }
  auto const boundaries = boundaries_written(step);
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    foam::Mesh const& mesh = *case_->mesh.regions[r].mesh;
    auto const folder = session_.files.output(regions_[r].empty() ? name : name + "/" + regions_[r]);
    auto const put = [&](core::Field<double> const& field, foam::Dimensions const& dimensions,
                         std::string const& boundary_text, std::string const& file) {
      foam::write_field(folder, field, dimensions, boundary_text, case_->in.format(), mesh.blocks, file);
    };
    std::string const& boundary = boundaries[r];
    put(case_->fields->temperature, foam::dimensions_of_temperature, boundary, "T");
    // what OpenFOAM's schemes of second order go on from, and what its laplacianFoam reads beside T
    if (scheme.has_history()) put(stepper.t_old(), foam::dimensions_of_temperature, boundary, "T_0");
    if (rate) put(*rate, foam::dimensions_of_heating, foam::plain_boundary(mesh, "calculated"), "ddt0(T)");
    if (!names_.capacity)
      put(case_->fields->materials.conductivity(), names_.conductivity_dimensions,
          case_->fields->materials.boundary_text(case_->in.format()), names_.conductivity);
  }
  write_time(step);
  if (directories_.empty() || directories_.back() != name) directories_.push_back(name);
  for (; control_.purge_write > 0 && directories_.size() > static_cast<std::size_t>(control_.purge_write);
       directories_.pop_front())
    if (session_.comm.root()) foam::remove_fields(session_.files.output(directories_.front()), files_of_directories());
}

void HeatModel::write_time(Step const& step) const {
  std::string const name = control_.time_name(step.time);
  double const before = body_->stepper().memory().dt00;
  if (session_.comm.root())
    foam::write_time(session_.files.output(name), step.time, name, step.number, step.dt, before > 0 ? before : step.dt);
}

void HeatModel::write_object(std::string const& name, foam::FunctionField const& field, bool with_time) const {
  foam::Mesh const& mesh = *case_->mesh.mesh;
  core::Layout const& layout = case_->mesh.layout();
  auto const format = case_->in.format();
  std::string boundary;
  if (field.boundary) {
    boundary = field.boundary();
  } else {
    foam::PatchFaces const faces(mesh);
    std::size_t const parts = std::max<std::size_t>(1, field.components.size());
    std::vector<double> values(parts * faces.size());
    faces.for_own(layout, [&](std::size_t n, core::Side side, int s, int k, int j, int i) {
      for (std::size_t p = 0; p < parts; ++p)
        values[parts * n + p] = (parts > 1 ? field.components[p] : field).at_face(side, s, k, j, i);
    });
    faces.gather(layout, values);
    boundary = faces.boundary_text(values, format, parts);
  }
  std::string const folder = session_.files.output(control_.time_name(at_.time));
  if (with_time) write_time(at_);
  if (auto const& c = field.components; !c.empty())
    return foam::write_vector_field(folder, {c[0].cells, c[1].cells, c[2].cells}, field.dimensions, boundary, format,
                                    mesh.blocks, name);
  std::optional<core::Field<double>> zero;
  if (field.cells == nullptr) zero.emplace(name, layout, 0, 0.0);
  foam::write_field(folder, zero ? *zero : *field.cells, field.dimensions, boundary, format, mesh.blocks, name);
}

std::vector<std::string> HeatModel::files_of_directories() const {
  auto names = of_regions(regions_, directory_fields(names_));
  for (auto const& name : functions_->list.written()) names.push_back(name);
  return names;
}

std::vector<core::FieldBase const*> HeatModel::saved(bool in_memory) const {
  std::vector<core::FieldBase const*> fields{&case_->fields->temperature};
  if (!in_memory) fields.push_back(&case_->fields->materials.conductivity());
  if (!in_memory && case_->fields->region) fields.push_back(&*case_->fields->region);
  solvers::HeatStepper const& stepper = body_->stepper();
  for (auto const* field : stepper.memory_fields()) fields.push_back(field);
  for (auto const* field : functions_->list.kept()) fields.push_back(field);
  bool const old =
      std::any_of(fields.begin(), fields.end(), [](auto const* field) { return field->name() == "T_old"; });
  if (!in_memory && directory_has_old(control_, case_->solution.settings) && !old) fields.push_back(&stepper.t_old());
  return fields;
}

void HeatModel::write(Moment const&) {
  if (control_.write_format) write_directory(at_);
}

void HeatModel::move_to(std::unique_ptr<core::Layout> layout) {
  functions_->list.move_to(*layout);
  for (auto const& gradient : gradients_) gradient->move_to(*layout);
  if (flux_) flux_->move_to(*layout);
  body_->move_to(std::move(layout));
  functions_->seen.layout = &case_->mesh.layout();
}

void HeatModel::make_room_for_name(Step const& step, bool writes) {
  // where nothing is written, names of two steps must still differ
  double const tolerance = writes ? control_.name_tolerance(step.dt) : std::max(0.1 * step.dt, 1e-15);
  int const before = control_.time_precision;
  control_.time_precision = control_.precision_for(step.time, tolerance);
  if (control_.time_precision > before)
    session_.log.line("Increased the timePrecision from {} to {} to distinguish between timeNames at time {}", before,
                      control_.time_precision, control_.time_name(step.time));
}

solvers::StepResult HeatModel::advance(Step& step, Stepping& stepping) {
  bool const adjust = control_.adjust_time_step;
  if (!adjust) session_.log.line("Time = {}\n", control_.time_name(step.time));
  auto result = solve(step, stepping);
  if (adjust) make_room_for_name(step, false);
  if (adjust) session_.log.line("deltaT = {:.6g}\nTime = {}\n", step.dt, control_.time_name(step.time));
  log_solves(result);
  auto const range = body_->heat().range(case_->fields->temperature);
  if (!std::isfinite(range.mean))
    throw core::RunError(fmt::format("T is not finite any more at time {}", control_.time_name(step.time)));
  records_->add(step.time, step.dt, result, range, body_->stepper().balance());
  body_->stepper().accept();
  return result;
}

std::vector<io::insitu::Shown> HeatModel::shown() const {
  return {io::insitu::Shown(case_->fields->temperature), io::insitu::Shown(case_->fields->materials.conductivity())};
}

std::string HeatModel::name(Moment const& now) const { return "time " + control_.time_name(now.time); }
std::string HeatModel::stamp(Moment const& now) const { return fmt::format("t = {} s", control_.time_name(now.time)); }

Start HeatModel::begin() {
  if (control_.write_mesh) {
    core::Timed const timed(core::Part::io);
    foam::write_poly_mesh(session_.files.output("constant/polyMesh"), *case_->mesh.mesh, case_->mesh.layout(),
                          case_->fields->sets, case_->in.format());
  }
  records_ = std::make_unique<HeatRecords>(session_.comm, session_.files.output("postProcessing"),
                                           case_->boundaries.open_patches(*case_->mesh.mesh, control_.start_time),
                                           keep_rows_before());
  at_ = steps().first();
  wanted_ = at_.dt;
  remove_leftovers(session_, files_of_directories());
  complete_directory();
  return {{at_.number, at_.time, at_.last}, case_->begin.goes_on, false, control_.start_time};
}

Moment HeatModel::step(Moment const&, Stepping& stepping) {
  at_ = steps().after(at_, wanted_);
  if (!control_.adjust_time_step) make_room_for_name(at_, at_.last || stepping.control.due(at_.number, at_.time));
  result_ = advance(at_, stepping);
  if (control_.adjust_time_step) {
    // a matrix that is kept saves more than a step that is a little longer
    double const next = body_->stepper().next_step(at_.dt, result_.error, control_.delta_t_tolerance);
    wanted_ = next > 1.25 * at_.dt || next < at_.dt ? next : at_.dt;
  }
  return {at_.number, at_.time, at_.last};
}

double HeatModel::steps_to_come(Moment const&) const { return steps().count_after(at_, wanted_); }

void HeatModel::after_step(Moment const&, bool writes, bool stops, bool by_signal) {
  session_.log.line("ExecutionTime = {:.2f} s  ClockTime = {:.0f} s\n", core::times().wall(), core::times().wall());
  if (writes) make_room_for_name(at_, true);
  if (!by_signal) at_.last = stops;
  // before a snapshot, which holds what the function objects counted, too
  observe(at_, result_, writes);
}

void HeatModel::report_regions(core::Report& report) const {
  if (!case_->fields->region) return;
  auto const number = std::as_const(*case_->fields->region).host();
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    foam::CellSets::Mask outside("outside", case_->mesh.layout(), 0, std::uint8_t{0});
    core::for_each_on_host("cells of a region", case_->mesh.layout(),
                           [number, to = outside.host(), own = r + 1](int s, int k, int j, int i) {
                             to(s, k, j, i) = number(s, k, j, i) != own;
                           });
    auto const range = solvers::range(case_->fields->temperature, &outside);
    session_.log.line("Region {}: T min {:.6g} K, max {:.6g} K, mean {:.6g} K", regions_[r], range.min, range.max,
                      range.mean);
    report.results()["regions"][regions_[r]] = {{"min", range.min}, {"max", range.max}, {"mean", range.mean}};
  }
}

SteppedModel::Outcome HeatModel::finish(Moment const& now, std::string const&, core::Report& report) {
  core::Field<double> const& T = case_->fields->temperature;
  if (session_.writes) {
    core::Timed const timed(core::Part::io);
    std::optional<core::Field<double>> with_holes;  // grey where there are no cells
    if (!case_->mesh.mesh->absent.empty()) {
      with_holes.emplace(core::FieldInfo{.name = "T", .description = "temperature", .units = "K", .dimensions = {}},
                         case_->mesh.layout(), 0);
      core::for_each_on_host("with holes", case_->mesh.layout(),
                             [to = with_holes->host(), from = T.host()](int s, int k, int j, int i) {
                               to(s, k, j, i) = from(s, k, j, i);
                             });
      foam::fill_absent(*with_holes, *case_->mesh.mesh, std::numeric_limits<double>::quiet_NaN());
    }
    io::draw_field(session_.files.output("results/T.png"), with_holes ? *with_holes : T,
                   {.title = case_->steady() ? "Steady temperature"
                                             : fmt::format("Temperature after {} s", control_.time_name(now.time))});
  }
  auto const range = body_->heat().range(T);
  report.describe(case_->mesh.layout(), parts().method, parts().weights);
  records_->report(report, range, setup_seconds(), body_->stepper().setups(), body_->stepper().followed());
  report_regions(report);
  report.hash("T", core::hash(T));
  session_.log.line("T: min {:.6g} K, max {:.6g} K, mean {:.6g} K; {:.1f} iterations a step", range.min, range.max,
                    range.mean, records_->average_iterations());
  if (!records_->converged()) session_.log.line("Not every step converged: see solvers.T in the report");
  return {case_->solution.must_converge && !records_->converged() ? core::Exit::not_converged : core::Exit::done,
          records_->steps(), static_cast<double>(case_->mesh.mesh->total()) * static_cast<double>(records_->steps())};
}

}  // namespace tessera::run::heat
