// SPDX-License-Identifier: Apache-2.0
// Where a run begins: with a time directory, a snapshot or a checkpoint in memory; and what a snapshot holds to go on from.
#include "core/error.hpp"
#include "io/files/compressed.hpp"
#include "io/files/together.hpp"
#include "io/foam/cell_selection.hpp"
#include "io/snapshot.hpp"
#include "run/models/heat/heat_case.hpp"
#include "run/models/heat/heat_records.hpp"
#include "run/restart/restart.hpp"

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

void HeatCase::find_start() {
  std::string answer;
  io::on_root(session_.comm, [&] {
    auto directories = foam::time_directories(session_.files.directory(), "T");
    std::string const results = session_.files.path("results");
    bool const any = !io::snapshots_in(results).empty();
    auto const snapshots = snapshot_times(results);
    auto const is = [&](double time, std::string const& name) { return control_.named(time, name); };
    auto const& kept = schedule_.checkpoints->found();
    // a directory that would be read must be whole, unless it is the one that the case begins with
    while (control_.start_from == "latestTime" && directories.size() > 1) {
      auto const& [time, name] = directories.back();
      bool const later = (!snapshots.empty() && (snapshots[0].second >= time || is(snapshots[0].second, name))) ||
                         (kept && kept->time > time);
      std::string const damage = later ? "" : damage_of(session_.files.path(name), directory_fields());
      if (damage.empty()) break;
      session_.log.line("{}; what was written before it is taken", damage);
      directories.pop_back();
    }
    auto place = directories.begin();  // the directory to start from, where there is one
    bool from_snapshot = false;
    if (control_.start_from == "latestTime") {
      if (place != directories.end()) place = std::prev(directories.end());
      // a snapshot has more digits than the directory of the same time
      from_snapshot =
          any && (directories.size() < 2 || (!snapshots.empty() && (snapshots[0].second >= place->first ||
                                                                    is(snapshots[0].second, place->second))));
    } else if (control_.start_from == "startTime") {
      std::string const name = control_.time_name(control_.start_time);
      place = std::find_if(directories.begin(), directories.end(),
                           [&](auto const& d) { return d.first == control_.start_time || d.second == name; });
      bool const first = place == directories.begin() && place != directories.end();
      from_snapshot =
          !first && control_.start_time > 0 &&
          std::any_of(snapshots.begin(), snapshots.end(), [&](auto const& s) { return is(s.second, name); });
    }
    // the nodes' memory, where it holds something later
    if (kept)
      from_snapshot = from_snapshot || (control_.start_from == "latestTime" &&
                                        (place == directories.end() || kept->time > place->first));
    bool const given = place != directories.end();
    double const time = given ? place->first : control_.start_time;
    auto const earlier =
        std::find_if(snapshots.begin(), snapshots.end(), [&](auto const& s) { return s.second <= time; });
    answer =
        fmt::format("{} {:a} {} {} {}", from_snapshot ? 1 : 0, time, earlier != snapshots.end() ? earlier->first : 0,
                    given ? place->second : control_.time_name(time),
                    directories.empty() ? control_.time_name(time) : directories.front().second);
  });
  session_.comm.broadcast(answer);
  std::istringstream in(answer);
  std::string time;
  in >> begin_.from_snapshot >> time >> begin_.step >> start_ >> first_;
  begin_.time = std::strtod(time.c_str(), nullptr);
  // what is at the first directory is a case, what is later was left by a run
  begin_.goes_on = start_ != first_;
  if (!begin_.goes_on) begin_.step = 0;
  if (begin_.from_snapshot) {
    start_ = first_;
    return;
  }
  control_.start_time = begin_.time;
}

