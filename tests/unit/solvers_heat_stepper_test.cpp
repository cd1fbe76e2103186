// SPDX-License-Identifier: Apache-2.0
#include "core/grid/sweep.hpp"
#include "solvers/heat/stepper.hpp"
#include "tests/support/heat.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace tessera;
using namespace tessera::tests;
using solvers::Heat;

TEST(HeatStepper, EstimatesItsErrorInTime) {
  using Scheme = solvers::TimeScheme;
  for (auto const& scheme :
       {Scheme{Scheme::Type::euler}, Scheme{Scheme::Type::crank_nicolson, 1}, Scheme{Scheme::Type::backward}}) {
    // dT/dt = -T, one temperature: rho c = 1 and q = -T
    Body body({1, 1, 1}, {1, 1, 1});
    body.t.fill(1);
    Heat heat({body.lambda, 1.0, 0.0, around(insulated()), {}, {{solvers::heat::Cells(body.layout), 0, -1, true}}},
              0.1);
    auto entry = settings("solver PCG; tolerance 1e-14; preconditioner diagonal;");
    solvers::HeatStepper stepper(heat, body.t, [&](auto const& matrix) { return solvers::make_solver(matrix, entry); },
                                 {.scheme = scheme, .estimate_error = true});
    double dt = 0.02;
    for (int n = 0; n < 12; ++n) {
      if (n > 0) stepper.accept();
      double const before = body.t.host()(0, 0, 0, 0);
      auto const result = stepper.step(dt);
      double const now = body.t.host()(0, 0, 0, 0);
      // the error a step adds, seen from its start; schemes of second order carry some of the start's error along
      double const own = std::abs(now - before * std::exp(-dt));
      if (n > 3) {
        EXPECT_GT(result.error, 0.2 * own);
        EXPECT_LT(result.error, 4 * own);
      }
      dt *= n == 5 ? 0.7 : 1.05;
    }
    // a step that is rejected leaves no trace
    stepper.accept();
    double const kept = body.t.host()(0, 0, 0, 0);
    stepper.step(0.1);
    stepper.reject();
    EXPECT_EQ(body.t.host()(0, 0, 0, 0), kept);
    double const once = (stepper.step(0.03), body.t.host()(0, 0, 0, 0));
    stepper.reject();
    EXPECT_EQ((stepper.step(0.03), body.t.host()(0, 0, 0, 0)), once);
  }
}

TEST(HeatStepper, BeginsAStepAnewThatWasAbandoned) {
  using Type = solvers::TimeScheme::Type;
  for (Type const scheme : {Type::euler, Type::crank_nicolson, Type::backward})
    for (bool const extrapolate : {false, true})
      for (bool const estimate : {false, true})
        for (char const* const preconditioner : {"DIC", "multigrid"}) {
          solvers::StepSettings const how{
              .scheme = {scheme, 1}, .extrapolate = extrapolate, .estimate_error = estimate};
          auto entry =
              settings(std::string("solver PCG; tolerance 1e-9; maxIter 5000; preconditioner ") + preconditioner + ";");
          auto const make = [&](auto const& matrix) { return solvers::make_solver(matrix, entry); };
          Cables straight({41, 33, 1}, {16, 16, 1}, core::Comm()), anew({41, 33, 1}, {16, 16, 1}, core::Comm());
          Heat heat(straight.properties(), Cables::day), heat_anew(anew.properties(), Cables::day);
          solvers::HeatStepper one(heat, straight.t, make, how), other(heat_anew, anew.t, make, how);
          for (int step = 0; step < 6; ++step) {
            one.step(Cables::day);
            one.accept();
            int asked = 0;
            auto const first = other.step(Cables::day, [&](int done, double expected) {
              EXPECT_GE(expected, done);
              return ++asked >= 2;
            });
            EXPECT_TRUE(first.abandoned);
            EXPECT_GE(asked, 2);
            auto const again = other.step(Cables::day);
            EXPECT_TRUE(again.converged() || again.solves.back().at_rounding);
            other.accept();
            EXPECT_EQ(core::hash(anew.t), core::hash(straight.t)) << preconditioner << " step " << step;
          }
        }
}

TEST(HeatStepper, GuessesByAParabola) {
  // cells that hardly conduct, heated so that T is c t^2 at the times of steps: a parabola is right, a line is not
  Body body({6, 5, 1}, {1, 1, 1}, {4, 5, 1});
  body.lambda.fill(1e-12);
  auto const c = [](core::Index x) { return 1.0 + double(x.i) + 10.0 * double(x.j); };
  Heat heat({body.lambda, 1.0, body.q, around(insulated())}, 0.1);
  auto entry = settings("solver PCG; tolerance 1e-9; preconditioner diagonal;");
  solvers::HeatStepper stepper(heat, body.t, [&](auto const& matrix) { return solvers::make_solver(matrix, entry); },
                               {.extrapolate = true});
  double time = 0;
  for (int step = 0; double const dt : {0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.15, 0.05, 0.05, 0.25}) {
    for_each_cell(body.q, [&](core::Index x, double& v) { v = c(x) * (2 * time + dt); });
    time += dt;
    auto const result = stepper.step(dt);
    bool const line = step < 4 || dt == 0.25;  // the first ones, and five times as long as the last
    EXPECT_EQ(result.solves.back().iterations == 0, !line) << step;
    for_each_cell(body.t, [&](core::Index x, double& v) { EXPECT_NEAR(v, c(x) * time * time, 1e-7) << step; });
    stepper.accept();
    ++step;
  }
}

