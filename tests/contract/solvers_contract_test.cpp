// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "solvers/algebra/residual.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/preconditioner.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

struct Times {
  core::FieldView<double const> a, b;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return a(slot, k, j, i) * b(slot, k, j, i); }
};
double inner(core::Field<double> const& a, core::Field<double> const& b) {
  return core::sum("inner", a.layout(), Times{a.view(), b.view()});
}

/// A body with a jump of lambda, on shuffled owners.
struct Jump {
  Jump(core::Grid::Shape cells, core::Grid::Shape tile, bool periodic)
      : layout(shuffled_layout(cells, tile, {periodic, false, false})),
        sides(around(fixed(2))),
        lambda("lambda", *layout, 1, 1.0),
        one("one", *layout, 1, 1.0) {
    at_centres(lambda, [](auto const& x, double& v) { v = x[0] + x[1] > 20 ? 50 : 0.5; });
    if (periodic) sides[0] = sides[1] = {solvers::Boundary::Type::cyclic, 0};
  }
  solvers::HeatProperties properties() const { return {lambda, one, one, sides}; }
  std::unique_ptr<core::Layout> layout;
  std::array<solvers::Boundary, 6> sides;
  core::Field<double> lambda, one;
};

/// 2-D, 2-D with a periodic axis, 3-D, 3-D with a periodic axis: cells, tile, periodic in x.
std::vector<std::tuple<core::Grid::Shape, core::Grid::Shape, bool>> const bodies{{{37, 29, 1}, {16, 8, 1}, false},
                                                                                 {{37, 29, 1}, {16, 8, 1}, true},
                                                                                 {{13, 9, 7}, {5, 9, 4}, false},
                                                                                 {{13, 9, 7}, {5, 9, 4}, true}};

}  // namespace tessera::tests

TEST(Preconditioners, AreRegistered) { EXPECT_GE(solvers::Preconditioners::entries().size(), 3u); }

TEST(Preconditioners, AreLinearSymmetricAndPositive) {
  for (auto const& [name, entry] : solvers::Preconditioners::entries())
    for (auto const& [cells, tile, periodic] : bodies) {
      Jump const jump(cells, tile, periodic);
      solvers::Heat const heat(jump.properties(), 10);
      auto how = settings("");
      auto const m = solvers::Preconditioners::make(name, heat.matrix(), how);
      m->set_up();
      auto const& layout = *jump.layout;
      core::Field<double> x("x", layout, 1), y("y", layout, 1), sum("sum", layout, 1), mx("mx", layout, 1),
          my("my", layout, 1), msum("msum", layout, 1);
      at_centres(x, [](auto const& c, double& v) { v = std::sin(3 * c[0]) + c[1] * c[2]; });
      at_centres(y, [](auto const& c, double& v) { v = std::cos(5 * c[0] * c[1]) - 0.1 * c[2]; });
      at_centres(sum, [](auto const& c, double& v) {
        v = 2 * (std::sin(3 * c[0]) + c[1] * c[2]) - 3 * (std::cos(5 * c[0] * c[1]) - 0.1 * c[2]);
      });
      m->apply(x, mx);
      m->apply(y, my);
      m->apply(sum, msum);
      double const scale = std::sqrt(inner(mx, x) * inner(my, y));
      EXPECT_GT(inner(mx, x), 0) << name;
      EXPECT_GT(inner(my, y), 0) << name;
      // rounding of some thousand terms
      EXPECT_NEAR(inner(mx, y), inner(x, my), 1e-12 * scale) << name << " is not symmetric";
      EXPECT_NEAR(inner(msum, y), 2 * inner(mx, y) - 3 * inner(my, y), 1e-12 * (scale + 3 * inner(my, y)))
          << name << " is not linear";
    }
}

TEST(Methods, AreRegistered) {
  solvers::have_solver("PETSc");  // opens the module, where there is one, for the tests behind this one
  EXPECT_GE(solvers::Methods::entries().size(), 4u);
}

