// SPDX-License-Identifier: Apache-2.0
// Where a run begins: with a time directory, a snapshot or a checkpoint in memory; and what a snapshot holds to go on from.
#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/files/together.hpp"
#include "io/foam/cell_selection.hpp"
#include "io/foam/poly_mesh_reader.hpp"
#include "io/snapshot.hpp"
#include "run/models/heat/heat_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <sstream>

namespace tessera::run::heat {

namespace foam = io::foam;

namespace {

std::string exactly(double value) { return fmt::format("{:a}", value); }

/// Snapshots that can be opened, the last one first: their numbers and times. restart() reports the others.
std::vector<std::pair<std::int64_t, double>> snapshot_times(std::string const& folder) {
  std::vector<std::pair<std::int64_t, double>> times;
  auto const files = io::snapshots_in(folder);
  for (auto place = files.rbegin(); place != files.rend(); ++place) try {
      times.emplace_back(place->first, io::read_snapshot(place->second).time);
    } catch (core::Error const&) {
    }
  return times;
}

/// What is wrong with those of the fields that a time directory has, and with its uniform/time; "" where nothing is. One
/// rank.
std::string damage_of(std::string const& folder, std::vector<std::string> const& fields) {
  core::Comm const alone(MPI_COMM_SELF);
  namespace fs = std::filesystem;
  try {
    for (auto const& field : fields)
      if (std::string const file = folder + "/" + field; fs::exists(file) || fs::exists(file + ".gz"))
        foam::read_field(file, alone, io::text_of);
    if (std::string const time = folder + "/uniform/time"; fs::exists(time))
      core::Dictionary::parse(io::text_of(time), time, io::text_of).get<double>("deltaT");
  } catch (core::Error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

Begin read_begin(Session& session, Schedule& schedule, EquationNames const& names,
                 std::vector<std::string> const& regions) {
  // a preview without a range in the case has that of all pictures so far: the first one does not tell what is to come
  foam::asks_for_poly_mesh(session.files.open("system/controlDict"));  // read_mesh's
  schedule.read_control(session, {true, foam::FunctionObjects::names(), true}, {.widening = true});
  auto& control = schedule.control;
  auto const& dictionary = session.files.open("system/controlDict");
  bool const asked = dictionary.get_or<bool>("adjustTimeStep", false);
  if (asked && !control.adjust_time_step)
    session.log.line(
        "{}: 'adjustTimeStep' does nothing without deltaTTolerance, as in OpenFOAM's laplacianFoam: steps are deltaT",
        dictionary.location("adjustTimeStep"));
  for (char const* unused : {"maxDeltaT", "deltaTTolerance"})
    if (dictionary.contains(unused) && !asked)
      session.log.line("{}: '{}' does nothing without adjustTimeStep yes", dictionary.location(unused), unused);
  std::string answer;
  io::on_root(session.comm, [&] {
    auto directories = foam::time_directories(session.files.directory(), of_region(regions.front(), "T"));
    std::string const results = session.files.output("results");
    bool const any = !io::snapshots_in(results).empty();
    auto const snapshots = snapshot_times(results);
    auto const is = [&](double time, std::string const& name) { return control.named(time, name); };
    auto const& kept = schedule.checkpoints->found();
    // a directory that would be read must be whole, unless it is the one that the case begins with
    while (control.start_from == "latestTime" && directories.size() > 1) {
      auto const& [time, name] = directories.back();
      bool const later = (!snapshots.empty() && (snapshots[0].second >= time || is(snapshots[0].second, name))) ||
                         (kept && kept->time > time);
      std::string const damage =
          later ? "" : damage_of(session.files.path(name), of_regions(regions, directory_fields(names)));
      if (damage.empty()) break;
      session.log.line("{}; what was written before it is taken", damage);
      directories.pop_back();
    }
    auto place = directories.begin();  // the directory to start from, where there is one
    bool from_snapshot = false;
    if (control.start_from == "latestTime") {
      if (place != directories.end()) place = std::prev(directories.end());
      // a snapshot has more digits than the directory of the same time
      from_snapshot =
          any && (directories.size() < 2 || (!snapshots.empty() && (snapshots[0].second >= place->first ||
                                                                    is(snapshots[0].second, place->second))));
    } else if (control.start_from == "startTime") {
      std::string const name = control.time_name(control.start_time);
      place = std::find_if(directories.begin(), directories.end(),
                           [&](auto const& d) { return d.first == control.start_time || d.second == name; });
      bool const first = place == directories.begin() && place != directories.end();
      from_snapshot =
          !first && control.start_time > 0 &&
          std::any_of(snapshots.begin(), snapshots.end(), [&](auto const& s) { return is(s.second, name); });
    }
    // the nodes' memory, where it holds something later
    if (kept)
      from_snapshot = from_snapshot ||
                      (control.start_from == "latestTime" && (place == directories.end() || kept->time > place->first));
    bool const given = place != directories.end();
    double const time = given ? place->first : control.start_time;
    auto const earlier =
        std::find_if(snapshots.begin(), snapshots.end(), [&](auto const& s) { return s.second <= time; });
    answer =
        fmt::format("{} {:a} {} {} {}", from_snapshot ? 1 : 0, time, earlier != snapshots.end() ? earlier->first : 0,
                    given ? place->second : control.time_name(time),
                    directories.empty() ? control.time_name(time) : directories.front().second);
  });
  session.comm.broadcast(answer);
  std::istringstream in(answer);
  std::string time;
  Begin begin;
  in >> begin.from_snapshot >> time >> begin.step >> begin.directory >> begin.first;
  begin.time = begin.base_time = std::strtod(time.c_str(), nullptr);
  begin.dt = *control.delta_t;
  // what is at the first directory is a case, what is later was left by a run
  begin.goes_on = begin.directory != begin.first;
  if (!begin.goes_on) begin.step = 0;
  begin.base_step = begin.step;
  if (begin.from_snapshot)
    begin.directory = begin.first;
  else
    control.start_time = begin.time;
  return begin;
}

namespace {

/// What OpenFOAM writes for the time scheme, in a time directory.
Continuation from_directory(Reading const& in, Begin const& start, MeshPart const& mesh,
                            solvers::TimeScheme const& scheme, core::Field<double> const& temperature) {
  Continuation result{start};
  Begin& begin = result.begin;
  auto& memory = result.memory;
  Case& files = in.session.files;
  auto* const time = files.find(begin.directory + "/uniform/time");
  auto const exists = [&](char const* name) {
    return std::all_of(in.regions.begin(), in.regions.end(), [&](std::string const& region) {
      return files.exists(of_region(begin.directory, region, name));
    });
  };
  auto const read = [&](char const* name, foam::Dimensions const& dimensions, char const* as) -> core::Field<double>& {
    std::vector<foam::FieldFile> of_all;
    for (auto const& region : in.regions) {
      auto const path = files.path(of_region(begin.directory, region, name));
      of_all.push_back(foam::read_field(path, in.session.comm, in.reader()));
      foam::check_dimensions(of_all.back().dimensions, dimensions, of_all.back().location("dimensions"));
    }
    memory.fields.push_back(std::make_unique<core::Field<double>>(as, mesh.layout(), 0));
    set_cells(of_all, mesh, *memory.fields.back());
    return *memory.fields.back();
  };
  double dt0 = begin.dt;
  long index = 0;
  if (time) {
    index = time->get_in<long>("index", {0, std::numeric_limits<long>::max() / 2}, 0);
    dt0 = time->get_positive<double>("deltaT", dt0);
    time->mark_read();
    if (in.control.adjust_time_step) begin.dt = dt0;
    if (index > 0) begin.step = begin.base_step = index;
  }
  bool const rate = scheme.goes_on_from_rate();
  bool const complete = exists("T_0") && (!rate || exists("ddt0(T)"));
  if (scheme.has_history() && complete) {
    auto const& t_old = read("T_0", foam::dimensions_of_temperature, "T_old");
    if (rate) {
      // H = (1 + psi) (T - T_old) / dt - psi ddt0; after the first step, which is Euler's, (T - T_old) / dt
      auto const h = read("ddt0(T)", foam::dimensions_of_heating, "dTdt").host();
      auto const t = temperature.host(), old = t_old.host();
      double const psi = index == 1 ? 0 : scheme.psi, now = (1 + psi) / dt0;
      core::for_each_on_host("cells", mesh.layout(), [&](int s, int k, int j, int i) {
        h(s, k, j, i) = now * (t(s, k, j, i) - old(s, k, j, i)) - psi * h(s, k, j, i);
      });
    }
    memory.taken = std::max(index, 1L);
    memory.dt0 = dt0;
  }
  in.session.log.line("Goes on from {}{}", files.path(begin.directory),
                      scheme.has_history() && !complete ? "; the time scheme begins anew" : "");
  return result;
}

Continuation from_snapshot(Session& session, Schedule& schedule, Begin const& start, MeshPart const& mesh,
                           solvers::StepSettings const& settings, core::Field<double>& temperature,
                           std::vector<core::FieldBase*> const& of_functions) {
  Continuation result{start};
  Begin& begin = result.begin;
  auto& memory = result.memory;
  auto& from = result.from;
  auto& control = schedule.control;
  std::vector<core::FieldBase*> wanted = of_functions;
  for (auto const& info : solvers::HeatStepper::memory_of(settings)) {
    memory.fields.push_back(std::make_unique<core::Field<double>>(info, mesh.layout(), 0));
    wanted.push_back(memory.fields.back().get());
  }
  if (std::none_of(wanted.begin(), wanted.end(), [](auto* field) { return field->name() == "T_old"; }) &&
      directory_has_old(control, settings)) {
    memory.fields.push_back(std::make_unique<core::Field<double>>("T_old", mesh.layout(), 0));
    wanted.push_back(memory.fields.back().get());
  }
  std::array<core::FieldBase*, 1> const needed{&temperature};
  from = restart(session, control, false, *schedule.checkpoints, needed, wanted);
  core::expect(from.has_value(), "there is something to go on from");
  std::erase_if(memory.fields, [&](auto const& field) {
    return std::find(from->found.begin(), from->found.end(), field->name()) == from->found.end();
  });
  // a snapshot of another program has no such numbers
  auto const number = [&](char const* name, double otherwise) {
    auto const place = from->state.find(name);
    return place == from->state.end() ? otherwise : std::strtod(place->second.c_str(), nullptr);
  };
  auto const whole = [&](char const* name, std::int64_t otherwise) {
    auto const place = from->state.find(name);
    return place == from->state.end() ? otherwise : std::strtoll(place->second.c_str(), nullptr, 10);
  };
  memory.taken = whole("stepsTaken", 0);
  memory.dt0 = number("deltaT0", 0);
  memory.dt00 = number("deltaT00", 0);
  memory.ratio = number("outerRatio", 0);
  if (from->state.contains("solver")) memory.learned = from->state.at("solver");
  if (from->state.contains("solverSetup")) memory.setup = from->state.at("solverSetup");
  begin.goes_on = true;
  begin.step = from->step;
  begin.time = from->time;
  control.start_time = number("startTime", control.start_time);
  // names go on with the digits that told the times apart before
  control.time_precision = static_cast<int>(
      std::clamp<std::int64_t>(whole("timePrecision", control.time_precision), control.time_precision, 17));
  auto const name = from->state.find("startName");  // a number, whatever a file says: it becomes a folder's name
  if (name != from->state.end() && name->second.find_first_not_of("0123456789.e+-") == std::string::npos)
    control.begun_as = name->second;
  if (from->state.contains("functions")) result.functions = from->state.at("functions");
  if (control.adjust_time_step) {
    begin.dt = number("deltaT", begin.dt);
  } else if (number("deltaT", 0) == begin.dt) {
    // times are multiples of deltaT since then, with the same rounding
    begin.base_step = whole("baseStep", from->step);
    begin.base_time = number("baseTime", from->time);
    return result;
  }
  begin.base_step = from->step;
  begin.base_time = from->time;
  return result;
}

}  // namespace

Continuation read_continuation(Reading const& in, Schedule& schedule, Begin const& begin, MeshPart const& mesh,
                               solvers::StepSettings const& settings, core::Field<double>& temperature,
                               std::vector<core::FieldBase*> const& of_functions) {
  if (begin.from_snapshot) return from_snapshot(in.session, schedule, begin, mesh, settings, temperature, of_functions);
  if (begin.goes_on) return from_directory(in, begin, mesh, settings.scheme, temperature);
  return {begin};
}

void HeatModel::check_goes_on() const {
  Begin const& begin = case_->begin;
  if (!begin.goes_on) return;
  double const end = *control_.end_time;
  std::string const source = from_ ? from_->source : session_.files.path(begin.directory);
  if (begin.time > end + 0.5 * begin.dt)
    session_.files.open("system/controlDict")
        .fail("endTime",
              fmt::format("endTime {} is before {} of time {}, expected a later end, or startFrom startTime; "
                          "with an earlier time",
                          end, source, control_.time_name(begin.time)));
  if (!from_) return;
  auto const& state = from_->state;
  std::vector<std::string> others;
  if (auto const kind = state.find("boundary"); kind != state.end() && kind->second != case_->boundaries.kind)
    others.push_back(session_.files.path(of_region(begin.first, regions_.front(), "T")) + ": boundaryField");
  tell_changes(session_, *from_, others);
}

void HeatModel::check_steps() const {
  Begin const& begin = case_->begin;
  if (begin.goes_on || !steps().first().last) return;
  std::string const why =
      fmt::format("no step is taken: deltaT {} is not less than twice endTime - startTime, which is {}", begin.dt,
                  *control_.end_time - begin.time);
  if (case_->steady()) session_.files.open("system/controlDict").fail("deltaT", why);
  session_.log.line("{}: {}", session_.files.open("system/controlDict").location("deltaT"), why);
}

void HeatModel::check_temperatures() const {
  if (!names_.capacity || case_->begin.goes_on) return;
  double const least = body_->heat().range(case_->fields->temperature).min;
  if (least < 0)
    throw core::Error(fmt::format("{}: T is {} at the start, expected kelvin, from 0 on",
                                  session_.files.path(of_region(case_->begin.directory, regions_.front(), "T")),
                                  least));
}

void HeatModel::complete_directory() {
  if (!from_ || !from_->from_file || !control_.write_format) return;
  Begin const& begin = case_->begin;
  auto const& settings = case_->solution.settings;
  std::string const name = control_.time_name(begin.time), folder = session_.files.output(name);
  std::string lacks;
  io::on_root(session_.comm, [&] {
    auto wanted = directory_fields(names_);
    std::erase_if(wanted, [&](std::string const& field) {
      return (field == "T_0" && !settings.scheme.has_history()) ||
             (field == "ddt0(T)" && settings.scheme.type != solvers::TimeScheme::Type::crank_nicolson) ||
             (field == names_.conductivity && names_.capacity);
    });
    wanted = of_regions(regions_, wanted);
    wanted.push_back("uniform/time");  // comes last
    for (auto const& file : wanted)
      if (lacks.empty() && io::find_file(folder + "/" + file).empty()) lacks = file;
  });
  session_.comm.broadcast(lacks);
  if (lacks.empty()) return;
  auto const& found = from_->found;
  if (directory_has_old(control_, settings) && std::find(found.begin(), found.end(), "T_old") == found.end()) {
    session_.log.line("{} lacks {}, which cannot be made from {}: it has no T_old", folder, lacks, from_->source);
    return;
  }
  session_.log.line("{} lacks {}: written again from {}", folder, lacks, from_->source);
  double const dt = body_->stepper().memory().dt0;
  Step at = steps().first();
  if (dt > 0) at.dt = dt;
  body_->set_time(at.time, at.sum);  // what patches are written with
  write_directory(at);
}

void HeatModel::resume(Continuation& earlier) {
  Begin const& begin = case_->begin;
  from_ = std::move(earlier.from);
  check_goes_on();
  check_steps();
  if (begin.goes_on) {  // purgeWrite counts the directories of the runs before, but not the one the case began with
    std::vector<std::string> names;
    io::on_root(session_.comm, [&] {
      for (auto const& [time, name] :
           foam::time_directories(session_.files.output(""), of_region(regions_.front(), "T")))
        if (time > control_.start_time && time <= begin.time && name != begin.first) names.push_back(name);
    });
    session_.comm.broadcast(names);
    directories_.insert(directories_.end(), names.begin(), names.end());
  }
  if (!body_) return;
  check_temperatures();
  if (!begin.from_snapshot) {
    if (earlier.memory.taken > 0) body_->stepper().resume(earlier.memory);
    return;
  }
  bool const complete = body_->stepper().resume(earlier.memory);
  if (functions_) functions_->list.resume(earlier.functions, begin.time);
  session_.log.line("Time {}, step {}{}", control_.time_name(begin.time), begin.step,
                    complete ? "" : "; what the time scheme needs was not saved, it begins anew");
}

io::State HeatModel::state() const {
  auto const memory = body_->stepper().memory();
  return {{"startTime", exactly(control_.start_time)},
          {"baseTime", exactly(case_->begin.base_time)},
          {"baseStep", std::to_string(case_->begin.base_step)},
          {"deltaT", exactly(wanted_)},
          {"stepsTaken", std::to_string(memory.taken)},
          {"deltaT0", exactly(memory.dt0)},
          {"deltaT00", exactly(memory.dt00)},
          {"outerRatio", exactly(memory.ratio)},
          {"solver", memory.learned},
          {"solverSetup", memory.setup},
          {"boundary", case_->boundaries.kind},
          {"startName", control_.start_name()},
          {"timePrecision", std::to_string(control_.time_precision)},
          {"functions", functions_->list.state()}};
}

double HeatModel::keep_rows_before() const {
  Begin const& begin = case_->begin;
  if (!begin.goes_on) return -std::numeric_limits<double>::infinity();
  // a directory's name is rounded
  return begin.from_snapshot ? std::nextafter(begin.time, std::numeric_limits<double>::infinity())
                             : begin.time + 0.5 * begin.dt;
}

}  // namespace tessera::run::heat
