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

/// A machine of so many nodes of one rank.
MachineFile nodes_apart(int ranks, core::Link const& link) {
  MachineFile machine;
  machine.hosts.emplace_back().nodes = ranks;
  machine.network = link;
  return machine;
}

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
    auto const model = [&](core::Link const& link) {
      return predict_sample(comm_, options_, runs_.settings_of(wanted), found_.work, nodes_apart(ranks, link),
                            found_.curve);
    };
    Sample const free = run({});
    auto const told = model({});
    // as long as a round: noise is small beside them, and what goes on behind computing is not counted often
    core::Link const slow{free.round, 0}, thin{0, model({0, 1}).halo / (2 * free.round)};
    Seen seen{free.cells, free.compute * (1 + free.imbalance)};
    found_.work.hop_share = ranks == 2 ? told.wait / told.compute : found_.work.hop_share;
    seen.wait = std::max(0.0, free.round - seen.compute * (1 + told.wait / told.compute));
    seen.latencies = std::max(0.0, (run(slow).round - free.round - (model(slow).round - told.round)) / slow.latency);
    if (thin.bandwidth > 0)
      seen.bytes_share = std::max(0.0, (run(thin).round - free.round) / (model(thin).halo - told.halo));
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

Prediction predict_sample(core::Comm const& comm, PlanOptions const& options, std::vector<std::string> const& settings,
                          Work const& work, MachineFile const& machine, partition::SpeedCurve const& curve) {
  Log silent(false);
  Case files(options.run.directory, settings, comm);
  Session session{comm, files, silent, true};
  auto const placement = place(machine, capacity(machine), false);
  std::vector<int> nodes;
  for (auto const& rank : placement.ranks) nodes.push_back(rank.node);
  auto const rates = rank_rates(session, static_cast<int>(nodes.size()));
  auto const grid = case_grid(session, rates);
  return predict(work, {machine, {curve}}, placement, *grid, share_out(session, *grid, rates, nodes).owners);
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
