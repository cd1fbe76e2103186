// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <tuple>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

/// Steps of the cables with `solver auto`; what it said, who finished the last step, and the bits of T.
struct AutoRun {
  std::string notes, method, hash;
  int last_iterations = 0;
  bool converged = true;
  AutoRun(Cables& cables, double delta_t, int steps, std::string const& keys) {
    solvers::Heat heat(cables.properties(), delta_t);
    auto how = settings("solver auto; tolerance 1e-7; maxIter 20000; " + keys);
    auto const solver = solvers::make_solver(heat.matrix(), how);
    how.check_all_read();
    for (int step = 0; step < steps; ++step) {
      auto const p = heat.advance(*solver, cables.t);
      notes += p.note;
      method = p.preconditioner + p.solver;
      last_iterations = p.iterations;
      converged = converged && p.converged && p.final < 1e-7;
    }
    hash = core::hash(cables.t);
  }
};

/// Conductivities of 1 and 1e-6, from cell to cell at random: no coarse grid knows such a medium.
void make_random(Cables& cables) {
  at_centres(cables.lambda, [](auto const& x, double& v) {
    auto h = static_cast<unsigned>(x[0] * 1e5) * 2654435761u ^ static_cast<unsigned>(x[1] * 1e5) * 40503u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    v = h % 1000 < 593 ? 1 : 1e-6;
  });
}

}  // namespace tessera::tests

TEST(Auto, ChoosesMultigridForTheCablesAndMdicForShortSteps) {
  core::Comm const world;
  Cables cables({192, 160, 1}, {64, 32, 1}, world), brief({192, 160, 1}, {64, 32, 1}, world);
  AutoRun const long_steps(cables, 1000 * Cables::day, 3, "measure work;");
  EXPECT_TRUE(long_steps.converged);
  EXPECT_EQ(long_steps.method, "multigridPCG");
  EXPECT_NE(long_steps.notes.find("auto: multigrid goes on"), std::string::npos) << long_steps.notes;
  AutoRun const short_steps(brief, 1, 4, "measure work;");
  EXPECT_TRUE(short_steps.converged);
  EXPECT_EQ(short_steps.method, "MDICPCG");
}

TEST(Auto, ByWorkGivesTheSameBitsForEveryOwnerTable) {
  core::Comm const world;
  core::Grid::Shape const cells{96, 80, 1}, tile{20, 12, 1};
  auto const grid = Cables(cells, tile, world).grid;
  for (bool slow : {false, true}) {
    std::string first;
    for (auto const& owners : owner_tables(*grid, world.size())) {
      Cables cables(cells, tile, world, owners);
      AutoRun const run(cables, Cables::day, slow ? 1 : 3,
                        slow ? "measure work; candidates (diagonal);" : "measure work;");
      EXPECT_TRUE(run.converged);
      EXPECT_EQ(run.notes.find("is slow here") != std::string::npos, slow) << run.notes;
      if (first.empty()) first = run.hash;
      EXPECT_EQ(run.hash, first);
    }
  }
}

TEST(Learning, MakesANewSolverGoOnWithTheBitsOfTheOld) {
  core::Comm const world;
  // trials go on; the choice is made; multigrid is given up in a random medium; multigrid goes over to double and to W
  for (auto const& [how, random, tolerance] :
       {std::tuple{"solver auto; measure work; candidates (multigrid MDIC DIC);", false, "1e-7"},
        std::tuple{"solver auto; measure work;", false, "1e-7"}, std::tuple{"solver auto; measure work;", true, "1e-7"},
        std::tuple{"solver PCG; preconditioner multigrid;", true, "1e-14"}}) {
    SCOPED_TRACE(how);
    auto const run = [&, how = how, random = random, tolerance = tolerance](std::vector<int> const& made_anew_before) {
      Cables cables({128, 96, 1}, {64, 32, 1}, world);
      if (random) make_random(cables);
      solvers::Heat heat(cables.properties(), Cables::day);
      auto entry = settings(std::string(how) + " maxIter 2000; tolerance " + tolerance + ";");
      auto solver = solvers::make_solver(heat.matrix(), entry);
      std::string learned;
      for (int step = 0; step < 5; ++step) {
        if (std::find(made_anew_before.begin(), made_anew_before.end(), step) != made_anew_before.end()) {
          learned += solver->learned();
          auto next = solvers::make_solver(heat.matrix(), entry);
          next->learn(solver->learned());
          solver = std::move(next);
        }
        heat.advance(*solver, cables.t);
      }
      return std::pair{core::hash(cables.t), learned};
    };
    auto const [expected, none] = run({});
    auto const [hash, learned] = run({1, 2, 4});
    EXPECT_EQ(hash, expected) << learned;
    EXPECT_FALSE(learned.empty());
  }
}