void HeatCase::load_directory() {
  if (!begin_.goes_on || begin_.from_snapshot) return;
  Case& files = session_.files;
  auto* const time = files.find(start_ + "/uniform/time");
  auto const& scheme = settings_.scheme;
  auto const exists = [&](char const* name) { return files.exists(start_ + "/" + name); };
  auto const read = [&](char const* name, foam::Dimensions const& dimensions, char const* as) -> core::Field<double>& {
    auto const file = foam::read_field(files.path(start_ + "/" + name), session_.comm, reader());
    foam::check_dimensions(file.dimensions, dimensions, file.location("dimensions"));
    memory_.fields.push_back(std::make_unique<core::Field<double>>(as, *parts_.layout, 0));
    foam::set_cells(file, *memory_.fields.back(), mesh_->blocks);
    return *memory_.fields.back();
  };
  double dt0 = begin_.dt;
  long index = 0;
  if (time) {
    index = time->get_in<long>("index", {0, std::numeric_limits<long>::max() / 2}, 0);
    dt0 = time->get_positive<double>("deltaT", dt0);
    time->mark_read();
    if (control_.adjust_time_step) begin_.dt = dt0;
    if (index > 0) begin_.step = begin_.base_step = index;
  }
  bool const rate = scheme.type == solvers::TimeScheme::Type::crank_nicolson;
  bool const complete = exists("T_0") && (!rate || exists("ddt0(T)"));
  if (scheme.has_history() && complete) {
    auto const& t_old = read("T_0", foam::dimensions_of_temperature, "T_old");
    if (rate) {
      // H = (1 + psi) (T - T_old) / dt - psi ddt0; after the first step, which is Euler's, (T - T_old) / dt
      auto const h = read("ddt0(T)", foam::dimensions_of_heating, "dTdt").host();
      auto const t = std::as_const(*temperature_).host(), old = t_old.host();
      double const psi = index == 1 ? 0 : scheme.psi, now = (1 + psi) / dt0;
      core::for_each_on_host("cells", *parts_.layout, [&](int s, int k, int j, int i) {
        h(s, k, j, i) = now * (t(s, k, j, i) - old(s, k, j, i)) - psi * h(s, k, j, i);
      });
    }
    memory_.taken = std::max(index, 1L);
    memory_.dt0 = dt0;
  }
  session_.log.line("Goes on from {}{}", files.path(start_),
                    scheme.has_history() && !complete ? "; the time scheme begins anew" : "");
}

