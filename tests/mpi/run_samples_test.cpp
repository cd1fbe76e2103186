// SPDX-License-Identifier: Apache-2.0
#include "core/comm/delay.hpp"
#include "core/error.hpp"
#include "run/ensemble.hpp"
#include "run/run.hpp"
#include "tests/support/conduction.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace tessera;

namespace tessera::tests {

/// A case of random media, made by the root in a folder of its own.
class Samples : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::current_path() / ("tools_samples_test_" + std::to_string(world_.size()));
    if (world_.root()) {
      std::filesystem::create_directories(folder_ / "system");
      std::filesystem::create_directories(folder_ / "constant");
      std::ofstream(folder_ / "system/controlDict") << "application percolation;\n";
      std::ofstream(folder_ / "system/gridDict") << "cells (26 22 1); tile (7 5 1);\n";
      std::ofstream(folder_ / "constant/percolationProperties")
          << "input { type random; probability (0.55 0.6 0.7); samples 9; seed 5; sample 3; eachSample yes; }\n"
             "direction all; definition D2; conductivity yes;\n";
    }
    world_.barrier();
  }
  void TearDown() override {
    world_.barrier();
    if (world_.root()) std::filesystem::remove_all(folder_);
    world_.barrier();
  }
  /// The tables and the fingerprint of a run, on the root.
  std::string run(core::Comm const& comm, std::string const& sharing, std::vector<std::string> const& more = {}) {
    std::string const file = "constant/percolationProperties";
    run::RunOptions options;
    options.directory = folder_.string();
    options.settings = {file + ":input.sharing=" + sharing};
    options.settings.insert(options.settings.end(), more.begin(), more.end());
    options.quiet = true;
    EXPECT_EQ(run::run_case(comm, options), 0);
    if (!comm.root()) return "";
    std::ostringstream all;
    for (char const* name : {"postProcessing/samples.csv", "postProcessing/eachSample.csv"})
      all << std::ifstream(folder_ / name).rdbuf();
    std::ifstream report(folder_ / "postProcessing/report.json");
    for (std::string line; std::getline(report, line);)
      if (line.find("\"samples\": \"") != std::string::npos) all << line;
    return all.str();
  }

  /// The lines of the record of finished samples that hold one; on the root.
  std::vector<std::string> recorded() const {
    std::vector<std::string> lines;
    std::ifstream in(record());
    for (std::string line; std::getline(in, line);)
      if (line[0] != '#') lines.push_back(line);
    return lines;
  }
  std::filesystem::path record() const { return folder_ / "postProcessing/samples.record"; }

  std::vector<std::string> const go_on_{"system/controlDict:startFrom=latestTime"};
  core::Comm world_;
  std::filesystem::path folder_;
};

}  // namespace tessera::tests

using tessera::tests::Samples;

TEST_F(Samples, AreTheSameBitsHoweverRanksShareThem) {
  std::string const dealt = run(world_, "samples"), shared = run(world_, "tiles");
  // the root alone, the others wait
  std::string const serial = world_.root() ? run(core::Comm(MPI_COMM_SELF), "samples") : "";
  world_.barrier();
  EXPECT_EQ(dealt, shared);
  EXPECT_EQ(dealt, serial);
  if (!world_.root()) return;
  EXPECT_NE(serial.find("y.backboneSitesIfSpanning"), std::string::npos) << serial;
  EXPECT_EQ(std::count(serial.begin(), serial.end(), '\n'), 1 + 3 + 1 + 3 * 9);
}

