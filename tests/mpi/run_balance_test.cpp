// SPDX-License-Identifier: Apache-2.0
// Load balance by a clock that the test turns: no decision here depends on the machine.
#include "core/comm/cores.hpp"
#include "run/balance/load_balance.hpp"
#include "tests/support/session.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::tests {
namespace {

using run::LoadBalance;

/// Steps of a run on ranks of given speeds; where tiles lie is all that its steps do.
struct Machine {
  explicit Machine(std::string const& balance = "", std::string const& decompose = "",
                   std::string const& grid = "cells (64 64 1); tile (8 8 1);")
      : written({{"system/controlDict", "application counting;"},
                 {"system/gridDict", grid},
                 {"system/balanceDict", balance},
                 {"system/decomposeParDict", decompose}}) {
    parts = run::decompose(open.session, std::make_shared<core::Grid const>(grid_of()));
    load_balance.emplace(open.session, parts);
  }
  core::Grid grid_of() { return io::foam::read_grid_dict(open.files.open("system/gridDict")).grid; }
  /// Time of a step on this rank [s].
  double seconds() const {
    return 1e-5 * slowness * static_cast<double>(parts.layout->cells()) * 4096 /
           static_cast<double>(parts.layout->grid().total());
  }
  /// Takes so many steps; returns how often tiles moved.
  int steps(int count, double to_come = 1e4) {
    int moves = 0;
    for (int n = 0; n < count; ++n) {
      open.clock.work(seconds());
      if (auto owners = load_balance->after_step(to_come)) {
        move(std::move(*owners));
        ++moves;
      }
    }
    return moves;
  }
  void move(std::vector<int> owners) {
    double const begin = open.clock.now();
    open.clock.pass(0.001);
    parts.layout = std::make_unique<core::Layout>(parts.layout->shared_grid(), owners, open.session.comm);
    load_balance->moved(std::move(owners), begin);
  }
  /// Of the slowest rank over the mean, less 1.
  double imbalance() const {
    auto const all = open.session.comm.gather(seconds());
    double mean = 0;
    for (double s : all) mean += s / static_cast<double>(all.size());
    return *std::max_element(all.begin(), all.end()) / mean - 1;
  }
  core::Report::Json report() {
    core::Report report("case", "counting");
    load_balance->finish(report);
    return report.json().value("balance", core::Report::Json());
  }

