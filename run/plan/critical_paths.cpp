// SPDX-License-Identifier: Apache-2.0
#include "run/plan/critical_paths.hpp"

#include "core/comm/emulation.hpp"
#include "run/balance/decompose.hpp"
#include "run/plan/sample_runs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace tessera::run {
namespace {

/// What emulated ranks of one size do.
struct Seen {
  double cells = 0, compute = 0;  ///< of all ranks; of the fullest rank [s]
  double wait = 0;                ///< [s]
  double latencies = 0, bytes_share = 1;
};

class Emulator {
 public:
  Emulator(core::Comm const& comm, PlanOptions const& options, SampleRuns& runs, Sampled& found, double steps)
      : comm_(comm),
        options_(options),
        runs_(runs),
        found_(found),
        steps_(steps) {}

  Seen operator()(int ranks, double cells) {
    std::vector<int> nodes(static_cast<std::size_t>(ranks));
    std::iota(nodes.begin(), nodes.end(), 0);
    SampleRuns::Wanted wanted{.cells = cells,
                              .steps = steps_,
                              .ranks = ranks,
                              .nodes = fmt::format("{}", fmt::join(nodes, ",")),
                              .settings = runs_.with_iterations(40),  // ranks take turns on the cores
                              .repeats = options_.repeats};
    auto const run = [&](core::Link const& link) {
      wanted.emulated = core::text_of({std::vector<double>(nodes.size(), 1), link, {}});
      return runs_(wanted);
    };
    MachineLine host;
    host.nodes = ranks;
    SampleModel const sample(comm_, options_, runs_.settings_of(wanted), host, found_.curve);
    auto const model = [&](core::Link const& link) { return sample(found_.work, link); };
    Sample const free = run({});
    auto const told = model({});
    // as long as a round or two: noise is small beside them, and what goes on behind computing is not counted often
    core::Link const slow{free.round, 0}, thin{0, model({0, 1}).halo / (2 * free.round)};
    Seen seen{free.cells, free.compute * (1 + free.imbalance)};
    if (ranks == 2) found_.work.hop_share = told.wait / told.compute;
    seen.wait = std::max(0.0, free.round - seen.compute * (1 + told.wait / told.compute));
    seen.latencies = std::max(0.0, (run(slow).round - free.round - (model(slow).round - told.round)) / slow.latency);
    if (thin.bandwidth > 0) seen.bytes_share = std::max(0.0, (run(thin).round - free.round) / (2 * free.round));
    return seen;
  }

 private:
  core::Comm const& comm_;
  PlanOptions const& options_;
  SampleRuns& runs_;
  Sampled& found_;
  double const steps_;
};

}  // namespace

SampleModel::SampleModel(core::Comm const& comm, PlanOptions const& options, std::vector<std::string> const& settings,
                         MachineLine const& host, partition::SpeedCurve curve)
    : curve_(std::move(curve)) {
  machine_.hosts = {host};
  placement_ = place(machine_, capacity(machine_), false);
  Log silent(false);
  Case files(options.run.directory, settings, comm);
  Session session{comm, files, silent, true};
  auto const rates = rank_rates(session, capacity(machine_));
  grid_ = case_grid(session, rates);
  owners_ = share_out(session, *grid_, rates, placement_.nodes_of_ranks()).owners;
}

Prediction SampleModel::operator()(Work const& work, core::Link const& link) const {
  MachineFile linked = machine_;
  linked.network = linked.memory = link;
  return predict(work, {linked, {curve_}}, placement_, *grid_, owners_);
}

std::vector<CriticalPath> critical_paths(core::Comm const& comm, PlanOptions const& options, SampleRuns& runs,
                                         Sampled& found, PathSamples const& samples) {
  Emulator emulate(comm, options, runs, found, samples.steps);
  // the model alone, without a message that waits for another
  found.work.paths = {{2, 0, 0, 0, 1}};
  std::vector<CriticalPath> paths;
  for (int ranks = 2; ranks <= std::clamp(samples.most_ranks, 2, 8); ranks *= 2) {
    std::vector<Seen> seen;
    for (double const cells : samples.sizes) seen.push_back(emulate(ranks, cells));
    std::vector<std::pair<double, double>> waits;
    for (auto const& one : seen) waits.emplace_back(one.compute, one.wait);
    auto const wait = fit_wait(waits);
    auto const &small = seen.front(), &large = seen.back();
    double const levels = std::log(large.cells / small.cells);
    double const growth = levels > 0 ? std::max(0.0, (large.latencies - small.latencies) / levels) : 0;
    double const more = std::log(std::max(1.0, found.work.cell_count() / large.cells));
    paths.push_back({ranks, wait.share, wait.constant, large.latencies + growth * more, large.bytes_share});
  }
  found.work.paths.clear();
  return paths;
}

}  // namespace tessera::run
