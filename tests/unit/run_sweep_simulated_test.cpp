// SPDX-License-Identifier: Apache-2.0
// Dealing tasks to more workers than there are cores: on a clock of its own, by the decisions of a sweep.
#include "run/ensemble.hpp"
#include "run/sweep/costs.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <queue>

namespace tessera::run {
namespace {

/// How long workers of these rates take for tasks of these costs [s], where each takes the next task when it is free and those
/// that nobody has are put in order as `deal` does.
double makespan(Axes const& axes, std::vector<double> const& costs, std::vector<double> const& rates, bool in_order) {
  auto const tasks = axes.points();
  Results results;
  for (auto const& task : tasks) results.ask(task);
  std::vector<std::int64_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::size_t taken = 0;
  std::int64_t finished = 0;
  double now = 0;
  OrderAnew anew;
  auto const put_in_order = [&] {
    if (!in_order || !anew.due(finished, now)) return;
    Costs(axes, measured_in(results)).longest_first(std::span(order).subspan(taken), tasks);
    anew.done(finished, now, now);
  };
  struct InWork {
    double end;
    std::size_t worker, task;
    bool operator>(InWork const& other) const { return std::tie(end, worker) > std::tie(other.end, other.worker); }
  };
  std::priority_queue<InWork, std::vector<InWork>, std::greater<>> in_work;
  auto const take = [&](std::size_t worker, double now) {
    if (taken == order.size()) return;
    auto const task = static_cast<std::size_t>(order[taken++]);
    in_work.push({now + costs[task] / rates[worker], worker, task});
  };
  put_in_order();
  for (std::size_t worker = 0; worker < rates.size(); ++worker) take(worker, 0);
  while (!in_work.empty()) {
    auto const [end, worker, task] = in_work.top();
    in_work.pop();
    now = end;
    results.add(tasks[task], {core::Report::Json::object(), "", costs[task] / rates[worker], static_cast<int>(worker)});
    ++finished;
    put_in_order();
    take(worker, now);
  }
  return now;
}

/// The work over the sum of the rates, or the longest task.
double least(std::vector<double> const& costs, std::vector<double> const& rates) {
  double const work = std::accumulate(costs.begin(), costs.end(), 0.0),
               all = std::accumulate(rates.begin(), rates.end(), 0.0);
  return std::max(work / all, *std::max_element(costs.begin(), costs.end()));
}

TEST(SimulatedSweep, OfAThousandUnequalWorkersTakesLittleMoreThanTheLeastTime) {
  auto dictionary = core::Dictionary::parse("axes { n { from 0; to 19999; steps 20000; } }", "sweepDict");
  Axes const axes(dictionary, ".", {"n"});
  std::vector<double> costs(20000), rates(1000);
  for (std::size_t n = 0; n < costs.size(); ++n) costs[n] = 0.01 * std::pow(100, static_cast<double>(n) / 19999);
  for (std::size_t n = 0; n < rates.size(); ++n) rates[n] = n % 4 == 1 ? 0.25 : 1;
  double const best = least(costs, rates);
  EXPECT_LT(makespan(axes, costs, rates, true), 1.05 * best);
  // in the order of the list the longest come last
  EXPECT_GT(makespan(axes, costs, rates, false), 1.2 * best);
}

TEST(SimulatedSweep, OfTwoWorkersTakesLittleMoreThanTheLeastTime) {
  auto dictionary = core::Dictionary::parse("axes { n { from 0; to 199; steps 200; } }", "sweepDict");
  Axes const axes(dictionary, ".", {"n"});
  std::vector<double> costs(200);
  for (std::size_t n = 0; n < costs.size(); ++n) costs[n] = std::pow(100, static_cast<double>(n) / 199);
  for (double const slow : {1.0, 0.25})
    EXPECT_LT(makespan(axes, costs, {1, slow}, true), 1.05 * least(costs, {1, slow})) << slow;
}

}  // namespace
}  // namespace tessera::run
