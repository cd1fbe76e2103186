// SPDX-License-Identifier: Apache-2.0
#include "core/sweep.hpp"
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

TEST(Methods, AreRegistered) { EXPECT_GE(solvers::Methods::entries().size(), 1u); }

TEST(Methods, SolveAKnownProblemWithAnyPreconditioner) {
  for (auto const& [name, entry] : solvers::Methods::entries())
    for (auto const& [preconditioner, other] : solvers::Preconditioners::entries())
      for (auto const& [cells, tile, periodic] : bodies) {
        Jump const jump(cells, tile, periodic);
        solvers::Heat const heat(jump.properties(), 10);
        auto const& layout = *jump.layout;
        core::Field<double> exact("exact", layout, 1), b("b", layout, 1), x("x", layout, 1);
        at_centres(exact, [](auto const& c, double& v) { v = std::sin(c[0]) + 0.1 * c[1]; });
        heat.matrix().apply(exact, b);
        auto how =
            settings("solver " + name + "; preconditioner " + preconditioner + "; tolerance 1e-12; maxIter 5000;");
        auto const p = solvers::make_solver(heat.matrix(), how)->solve(b, x);
        EXPECT_TRUE(p.converged) << name;
        EXPECT_LT(p.final, 1e-12) << name;
        EXPECT_GT(p.iterations, 0) << name;
        EXPECT_EQ(p.field, "x");
        core::Field<double> difference("difference", layout, 1);
        auto const d = difference.host(), e = exact.host(), s = x.host();
        for (int t = 0; t < layout.tiles(); ++t)
          for (int k = 0; k < layout.info(t).nk; ++k)
            for (int j = 0; j < layout.info(t).nj; ++j)
              for (int i = 0; i < layout.info(t).ni; ++i) d(t, k, j, i) = e(t, k, j, i) - s(t, k, j, i);
        EXPECT_LT(std::sqrt(inner(difference, difference)), 1e-8) << name;  // residual 1e-12, condition below 1e4
      }
}
