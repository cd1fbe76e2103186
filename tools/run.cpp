// SPDX-License-Identifier: Apache-2.0
// The commands run and check.
#include "core/error_list.hpp"
#include "core/runtime.hpp"
#include "core/times.hpp"
#include "core/unused.hpp"
#include "core/version.hpp"
#include "io/bar_chart.hpp"
#include "io/together.hpp"
#include "tools/application.hpp"
#include "tools/commands.hpp"
#include "tools/routers.hpp"
#include "tools/same_run.hpp"

#include <dlfcn.h>

namespace tessera::tools {
namespace {

/// Opens `libs ("libmine.so" ...);`: plugins built outside the tree. OpenFOAM's own libraries are not ours to open.
void open_libraries(Case& files, core::Dictionary& control) {
  if (!control.contains("libs")) return;
  for (auto const& name : control.get<std::vector<std::string>>("libs")) {
    std::string const local = files.path(name);
    void* library = dlopen(files.exists(name) ? local.c_str() : name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) control.fail("libs", fmt::format("cannot open '{}': {}", name, dlerror()));
  }
  core::check_registries();
}

struct Prepared {
  std::unique_ptr<Application> application;
  std::string name;
};

Prepared prepare(Session& session) {
  core::Dictionary& control = session.files.open("system/controlDict");
  core::attempt([&] { open_libraries(session.files, control); });
  core::attempt([&] { set_routers(session); });
  auto const name = control.get<std::string>("application");
  if (!Applications::contains(name))
    control.fail("application", core::unknown_name("application", name, Applications::names()));
  Prepared prepared{Applications::make(name, session), name};
  prepared.application->prepare();
  return prepared;
}

/// `rankChart yes;` in system/balanceDict.
bool wants_chart(Session& session) {
  return session.files.open_or_empty("system/balanceDict").get_or<bool>("rankChart", false);
}

/// Where the time of each rank went.
void draw_ranks(std::string const& file, core::Report::Json const& of_ranks) {
  namespace c = io::colours;
  using core::Part;
  io::BarChart chart{.title = "Time of each rank", .unit = "s", .parts = {}};
  for (auto const& [part, colour] : {std::pair{Part::boot, c::grey},
                                     {Part::compute, c::blue},
                                     {Part::halo, c::sky_blue},
                                     {Part::reduce, c::purple},
                                     {Part::io, c::green},
                                     {Part::in_situ, c::yellow},
                                     {Part::rebalance, c::vermillion},
                                     {Part::idle, c::light_grey}}) {
    char const* const name = core::part_names[static_cast<std::size_t>(part)];
    chart.parts.push_back({name, colour, of_ranks.at(name).get<std::vector<double>>()});
  }
  io::draw_bars(file, chart);
}

}  // namespace

int run_case(core::Comm const& comm, RunOptions const& options) {
  require_same_run(comm, fmt::format("{} ({})", core::version, core::commit),
                   case_hash(options.directory, options.settings));
  Log log(comm.root() && !options.quiet);
  Case files(options.directory, options.settings, comm);
  Session session{comm, files, log};
  log.line("Tessera {} ({}), {} rank{}, case {}", core::version, core::commit, comm.size(), comm.size() == 1 ? "" : "s",
           options.directory);
  bool const chart = wants_chart(session);
  auto const prepared = prepare(session);
  files.check_all_read();
  for (auto const& line : core::unused_variables()) log.line("{}", line);

  core::Report report(files.name(), prepared.name);
  core::times().switch_to(core::Part::compute);
  int const code = prepared.application->run(report);
  report_routers(comm, report);
  report_halos(comm, report);
  std::string const path = options.report.empty() ? files.path("postProcessing/report.json") : options.report;
  io::on_root(comm, [&] {
    report.write(path);
    if (chart) draw_ranks(files.path("postProcessing/ranks.png"), report.json()["time"]["ofRanks"]);
  });
  log.line("ExecutionTime = {:.2f} s  ClockTime = {:.0f} s", core::times().wall(), core::times().wall());
  log.line("Report: {}", path);
  return code;
}

int check_case(core::Comm const& comm, RunOptions const& options) {
  Log log(comm.root() && !options.quiet);
  std::string valid;
  auto const errors = core::all_errors([&] {
    log.hold();
    Case files(options.directory, options.settings, comm);
    Session session{comm, files, log, true};
    core::attempt([&] { wants_chart(session); });
    std::optional<Prepared> prepared;
    core::attempt([&] { prepared = prepare(session); });
    // where something could not be read, files may be left that the rest would have opened
    bool const clean = core::ErrorList::gathering()->clean();
    clean ? files.check_all_read() : files.check_entries_read();
    core::rely_on(clean);
    auto const [bytes, largest] = prepared->application->memory();
    std::string const ranks =
        comm.size() == 1 ? "1 rank" : fmt::format("{} ranks, {}B on the largest", comm.size(), engineering(largest));
    valid = fmt::format("{}: application {}, all entries valid, about {}B of memory on {}", options.directory,
                        prepared->name, engineering(bytes), ranks);
  });
  if (errors.empty()) {
    log.release();
    for (auto const& line : core::unused_variables()) log.line("{}", line);
    log.line("{}", valid);
    return core::Exit::done;
  }
  if (comm.root()) {
    for (auto const& error : errors) std::fputs(fmt::format("{}\n", error).c_str(), stderr);
    std::fputs(fmt::format("{} error{}\n", errors.size(), errors.size() == 1 ? "" : "s").c_str(), stderr);
  }
  return core::Exit::wrong_input;
}

}  // namespace tessera::tools
