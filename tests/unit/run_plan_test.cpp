// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/files.hpp"
#include "run/control/energy.hpp"
#include "run/plan/fits.hpp"
#include "run/plan/model.hpp"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>

using namespace tessera;
using run::parse_machine_file;
using run::Prediction;
using run::Work;

namespace {

constexpr char const* links = "network: latency=1e-4 bandwidth=1e8\nmemory: latency=1e-6 bandwidth=1e9\n";

run::MachineFile machine_of(std::string const& hosts) { return parse_machine_file(hosts + "\n" + links, "m"); }

std::string error_of(std::string const& text) {
  try {
    parse_machine_file(text, "m");
  } catch (core::Error const& error) {
    return error.what();
  }
  return "no error";
}

/// A work of 1000 x 1000 cells, 1 us a cell.
Work square() {
  Work work;
  work.cells = {1000, 1000, 1};
  return work;
}
partition::SpeedCurve const microsecond = partition::SpeedCurve::through({{1, 1e-6}});

Prediction predicted(run::MachineFile const& machine, Work const& work, int ranks, bool spread) {
  run::Machine const known{machine, std::vector(machine.hosts.size(), microsecond)};
  auto const placement = run::place(machine, ranks, spread);
  auto const curves = run::curves_of(known, placement);
  auto const shares = partition::equal_time_shares(curves, work.cell_count());
  return run::predict(work, known, placement, run::block_parts(work.cells, placement, shares));
}

TEST(Plan, ReadsAMachineFileWithItsLinksAndKernels) {
  auto const m = parse_machine_file(
      "node kind=a nodes=8 ranks=4 speed=1.5 contention=1,1.25 memory=8e9 watts=100 idleWatts=40 price=0.5  # a rack\n"
      "network: latency=5e-5 bandwidth=1e8\nmemory: bandwidth=4e9 latency=1e-6\n"
      "kernel: name=PCG-DIC points=100:1e6,1000:2e6\nkernel: name=PCG-DIC kind=a points=100:1e6\n",
      "m");
  ASSERT_EQ(m.hosts.size(), 1u);
  EXPECT_EQ(m.hosts[0].nodes, 8);
  EXPECT_EQ(m.hosts[0].kind, "a");
  EXPECT_EQ(m.hosts[0].speed, 1.5);
  EXPECT_EQ(m.hosts[0].contention, (std::vector<double>{1, 1.25}));
  EXPECT_EQ(m.network.latency, 5e-5);
  EXPECT_EQ(m.memory.bandwidth, 4e9);
  EXPECT_LT(m.network.overhead, 0);  // not said
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].points[1].second, 2e6);
  EXPECT_EQ(run::capacity(m), 32);
}

TEST(Plan, TellsWhatIsWrongInAMachineFileWithItsLine) {
  EXPECT_NE(error_of("node rank=2\n").find("m:1: "), std::string::npos) << error_of("node rank=2\n");
  EXPECT_NE(error_of("node rank=2\n").find("ranks"), std::string::npos) << error_of("node rank=2\n");
  auto const refuses = [](std::string const& line, std::string const& words) {
    auto const error = error_of("node ranks=2\n\n" + line + "\n");
    EXPECT_NE(error.find("m:3: "), std::string::npos) << line << ": " << error;
    EXPECT_NE(error.find(words), std::string::npos) << line << ": " << error;
  };
  refuses("b nodes=0", "nodes is '0', expected a whole number");
  refuses("b speed=0", "speed is '0', expected a number above 0");
  refuses("b speed=fast", "speed is 'fast'");
  refuses("b speed=1 speed=2", "speed is there twice");
  refuses("b contention=1,0.9", "contention is '1,0.9'");
  refuses("b contention=1.1", "begin with 1");
  refuses("b contention=1,,2", "contention is");
  refuses("b contention=1,1.5,1.2", "do not fall");
  refuses("b memory=-1", "memory is '-1'");
  refuses("b watts=inf", "watts is 'inf'");
  refuses("b idleWatts=5", "expected watts of at least as many");
  refuses("b price", "'price', expected KEY=VALUE");
  refuses("node nodes=3", "nodes=3 of node, 1 in an earlier line");
  refuses("ranks=2", "expected the name of a host");
  refuses("network: latency=1e-6", "expected latency=SECONDS and bandwidth");
  refuses("network: speed=1", "speed");
  refuses("network: latency=1 bandwidth=1 overhead=-1", "overhead is '-1', expected a number from 0 [s]");
  refuses("nework: latency=1 bandwidth=1", "network:");
  refuses("kernel: points=1:2", "expected name=KERNEL");
  refuses("kernel: name=x", "points=CELLS:RATE");
  refuses("kernel: name=x points=10", "points is '10'");
  refuses("kernel: name=x points=10:5,5:5", "rising cells");
  refuses("kernel: name=x points=10:1,20:100", "time that rises");
  refuses("kernel: name=x kind=gpu points=1:2", "gpu");
  EXPECT_NE(error_of(std::string("node\n") + links + links).find("m:4: a second line"), std::string::npos);
  EXPECT_NE(
      error_of("node\nkernel: name=x points=1:2\nkernel: name=x points=1:3\n").find("m:3: a second line of kernel x"),
      std::string::npos);
  EXPECT_NE(error_of(links).find("names no host"), std::string::npos);
}

