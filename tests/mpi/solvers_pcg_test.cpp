// SPDX-License-Identifier: Apache-2.0
#include "core/comm/node.hpp"
#include "core/error.hpp"
#include "solvers/dic/wavefront.hpp"
#include "solvers/preconditioner.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

/// Iterations of three steps of the cables and the hash of T at the end.
std::string three_steps(Cables& cables, std::string const& keys) {
  solvers::Heat heat(cables.properties(), Cables::day);
  auto how = settings("solver PCG; tolerance 1e-8; maxIter 20000; " + keys);
  auto const solver = solvers::make_solver(heat.matrix(), how);
  std::string result;
  for (int step = 0; step < 3; ++step) {
    auto const p = heat.advance(*solver, cables.t);
    EXPECT_TRUE(p.converged);
    result += std::to_string(p.iterations) + " ";
  }
  return result + core::hash(cables.t);
}

/// Residual-like numbers that do not depend on the layout.
void fill_waves(core::Field<double>& field) {
  at_centres(field, [](auto const& x, double& v) { v = std::sin(37 * x[0]) * std::cos(53 * x[1]) + x[0]; });
}

void expect_same_on_all_owners(std::string const& keys, core::Grid::Shape tile,
                               core::Grid::Shape cells = {96, 80, 1}) {
  core::Comm const world;
  auto const grid = Cables(cells, tile, world).grid;
  // a rank that has a communicator to itself goes through the whole grid at once
  Cables single(cells, tile, core::Comm(MPI_COMM_SELF));
  std::string const first = three_steps(single, keys);
  std::vector<int> const alone(static_cast<std::size_t>(grid->tiles()), 0);
  auto tables = owner_tables(*grid, world.size());
  tables.insert(tables.begin(), alone);
  for (auto const& owners : tables) {
    Cables cables(cells, tile, world, owners);
    EXPECT_EQ(three_steps(cables, keys), first) << keys << tile[0] << " x " << tile[1];
  }
}

}  // namespace tessera::tests

TEST(Pcg, GivesTheSameBitsForEveryOwnerTable) {
  for (core::Grid::Shape tile :
       {core::Grid::Shape{20, 12, 1}, {24, 16, 1}, {17, 8, 1}, {33, 40, 1}, {96, 24, 1}, {0, 0, 0}})
    expect_same_on_all_owners("preconditioner DIC;", tile);
  expect_same_on_all_owners("preconditioner DIC; fused no;", {20, 12, 1});
  expect_same_on_all_owners("preconditioner MDIC;", {20, 12, 1});
  expect_same_on_all_owners("preconditioner MDIC; fused no;", {20, 12, 1});
  expect_same_on_all_owners("preconditioner { preconditioner DIC; scope tile; }", {20, 12, 1});
  expect_same_on_all_owners("preconditioner diagonal;", {20, 12, 1});
}

// A rank of its own shares strips over its threads, where the grid is large enough to wake them.
TEST(Pcg, WithDicGivesTheSameBitsOnThreads) {
  core::Grid::Shape const cells{192, 100, 1};
  for (core::Grid::Shape tile : {core::Grid::Shape{64, 32, 1}, {40, 16, 1}, {96, 24, 1}, {150, 8, 1}, {192, 24, 1}})
    expect_same_on_all_owners("preconditioner DIC;", tile, cells);
  expect_same_on_all_owners("preconditioner MDIC;", {40, 16, 1}, cells);
}

TEST(Pcg, WithDicTakesTheSameIterationsForEveryTileSize) {
  core::Comm const world;
  std::vector<int> iterations;
  for (core::Grid::Shape tile :
       {core::Grid::Shape{96, 80, 1}, {16, 16, 1}, {7, 5, 1}, {0, 0, 0}, {50, 3, 1}, {3, 50, 1}}) {
    Cables cables({96, 80, 1}, tile, world, {});
    std::string const result = three_steps(cables, "preconditioner DIC;");
    int const n = std::stoi(result);
    iterations.push_back(n);
    EXPECT_NEAR(n, iterations.front(), 0.03 * iterations.front());  // sums by tiles move the count by rounding
  }
}

