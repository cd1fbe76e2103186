// SPDX-License-Identifier: Apache-2.0
// The commands run and check.
#include "core/error.hpp"
#include "core/runtime.hpp"
#include "core/times.hpp"
#include "core/version.hpp"
#include "io/together.hpp"
#include "tools/application.hpp"
#include "tools/commands.hpp"
#include "tools/routers.hpp"

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
  open_libraries(session.files, control);
  set_routers(session);
  auto const name = control.get<std::string>("application");
  if (!Applications::contains(name))
    control.fail("application", core::unknown_name("application", name, Applications::names()));
  Prepared prepared{Applications::make(name, session), name};
  prepared.application->prepare();
  session.files.check_all_read();
  return prepared;
}

}  // namespace

void refuse_restart(core::Dictionary const& dictionary, io::foam::Control const& control) {
  if (control.start_from == "latestTime")
    dictionary.fail("startFrom",
                    "is latestTime, expected startTime or firstTime: restart from results is not supported");
  if (control.purge_write != 0) dictionary.fail("purgeWrite", "expected 0: results are not deleted");
}

int run_case(core::Comm const& comm, RunOptions const& options) {
  Log log(comm.root() && !options.quiet);
  Case files(options.directory, options.settings, comm);
  Session session{comm, files, log};
  log.line("Tessera {} ({}), {} rank{}, case {}", core::version, core::commit, comm.size(), comm.size() == 1 ? "" : "s",
           options.directory);
  auto const prepared = prepare(session);

  core::Report report(files.name(), prepared.name);
  core::times().switch_to(core::Part::compute);
  int const code = prepared.application->run(report);
  report_routers(comm, report);
  std::string const path = options.report.empty() ? files.path("postProcessing/report.json") : options.report;
  io::on_root(comm, [&] { report.write(path); });
  log.line("ExecutionTime = {:.2f} s  ClockTime = {:.0f} s", core::times().wall(), core::times().wall());
  log.line("Report: {}", path);
  return code;
}

int check_case(core::Comm const& comm, RunOptions const& options) {
  Log log(comm.root() && !options.quiet);
  Case files(options.directory, options.settings, comm);
  Session session{comm, files, log};
  auto const prepared = prepare(session);
  log.line("{}: application {}, all entries valid, about {}B of memory on {} rank{}", options.directory, prepared.name,
           engineering(prepared.application->memory_estimate()), comm.size(), comm.size() == 1 ? "" : "s");
  return core::Exit::done;
}

}  // namespace tessera::tools