TEST(Plan, MachinesOfTheDocumentsAreRead) {
  int largest = 0, files = 0;
  for (auto const& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/docs/machines")) {
    auto const m = parse_machine_file(core::read_file(entry.path().string()), entry.path().filename().string());
    largest = std::max(largest, run::capacity(m));
    ++files;
  }
  EXPECT_EQ(files, 4);
  EXPECT_EQ(largest, 100000);
}

TEST(Plan, PlacesRanksNodeByNodeOrSpreadOverNodes) {
  auto const m = machine_of("node nodes=4 ranks=2 contention=1,1.5 watts=100 idleWatts=40 price=2");
  auto const packed = run::place(m, 3, false), spread = run::place(m, 3, true);
  EXPECT_EQ(packed.nodes, 2);
  EXPECT_EQ(spread.nodes, 3);
  EXPECT_EQ(packed.ranks[0].contention, 1.5);
  EXPECT_EQ(packed.ranks[2].contention, 1);
  EXPECT_EQ(spread.ranks[0].contention, 1);
  EXPECT_EQ(packed.watts, 100 + 70);  // a full node, and one with half of its ranks at work
  EXPECT_EQ(spread.watts, 3 * 70);
  EXPECT_EQ(packed.price, 4);
}

TEST(Plan, LinesOfOneHostShareItsNodes) {
  auto const m = machine_of("n kind=gpu nodes=2 ranks=1 speed=10\nn kind=cpu nodes=2 ranks=2");
  EXPECT_EQ(run::capacity(m), 6);
  auto const all = run::place(m, 6, false);
  EXPECT_EQ(all.nodes, 2);
  EXPECT_EQ(all.ranks[0].line, 0);
  EXPECT_EQ(all.ranks[1].line, 1);
  EXPECT_EQ(all.ranks[3].node, 1);
  EXPECT_EQ(all.ranks[3].line, 0);
}

TEST(Plan, MemoryThatIsSharedByMoreRanksThanToldSlowsInProportion) {
  auto const m = machine_of("node ranks=4 contention=1,1.5");
  EXPECT_EQ(run::place(m, 2, false).ranks[0].contention, 1.5);
  EXPECT_EQ(run::place(m, 4, false).ranks[0].contention, 3);  // 1.5 * 4 / 2
}

TEST(Plan, ComputingAloneIsSharedByTheRanks) {
  auto const m = machine_of("node nodes=4");
  EXPECT_NEAR(predicted(m, square(), 1, true).round, 1, 1e-9);
  EXPECT_NEAR(predicted(m, square(), 4, true).round, 0.25, 1e-9);
}

TEST(Plan, LatencyBoundRoundsTakeTheirMessagesAndReductions) {
  auto const m = machine_of("node nodes=4 ranks=2");
  Work work = square();
  work.messages = 3;
  work.reductions = 5;
  auto const p = predicted(m, work, 8, false);
  EXPECT_NEAR(p.halo, 3 * 1e-4, 1e-12);
  // of eight ranks in pairs: one step within nodes, two between them
  EXPECT_NEAR(p.reduce, 5 * (1e-6 + 2 * 1e-4), 1e-12);
  EXPECT_NEAR(p.round, 0.125 + p.halo + p.reduce, 1e-9);
  // on one node nothing goes over the network
  auto const two = predicted(m, work, 2, false);
  EXPECT_NEAR(two.halo, 3e-6, 1e-12);
  EXPECT_NEAR(two.reduce, 5e-6, 1e-12);
}