TEST(HeatStepper, MakesTheSolverAnewOnlyWhenTheMatrixChanges) {
  Body body({8, 8, 1}, {1, 1, 1});
  Heat heat({body.lambda, 1.0, 0.0, around(fixed(1))}, 0.1);
  auto entry = settings("solver PCG; tolerance 1e-10; preconditioner diagonal;");
  solvers::HeatStepper stepper(heat, body.t, [&](auto const& matrix) { return solvers::make_solver(matrix, entry); },
                               {.scheme = {solvers::TimeScheme::Type::backward}, .extrapolate = true});
  for (double const dt : {0.1, 0.1, 0.1, 0.1, 0.05, 0.05}) {
    EXPECT_TRUE(stepper.step(dt).converged());
    stepper.accept();
  }
  // Euler's first step, backward at 0.1, at 0.05 after 0.1, at 0.05
  EXPECT_EQ(stepper.setups(), 4);
}

namespace tessera::tests {

/// A plate of 12 x 10 cells whose conductivity falls where it is hot, by Picard's iteration and Gauss's elimination: nothing
/// of the library.
struct DensePlate {
  static constexpr int nx = 12, ny = 10, n = nx * ny;
  static constexpr double h = 0.1, border = 300;
  static double lambda(double t) { return t < 320 ? 1 : t > 360 ? 0.4 : 1 - 0.6 * (t - 320) / 40; }
  static double heat(int i, int j) { return (i - 4) * (i - 4) + (j - 5) * (j - 5) < 6 ? 3e4 : 0; }
  std::vector<double> t = std::vector<double>(n, border);

  static std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
    for (int c = 0; c < n; ++c)
      for (int r = c + 1; r < n; ++r) {
        double const f = a[r * n + c] / a[c * n + c];
        if (f == 0) continue;
        for (int k = c; k < n; ++k) a[r * n + k] -= f * a[c * n + k];
        b[r] -= f * b[c];
      }
    for (int r = n - 1; r >= 0; --r) {
      for (int k = r + 1; k < n; ++k) b[r] -= a[r * n + k] * b[k];
      b[r] /= a[r * n + r];
    }
    return b;
  }
  void step(double dt) {
    std::vector<double> const old = t;
    for (int outer = 0; outer < 60; ++outer) {
      std::vector<double> a(n * n, 0.0), b(n);
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
          int const p = j * nx + i;
          double const m = h * h / dt, own = lambda(t[p]);
          a[p * n + p] += m;
          b[p] = m * old[p] + heat(i, j) * h * h;
          for (auto const& [di, dj] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}}) {
            int const x = i + di, y = j + dj;
            bool const inside = x >= 0 && x < nx && y >= 0 && y < ny;
            double const g = inside ? 2 / (1 / own + 1 / lambda(t[y * nx + x])) : 2 * own;
            a[p * n + p] += g;
            if (inside)
              a[p * n + y * nx + x] -= g;
            else
              b[p] += g * border;
          }
        }
      t = solve(std::move(a), std::move(b));
    }
  }
};

/// The same plate by the stepper.
struct Plate : Body {
  Plate(core::Grid::Shape tile) : Body({DensePlate::nx, DensePlate::ny, 1}, {1.2, 1.0, 1}, tile) {
    t.fill(DensePlate::border);
    for_each_cell(q, [](core::Index x, double& v) { v = DensePlate::heat(int(x.i), int(x.j)); });
  }
  solvers::Heat heat{{lambda, 1.0, q, around(fixed(DensePlate::border))}, 0.01};
  bool renew(core::Field<double> const& at) {
    core::for_each_on_host("lambda", layout, [to = lambda.host(), from = at.host()](int s, int k, int j, int i) {
      to(s, k, j, i) = DensePlate::lambda(from(s, k, j, i));
    });
    return heat.lambda_changed();
  }
  std::unique_ptr<solvers::HeatStepper> stepper(core::Dictionary& entry, double tolerance = 1e-9, int most = 100) {
    return std::make_unique<solvers::HeatStepper>(
        heat, t, [&entry](auto const& matrix) { return solvers::make_solver(matrix, entry); },
        solvers::StepSettings{.outer_most = most, .outer_tolerance = tolerance, .extrapolate = true, .renews = true},
        solvers::HeatStepper::Renew{[this](core::Field<double> const& at) { return renew(at); },
                                    [this](core::Field<double> const& at) { return apart(at); }});
  }
  double apart(core::Field<double> const& at) const {
    double most = 0;
    core::for_own_cells(layout, [&, now = lambda.host(), from = at.host()](int s, int k, int j, int i) {
      most = std::max(most, std::abs(DensePlate::lambda(from(s, k, j, i)) / now(s, k, j, i) - 1));
    });
    return most;
  }
};

}  // namespace tessera::tests

