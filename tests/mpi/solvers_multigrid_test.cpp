// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/cg_passes.hpp"
#include "solvers/preconditioners/multigrid.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

struct Run {
  std::vector<int> iterations;
  std::string hash;
  double mean() const {
    return std::accumulate(iterations.begin(), iterations.end(), 0.0) / static_cast<double>(iterations.size());
  }
};

Run run_cables(Cables& cables, int steps, std::string const& preconditioner = "multigrid;") {
  solvers::Heat heat(cables.properties(), Cables::day);
  auto how = settings("solver PCG; tolerance 1e-6; preconditioner " + preconditioner);
  auto const solver = solvers::make_solver(heat.matrix(), how);
  Run run;
  for (int step = 0; step < steps; ++step) {
    auto const p = heat.advance(*solver, cables.t);
    EXPECT_TRUE(p.converged || p.at_rounding);
    run.iterations.push_back(p.iterations);
  }
  run.hash = core::hash(cables.t);
  return run;
}

/// Hash of M^-1 r for a wavy r.
std::string applied(Cables& cables) {
  solvers::Heat const heat(cables.properties(), Cables::day);
  core::Field<double> r("r", cables.layout, 1), z("z", cables.layout, 1);
  at_centres(r, [](auto const& x, double& v) { v = std::sin(37 * x[0]) * std::cos(53 * x[1]) + x[0]; });
  auto none = settings("");
  solvers::preconditioners::Multigrid multigrid(heat.matrix(), none);
  multigrid.set_up();
  multigrid.apply(r, z);
  return core::hash(z);
}

}  // namespace tessera::tests

TEST(Multigrid, TakesFewIterationsOnAnyMeshAndTileShape) {
  core::Comm const world;
  // 500 to 1000 iterations of plain CG; the tiles have odd sides, sides of powers of two, and thin edge tiles
  struct Case {
    core::Grid::Shape cells, tile;
  };
  for (auto const& [cells, tile] :
       {Case{{160, 128, 1}, {0, 0, 0}}, Case{{160, 128, 1}, {160, 128, 1}}, Case{{160, 128, 1}, {37, 19, 1}},
        Case{{160, 128, 1}, {53, 127, 1}}, Case{{161, 127, 1}, {16, 16, 1}}, Case{{320, 256, 1}, {0, 0, 0}},
        Case{{320, 256, 1}, {64, 32, 1}}, Case{{319, 255, 1}, {45, 61, 1}}, Case{{320, 256, 1}, {17, 33, 1}},
        Case{{321, 257, 1}, {64, 32, 1}}, Case{{322, 258, 1}, {40, 16, 1}}}) {
    Cables cables(cells, tile, world);
    auto const run = run_cables(cables, 5);
    EXPECT_LE(run.iterations.front(), 10) << cells[0] << " in tiles of " << tile[0] << " x " << tile[1];
    EXPECT_LE(run.mean(), 5) << cells[0] << " in tiles of " << tile[0] << " x " << tile[1];
  }
}

TEST(Multigrid, GivesTheSameBitsForEveryOwnerTable) {
  core::Comm const world;
  for (core::Grid::Shape tile : {core::Grid::Shape{20, 12, 1}, {0, 0, 0}, {96, 80, 1}, {13, 9, 1}}) {
    auto const grid = Cables({96, 80, 1}, tile, world).grid;
    auto tables = owner_tables(*grid, world.size());
    tables.insert(tables.begin(), std::vector<int>(grid->tiles(), 0));
    std::string first;
    std::vector<int> iterations;
    for (auto const& owners : tables) {
      Cables cables({96, 80, 1}, tile, world, owners);
      auto const run = run_cables(cables, 3);
      if (first.empty()) {
        first = run.hash;
        iterations = run.iterations;
      }
      EXPECT_EQ(run.hash, first) << "tile " << tile[0];
      EXPECT_EQ(run.iterations, iterations) << "tile " << tile[0];
    }
  }
}

TEST(Multigrid, HasTheSameBitsForAnyTilesAndOwners) {
  core::Comm const world;
  // the levels of a small grid are held whole, those of a larger one are split; cells of 10 by 1, and cables of one cell
  for (core::Grid::Shape cells : {core::Grid::Shape{61, 47, 1}, {161, 127, 1}, {44, 352, 1}}) {
    std::string first;
    for (core::Grid::Shape tile : {core::Grid::Shape{200, 128, 100}, {16, 16, 7}, {33, 61, 9}, {64, 8, 13}}) {
      auto const grid = Cables(cells, tile, world).grid;
      for (auto const& owners : owner_tables(*grid, world.size())) {
        Cables cables(cells, tile, world, owners);
        auto const hash = applied(cables);
        if (first.empty()) first = hash;
        EXPECT_EQ(hash, first) << cells[0] << " in tiles of " << tile[0] << " x " << tile[1];
      }
    }
  }
}

