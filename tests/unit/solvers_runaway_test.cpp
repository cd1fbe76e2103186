// SPDX-License-Identifier: Apache-2.0
// Losses that rise with the temperature, below and above what the surroundings can take, and residuals that rounding holds.
#include "solvers/algebra/residual.hpp"
#include "solvers/heat/stepper.hpp"
#include "tests/support/heat.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tessera::tests {
namespace {

using solvers::Heat;

/// A block of 1 m in equal cells between two sides of 300 K, q = q20 (1 + alpha (T - 300)). Its matrix without losses is
/// -lambda d2/dx2, whose smallest eigenvalue on n cells, with half a cell to the sides, is 4 n^2 lambda sin^2(pi / 2n): so
/// much q20 alpha is critical.
struct Slab {
  static constexpr int n = 20;
  static constexpr double alpha = 4e-3, lambda = 2;
  static double critical() {
    double const s = std::sin(std::numbers::pi / (2 * n));
    return 4.0 * n * n * lambda * s * s / alpha;
  }
  explicit Slab(double q20) : body({n, 1, 1}, {1, 1, 1}, {8, 1, 1}), q(q20) {
    body.lambda.fill(lambda);
    body.t.fill(300);
    std::array<solvers::Boundary, 6> sides;
    sides[0] = sides[1] = fixed(300);
    heat = std::make_unique<Heat>(
        solvers::HeatProperties{body.lambda,
                                1000.0,
                                0.0,
                                sides,
                                {},
                                {{solvers::heat::Cells(body.layout), q * (1 - 300 * alpha), q * alpha, false}}},
        0);
  }
  solvers::HeatStepper stepper(solvers::StepSettings settings) {
    return {*heat, body.t, [this](solvers::StencilMatrix const& m) { return make_solver(m, how); }, settings};
  }
  core::Dictionary how = settings("solver PCG; preconditioner DIC; tolerance 1e-13; maxIter 500;");
  Body body;
  double q;
  std::unique_ptr<Heat> heat;
};

TEST(Runaway, IsFoundAboveTheCriticalLossesAlone) {
  solvers::StepSettings const steady{
      .scheme = {.type = solvers::TimeScheme::Type::steady}, .outer_most = 5000, .outer_tolerance = 1e-7};
  {
    Slab slab(0.99 * Slab::critical());
    auto stepper = slab.stepper(steady);
    auto const result = stepper.step(1);
    EXPECT_TRUE(result.converged());
    EXPECT_FALSE(result.runaway);
    EXPECT_GT(result.outer, 100);  // slowly: each change is nearly as large as the one before
    EXPECT_NEAR(result.feedback, 0.99, 1e-4);
    // what the sides take is what is produced at this temperature
    EXPECT_NEAR(stepper.balance().error() / stepper.balance().produced, 0, 1e-6);
  }
  Slab slab(1.01 * Slab::critical());
  auto const result = slab.stepper(steady).step(1);
  EXPECT_FALSE(result.converged());
  EXPECT_TRUE(result.runaway);
  EXPECT_NEAR(result.feedback, 1.01, 1e-4);
  EXPECT_LT(result.outer, 50);  // not T = 1e100
}

TEST(Runaway, InTimeIsToldAndGoesOn) {
  // the conductor's own time is 1000 J/(m3 K) / (q20 alpha) = 50 s at the critical losses
  solvers::StepSettings const euler{.outer_most = 50, .outer_tolerance = 1e-9, .watch_acceleration = true};
  for (double const share : {0.9, 1.1}) {
    Slab slab(share * Slab::critical());
    auto stepper = slab.stepper(euler);
    bool accelerates = false;
    for (int step = 0; step < 200; ++step) {
      auto const result = stepper.step(5);
      EXPECT_TRUE(result.converged());
      EXPECT_FALSE(result.runaway);
      accelerates |= result.accelerates;
      stepper.accept();
    }
    EXPECT_EQ(accelerates, share > 1) << share;
  }
  // no step of a thousand seconds has an end that these losses keep to
  Slab slab(3 * Slab::critical());
  EXPECT_TRUE(slab.stepper(euler).step(1000).runaway);
}

TEST(Sources, MayChangeFromTakingHeatToGivingIt) {
  Slab slab(0);
  slab.heat->set_source(0, 300, -1, true);
  double const with = slab.heat->matrix().diagonal().host()(0, 0, 0, 0);
  EXPECT_TRUE(slab.heat->set_source(0, -300, 1, false));  // out of the matrix, which would lose its diagonal by it
  EXPECT_NEAR(slab.heat->matrix().diagonal().host()(0, 0, 0, 0), with - 1.0 / Slab::n, 1e-12);
}

/// With a tolerance that no numbers of 53 bits reach the iteration stops, tells the residual it has, and claims nothing.
TEST(Rounding, HoldsTheResidualAboveATolerance) {
  Cables cables({160, 128, 1}, {64, 32, 1}, core::Comm());
  Heat heat(cables.properties(), 0);
  auto how = settings("solver PCG; preconditioner multigrid; tolerance 1e-18; maxIter 1000;");
  core::Field<double> b("b", cables.layout, 1);
  heat.right_side(cables.t, b);
  core::Field<double> r("r", cables.layout, 1);
  double const norm = solvers::residual(heat.matrix(), b, cables.t, r).norm;  // that of the first guess
  auto const p = solvers::make_solver(heat.matrix(), how)->solve(b, cables.t);
  EXPECT_FALSE(p.converged);
  EXPECT_TRUE(p.at_rounding);
  EXPECT_GT(p.final, 1e-18);
  EXPECT_LT(p.iterations, 100);
  auto const reached = solvers::residual(heat.matrix(), b, cables.t, r);
  EXPECT_NEAR(p.final, reached.initial * reached.norm / norm, 1e-6 * p.final);  // what is told is the true one
}

}  // namespace
}  // namespace tessera::tests