TEST_F(Samples, OfAKilledRunAreNotFoundAgain) {
  std::string const whole = run(world_, "samples");
  // a kill left eleven of 27, and half a line; the third is damaged
  for (std::string const sharing : {"tiles", "samples"}) {
    std::vector<std::string> left;
    if (world_.root()) {
      left = recorded();
      ASSERT_EQ(left.size(), 27u);
      std::string text;
      std::ifstream in(record());
      for (std::string line; std::getline(in, line) && line[0] == '#';) text += line + "\n";
      left.resize(11);
      for (auto const& line : left) text += line + "\n";
      text[text.find(left[2]) + 3] ^= 1;
      left.erase(left.begin() + 2);
      std::ofstream(record(), std::ios::binary) << text << "26 0.5 0.";
    }
    world_.barrier();
    EXPECT_EQ(run(world_, sharing, go_on_), whole);
    if (!world_.root()) continue;
    // the damaged line stands there still; what was good is there once
    auto lines = recorded();
    EXPECT_EQ(lines.size(), 28u);
    for (auto const& line : left) EXPECT_EQ(std::count(lines.begin(), lines.end(), line), 1) << line;
    lines.erase(lines.begin() + 2);
    std::string text;
    std::ifstream in(record());
    for (std::string line; std::getline(in, line) && line[0] == '#';) text += line + "\n";
    for (auto const& line : lines) text += line + "\n";
    std::ofstream(record(), std::ios::binary) << text;
  }
}

TEST_F(Samples, AreAddedWhereMoreAreWanted) {
  std::string const whole = run(world_, "samples");
  run(world_, "samples", {"percolationProperties:input.samples=4"});
  auto const first = recorded();
  auto more = go_on_;
  more.push_back("percolationProperties:input.eachSample=yes");
  EXPECT_EQ(run(world_, "tiles", more), whole);
  if (!world_.root()) return;
  EXPECT_EQ(first.size(), 12u);
  EXPECT_EQ(recorded().size(), 27u);
}

TEST_F(Samples, ThatAreFinishedAreKeptWhenARunIsToStop) {
  std::string const whole = run(world_, "samples");
  for (std::string const sharing : {"tiles", "samples"}) {
    run(world_, sharing, {"system/controlDict:stopAt=writeNow"});
    if (world_.root()) {
      EXPECT_GE(recorded().size(), 1u);
      EXPECT_LE(recorded().size(), sharing == "tiles" ? 1u : static_cast<std::size_t>(world_.size()));
    }
    EXPECT_EQ(run(world_, sharing, go_on_), whole);
    if (world_.root()) {
      EXPECT_EQ(recorded().size(), 27u);
    }
  }
}

TEST_F(Samples, OfAnotherCaseAreRefusedByName) {
  run(world_, "samples");
  auto other = go_on_;
  other.push_back("percolationProperties:input.seed=6");
  try {
    run(world_, "samples", other);
    FAIL() << "accepted";
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("'input.seed' 5, the case has 6"), std::string::npos) << error.what();
  }
  other[0] = "system/controlDict:startFrom=startTime";
  run(world_, "samples", other);  // begins anew
  if (world_.root()) {
    EXPECT_EQ(recorded().size(), 27u);
  }
}

// Whoever takes tasks, and whenever the root changes their order: each is done once.
TEST(Deal, DoesEachTaskOnceInTheRootsOrder) {
  core::Comm const comm(MPI_COMM_WORLD);
  constexpr std::int64_t n = 500;
  std::vector<int> times(n, 0);
  std::vector<std::int64_t> mine;
  std::int64_t orders = 0;
  run::deal(comm, n,
            {.task =
                 [&](std::int64_t t) {
                   mine.push_back(t);
                   return run::pack({static_cast<double>(t)});
                 },
             .finished =
                 [&](std::int64_t t, core::Bytes const& values) {
                   EXPECT_EQ(run::unpack(values), std::vector<double>{static_cast<double>(t)});
                   ++times[t];
                 },
             .order =
                 [&](std::span<std::int64_t> open) {
                   ++orders;
                   std::sort(open.begin(), open.end(), std::greater());
                 },
             .stop = {}});
  if (comm.root()) {
    EXPECT_EQ(times, std::vector<int>(n, 1));
    EXPECT_GE(orders, 1);   // before the first
    EXPECT_LE(orders, 25);  // each time a quarter more
  }
  if (comm.size() == 1) {
    EXPECT_EQ(mine.front(), 499);
  }
}