TEST(Plan, BandwidthBoundRoundsTakeTheBytesThatLeaveTheFullestNode) {
  auto const m = machine_of("node nodes=2 ranks=2");
  Work work = square();
  work.bytes_a_cut = 800;
  // four ranks as 2 x 2 blocks of 500 x 500: pairs beside each other share a node, each sends 500 cells to the other node
  auto const p = predicted(m, work, 4, false);
  EXPECT_NEAR(p.halo, 2 * 500 * 800 / 1e8, 1e-12);
  EXPECT_NEAR(p.bytes, 4 * 1000 * 800, 1e-6);
  EXPECT_NEAR(p.bytes_beyond, 4 * 500 * 800, 1e-6);
  // within a node: 1000 cells of the cut at the memory's bandwidth
  EXPECT_NEAR(predicted(m, work, 2, false).halo, 1000 * 800 / 1e9, 1e-12);
}

TEST(Plan, BytesThatGoWithTheCellsLeaveTheNodeWhereThereAreSeveral) {
  auto const m = machine_of("node nodes=2 ranks=2");
  Work work = square();
  work.bytes_a_cell = 8;
  EXPECT_NEAR(predicted(m, work, 4, false).halo, 2 * 250000 * 8 / 1e8, 1e-9);
  EXPECT_NEAR(predicted(m, work, 2, false).halo, 500000 * 8 / 1e9, 1e-9);
  EXPECT_EQ(predicted(m, work, 1, false).halo, 0);
}

TEST(Plan, RanksOfUnequalSpeedEndTogether) {
  auto const m = machine_of("fast speed=3\nslow");
  run::Machine const known{m, {microsecond.times_as_fast(3), microsecond}};
  auto const placement = run::place(m, 2, true);
  auto const shares = partition::equal_time_shares(run::curves_of(known, placement), 1e6);
  EXPECT_NEAR(shares[0], 750000, 1);
  auto const p = run::predict(square(), known, placement, run::block_parts(square().cells, placement, shares));
  EXPECT_NEAR(p.compute, 0.25, 1e-6);
}

TEST(Plan, AWavefrontWaitsForEachRankAlongTheDiagonal) {
  auto const m = machine_of("node nodes=16");
  Work work = square();
  work.wait_share = 0.1;
  EXPECT_NEAR(predicted(m, work, 16, true).wait, 0.1 / 16, 1e-9);
  work.chained = true;
  work.hop_share = 0.2;
  work.messages = 1000;
  auto const p = predicted(m, work, 16, true);  // 4 x 4 blocks: 6 hops
  EXPECT_NEAR(p.wait, (0.1 + 6 * 0.2) / 16, 1e-9);
  EXPECT_NEAR(p.halo, 2 * 6 * 1e-4, 1e-12);
  work.paths = {{16, 0, 0, 3, 1}};
  EXPECT_NEAR(predicted(m, work, 16, true).wait, (0.1 + 6 * 0.2) / 16, 1e-9);
  EXPECT_NEAR(predicted(m, work, 16, true).halo, (2 * 6 + 3) * 1e-4, 1e-12);
}

TEST(Plan, WhatLiesOneAfterTheOtherGrowsWithTheLogarithmOfTheRanks) {
  auto const m = machine_of("node nodes=64");
  Work work = square();
  work.messages = 1000;  // to a neighbour, of which few wait for one another
  work.bytes_a_cut = 8;
  work.paths = {{2, 0.1, 0.01, 4, 0.5}, {4, 0.2, 0.02, 6, 0.25}};
  auto const seconds = [&](int ranks, double share, double constant, double latencies, double bytes_share) {
    auto const p = predicted(m, work, ranks, true);
    EXPECT_NEAR(p.wait, share * p.compute + constant, 1e-9) << ranks;
    double cut = 0;
    for (auto const& part : run::block_parts(work.cells, run::place(m, ranks, true), std::vector<double>(64, 1)))
      cut = std::max(cut, part.cut_beyond);
    EXPECT_NEAR(p.halo, latencies * 1e-4 + bytes_share * 8 * cut / 1e8, 1e-9) << ranks;
  };
  seconds(2, 0.1, 0.01, 4, 0.5);
  seconds(4, 0.2, 0.02, 6, 0.25);
  seconds(8, 0.3, 0.03, 8, 0.25);
  EXPECT_EQ(predicted(m, work, 1, true).wait, 0);
  work.paths.pop_back();
  seconds(8, 0.1, 0.01, 4, 0.5);
}

