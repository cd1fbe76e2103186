// SPDX-License-Identifier: Apache-2.0
#include "run/plan/sample_runs.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "run/balance/decompose.hpp"
#include "run/guard/case_code.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::run {
namespace {

using Json = core::Report::Json;

double number(Json const& json, std::initializer_list<char const*> path) {
  Json const* at = &json;
  for (char const* name : path) {
    auto const found = at->find(name);
    if (found == at->end()) return 0;
    at = &*found;
  }
  return at->is_number() ? at->get<double>() : 0;
}

std::string made(std::string const& folder) {
  core::make_folder_of(folder + "/samples");
  return folder;
}

}  // namespace

SampleRuns::SampleRuns(core::Comm const& comm, PlanOptions const& options, Log& log)
    : options_(options),
      log_(log),
      files_(options.run.directory, options.run.settings, comm),
      scaled_(files_),
      folder_(made(files_.path("plan"))),
      lock_(comm, folder_, log),
      apart_(options.run.directory, folder_, code_allowed(options.run.allow_code)) {
  log.line("Samples of {} are run on this machine", files_.directory());
  Session session{comm, files_, log, true};
  auto const grid = case_grid(session, rank_rates(session, 1));
  for (std::size_t a = 0; a < 3; ++a) cells_[a] = static_cast<double>(grid->cells()[a]);
  thick_ = static_cast<int>(std::count_if(cells_.begin(), cells_.end(), [](double n) { return n > 1; }));
}

double SampleRuns::across(double cells) const { return std::pow(cells, 1.0 / std::max(thick_, 1)); }

std::vector<std::string> SampleRuns::settings_of(Wanted const& wanted) const {
  double const share = across(wanted.cells / (cells_[0] * cells_[1] * cells_[2]));
  auto settings = options_.run.settings;
  for (auto const& one : {scaled_.with_cells(std::min(1.0, share)), scaled_.with_steps(wanted.steps), wanted.settings})
    settings.insert(settings.end(), one.begin(), one.end());
  return settings;
}

Sample SampleRuns::operator()(Wanted const& wanted) {
  auto settings = settings_of(wanted);
  // tiles that move would count as messages of a round
  if (wanted.ranks > 1) settings.emplace_back("system/balanceDict:rebalance=no");
  Sample sample;
  std::vector<Times> all;
  char const* const s = wanted.ranks == 1 ? "" : "s";
  while (!enough_runs(all, wanted.repeats)) {
    auto const result = apart_({wanted.ranks, 1, wanted.emulated, wanted.nodes, settings, wanted.writes});
    if (!result.error.empty())
      throw core::RunError(
          fmt::format("a sample of {:.0f} cells on {} rank{} failed: {}", wanted.cells, wanted.ranks, s, result.error));
    Sample const one = read(result.report, wanted.ranks);
    if (all.empty()) sample = one;
    all.push_back(one);
  }
  static_cast<Times&>(sample) = fastest_of(all);
  log_.status(fmt::format("sample {}: {:.0f} cells on {} rank{}: {:.4g} s an {}", ++runs_, sample.cells, wanted.ranks,
                          s, sample.round, sample.unit));
  return sample;
}

Sample SampleRuns::read(Json const& report, int ranks) {
  Sample s;
  s.cells = 1;  // an application may do without a grid
  if (report.contains("grid"))
    for (auto const& n : report["grid"].at("cells")) s.cells *= n.get<double>();
  s.steps = std::max(1.0, number(report, {"steps"}));
  s.boot = number(report, {"time", "boot"});
  double const compute = number(report, {"time", "compute"});
  double work = compute;
  for (char const* part : {"halo", "reduce", "idle"}) work += number(report, {"time", part});
  if (report.contains("solvers") && !report["solvers"].empty()) {
    Json const& solver = report["solvers"].front();
    if (solver.contains("averageIterations") && number(solver, {"averageIterations"}) > 0) {
      s.rounds = number(solver, {"averageIterations"}) * s.steps;
      s.round = number(solver, {"secondsPerIteration"});
      s.compute = number(solver, {"computePerIteration"});
      s.other = std::max(0.0, work - s.round * s.rounds);
      s.unit = "iteration";
      auto const preconditioner = solver.value("preconditioner", "");
      s.kernel = solver.value("solver", "?") + (preconditioner.empty() ? "" : "-" + preconditioner);
    }
  }
  if (s.round == 0) {
    s.rounds = scaled_.has_steps() ? s.steps : 1;
    s.unit = scaled_.has_steps() ? "step" : "run";
    s.round = work / s.rounds;
    s.compute = compute / s.rounds;
    s.kernel = report.value("application", "?");
    if (auto const* const automaton = files_.find("constant/automatonProperties"))
      s.kernel += "-" + automaton->get_or<std::string>("rule", "pattern");
    std::replace(s.kernel.begin(), s.kernel.end(), ' ', '_');
  }
  s.messages = number(report, {"messages", "sent"}) / ranks;
  s.bytes = number(report, {"messages", "bytes"}) / ranks;
  s.reductions = number(report, {"messages", "reductions"});
  s.streamed = number(report, {"routers", "bytes"});
  s.cut = number(report, {"partition", "edgeCut"});
  s.imbalance = number(report, {"partition", "imbalance"});
  s.peak = number(report, {"memory", "peakBytesPerRankMax"});
  return s;
}

std::vector<std::string> SampleRuns::with_iterations(int most) {
  auto* const solution = files_.find("system/fvSolution");
  auto const* const solvers = solution != nullptr ? solution->find_sub("solvers") : nullptr;
  if (solvers == nullptr || solvers->find_sub("T") == nullptr) return {};
  return {fmt::format("system/fvSolution:solvers.T.maxIter={}", most)};
}

// so many that what a solve does before its first iteration, once, is some hundredth of it
std::vector<std::string> SampleRuns::few_iterations() { return with_iterations(200); }

}  // namespace tessera::run
