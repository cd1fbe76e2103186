// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "tests/support/conduction.hpp"
#include "tools/commands.hpp"
#include "tools/ensemble.hpp"

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
  std::string run(core::Comm const& comm, std::string const& sharing) {
    std::string const file = "constant/percolationProperties";
    tools::RunOptions options;
    options.directory = folder_.string();
    options.settings = {file + ":input.sharing=" + sharing};
    options.quiet = true;
    EXPECT_EQ(tools::run_case(comm, options), 0);
    if (!comm.root()) return "";
    std::ostringstream all;
    for (char const* name : {"postProcessing/samples.csv", "postProcessing/eachSample.csv"})
      all << std::ifstream(folder_ / name).rdbuf();
    std::ifstream report(folder_ / "postProcessing/report.json");
    for (std::string line; std::getline(report, line);)
      if (line.find("\"samples\": \"") != std::string::npos) all << line;
    return all.str();
  }

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
  EXPECT_NE(serial.find("y.backboneSitesSpanning"), std::string::npos) << serial;
  EXPECT_EQ(std::count(serial.begin(), serial.end(), '\n'), 1 + 3 + 1 + 3 * 9);
}

TEST(Deal, GivesEveryTaskOnceInOrder) {
  core::Comm const world;
  auto const values = tools::deal(world, 23, [](std::int64_t t) {
    return std::vector<double>{double(t), double(t * t)};
  });
  ASSERT_EQ(values.size(), world.root() ? 23u : 0u);
  for (std::size_t t = 0; t < values.size(); ++t) EXPECT_EQ(values[t], (std::vector<double>{double(t), double(t * t)}));
}

TEST(Deal, EndsAllRanksWithTheErrorOfOne) {
  core::Comm const world;
  auto const task = [](std::int64_t t) {
    if (t == 5) throw core::RunError("task 5 failed");
    return std::vector<double>{0};
  };
  try {
    tools::deal(world, 1000000, task);
    FAIL() << "no error";
  } catch (core::RunError const& error) {
    EXPECT_STREQ(error.what(), "task 5 failed");
  }
}

TEST(Conduction, HasTheSameBitsForAnyRanksAndOwners) {
  tests::Mask m(60, 50);
  core::Random const random{4, 0};
  for (std::size_t n = 0; n < m.cells.size(); ++n) m.cells[n] = random.uniform(n) < 0.65;
  m = tests::joined_to_both_ends(m);
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({60, 50, 1}, {16, 8, 1}));
  core::Comm const world;
  core::Layout const alone(grid, std::vector<int>(static_cast<std::size_t>(grid->tiles()), 0),
                           core::Comm(MPI_COMM_SELF));
  auto const electrodes = tests::ends_of(*grid, 1);
  double const expected =
      tools::conduct(tests::field_of(m, alone), electrodes, tools::conduction_solver(0)).conductance;
  EXPECT_GT(expected, 0);
  for (auto const& owners : tests::owner_tables(*grid, world.size())) {
    core::Layout const layout(grid, owners, world);
    EXPECT_EQ(tools::conduct(tests::field_of(m, layout), electrodes, tools::conduction_solver(0)).conductance,
              expected);
  }
}