TEST(Plan, OverheadsOfProcessorsComeWithEachLatency) {
  auto m = machine_of("node nodes=4 ranks=2");
  Work work = square();
  work.messages = 3;
  work.reductions = 5;
  auto const before = predicted(m, work, 8, false);
  m.network.overhead = 2e-4;
  m.memory.overhead = 3e-6;
  auto const p = predicted(m, work, 8, false);
  EXPECT_NEAR(p.halo - before.halo, 3 * 2e-4, 1e-12);
  EXPECT_NEAR(p.reduce - before.reduce, 5 * (3e-6 + 2 * 2e-4), 1e-12);
}

TEST(Plan, AWavefrontOverTilesTakesAsLongAsTheirOrder) {
  // 2 columns of 4 tiles, 100 cells each, 1 s a tile and pass on a rank of speed 1
  core::Grid const grid(
      {core::Axis::make_uniform(20, 0, 1), core::Axis::make_uniform(40, 0, 1), core::Axis::make_uniform(1, 0, 1)},
      {10, 10, 1});
  auto const seconds = [&](std::vector<int> const& owners, std::vector<double> const& a_tile, double latency) {
    std::vector<double> a_cell;
    for (double const s : a_tile) a_cell.push_back(2 * s / 100);
    return run::chained_seconds(grid, owners, a_cell, [&](int, int) { return latency; });
  };
  EXPECT_NEAR(seconds({0, 0, 0, 0, 0, 0, 0, 0}, {1}, 5), 16, 1e-12);
  // a column each: the second rank begins a tile and a message later, forwards and backwards
  EXPECT_NEAR(seconds({0, 1, 0, 1, 0, 1, 0, 1}, {1, 1}, 0.25), 2 * (4 + 1.25), 1e-12);
  // rows: the upper rank waits for a column of two tiles; the rest of it is hidden behind its own first column
  EXPECT_NEAR(seconds({0, 0, 0, 0, 1, 1, 1, 1}, {1, 1}, 0.25), 2 * (4 + 2.25), 1e-12);
  // the upper row alone by a rank half as fast: forwards its second tile waits for the sixth of the other rank, backwards that
  // rank begins after its first tile, and waits for its second
  EXPECT_NEAR(seconds({0, 0, 0, 0, 0, 0, 1, 1}, {1, 2}, 0), (6 + 2) + (2 + 2 + 5), 1e-12);

  auto const m = machine_of("node nodes=2");
  run::Machine const known{m, {partition::SpeedCurve::through({{1, 0.02}})}};
  Work work;
  work.cells = {20, 40, 1};
  work.chained = true;
  work.messages = 1000;
  auto const p = run::predict(work, known, run::place(m, 2, true), grid, {0, 1, 0, 1, 0, 1, 0, 1});
  EXPECT_NEAR(p.compute, 8, 1e-9);
  EXPECT_NEAR(p.wait, 2 + 2 * 1e-4, 1e-9);
  EXPECT_EQ(p.halo, 0);
}

TEST(Plan, StrongScalingEndsWhereReductionsTakeWhatIsGained) {
  auto const m = machine_of("node nodes=4096");
  Work work = square();
  work.cells = {1000, 10, 1};  // 10 ms a round
  work.rounds = 100;
  work.reductions = 5;
  std::vector<Prediction> all;
  for (int ranks = 1; ranks <= 256; ranks *= 2) all.push_back(predicted(m, work, ranks, true));
  // T(p) = 10 ms / p + 0.5 ms log2 p: 10, 5.5, 3.5, 2.75, 2.625, 2.8125, ... ms
  EXPECT_NEAR(all[4].round, 2.625e-3, 1e-9);
  EXPECT_EQ(all[run::fastest(all)].ranks, 16);
  EXPECT_GT(all[5].run, all[4].run);
}