TEST(Multigrid, HasTheSameBitsInThreeDimensionsAndAcrossPeriodicSides) {
  core::Comm const world;
  for (std::array<bool, 3> periodic : {std::array<bool, 3>{}, {true, true, false}, {false, false, true}}) {
    std::string first;
    for (core::Grid::Shape tile : {core::Grid::Shape{100, 100, 100}, {9, 8, 7}, {25, 5, 48}}) {
      auto const layout = shuffled_layout({25, 21, 47}, tile, periodic);
      core::Field<double> lambda("lambda", *layout, 1, 1.0), one("one", *layout, 1, 1.0), r("r", *layout, 1),
          z("z", *layout, 1);
      at_centres(lambda, [](auto const& x, double& v) { v = std::sin(x[0] * x[1] + x[2]) > 0.3 ? 400 : 1; });
      at_centres(r, [](auto const& x, double& v) { v = std::sin(37 * x[0]) * std::cos(53 * x[1]) + x[2]; });
      std::array<solvers::Boundary, 6> sides;
      for (std::size_t s = 0; s < 6; ++s)
        sides[s] = periodic[s / 2] ? solvers::Boundary{solvers::Boundary::Type::cyclic, 0} : fixed(1);
      solvers::Heat const heat({lambda, one, one, sides}, 10);
      auto none = settings("");
      solvers::preconditioners::Multigrid multigrid(heat.matrix(), none);
      multigrid.set_up();
      multigrid.apply(r, z);
      if (first.empty()) first = core::hash(z);
      EXPECT_EQ(core::hash(z), first) << tile[0];
    }
  }
}

TEST(MultigridCgPasses, HasTheSameBitsRowByRowAsPassByPass) {
  core::Comm const world;
  for (std::array<bool, 3> periodic : {std::array<bool, 3>{}, {true, false, false}, {false, true, false}})
    for (core::Grid::Shape cells : {core::Grid::Shape{61, 147, 1}, {30, 12, 1}}) {
      auto const layout = shuffled_layout(cells, {16, 8, 1}, periodic);
      core::Field<double> lambda("lambda", *layout, 1, 1.0), one("one", *layout, 1, 1.0), r("r", *layout, 1);
      at_centres(lambda, [](auto const& x, double& v) { v = std::sin(x[0] * x[1]) > 0.3 ? 400 : 1; });
      at_centres(r, [](auto const& x, double& v) { v = std::sin(37 * x[0]) * std::cos(53 * x[1]); });
      std::array<solvers::Boundary, 6> sides = around(fixed(1));
      for (std::size_t s = 0; s < 4; ++s)
        if (periodic[s / 2]) sides[s] = {solvers::Boundary::Type::cyclic, 0};
      solvers::Heat const heat({lambda, one, one, sides}, 10);
      std::array<std::array<double, 5>, 2> results;
      for (bool streamed : {false, true}) {
        auto none = settings("");
        solvers::preconditioners::Multigrid const multigrid(heat.matrix(), none);
        auto const levels = multigrid.make_levels<float>();
        solvers::multigrid::CgPasses<float> finest(*levels, streamed);
        finest.load(r, multigrid.redistribution());
        finest.start(0.5);
        finest.update_and_descend(0);
        finest.coarse(solvers::multigrid::Cycle::v);
        double const rz = finest.ascend(), pw = finest.direction(0, 0), norm = finest.update_and_descend(0.1f);
        finest.coarse(solvers::multigrid::Cycle::v);
        double const rz2 = finest.ascend();
        results[streamed] = {rz, pw, norm, rz2, finest.direction(0.1f, 0.2f)};
      }
      EXPECT_EQ(results[0], results[1]) << cells[0];
    }
}