  core::Comm world;
  WrittenCase written;
  OpenCase open{written};
  run::Decomposition parts;
  std::optional<LoadBalance> load_balance;
  double slowness = world.rank() == 1 ? 3 : 1;
};

TEST(LoadBalance, TakesTilesFromASlowRankUntilAllEndTogether) {
  Machine machine("moveCost 0;");
  int const moves = machine.steps(300);
  if (machine.world.size() == 1) {
    EXPECT_EQ(moves, 0);
    return;
  }
  EXPECT_GE(moves, 1);
  EXPECT_LT(machine.imbalance(), 0.1);
  auto const report = machine.report();
  EXPECT_EQ(report["moves"], moves);
  EXPECT_GT(report["tilesMoved"], 0);
  EXPECT_FALSE(report["windows"].empty());
}

TEST(LoadBalance, LeavesTilesWhereTheyAreOnRanksThatAreAlike) {
  Machine machine("moveCost 0;");
  machine.slowness = 1;
  EXPECT_EQ(machine.steps(300), 0);
}

TEST(LoadBalance, LeavesTilesWhereMovingCostsMoreThanItGains) {
  EXPECT_EQ(Machine("moveCost 1e6;").steps(300), 0);
  EXPECT_EQ(Machine("moveCost 0.5;").steps(300, 1), 0) << "one step is to come";
}

TEST(LoadBalance, LeavesTilesWhereWeightsAreGivenByHandOrTheCaseSaysSo) {
  core::Comm const world;
  std::string weights;
  for (int r = 0; r < world.size(); ++r) weights += " 1";
  EXPECT_EQ(Machine("moveCost 0;", "processorWeights (" + weights + ");").steps(300), 0);
  EXPECT_EQ(Machine("moveCost 0; rebalance no;").steps(300), 0);
  int const by_hand = Machine("moveCost 0; rebalance yes;", "processorWeights (" + weights + ");").steps(300);
  EXPECT_EQ(by_hand > 0, world.size() > 1);
}

TEST(LoadBalance, FollowsARankThatBecomesFastAgain) {
  Machine machine("moveCost 0;");
  if (machine.world.size() == 1) return;
  machine.steps(300);
  core::Count const few = machine.world.max(machine.world.rank() == 1 ? double(machine.parts.layout->cells()) : 0.0);
  machine.slowness = 1;
  EXPECT_GE(machine.steps(2000), 1);
  EXPECT_LT(machine.imbalance(), 0.15);
  EXPECT_GT(machine.world.max(machine.world.rank() == 1 ? double(machine.parts.layout->cells()) : 0.0), 1.5 * few);
}

TEST(LoadBalance, SeesInTheFirstIterationsOfTheFirstStepThatARankIsSlow) {
  Machine machine("moveCost 0;");
  auto const told_to_leave = [&] {
    for (int done = 1; done <= 100; ++done) {
      machine.open.clock.work(machine.seconds());
      if (machine.load_balance->within_first_step(done, 100, 1)) return true;
    }
    return false;
  };
  EXPECT_EQ(machine.load_balance->looks_within_step(), machine.world.size() > 1);
  bool const leaves = told_to_leave();
  EXPECT_EQ(leaves, machine.world.size() > 1);
  if (!leaves) return;
  double const before = machine.imbalance();
  machine.move(machine.load_balance->wanted());
  EXPECT_LT(machine.imbalance(), 0.3 * before);
  EXPECT_FALSE(machine.load_balance->looks_within_step());
  EXPECT_FALSE(told_to_leave()) << "a step is given up once";
  EXPECT_EQ(machine.report()["windows"][0]["steps"], (core::Report::Json{0, 0}));
}

TEST(LoadBalance, LooksNoMoreWithinAStepOnceOneIsTaken) {
  Machine machine("moveCost 0;");
  machine.steps(1);
  EXPECT_FALSE(machine.load_balance->looks_within_step());
}

TEST(LoadBalance, KeepsTheSpeedsForTheNextRun) {
  Machine machine("moveCost 0;");
  EXPECT_TRUE(run::kept_speeds(machine.open.session, machine.world.size()).empty());
  machine.steps(300);
  machine.report();
  auto const speeds = run::kept_speeds(machine.open.session, machine.world.size());
  if (machine.world.size() == 1) {
    EXPECT_TRUE(speeds.empty());
    return;
  }
  ASSERT_EQ(static_cast<int>(speeds.size()), machine.world.size());
  EXPECT_NEAR(speeds[0] / speeds[1], 3, 0.1);
  auto const next = run::decompose(machine.open.session, std::make_shared<core::Grid const>(machine.grid_of()));
  auto const cells = machine.world.gather(static_cast<double>(next.layout->cells()));
  EXPECT_LT(cells[1], 0.5 * cells[0]);
  machine.written.write("postProcessing/speeds.json", "{ \"cellsPerSecond\": [1,");
  EXPECT_TRUE(run::kept_speeds(machine.open.session, machine.world.size()).empty()) << "a damaged file";
}

TEST(LoadBalance, AsksForSmallerTilesWhereASlowRankWouldLackAShare) {
  Machine machine("moveCost 0;", "", "cells (1024 1024 1); tile (1024 128 1);");
  if (machine.world.size() == 1) return;
  machine.slowness = machine.world.rank() == 1 ? 20 : 1;
  std::unique_ptr<core::Layout> better;
  for (int n = 0; n < 100 && !better; ++n) {
    machine.open.clock.work(machine.seconds());
    machine.load_balance->after_step(1e4);
    better = machine.load_balance->better_tiles(1e4);
  }
  ASSERT_TRUE(better);
  EXPECT_GT(better->grid().tiles(), 8);
  double const begin = machine.open.clock.now();
  machine.parts.layout = std::move(better);
  machine.load_balance->retiled(*machine.parts.layout, begin);
  machine.steps(300);
  EXPECT_LT(machine.imbalance(), 0.3);
}

}  // namespace
}  // namespace tessera::tests