TEST(Plan, AWholeRunIsStartLoadStepsAndRounds) {
  auto const m = machine_of("node nodes=2 watts=100 price=36");
  Work work = square();
  work.steps = 10;
  work.rounds = 50;
  work.step_share = 2;
  work.boot_seconds = 1;
  work.boot_a_cell = 1e-6;
  auto const one = predicted(m, work, 1, true);
  EXPECT_NEAR(one.run, 1 + 1 + 10 * 2 * 1 + 50, 1e-9);
  EXPECT_NEAR(one.joules, 7200, 1e-6);
  EXPECT_NEAR(one.node_hours, 72.0 / 3600, 1e-12);
  EXPECT_NEAR(one.cost, 0.72, 1e-9);
  work.load_bytes = 2e6;
  auto const two = predicted(m, work, 2, true);
  // four chunks of half a MiB, half of each for the other rank: each keeps the root for half of its message's time
  double const message = 1e-4 + 262144 / 1e8;
  EXPECT_NEAR(two.load, 1 + 0.5 + 3 * message / 2 + message, 1e-9);
  EXPECT_NEAR(two.run, two.load + 10 * 2 * 0.5 + 50 * 0.5, 1e-9);
}

TEST(Plan, MemoryCountsOnTheFullestNode) {
  auto const m = machine_of("node nodes=2 ranks=2 memory=100e6");
  Work work = square();
  work.bytes_of_program = 10e6;
  work.memory_a_cell = 100;
  auto const two = predicted(m, work, 2, false);
  EXPECT_NEAR(two.memory, 60e6, 1);
  EXPECT_NEAR(two.memory_node, 120e6, 1);
  EXPECT_FALSE(two.fits);
  EXPECT_TRUE(predicted(m, work, 2, true).fits);
  work.bytes_beside_others = 7e6;
  EXPECT_NEAR(predicted(m, work, 1, false).memory, 110e6, 1);
  EXPECT_NEAR(predicted(m, work, 2, false).memory, 67e6, 1);
}

TEST(Plan, TheFrontHasWhatNoOtherBeatsInTimeAndNodeHours) {
  std::vector<Prediction> all(5);
  double const run[]{100, 60, 40, 40, 50}, hours[]{1, 1.2, 2, 3, 2.5};
  for (std::size_t n = 0; n < 5; ++n) {
    all[n].run = run[n];
    all[n].node_hours = hours[n];
  }
  EXPECT_EQ(run::pareto(all), (std::vector<std::size_t>{2, 1, 0}));
  all[2].fits = false;
  EXPECT_EQ(run::pareto(all), (std::vector<std::size_t>{3, 4, 1, 0}));
  EXPECT_EQ(run::fastest(all), 3u);
}

TEST(Plan, IterationsFollowAPowerOfTheCellsAcross) {
  auto const law = run::fit_power({{10, 30}, {20, 60}, {40, 120}});
  EXPECT_NEAR(law.exponent, 1, 1e-9);
  EXPECT_NEAR(law(100), 300, 1e-6);
  EXPECT_NEAR(law.error, 0, 1e-9);
  // those of multigrid do not grow: their mean
  auto const flat = run::fit_power({{10, 6}, {100, 6.5}, {1000, 5.5}});
  EXPECT_EQ(flat.exponent, 0);
  EXPECT_NEAR(flat(1e6), 6, 1e-9);
  EXPECT_NEAR(flat.error, 6.25 / 5.5 - 1, 1e-9);
  EXPECT_TRUE(std::isnan(run::fit_power({{10, 6}}).error));
}