/// What kernels make of the finest levels where there is a device; elsewhere both are the host's. On each rank they are large enough.
TEST(MultigridCgPasses, HasTheSameBitsOnTheDevice) {
  using solvers::multigrid::Cycle;
  core::Comm const world;
  int const ranks = world.size();
  struct Case {
    core::Grid::Shape cells;
    std::array<bool, 3> periodic = {};
  };
  for (auto const& [cells, periodic] :
       {Case{{150, 90 * ranks, 1}}, Case{{20000, 1, 1}}, Case{{30, 24, 20 * ranks}}, Case{{13, 700 * ranks, 1}},
        Case{{151, 90 * ranks, 1}, {true, true, false}}, Case{{20000, 1, 1}, {true, false, false}},
        Case{{30, 25, 20 * ranks}, {false, true, true}}})
    for (bool tied : {true, false})
      for (int owners : {0, 2}) {  // in blocks, shuffled
        if (owners > 0 && ranks == 1) continue;
        auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, {16, 8, 8}, periodic));
        core::Layout const layout(grid, owner_tables(*grid, ranks)[owners], world);
        core::Field<double> lambda("lambda", layout, 1, 1.0), one("one", layout, 1, 1.0), r("r", layout, 1);
        // and a thin conductor on a column that would be removed
        at_centres(lambda, [](auto const& x, double& v) {
          v = std::sin(x[0] * x[1] + x[2]) > 0.3 ? 400 : 1;
          if (x[0] == 10.5 && x[1] > 3 && x[1] < 9) v = 1e5;
        });
        at_centres(r, [](auto const& x, double& v) { v = std::sin(37 * x[0]) * std::cos(53 * x[1] + x[2]); });
        auto sides = around(tied ? fixed(1) : insulated());
        for (std::size_t s = 0; s < 6; ++s)
          if (periodic[s / 2]) sides[s] = {solvers::Boundary::Type::cyclic, 0};
        solvers::Heat const heat({lambda, one, one, sides}, tied ? 10 : 1e15);
        at_centres(lambda, [](auto const& x, double& v) { v *= 1.5 + std::sin(20 * x[0] + x[1]); });
        solvers::Heat const warmer({lambda, one, one, sides}, tied ? 10 : 1e15);
        for (Cycle const how : {Cycle::v, Cycle::w}) {
          std::array<std::vector<double>, 2> results;
          std::array<std::string, 2> found;
          for (bool device : {false, true}) {
            auto none = settings("sweeps 3;");
            solvers::preconditioners::Multigrid const multigrid(heat.matrix(), none);
            auto const levels = multigrid.make_levels<float>(device);
            EXPECT_EQ(levels->level(0).slab().is_on_device(),
                      device && !core::on_host && (ranks == 1 || !levels->level(0).slab().whole()));
            solvers::multigrid::CgPasses<float> finest(*levels, false);
            finest.load(r, multigrid.redistribution());
            auto& sums = results[device];
            sums = {finest.sum_of_r(), finest.sum_of_row_sums()};
            if (levels->singular()) finest.remove_mean_of_r();
            finest.subtract_row_sums(0.25f);
            finest.start(0.5);
            for (bool renewed : {false, true}) {
              if (renewed) {
                levels->renew_finest(warmer.matrix(), multigrid.redistribution());
                finest.renewed();
                sums.push_back(finest.sum_of_row_sums());
              }
              finest.update_and_descend(0);
              for (float const factor : {0.0f, 0.1f}) {
                finest.coarse(how);
                sums.push_back(finest.ascend());
                sums.push_back(finest.direction(factor, 2 * factor));
                sums.push_back(finest.update_and_descend(0.1f));
              }
            }
            core::Field<double> x("x", layout, 1, 1.0);
            finest.add_to(x, 0.3f, multigrid.redistribution());
            found[device] = core::hash(x);
          }
          EXPECT_EQ(results[0], results[1]) << cells[0];
          EXPECT_EQ(found[0], found[1]) << cells[0];
        }
      }
}

TEST(Multigrid, IsSetUpOnTheDeviceWithoutCopiesOfTheMatrix) {
  if (core::on_host) GTEST_SKIP() << "the host's memory is all there is";
  core::Comm const world;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({150, 90 * world.size(), 1}, {150, 90, 1}));
  core::Layout const layout(grid, owner_tables(*grid, world.size())[0], world);
  core::Field<double> const one("one", layout, 1, 1.0);
  solvers::Heat const heat({one, one, one, around(fixed(1))}, 10);
  auto none = settings("");
  solvers::preconditioners::Multigrid const multigrid(heat.matrix(), none);
  ASSERT_TRUE(multigrid.redistribution().is_local());
  auto const levels = multigrid.make_levels<float>(true);
  ASSERT_TRUE(levels->level(0).slab().is_on_device());
  auto const before = core::copies();
  auto const again = multigrid.make_levels<float>(true);
  for (auto const& [field, copies] : core::copies()) {
    auto const was = before.count(field) > 0 ? before.at(field) : core::Copies{};
    EXPECT_EQ(copies.to_host, was.to_host) << field;
    EXPECT_EQ(copies.to_device, was.to_device) << field;
  }
}