namespace tessera::tests {

/// Keys that some methods need and others do not know.
constexpr char const* extra = "smoother symGaussSeidel; ";

/// The preconditioners a method can be given; one empty name if it takes none.
std::vector<std::string> preconditioners_of(std::string const& method, solvers::StencilMatrix const& matrix) {
  auto how = settings("preconditioner none; solver " + method + "; " + extra);
  solvers::make_solver(matrix, how);
  try {
    how.check_all_read();
  } catch (core::Error const& e) {
    if (std::string(e.what()).find("'preconditioner'") != std::string::npos) return {""};
  }
  return solvers::Preconditioners::names();
}

/// Calls f(name, keys) for every method with every preconditioner.
template <class F>
void for_each_method(solvers::StencilMatrix const& matrix, F const& f) {
  for (auto const& method : solvers::Methods::names())
    for (auto const& preconditioner : preconditioners_of(method, matrix))
      f(preconditioner + method,
        "solver " + method + "; " + extra + (preconditioner.empty() ? "" : "preconditioner " + preconditioner + "; "));
}

double largest_difference(core::Field<double> const& a, core::Field<double> const& b) {
  auto const& layout = a.layout();
  auto const x = a.host(), y = b.host();
  double most = 0;
  core::for_own_cells(layout, [&](int t, int k, int j, int i) {
    double const d = std::abs(x(t, k, j, i) - y(t, k, j, i));
    most = d > most || d != d ? d : most;
  });
  return layout.comm().max(most);
}

/// OpenFOAM's residual of x, formed afresh, with the norm of the first guess zero.
double true_residual(solvers::StencilMatrix const& matrix, core::Field<double> const& b, core::Field<double>& x) {
  core::Field<double> r("r", x.layout(), 1), zero("zero", x.layout(), 1);
  double const norm = solvers::residual(matrix, b, zero, r).norm;
  auto const now = solvers::residual(matrix, b, x, r);
  return now.initial * now.norm / norm;
}

}  // namespace tessera::tests

TEST(Methods, SolveAKnownProblemWithAnyPreconditioner) {
  for (auto const& [cells, tile, periodic] : bodies) {
    Jump const jump(cells, tile, periodic);
    solvers::Heat const heat(jump.properties(), 10);
    auto const& layout = *jump.layout;
    core::Field<double> exact("exact", layout, 1), b("b", layout, 1);
    at_centres(exact, [](auto const& c, double& v) { v = std::sin(c[0]) + 0.1 * c[1]; });
    heat.matrix().apply(exact, b);
    for_each_method(heat.matrix(), [&](std::string const& name, std::string const& keys) {
      core::Field<double> x("x", layout, 1);
      auto how = settings(keys + "tolerance 1e-12; maxIter 5000;");
      auto const p = solvers::make_solver(heat.matrix(), how)->solve(b, x);
      EXPECT_TRUE(p.converged) << name;
      EXPECT_LT(p.final, 1e-12) << name;
      EXPECT_GT(p.iterations, 0) << name;
      EXPECT_EQ(p.field, "x");
      EXPECT_LT(largest_difference(exact, x), 1e-8) << name;  // residual 1e-12, condition below 1e4
      // what is reported is the residual of x, to the rounding of a product of terms of size 1
      EXPECT_LT(true_residual(heat.matrix(), b, x), 2e-12) << name;
    });
  }
}

TEST(Methods, FollowToleranceRelTolMaxIterAndMinIterAsOpenFoam) {
  auto const& [cells, tile, periodic] = bodies[0];
  Jump const jump(cells, tile, periodic);
  solvers::Heat const heat(jump.properties(), 10);
  core::Field<double> b("b", *jump.layout, 1, 1.0), exact("T", *jump.layout, 1);
  for_each_method(heat.matrix(), [&](std::string const& name, std::string const& keys) {
    auto const solve = [&](std::string const& more, core::Field<double>& x) {
      auto how = settings(keys + more);
      return solvers::make_solver(heat.matrix(), how)->solve(b, x);
    };
    auto const from_zero = [&](std::string const& more) {
      core::Field<double> x("T", *jump.layout, 1);
      return solve(more, x);
    };
    EXPECT_TRUE(solve("tolerance 1e-13; maxIter 5000;", exact).converged) << name;
    auto const tight = from_zero("tolerance 1e-9; maxIter 5000;"), loose = from_zero("tolerance 0; relTol 0.1;");
    EXPECT_LT(tight.final, 1e-9) << name;
    EXPECT_LT(loose.final, 0.1 * loose.initial) << name;
    EXPECT_TRUE(loose.converged) << name;
    EXPECT_LT(loose.iterations, tight.iterations) << name;
    auto const cut = from_zero("tolerance 1e-14; maxIter 1;");
    EXPECT_EQ(cut.iterations, 1) << name;
    EXPECT_FALSE(cut.converged) << name;
    EXPECT_GE(from_zero("tolerance 10; minIter 3;").iterations, 3) << name;
    // the solution as first guess: nothing to do
    auto const nothing = solve("tolerance 1e-9;", exact);
    EXPECT_EQ(nothing.iterations, 0) << name;
    EXPECT_EQ(nothing.final, nothing.initial) << name;
    EXPECT_TRUE(nothing.converged) << name;
  });
}
