// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat.hpp"
#include "tests/support/heat.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

/// Largest error at time `end` of a plate of 1 x 1 m with T = 0 on its border, started from its slowest mode
/// T = sin(pi x) sin(pi y) exp(-2 pi^2 t).
double plate_error(core::Count cells, int steps, double end) {
  auto const grid = std::make_shared<core::Grid const>(std::array<core::Axis, 3>{
      core::Axis::make_uniform(cells, 0, 1), core::Axis::make_uniform(cells, 0, 1), core::Axis::make_uniform(1, 0, 1)});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm());
  core::Field<double> one("one", layout, 1, 1.0), zero("zero", layout, 1, 0.0), t("T", layout, 1);
  auto const mode = [](auto const& x) { return std::sin(std::numbers::pi * x[0]) * std::sin(std::numbers::pi * x[1]); };
  at_centres(t, [&](auto const& x, double& v) { v = mode(x); });
  solvers::Heat heat({one, one, zero, around(fixed(0))}, end / steps);
  auto how = settings("solver PCG; preconditioner DIC; tolerance 1e-11;");
  auto const solver = solvers::make_solver(heat.matrix(), how);
  for (int n = 0; n < steps; ++n) EXPECT_TRUE(heat.advance(*solver, t).converged);
  double worst = 0;
  double const decay = std::exp(-2 * std::numbers::pi * std::numbers::pi * end);
  at_centres(t, [&](auto const& x, double& v) { worst = std::max(worst, std::abs(v - decay * mode(x))); });
  return worst;
}

/// Largest error of the steady slab of 1 m with q = sin(pi x), T = sin(pi x) / pi^2, between 0 and 0.
double slab_error(core::Count cells) {
  auto const grid = std::make_shared<core::Grid const>(std::array<core::Axis, 3>{
      core::Axis::make_uniform(cells, 0, 1), core::Axis::make_uniform(1, 0, 1), core::Axis::make_uniform(1, 0, 1)});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm());
  core::Field<double> one("one", layout, 1, 1.0), q("q", layout, 1), t("T", layout, 1);
  at_centres(q, [](auto const& x, double& v) { v = std::sin(std::numbers::pi * x[0]); });
  solvers::Heat heat({one, one, q, {fixed(0), fixed(0), insulated(), insulated(), insulated(), insulated()}}, 0);
  auto how = settings("solver PCG; preconditioner DIC; tolerance 1e-13;");
  EXPECT_TRUE(heat.advance(*solvers::make_solver(heat.matrix(), how), t).converged);
  double worst = 0;
  at_centres(t, [&](auto const& x, double& v) {
    worst = std::max(worst, std::abs(v - std::sin(std::numbers::pi * x[0]) / (std::numbers::pi * std::numbers::pi)));
  });
  return worst;
}

double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace tessera::tests

TEST(Heat, IsOfSecondOrderInSpace) {
  double const e1 = slab_error(16), e2 = slab_error(32), e3 = slab_error(64);
  EXPECT_NEAR(order(e1, e2), 2, 0.1);
  EXPECT_NEAR(order(e2, e3), 2, 0.1);
}

TEST(Heat, IsOfFirstOrderInTime) {
  // 128 cells leave an error in space of 1e-5, a hundredth of the error in time
  double const e1 = plate_error(128, 32, 0.05), e2 = plate_error(128, 64, 0.05), e3 = plate_error(128, 128, 0.05);
  EXPECT_NEAR(order(e1, e2), 1, 0.1);
  EXPECT_NEAR(order(e2, e3), 1, 0.1);
}
