// SPDX-License-Identifier: Apache-2.0
#include "run/run.hpp"
#include "core/case/error_list.hpp"
#include "core/comm/emulation.hpp"
#include "core/comm/runtime.hpp"
#include "core/files.hpp"
#include "core/grid/computed.hpp"
#include "core/grid/sweep.hpp"
#include "core/times.hpp"
#include "core/version.hpp"
#include "io/files/together.hpp"
#include "run/control/energy.hpp"
#include "run/control/rank_chart.hpp"
#include "run/control/routers.hpp"
#include "run/guard/case_lock.hpp"
#include "run/guard/named_output.hpp"
#include "run/guard/same_run.hpp"
#include "run/model.hpp"
#include "run/restart/earlier_files.hpp"
#include "run/restart/restart.hpp"
#include "run/study/study.hpp"
#include "run/sweep/sweep.hpp"

namespace tessera::run {
namespace {

struct Prepared {
  std::unique_ptr<Model> application;
  std::string name;
};

Prepared prepare(Session& session) {
  core::forget_computed();
  core::Dictionary& control = session.files.open("system/controlDict");
  core::attempt([&] { open_libraries(session, control); });
  core::attempt([&] { set_routers(session); });
  auto const name = control.get<std::string>("application");
  if (!Models::contains(name)) control.fail("application", core::unknown_name("application", name, Models::names()));
  try {
    Prepared prepared{Models::make(name, session), name};
    prepared.application->prepare();
    return prepared;
  } catch (std::exception const& error) {
    if (!core::is_of_plugin(error)) throw;
    control.fail("application", fmt::format("'{}' ends with an error of its own: {}", name, error.what()));
  }
}

/// What a model whose exit code is of a failure has said of it.
std::string failure_in(core::Report& report) { return report.json().value("failure", "the application failed"); }

/// `rankChart yes;` in system/balanceDict.
bool wants_chart(Session& session) {
  return session.files.open_or_empty("system/balanceDict").get_or<bool>("rankChart", false);
}

/// What cannot be written, or must not be written over, is found before the first step. One rank.
void find_room(Case& files, RunOptions const& options, std::string const& application) {
  check_outputs({{"--report", options.report, OutputKind::report}}, {files.directory(), files.output("")});
  auto const& control = files.open("system/controlDict");
  if (control.get_or<std::string>("writeControl", "") != "none") {
    for (char const* folder : {"results", "postProcessing"}) core::require_writable_folder(files.output(folder));
    // time directories
    if (application == "laplacianFoam" || control.contains("writeFormat"))
      core::require_writable_folder(files.output(""));
  }
  if (options.report.empty())
    core::require_writable_folder(files.output("postProcessing"));
  else
    core::require_writable_file(options.report);
}

}  // namespace

int run_case(core::Comm const& comm, RunOptions const& options) {
  require_same_run(comm, fmt::format("{} ({})", core::version, core::commit),
                   case_hash(options.directory, options.settings));
  EnergyMeter meter;
  Log log(comm.root() && !options.quiet);
  Case files(options.directory, options.settings, comm, options.output);
  if (!options.output.empty()) io::on_root(comm, [&] { core::make_folder_of(options.output + "/results"); });
  CaseLock const lock(comm, options.output.empty() ? options.directory : options.output, log);
  Session session{comm, files, log, false,
                  CaseCode(log, comm.any(comm.root() && code_allowed(options.allow_code)) ? CaseCode::Policy::allow
                                                                                          : CaseCode::Policy::refuse)};
  session.writes = options.keeps;
  int const threads = core::workers(comm) / comm.size();
  log.line("Tessera {} ({}), {} rank{}{}, case {}", core::version, core::commit, comm.size(),
           comm.size() == 1 ? "" : "s", threads == 1 ? "" : fmt::format(" of up to {} threads", threads),
           options.directory);
  if (auto const& emulated = core::emulation())
    log.line("Times are those of an emulated cluster: {}", core::text_of(emulated->cluster()));
  bool const chart = wants_chart(session);
  auto const prepared = prepare(session);
  files.check_all_read();
  log.lines(files.remarks());
  if (!options.made) log.lines(files.outside());

  core::Report report(files.name(), prepared.name);
  std::string const path = options.report.empty() ? files.output("postProcessing/report.json") : options.report;
  std::optional<EarlierFiles> earlier;
  io::on_root(comm, [&] {
    find_room(files, options, prepared.name);
    earlier.emplace(session);
  });
  core::times().switch_to(core::Part::compute);
  remove_leftovers(session);
  int const code = prepared.application->run(report);
  report_routers(comm, report);
  report_halos(comm, report);
  report_energy(comm, meter, report);
  io::on_root(comm, [&] {
    if (chart) io::draw_bars(files.output("postProcessing/ranks.png"), rank_chart(report.json()["time"]["ofRanks"]));
    earlier->finish(report);
    options.report.empty() ? core::write_file(path, report.text()) : core::write_named_file(path, report.text());
  });
  if (options.found != nullptr) *options.found = report.json();
  log.line("ExecutionTime = {:.2f} s  ClockTime = {:.0f} s", core::times().wall(), core::times().wall());
  log.line("Report: {}", path);
  if (code == core::Exit::failed) throw core::RunError(failure_in(report));
  return code;
}

TaskResult run_task(core::Comm const& comm, TaskOptions const& options, bool checks) {
  core::times().restart();
  TaskResult result;
  Log log(comm.root());
  log.hold();
  auto settings = options.settings;
  settings.emplace_back(from_start_time);
  if (!options.keeps) settings.emplace_back(without_results);
  Case files(options.directory, settings, comm, options.output, options.texts, options.origins);
  Session session{comm, files, log, checks,
                  CaseCode(log, options.allow_code ? CaseCode::Policy::allow : CaseCode::Policy::refuse)};
  session.writes = options.keeps;
  session.take = options.take;
  session.called_back = options.called_back;
  auto const prepared = prepare(session);
  files.check_all_read();
  result.may_be_called_back = prepared.application->may_be_called_back();
  if (checks) {
    result.inputs = files.inputs();
    return result;
  }
  if (options.keeps) io::on_root(comm, [&] { find_room(files, {}, prepared.name); });
  core::Report report(files.name(), prepared.name);
  core::times().switch_to(core::Part::compute);
  result.code = prepared.application->run(report);
  if (result.code == core::Exit::failed) result.failure = failure_in(report);
  result.inputs = files.inputs();
  if (comm.root()) {
    result.report = report.json();
    result.log = log.held();
    if (options.keeps) core::write_file(files.output("postProcessing/report.json"), report.text());
  }
  return result;
}

Memory task_memory(core::Comm const& comm, TaskOptions const& options) {
  Log log(comm.root());
  log.hold();
  Case files(options.directory, options.settings, comm, options.output, options.texts, options.origins);
  Session session{comm, files, log, true,
                  CaseCode(log, options.allow_code ? CaseCode::Policy::allow : CaseCode::Policy::refuse)};
  return prepare(session).application->memory();
}

int check_case(core::Comm const& comm, RunOptions const& options) {
  Log log(comm.root() && !options.quiet);
  std::string valid;
  std::vector<std::string> remarks;
  CaseCode code;
  auto const errors = core::all_errors([&] {
    log.hold();
    Case files(options.directory, options.settings, comm);
    Session session{comm, files, log, true, CaseCode(log, CaseCode::Policy::look)};
    core::attempt([&] { wants_chart(session); });
    core::attempt([&] { check_sweep(files); });
    core::attempt([&] { check_study(files); });
    std::optional<Prepared> prepared;
    core::attempt([&] { prepared = prepare(session); });
    code = session.code;
    // where something could not be read, files may be left that the rest would have opened
    bool const clean = core::ErrorList::gathering()->clean();
    clean ? files.check_all_read() : files.check_entries_read();
    remarks = files.remarks();
    for (auto& line : files.outside()) remarks.push_back(std::move(line));
    core::rely_on(clean);
    auto const memory = prepared->application->memory();
    std::string const ranks =
        comm.size() == 1 ? "1 rank"
                         : fmt::format("{} ranks, {}B on the largest", comm.size(), engineering(memory.largest));
    valid = fmt::format("{}: application {}, all entries valid, about {}B of memory on {}", options.directory,
                        prepared->name, engineering(memory.all), ranks);
  });
  if (errors.empty()) {
    log.release();
    log.lines(remarks);
    log.lines(core::computed_beside_device());
    log.line("{}", valid);
    return core::Exit::done;
  }
  if (comm.root()) {
    for (auto const& error : errors) std::fputs(fmt::format("{}\n", code.with_reason(error)).c_str(), stderr);
    std::fputs(fmt::format("{} error{}\n", errors.size(), errors.size() == 1 ? "" : "s").c_str(), stderr);
  }
  return core::Exit::wrong_input;
}

}  // namespace tessera::run