TEST(Plan, TellsWhatGoesWithTheBorderFromWhatGoesWithTheCells) {
  // 8 bytes a cell of the border, 2 of all
  auto const both = run::fit_exchange({100, 5'000, 10'800}, {200, 20'000, 41'600});
  EXPECT_NEAR(both.a_cut, 8, 1e-9);
  EXPECT_NEAR(both.a_cell, 2, 1e-12);
  EXPECT_NEAR(both(200, 20'000), 41'600, 1e-6);
  // the larger part has by chance a border as long as the smaller one: all goes with the cells
  auto const cells = run::fit_exchange({446, 32'747, 384'490}, {410, 104'960, 875'296});
  EXPECT_GE(cells.a_cut, 0);
  EXPECT_NEAR(cells(410, 104'960), 875'296, 1);
  auto const border = run::fit_exchange({100, 5'000, 800}, {200, 20'000, 1'600});
  EXPECT_NEAR(border.a_cut, 8, 1e-9);
  EXPECT_EQ(border.a_cell, 0);
  // what would send less for a longer border
  auto const none = run::fit_exchange({100, 10'000, 50'000}, {400, 20'000, 90'000});
  EXPECT_EQ(none.a_cut, 0);
  EXPECT_EQ(none.a_cell, 4.5);
  EXPECT_EQ(run::fit_exchange({100, 100, 800}, {200, 200, 1'600}).a_cut, 8);
}

TEST(Plan, RepeatsASampleUntilItsFastestRunsAgreeAndCountsThese) {
  using run::enough_runs;
  std::vector<run::Times> runs{{.round = 2, .compute = 7, .other = 5, .boot = 1}};
  EXPECT_FALSE(enough_runs({}, 1));
  EXPECT_TRUE(enough_runs(runs, 1));
  EXPECT_FALSE(enough_runs(runs, 3));
  runs.push_back({.round = 1, .compute = 8, .other = 6, .boot = 3});
  runs.push_back({.round = 1.5, .compute = 9, .other = 4, .boot = 2});
  EXPECT_FALSE(enough_runs(runs, 3));  // 1 and 1.5
  runs.push_back({.round = 1.02, .compute = 9, .other = 9, .boot = 9});
  EXPECT_TRUE(enough_runs(runs, 3));
  EXPECT_FALSE(enough_runs(runs, 5));
  auto const best = run::fastest_of(runs);
  EXPECT_EQ(best.round, 1);
  EXPECT_EQ(best.other, 4);
  EXPECT_EQ(best.boot, 1);
  EXPECT_EQ(best.compute, 7);
  std::vector<run::Times> restless(11);
  for (std::size_t n = 0; n < restless.size(); ++n) restless[n].round = std::pow(1.1, static_cast<double>(n));
  EXPECT_FALSE(enough_runs(restless, 3));
  restless.push_back({.round = 0.5});
  EXPECT_TRUE(enough_runs(restless, 3));  // twelve are all there will be
}

TEST(Plan, TakesWaitsAndLinesThroughTheLastPoints) {
  auto const wait = run::fit_wait({{9, 99}, {1, 0.3}, {3, 0.5}});
  EXPECT_NEAR(wait.share, 0.1, 1e-12);
  EXPECT_NEAR(wait.constant, 0.2, 1e-12);
  // a share that rises faster than computing has nothing constant in it
  EXPECT_NEAR(run::fit_wait({{1, 0.1}, {3, 0.9}}).share, 0.3, 1e-12);
  EXPECT_EQ(run::fit_wait({{1, 0.1}, {3, 0.9}}).constant, 0);
  EXPECT_EQ(run::fit_wait({{1, 0.9}, {3, 0.6}}).share, 0);
  EXPECT_NEAR(run::fit_wait({{1, 0.9}, {3, 0.6}}).constant, 0.6, 1e-12);
  EXPECT_EQ(run::fit_wait({{2, 0.5}}).share, 0.25);
  auto const line = run::fit_line({10, 60}, {30, 100});
  EXPECT_EQ(line(0), 40);
  EXPECT_EQ(line(100), 240);
  EXPECT_EQ(run::fit_line({10, 60}, {30, 50})(100), 50);
}

TEST(Energy, CountsTheProcessorsOfAHostAndNotTheirParts) {
  std::filesystem::path const folder = std::filesystem::temp_directory_path() / "tessera_powercap";
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(run::EnergyMeter(folder.string()).joules());  // a system that shows nothing
  auto const set = [&](char const* name, char const* uj) {
    std::filesystem::create_directories(folder / name);
    core::write_file((folder / name / "energy_uj").string(), uj);
    core::write_file((folder / name / "max_energy_range_uj").string(), "10000000\n");
  };
  set("intel-rapl:0", "1000000\n");
  set("intel-rapl:0:0", "500000\n");
  set("intel-rapl:1", "9000000\n");
  run::EnergyMeter meter(folder.string());
  set("intel-rapl:0", "4000000\n");
  set("intel-rapl:0:0", "900000\n");
  EXPECT_NEAR(meter.joules().value(), 3, 1e-9);
  set("intel-rapl:1", "1000000\n");  // began anew
  EXPECT_NEAR(meter.joules().value(), 5, 1e-9);
  std::filesystem::remove_all(folder);
}

TEST(Plan, BlocksAreAsSquareAsTheGridLetsThem) {
  EXPECT_EQ(run::blocks_of({1000, 1000, 1}, 16), (std::array<int, 3>{4, 4, 1}));
  EXPECT_EQ(run::blocks_of({4000, 1000, 1}, 16), (std::array<int, 3>{8, 2, 1}));
  EXPECT_EQ(run::blocks_of({100, 100, 100}, 8), (std::array<int, 3>{2, 2, 2}));
}

}  // namespace