TEST(Multigrid, TakesFewIterationsWherePeriodicAxesHaveFewCells) {
  // levels on which such an axis has two lines, then one
  core::Comm const world;
  for (std::size_t axis : {0u, 1u, 2u})
    for (core::Count few = 1; few <= 9; ++few)
      for (bool flat : {false, true}) {
        core::Grid::Shape cells{16, 16, 16};
        cells[axis] = few;
        std::array<bool, 3> periodic{};
        periodic[axis] = true;
        if (flat) {
          std::size_t const other = axis == 0 ? 2 : axis - 1;
          cells[other] = few % 2 == 0 ? 1 : 2;
          cells[3 - axis - other] = 67;
          periodic[other] = few % 3 != 0;
        }
        auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, {5, 4, 7}, periodic));
        core::Layout const layout(grid, owner_tables(*grid, world.size())[0], world);
        core::Field<double> const one("one", layout, 1, 1.0);
        core::Field<double> t("T", layout, 1, 0.0);
        auto sides = around(fixed(1));
        sides[4] = sides[5] = fixed(1);
        for (std::size_t s = 0; s < 6; ++s) {
          if (cells[s / 2] == 1) sides[s] = insulated();
          if (periodic[s / 2]) sides[s] = {solvers::Boundary::Type::cyclic, 0};
        }
        solvers::Heat heat({one, one, one, sides}, 1e15);
        auto how = settings("solver PCG; preconditioner multigrid; tolerance 1e-10;");
        auto const p = heat.advance(*solvers::make_solver(heat.matrix(), how), t);
        EXPECT_TRUE(p.converged) << fmt::format("{} {} {}", cells[0], cells[1], cells[2]);
        EXPECT_LE(p.iterations, 13) << fmt::format("{} {} {}", cells[0], cells[1], cells[2]);
      }
}

TEST(Multigrid, TakesTheSameIterationsForAnyTilesAndOwners) {
  core::Comm const world;
  std::vector<int> first;
  for (core::Grid::Shape tile : {core::Grid::Shape{160, 128, 1}, {65, 65, 1}, {9, 127, 1}, {31, 8, 1}}) {
    auto const grid = Cables({160, 128, 1}, tile, world).grid;
    for (auto const& owners : owner_tables(*grid, world.size())) {
      Cables cables({160, 128, 1}, tile, world, owners);
      auto const run = run_cables(cables, 4);
      if (first.empty()) first = run.iterations;
      // the norm that ends the iteration is a sum over tiles, and may differ in the last bit
      EXPECT_EQ(run.iterations, first) << "tile " << tile[0] << " x " << tile[1];
    }
  }
}

TEST(Multigrid, WorksOnTilesOfOneCellAcross) {
  core::Comm const world;
  for (core::Grid::Shape tile : {core::Grid::Shape{1, 48, 1}, {60, 1, 1}, {2, 3, 1}}) {
    Cables cables({60, 48, 1}, tile, world);
    EXPECT_LE(run_cables(cables, 1).iterations.front(), 12) << tile[0] << " x " << tile[1];
  }
}

TEST(Multigrid, WorksOnGridsThatAreSolvedDirectly) {
  core::Comm const world;
  for (core::Grid::Shape cells :
       {core::Grid::Shape{1, 21, 1}, {5, 20, 1}, {3, 32, 1}, {2, 2, 24}, {1, 2, 40}, {1, 100, 1}})
    for (char const* how : {"solver PCG; preconditioner multigrid; tolerance 1e-9;",
                            "solver GAMG; smoother GaussSeidel; tolerance 1e-9;", "solver auto; tolerance 1e-9;"}) {
      auto const grid = std::make_shared<core::Grid const>(std::array{core::Axis::make_uniform(cells[0], 0, 1),
                                                                      core::Axis::make_uniform(cells[1], 0, 1),
                                                                      core::Axis::make_uniform(cells[2], 0, 1)},
                                                           core::Grid::Shape{3, 3, 3});
      core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
      core::Field<double> const lambda("lambda", layout, 1, 2.0);
      core::Field<double> t("T", layout, 1, 300.0);
      std::array<solvers::Boundary, 6> sides{fixed(300), fixed(310), fixed(290)};
      solvers::Heat heat({lambda, 1.0, 0.0, sides}, 1.0);
      auto settings_of = settings(how);
      auto const solver = solvers::make_solver(heat.matrix(), settings_of);
      for (int step = 0; step < 3; ++step)
        EXPECT_TRUE(heat.advance(*solver, t).converged) << how << cells[0] << ' ' << cells[1] << ' ' << cells[2];
    }
}

TEST(Multigrid, TakesFewerIterationsWithMoreSweeps) {
  core::Comm const world;
  Cables one({160, 128, 1}, {0, 0, 0}, world), three({160, 128, 1}, {0, 0, 0}, world);
  EXPECT_LT(run_cables(three, 4, "{ preconditioner multigrid; sweeps 3; }").mean(), run_cables(one, 4).mean());
}