void HeatCase::load_snapshot() {
  if (!begin_.from_snapshot) return;
  std::vector<core::FieldBase*> wanted;
  for (auto const& info : solvers::HeatStepper::memory_of(settings_)) {
    memory_.fields.push_back(std::make_unique<core::Field<double>>(info, *parts_.layout, 0));
    wanted.push_back(memory_.fields.back().get());
  }
  if (std::none_of(wanted.begin(), wanted.end(), [](auto* field) { return field->name() == "T_old"; }) &&
      directory_has_old()) {
    memory_.fields.push_back(std::make_unique<core::Field<double>>("T_old", *parts_.layout, 0));
    wanted.push_back(memory_.fields.back().get());
  }
  std::array<core::FieldBase*, 1> const needed{&*temperature_};
  begin_.from = restart(session_, control_, false, *schedule_.checkpoints, needed, wanted);
  auto const& from = begin_.from;
  core::expect(from.has_value(), "there is something to go on from");
  std::erase_if(memory_.fields, [&](auto const& field) {
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
  memory_.taken = whole("stepsTaken", 0);
  memory_.dt0 = number("deltaT0", 0);
  memory_.dt00 = number("deltaT00", 0);
  if (from->state.contains("solver")) memory_.learned = from->state.at("solver");
  begin_.goes_on = true;
  begin_.step = from->step;
  begin_.time = from->time;
  control_.start_time = number("startTime", control_.start_time);
  // names go on with the digits that told the times apart before
  control_.time_precision = static_cast<int>(
      std::clamp<std::int64_t>(whole("timePrecision", control_.time_precision), control_.time_precision, 17));
  auto const name = from->state.find("startName");  // a number, whatever a file says: it becomes a folder's name
  if (name != from->state.end() && name->second.find_first_not_of("0123456789.e+-") == std::string::npos)
    control_.begun_as = name->second;
  if (from->state.contains("functions")) begin_.functions = from->state.at("functions");
  if (control_.adjust_time_step) {
    begin_.dt = number("deltaT", begin_.dt);
  } else if (number("deltaT", 0) == begin_.dt) {
    // times are multiples of deltaT since then, with the same rounding
    begin_.base_step = whole("baseStep", from->step);
    begin_.base_time = number("baseTime", from->time);
    return;
  }
  begin_.base_step = from->step;
  begin_.base_time = from->time;
}

void HeatCase::check_goes_on() const {
  if (!begin_.goes_on) return;
  double const end = *control_.end_time;
  std::string const source = begin_.from ? begin_.from->source : session_.files.path(start_);
  if (begin_.time > end + 0.5 * begin_.dt)
    session_.files.open("system/controlDict")
        .fail("endTime",
              fmt::format("endTime {} is before {} of time {}, expected a later end, or startFrom startTime; "
                          "with an earlier time",
                          end, source, control_.time_name(begin_.time)));
  if (!begin_.from) return;
  auto const& state = begin_.from->state;
  std::vector<std::string> others;
  if (auto const kind = state.find("boundary"); kind != state.end() && kind->second != boundary_kind_)
    others.push_back(session_.files.path(first_ + "/T") + ": boundaryField");
  tell_changes(session_, *begin_.from, others);
}

bool HeatCase::directory_has_old() const { return control_.write_format && settings_.scheme.has_history(); }

void HeatCase::complete_directory() {
  if (!begin_.from || !begin_.from->from_file || !control_.write_format) return;
  std::string const name = control_.time_name(begin_.time), folder = session_.files.path(name);
  std::string lacks;
  io::on_root(session_.comm, [&] {
    auto wanted = directory_fields();
    std::erase_if(wanted, [&](std::string const& field) {
      return (field == "T_0" && !settings_.scheme.has_history()) ||
             (field == "ddt0(T)" && settings_.scheme.type != solvers::TimeScheme::Type::crank_nicolson) ||
             (field == names_.conductivity && names_.capacity);
    });
    wanted.push_back("uniform/time");  // comes last
    for (auto const& file : wanted)
      if (lacks.empty() && io::find_file(folder + "/" + file).empty()) lacks = file;
  });
  session_.comm.broadcast(lacks);
  if (lacks.empty()) return;
  auto const& found = begin_.from->found;
  if (directory_has_old() && std::find(found.begin(), found.end(), "T_old") == found.end()) {
    session_.log.line("{} lacks {}, which cannot be made from {}: it has no T_old", folder, lacks, begin_.from->source);
    return;
  }
  session_.log.line("{} lacks {}: written again from {}", folder, lacks, begin_.from->source);
  double const dt = stepper_->memory().dt0;
  write_directory({begin_.step, begin_.time, begin_.time, dt > 0 ? dt : begin_.dt, false});
}

void HeatCase::resume() {
  check_goes_on();
  if (begin_.goes_on) {  // purgeWrite counts the directories of the runs before, but not the one the case began with
    std::vector<std::string> names;
    io::on_root(session_.comm, [&] {
      for (auto const& [time, name] : foam::time_directories(session_.files.directory(), "T"))
        if (time > control_.start_time && time <= begin_.time && name != first_) names.push_back(name);
    });
    session_.comm.broadcast(names);
    directories_.insert(directories_.end(), names.begin(), names.end());
  }
  if (!stepper_) return;  // a case that is only checked
  if (!begin_.from_snapshot) {
    if (memory_.taken > 0) stepper_->resume(memory_);
    memory_.fields.clear();
    return;
  }
  bool const complete = stepper_->resume(memory_);
  memory_.fields.clear();
  functions_->resume(begin_.functions, begin_.time);
  session_.log.line("Time {}, step {}{}", control_.time_name(begin_.time), begin_.step,
                    complete ? "" : "; what the time scheme needs was not saved, it begins anew");
}

io::State HeatCase::state() const {
  auto const memory = stepper_->memory();
  return {{"startTime", exactly(control_.start_time)},
          {"baseTime", exactly(begin_.base_time)},
          {"baseStep", std::to_string(begin_.base_step)},
          {"deltaT", exactly(wanted_)},
          {"stepsTaken", std::to_string(memory.taken)},
          {"deltaT0", exactly(memory.dt0)},
          {"deltaT00", exactly(memory.dt00)},
          {"solver", memory.learned},
          {"boundary", boundary_kind_},
          {"startName", control_.start_name()},
          {"timePrecision", std::to_string(control_.time_precision)},
          {"functions", functions_->state()}};
}

double HeatCase::keep_rows_before() const {
  if (!begin_.goes_on) return -std::numeric_limits<double>::infinity();
  // a directory's name is rounded
  return begin_.from_snapshot ? std::nextafter(begin_.time, std::numeric_limits<double>::infinity())
                              : begin_.time + 0.5 * begin_.dt;
}

}  // namespace tessera::run::heat