TEST(HeatStepper, FollowsAConductivityThatDependsOnT) {
  DensePlate dense;
  for (char const* const preconditioner : {"multigrid", "DIC"}) {
    auto entry = settings(std::string("solver PCG; tolerance 1e-13; preconditioner ") + preconditioner + ";");
    Plate plate({5, 4, 1});
    auto const stepper = plate.stepper(entry);
    dense.t.assign(DensePlate::n, DensePlate::border);
    int outer = 0;
    for (int step = 0; step < 12; ++step) {
      double const dt = step < 8 ? 0.01 : 0.02;
      auto const result = stepper->step(dt);
      EXPECT_TRUE(result.outer_converged);
      outer += result.outer;
      stepper->accept();
      dense.step(dt);
      for_each_cell(plate.t, [&](core::Index x, double& v) {
        ASSERT_NEAR(v, dense.t[x.j * DensePlate::nx + x.i], 1e-6) << preconditioner << " step " << step;
      });
    }
    if (std::string(preconditioner) == "DIC") {
      EXPECT_EQ(stepper->setups(), outer);  // made anew for every matrix
      EXPECT_EQ(stepper->followed(), 0);
    } else {
      EXPECT_EQ(stepper->setups() + stepper->followed(), outer);
      EXPECT_GE(stepper->setups(), 2);  // the time step has changed
      EXPECT_GT(stepper->followed(), 3 * stepper->setups());
    }
  }
}

TEST(HeatStepper, SolvesForTWhoseConductivityIsAGuessLessAccurately) {
  auto entry = settings("solver PCG; tolerance 1e-9; preconditioner multigrid;");
  for (int const most : {100, 3}) {
    Plate plate({12, 10, 1});
    auto const stepper = plate.stepper(entry, 1e-4, most);
    int loose = 0;
    for (int step = 0; step < 6; ++step) {
      auto const result = stepper->step(0.05);
      EXPECT_TRUE(result.outer_converged || result.outer == most) << step;
      EXPECT_LT(result.solves.back().final, 1e-9) << step;  // what is kept is as accurate as the case wants it
      for (auto const& solve : result.solves) loose += solve.final > 1e-9;
      stepper->accept();
    }
    EXPECT_GE(loose, 6) << most;
  }
}

TEST(HeatStepper, EndsOuterIterationsByWhatIsStillToCome) {
  DensePlate exact;
  exact.t.assign(DensePlate::n, DensePlate::border);
  exact.step(0.05);
  auto entry = settings("solver PCG; tolerance 1e-13; preconditioner multigrid;");
  int sooner = 0;  // than by the last change
  for (double const tolerance : {1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    Plate plate({5, 4, 1});
    auto const result = plate.stepper(entry, tolerance)->step(0.05);
    EXPECT_TRUE(result.outer_converged);
    EXPECT_LE(result.outer_rest, tolerance);
    EXPECT_LE(result.outer_rest, result.outer_change);
    sooner += result.outer_change > tolerance;
    double error = 0;
    for_each_cell(plate.t, [&](core::Index x, double& v) {
      error = std::max(error, std::abs(v - exact.t[x.j * DensePlate::nx + x.i]));
    });
    EXPECT_LE(error, 1.5 * result.outer_rest + 1e-9) << tolerance;
    EXPECT_GE(error, 0.1 * result.outer_rest - 1e-9) << tolerance;
  }
  EXPECT_GE(sooner, 2);
}

TEST(HeatStepper, SetsUpAgainAsBeforeWhenItGoesOnElsewhere) {
  auto entry = settings("solver PCG; tolerance 1e-9; preconditioner multigrid;");
  Plate straight({12, 10, 1});
  auto const one = straight.stepper(entry);
  for (int step = 0; step < 10; ++step) {
    // from here on a stepper of its own, with what a snapshot has
    Plate other({5, 4, 1});
    for_each_cell(other.t, [&](core::Index x, double& v) { v = straight.t.host()(0, 0, int(x.j), int(x.i)); });
    auto const two = other.stepper(entry);
    auto memory = one->memory();
    for (auto const* field : one->memory_fields()) {
      auto const& from = dynamic_cast<core::Field<double> const&>(*field);
      memory.fields.push_back(
          std::make_unique<core::Field<double>>(core::FieldInfo{from.name(), {}, {}, {}}, other.layout, 0));
      for_each_cell(*memory.fields.back(),
                    [&](core::Index x, double& v) { v = from.host()(0, 0, int(x.j), int(x.i)); });
    }
    EXPECT_EQ(memory.setup.empty(), step == 0);
    two->resume(memory);
    one->step(0.01);
    int asked = 0;
    // an attempt that is given up leaves no trace either
    if (step % 3 == 1) two->step(0.01, [&](int, double) { return ++asked >= 1; });
    two->step(0.01);
    EXPECT_EQ(core::hash(other.t), core::hash(straight.t)) << "step " << step;
    one->accept();
    two->accept();
    EXPECT_EQ(one->memory().learned, two->memory().learned);
    EXPECT_EQ(one->memory().setup, two->memory().setup);
  }
}
