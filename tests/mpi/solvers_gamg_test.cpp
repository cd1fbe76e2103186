// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>
#include <string>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

/// What OpenFOAM's tutorials say to GAMG.
constexpr char const* usual =
    "smoother GaussSeidel; nPreSweeps 0; nPostSweeps 2; nFinestSweeps 2; cacheAgglomeration true; "
    "nCellsInCoarsestLevel 10; agglomerator faceAreaPair; mergeLevels 1; ";

struct GamgRun {
  std::string hash, name;
  int iterations = 0;
  GamgRun(std::vector<int> const& owners, std::string const& keys) {
    core::Comm const world;
    Cables cables({96, 80, 1}, {20, 12, 1}, world, owners);
    solvers::Heat heat(cables.properties(), Cables::day);
    auto how = settings(keys + "tolerance 1e-8; relTol 0;");
    auto const solver = solvers::make_solver(heat.matrix(), how);
    how.check_all_read();
    for (int step = 0; step < 2; ++step) {
      auto const p = heat.advance(*solver, cables.t);
      EXPECT_TRUE(p.converged) << keys;
      iterations += p.iterations;
      name = p.preconditioner + p.solver;
    }
    hash = core::hash(cables.t);
  }
};

}  // namespace tessera::tests

TEST(Gamg, TakesOpenFoamsKeysAndTheSameIterationsForEveryOwnerTable) {
  core::Comm const world;
  auto const grid = Cables({96, 80, 1}, {20, 12, 1}, world).grid;
  for (std::string const& keys :
       {std::string("solver GAMG; ") + usual, std::string("solver GAMG; scaleCorrection no; ") + usual,
        "solver PCG; preconditioner { preconditioner GAMG; tolerance 1e-5; relTol 0; " + std::string(usual) + "} ",
        "solver PCG; preconditioner { preconditioner GAMG; nVcycles 2; " + std::string(usual) + "} "}) {
    GamgRun const alone(std::vector<int>(grid->tiles(), 0), keys);
    EXPECT_LE(alone.iterations, 2 * 15) << keys;  // a cycle takes more than half of the residual
    for (auto const& owners : owner_tables(*grid, world.size())) {
      GamgRun const run(owners, keys);
      EXPECT_EQ(run.hash, alone.hash) << keys;
      EXPECT_EQ(run.iterations, alone.iterations) << keys;
    }
  }
}

TEST(Gamg, IsNamedInTheLogAsOpenFoamNamesIt) {
  core::Comm const world;
  std::vector<int> const owners;
  EXPECT_EQ(GamgRun(owners, "solver GAMG; smoother DIC; ").name, "GAMG");
  EXPECT_EQ(GamgRun(owners, "solver PCG; preconditioner GAMG; ").name, "GAMGPCG");
}

TEST(Gamg, TwoCyclesTakeFewerIterationsThanOne) {
  std::vector<int> const owners;
  std::string const start = "solver PCG; preconditioner { preconditioner GAMG; nVcycles ";
  EXPECT_LT(GamgRun(owners, start + "2; } ").iterations, GamgRun(owners, start + "1; } ").iterations);
}

TEST(Gamg, RefusesWhatItDoesNotKnow) {
  for (auto const& [keys, word] : {std::pair<std::string, std::string>{"agglomerator MGridGen; ", "agglomerator"},
                                   {"smoother Jacoby; ", "smoother"},
                                   {"processorAgglomerator masterCoarsest; ", "processorAgglomerator"},
                                   {"nPostSweeps -1; ", "nPostSweeps"}}) {
    try {
      GamgRun const run({}, "solver GAMG; " + keys);
      FAIL() << keys << "was taken";
    } catch (core::Error const& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  }
}
