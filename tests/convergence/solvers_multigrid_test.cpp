// SPDX-License-Identifier: Apache-2.0
#include "tests/support/heat.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

/// Three cables in a box of any mesh, graded or not; in 3-D along z, with insulated ends.
struct Mesh {
  core::Grid::Shape cells;
  std::array<double, 3> size{2, 1.6, 0.01}, grading{1, 1, 1};
  double conductor = 384, shell = 0.045, radius = 0.020;
  bool uniform = false;
};

std::vector<int> iterations(Mesh const& m, double delta_t, int steps) {
  std::array<core::Axis, 3> axes;
  for (std::size_t d = 0; d < 3; ++d) axes[d] = core::Axis::make_graded(m.cells[d], 0, m.size[d], m.grading[d]);
  auto const grid = std::make_shared<core::Grid const>(axes);
  core::Layout const layout(grid, std::vector<int>(grid->tiles(), 0), core::Comm());
  core::Field<double> lambda("lambda", layout, 1, 1.0), rho_c("rhoC", layout, 1, 2.4e6), q("q", layout, 1, 1.0),
      t("T", layout, 1, 293.15);
  auto const choose = [&](std::array<double, 3> const& x, double conductor, double insulation, double soil) {
    for (double centre : {0.8, 1.0, 1.2}) {
      double const r = std::hypot(x[0] - centre, x[1] - 0.9);
      if (r < m.radius) return conductor;
      if (r < m.shell) return insulation;
    }
    return soil;
  };
  if (!m.uniform) {
    at_centres(lambda, [&](auto const& x, double& v) { v = choose(x, m.conductor, 0.286, 1); });
    at_centres(q, [&](auto const& x, double& v) { v = choose(x, 24000, 0, 0); });
  }
  auto sides = around(fixed(293.15));
  if (m.cells[2] > 1) sides[4] = sides[5] = m.uniform ? fixed(293.15) : insulated();
  solvers::Heat heat({lambda, rho_c, q, sides}, delta_t);
  auto how = settings("solver PCG; tolerance 1e-6; preconditioner multigrid;");
  auto const solver = solvers::make_solver(heat.matrix(), how);
  std::vector<int> result;
  for (int step = 0; step < steps; ++step) {
    auto const p = heat.advance(*solver, t);
    EXPECT_TRUE(p.converged || p.at_rounding);
    EXPECT_FALSE(p.slow);
    result.push_back(p.iterations);
  }
  return result;
}

double mean(std::vector<int> const& n) {
  double sum = 0;
  for (int x : n) sum += x;
  return sum / static_cast<double>(n.size());
}

constexpr double day = 86400;

}  // namespace tessera::tests

TEST(Multigrid, TakesTenIterationsAndFiveOnAverageForJumpsUpToThirtyThousand) {
  for (double conductor : {0.001, 1.0, 384.0, 8580.0}) {
    auto const n = iterations({.cells = {564, 452, 1}, .conductor = conductor}, day, 10);
    EXPECT_LE(n.front(), 10) << conductor;
    EXPECT_LE(mean(n), 5) << conductor;
  }
  // a ratio of 4e5
  EXPECT_LE(mean(iterations({.cells = {564, 452, 1}, .conductor = 114400}, day, 10)), 9);
}

TEST(Multigrid, DoesNotMindThinShells) {
  // 1 to 20 cells of 3.5 mm
  for (double shell : {0.0235, 0.027, 0.034, 0.055, 0.09}) {
    auto const n = iterations({.cells = {564, 452, 1}, .conductor = 8580, .shell = shell}, day, 10);
    EXPECT_LE(n.front(), 10) << shell;
    EXPECT_LE(mean(n), 5) << shell;
  }
}

TEST(Multigrid, TakesTwelveIterationsOnStretchedAndGradedMeshes) {
  // the requirement is 14; 6 to 10 are measured. Cells of 2 by 1 to 100 by 1 that cut the cables, which some level then
  // shows as one line of cells: 16 to 25 iterations where that line is removed
  for (double conductor : {384.0, 8580.0})
    for (core::Grid::Shape cells : {core::Grid::Shape{791, 316, 1},
                                    {211, 1182, 1},
                                    {177, 1416, 1},
                                    {161, 1546, 1},
                                    {1768, 141, 1},
                                    {88, 2816, 1},
                                    {1600, 13, 1},
                                    {32, 2560, 1}})
      EXPECT_LE(iterations({.cells = cells, .conductor = conductor}, day, 1).front(), 12)
          << cells[0] << " x " << cells[1] << ", " << conductor;
  for (std::array<double, 3> grading : {std::array<double, 3>{10, 1, 1}, {100, 1, 1}, {1, 100, 1}, {100, 100, 1}}) {
    EXPECT_LE(iterations({.cells = {256, 200, 1}, .grading = grading}, day, 1).front(), 10) << grading[0];
    EXPECT_LE(iterations({.cells = {256, 200, 1}, .grading = grading, .uniform = true}, 0, 1).front(), 10);
  }
}

TEST(Multigrid, TakesFewIterationsInThreeDimensions) {
  // the requirement is 8 and 18; 5 and 3 to 9 are measured
  std::array<double, 3> const box{2, 1.6, 1.6}, high{2, 1.6, 16};
  auto const cable = [](core::Grid::Shape cells, std::array<double, 3> size,
                        std::array<double, 3> grading = {1, 1, 1}) {
    return iterations({.cells = cells, .size = size, .grading = grading, .shell = 0.09, .radius = 0.04}, 0, 1).front();
  };
  EXPECT_LE(iterations({.cells = {64, 64, 64}, .size = box, .uniform = true}, 0, 1).front(), 8);
  EXPECT_LE(cable({64, 64, 64}, box), 12);
  EXPECT_LE(cable({48, 48, 48}, high), 12);
  EXPECT_LE(cable({40, 40, 40}, box, {100, 100, 100}), 12);
  EXPECT_LE(iterations({.cells = {64, 64, 4}, .size = box, .uniform = true}, 0, 1).front(), 10);
}

TEST(Multigrid, SaysWhereAMediumIsNotOneForIt) {
  // single cells of 1000 and 0.001 at random: strong paths one cell thick contain no coarse cell
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({128, 128, 1}));
  core::Layout const layout(grid, std::vector<int>(grid->tiles(), 0), core::Comm());
  core::Field<double> lambda("lambda", layout, 1, 1.0), one("one", layout, 1, 1.0), t("T", layout, 1, 0.0);
  std::mt19937 random(7);
  at_centres(lambda, [&](auto const&, double& v) { v = random() % 2 == 0 ? 1000 : 0.001; });
  solvers::Heat heat({lambda, one, one, around(fixed(1))}, 0);
  auto how = settings("solver PCG; tolerance 1e-8; maxIter 60; preconditioner multigrid;");
  EXPECT_TRUE(heat.advance(*solvers::make_solver(heat.matrix(), how), t).slow);
}
