// SPDX-License-Identifier: Apache-2.0
// The commands expect and summary, and comparing reports: what report.json says.
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "run/model.hpp"
#include "tools/commands.hpp"
#include "tools/expect.hpp"

#include <cstdio>
#include <filesystem>

namespace tessera::tools {

using run::Case;
using run::duration;
using run::engineering;
using run::Log;
namespace {

std::string no_report(std::string const& path) {
  return path + ": is no report of a run, or a damaged one, expected that of a run of the case";
}

/// `verb`: what would write it.
core::Report::Json read_report(std::string const& path, char const* verb = "run") {
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    throw core::Error(fmt::format("{}: no report; {} the case first", path, verb));
  auto report = core::Report::Json::parse(core::read_file(path), nullptr, false);
  if (!report.is_object()) throw core::Error(no_report(path));
  return report;
}

std::string report_path(std::string const& directory) {
  return (std::filesystem::path(directory) / "postProcessing/report.json").string();
}

}  // namespace

int expect_case(core::Comm const& comm, std::string const& directory, std::string const& report) {
  Log log(comm.root());
  Case const files(directory, {}, comm);
  std::string const path = files.path("expect");
  auto const expectations = parse_expectations(files.read_text(path), path);
  // what is expected of a case with a sweep is of the sweep
  bool const sweep = report.empty() && std::filesystem::exists(files.path("system/sweepDict"));
  std::string const found = sweep ? files.path("sweep/report.json") : report.empty() ? report_path(directory) : report;
  auto const failures = check_expectations(expectations, read_report(found, sweep ? "sweep" : "run"));
  for (std::string const& failure : failures) log.write(failure);
  log.line("{} of {} expectations hold{}", expectations.size() - failures.size(), expectations.size(),
           sweep ? fmt::format(" of {}", found) : "");
  return failures.empty() ? core::Exit::done : core::Exit::wrong_input;
}

namespace {

void summarize(Log& log, std::string const& directory, core::Report::Json const& r) {
  std::string grid = "none";  // an application may do without
  if (r.contains("grid")) {
    auto const& cells = r["grid"].at("cells");
    grid = fmt::format("{} x {} x {} cells", cells.at(0).get<long>(), cells.at(1).get<long>(), cells.at(2).get<long>());
  }
  log.line("{}", directory);
  log.line("  grid      {}, {} rank{}, {}", grid, r.at("ranks").get<int>(), r.at("ranks") == 1 ? "" : "s",
           r.at("application").get<std::string>());
  std::string results;
  for (auto const& [key, value] : r.at("results").items())
    if (value.is_primitive()) results += fmt::format("{}{} {}", results.empty() ? "" : ", ", key, value.dump());
  log.line("  results   {}", results);
  log.line("  time      {} in all, {}cell updates/s", duration(r.at("time").at("wall").get<double>()),
           engineering(r.at("rate").at("cellUpdatesPerSecond").get<double>()));
  if (auto const& t = r.at("time"); t.contains("PROC") && r.at("ranks") != 1)
    log.line("  ranks     PROC {}, L-IMB {}, OVER {}, BOOT {}", duration(t.at("PROC").get<double>()),
             duration(t.at("L-IMB").get<double>()), duration(t.at("OVER").get<double>()),
             duration(t.at("BOOT").get<double>()));
  std::filesystem::path const chart = std::filesystem::path(directory) / "postProcessing/ranks.png";
  if (std::filesystem::exists(chart)) log.line("  file      {}", chart.string());
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(std::filesystem::path(directory) / "results", none))
    if (entry.path().extension() == ".png" || entry.path().extension() == ".xdmf")
      log.line("  file      {}", entry.path().string());
  log.line("  report    {}", report_path(directory));
}

}  // namespace

int summarize(core::Comm const& comm, std::vector<std::string> const& directories) {
  Log log(comm.root());
  int code = core::Exit::done;
  for (std::string const& directory : directories) {
    std::string const file = report_path(directory);
    std::string problem;
    log.hold();  // all of a case, or nothing
    try {
      summarize(log, directory, read_report(file));
      log.release();
      continue;
    } catch (core::Error const& error) {
      problem = error.what();
    } catch (nlohmann::json::exception const&) {
      problem = no_report(file);
    }
    code = core::Exit::wrong_input;
    if (comm.root()) std::fputs(fmt::format("tessera: {}\n", problem).c_str(), stderr);
  }
  return code;
}

}  // namespace tessera::tools