TEST(Deal, GivesEveryTaskOnce) {
  core::Comm const world;
  std::vector<int> times(23);
  run::deal(world, 23,
            {.task =
                 [](std::int64_t t) {
                   return run::pack({double(t), double(t * t)});
                 },
             .finished =
                 [&](std::int64_t t, core::Bytes const& values) {
                   ++times[t];
                   EXPECT_EQ(run::unpack(values), (std::vector<double>{double(t), double(t * t)}));
                 },
             .stop = {}});
  EXPECT_EQ(times, std::vector<int>(23, world.root() ? 1 : 0));
}

// Answers that come late: ranks ask ahead, and still each task is done once, whatever the root does to the order.
TEST(Deal, AsksAheadWhereTasksAreLongInComing) {
  core::Comm const world;
  constexpr std::int64_t n = 200;
  core::delay().seconds = 4e-3;
  std::vector<int> times(n);
  auto const dealt = run::deal(world, n,
                               {.task = [](std::int64_t t) { return run::pack({double(t)}); },
                                .finished = [&](std::int64_t t, core::Bytes const&) { ++times[t]; },
                                .order = [](std::span<std::int64_t> open) { std::reverse(open.begin(), open.end()); },
                                .stop = {}});
  core::delay().seconds = 0;
  EXPECT_EQ(times, std::vector<int>(n, world.root() ? 1 : 0));
  EXPECT_GT(dealt.in_flight, 1);
  EXPECT_GT(dealt.worked, 0);
}

TEST(Deal, KeepsWhatIsFinishedWhereARankStopsOrFails) {
  core::Comm const world;
  for (bool const fails : {false, true}) {
    std::int64_t mine = 0, kept = 0;
    run::Dealing const dealing{.task =
                                   [&](std::int64_t t) {
                                     if (t == 5 && fails) throw core::RunError("task 5 failed");
                                     ++mine;
                                     return run::pack({0});
                                   },
                               .finished = [&](std::int64_t, core::Bytes const&) { ++kept; },
                               .stop = [&] { return !fails && mine == 3; }};
    try {
      run::deal(world, 1000000, dealing);
      EXPECT_FALSE(fails);
    } catch (core::RunError const& error) {
      EXPECT_TRUE(fails);
      EXPECT_STREQ(error.what(), "task 5 failed");
    }
    auto const all = world.sum(mine);
    EXPECT_EQ(kept, world.root() ? all : 0);
    EXPECT_LT(all, 1000000);
  }
}

TEST(Deal, EndsWithTheErrorOfTheRootThatCannotKeepWhatIsFinished) {
  core::Comm const world;
  run::Dealing const dealing{.task = [](std::int64_t) { return run::pack({0}); },
                             .finished = [](std::int64_t, core::Bytes const&) { throw core::RunError("disk full"); },
                             .stop = {}};
  EXPECT_THROW(run::deal(world, 1000, dealing), core::RunError);
}

TEST(Conduction, HasTheSameBitsForAnyRanksAndOwners) {
  tests::Mask m(60, 50);
  core::Random const random{4, 0};
  for (std::size_t n = 0; n < m.cells.size(); ++n) m.cells[n] = random.uniform(n) < 0.65;
  m = tests::joined_to_both_ends(m);
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({60, 50, 1}, {16, 8, 1}));
  core::Comm const world;
  core::Layout const alone(grid, std::vector<int>(grid->tiles(), 0), core::Comm(MPI_COMM_SELF));
  auto const electrodes = tests::ends_of(*grid, 1);
  double const expected =
      solvers::conduct(tests::field_of(m, alone), electrodes, solvers::conduction_solver(0)).conductance;
  EXPECT_GT(expected, 0);
  for (auto const& owners : tests::owner_tables(*grid, world.size())) {
    core::Layout const layout(grid, owners, world);
    EXPECT_EQ(solvers::conduct(tests::field_of(m, layout), electrodes, solvers::conduction_solver(0)).conductance,
              expected);
  }
}