TEST(Learning, LeavesOutWhatDoesNotFit) {
  core::Comm const world;
  Cables cables({64, 48, 1}, {32, 16, 1}, world);
  solvers::Heat heat(cables.properties(), Cables::day);
  auto entry = settings("solver auto; measure work; tolerance 1e-7;");
  auto const solver = solvers::make_solver(heat.matrix(), entry);
  for (char const* words :
       {"nonsense", "auto 2 7 2 1 0\n", "auto 2 1 2 1 0\nmultigrid 0x1p+0 0x1p+0 0x1p+0 3 0 \nFDIC 1",
        "auto 9 0 2 1 0\n", "auto 2 1 2 1 0\nmultigrid 0x1p+0 0x1p+0 0x1p+0 3 88888888888888888 x\nMDIC 1",
        "auto 2 1 2 1 0\nmultigrid 0x1p+0 0x1p+0 0x1p+0 3 -1 x\nMDIC 1",
        "auto 2 1 2 1 0\nmultigrid nan 0x1p+0 0x1p+0 3 0 \nMDIC 0x1p+0 0x1p+0 0x1p+0 3 0 \n"}) {
    SCOPED_TRACE(words);
    solver->learn(words);
    EXPECT_EQ(solver->learned(), "");
  }
  EXPECT_TRUE(heat.advance(*solver, cables.t).converged);
}

TEST(Auto, ChoosesAlikeOnAllRanksByTime) {
  core::Comm const world;
  Cables cables({96, 80, 1}, {20, 12, 1}, world);
  AutoRun const run(cables, Cables::day, 3, "candidates (MDIC diagonal multigrid);");
  EXPECT_TRUE(run.converged);
  std::string root = run.method;
  world.broadcast(root);
  EXPECT_EQ(run.method, root);
}

TEST(Auto, LeavesASlowMethodAndSaysSo) {
  core::Comm const world;
  Cables cables({128, 96, 1}, {64, 32, 1}, world);
  make_random(cables);
  AutoRun const run(cables, Cables::day, 2, "measure work;");
  EXPECT_TRUE(run.converged);
  EXPECT_NE(run.notes.find("auto: multigrid is slow here"), std::string::npos) << run.notes;
  EXPECT_NE(run.notes.find("DIC goes on"), std::string::npos) << run.notes;
  EXPECT_NE(run.method, "multigridPCG");
  // by time algebraic multigrid has its turn first, where PETSc is built in
  Cables again({128, 96, 1}, {64, 32, 1}, world);
  make_random(again);
  AutoRun const timed(again, Cables::day, 1, "candidates (multigrid);");
  EXPECT_TRUE(timed.converged);
  EXPECT_EQ(timed.method.find("PETSc") != std::string::npos, solvers::have_solver("PETSc")) << timed.method;
}

TEST(Auto, TakesEntriesOfItsOwnAndNamesUnknownOnes) {
  core::Comm const world;
  Cables cables({32, 32, 1}, {16, 16, 1}, world);
  AutoRun const run(cables, Cables::day, 2,
                    "candidates (mine { solver PCG; preconditioner { preconditioner DIC; scope tile; } });");
  EXPECT_TRUE(run.converged);
  EXPECT_EQ(run.method, "DICPCG");
  try {
    AutoRun const wrong(cables, Cables::day, 1, "candidates (multigrid MDCI);");
    FAIL() << "a candidate MDCI was taken";
  } catch (core::Error const& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'MDIC'"), std::string::npos) << e.what();
  }
}