TEST(Dic, OfGlobalScopeHasTheSameBitsForEveryTileSizeAndOwnerTable) {
  core::Comm const world;
  std::string first, mdic;
  for (core::Grid::Shape tile : {core::Grid::Shape{96, 80, 1}, {16, 16, 1}, {64, 64, 1}, {0, 0, 0}, {7, 5, 1}}) {
    auto const grid = Cables({96, 80, 1}, tile, world).grid;
    for (auto const& owners : owner_tables(*grid, world.size())) {
      Cables cables({96, 80, 1}, tile, world, owners);
      solvers::Heat const heat(cables.properties(), Cables::day);
      core::Field<double> r("r", cables.layout, 1), z("z", cables.layout, 1);
      fill_waves(r);
      auto modified = settings("");
      solvers::Preconditioners::make("MDIC", heat.matrix(), modified)->apply(r, z);
      if (mdic.empty()) mdic = core::hash(z);
      EXPECT_EQ(core::hash(z), mdic) << "tile " << tile[0];
      for (std::string const scope : {"global", "tile"}) {
        auto how = settings("scope " + scope + ";");
        solvers::Preconditioners::make("DIC", heat.matrix(), how)->apply(r, z);
        if (scope == "global") {
          if (first.empty()) first = core::hash(z);
          EXPECT_EQ(core::hash(z), first) << "tile " << tile[0];
        } else if (tile[0] == 16) {
          EXPECT_NE(core::hash(z), first);
        }
      }
    }
  }
}

TEST(Dic, WorksInThreeDimensionsOnEveryOwnerTable) {
  core::Comm const world;
  std::string first;
  for (core::Grid::Shape tile : {core::Grid::Shape{17, 11, 9}, {8, 4, 3}, {5, 11, 2}}) {
    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({17, 11, 9}, tile));
    for (auto const& owners : owner_tables(*grid, world.size())) {
      core::Layout const layout(grid, owners, world);
      core::Field<double> lambda("lambda", layout, 1, 1.0), one("one", layout, 1, 1.0), r("r", layout, 1),
          z("z", layout, 1);
      at_centres(lambda, [](auto const& x, double& v) { v = 1 + 100 * (x[0] > 8) * (x[1] > 4) * (x[2] < 5); });
      solvers::Heat const heat({lambda, one, one, around(fixed(1))}, 0.3);
      fill_waves(r);
      auto how = settings("");
      solvers::Preconditioners::make("DIC", heat.matrix(), how)->apply(r, z);
      if (first.empty()) first = core::hash(z);
      EXPECT_EQ(core::hash(z), first);
    }
  }
}

TEST(Dic, ReportsItsPivotOnAllRanks) {
  core::Comm const world;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({16, 16, 1}, {4, 4, 1}));
  core::Layout const layout(grid, owner_tables(*grid, world.size())[2], world);
  solvers::Coefficients a(layout);
  a.diagonal.fill(1);
  if (int const slot = layout.slot(9); slot >= 0) a.diagonal.host()(slot, 0, 2, 1) = -3;
  solvers::StencilMatrix const matrix(std::move(a));
  auto none = settings("");
  try {
    solvers::Preconditioners::make("DIC", matrix, none);
    FAIL() << "a pivot of -3 was taken";
  } catch (core::Error const& e) {
    EXPECT_NE(std::string(e.what()).find("cell (5 10 0) is -3"), std::string::npos) << e.what();
  }
}

void run_wavefronts() {
  core::Comm const world;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({24, 20, 6}, {4, 4, 3}, {true, false, false}));
  auto const lattice = grid->tile_lattice();
  for (auto const& owners : owner_tables(*grid, world.size())) {
    core::Layout const layout(grid, owners, world);
    for (auto direction : {solvers::Wavefront::Direction::up, solvers::Wavefront::Direction::down}) {
      solvers::Wavefront wave(layout, direction, 1);
      // runs of one direction follow each other without a pause: fast ranks must not overwrite what slow ones read
      for (int repeat = 1; repeat < 6; ++repeat) {
        int done = 0;
        wave.run([&](int slot) {
          if ((world.rank() + repeat) % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
          // each tile passes on the number of steps from the corner, times the repeat
          auto const p = grid->tile_position(layout.info(slot).tile);
          bool const up = direction == solvers::Wavefront::Direction::up;
          double const steps =
              static_cast<double>(up ? p.i + p.j + p.k : lattice[0] + lattice[1] + lattice[2] - 3 - p.i - p.j - p.k);
          for (int axis = 0; axis < 3; ++axis) {
            for (double x : wave.in(slot, axis)) EXPECT_EQ(x, repeat * (steps - 1));
            for (double& x : wave.out(slot, axis)) x = repeat * steps;
          }
          ++done;
        });
        EXPECT_EQ(done, layout.tiles());
      }
    }
  }
}

TEST(Wavefront, RunsEveryTileAfterTheTilesItWaitsFor) {
  auto const before = core::transport();
  for (auto how : {core::Transport::messages, core::Transport::shared_memory}) {
    core::transport() = how;
    run_wavefronts();
  }
  core::transport() = before;
}
