// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "solvers/preconditioners/multigrid.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

using namespace tessera;
using namespace tessera::tests;
using solvers::multigrid::Entries;
using solvers::multigrid::Level;
using solvers::multigrid::Lines;
using solvers::multigrid::Transfer;

namespace tessera::tests {

/// A body whose lambda jumps by 400, with fixed values, or insulated all around and steady.
struct Jumps {
  Jumps(core::Grid::Shape cells, core::Grid::Shape tile, solvers::Boundary const& side,
        std::array<bool, 3> periodic = {})
      : grid(std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, periodic))),
        layout(grid, std::vector<int>(static_cast<std::size_t>(grid->tiles()), 0), core::Comm(MPI_COMM_SELF)),
        lambda("lambda", layout, 1, 1.0),
        one("one", layout, 1, 1.0),
        sides(around(side)) {
    if (cells[2] > 1) sides[4] = sides[5] = side;
    for (std::size_t a = 0; a < 3; ++a)
      if (periodic[a]) sides[2 * a] = sides[2 * a + 1] = {solvers::Boundary::Type::cyclic, 0};
    at_centres(lambda, [](auto const& x, double& v) { v = std::sin(x[0] * x[1] + x[2]) > 0.3 ? 400 : 1; });
  }
  solvers::HeatProperties properties() const { return {lambda, one, one, sides}; }
  std::shared_ptr<core::Grid const> grid;
  core::Layout layout;
  core::Field<double> lambda, one;
  std::array<solvers::Boundary, 6> sides;
};

/// Sum of all entries of row (k, j, i) of a level's matrix.
double row_sum(Level& level, Entries const& a, int slot, int k, int j, int i) {
  double sum = 0;
  for (int n = 0; n < level.around().count(); ++n) sum += a(n, slot, {i, j, k});
  return sum;
}

template <class F>
void for_own_cells(core::Layout const& layout, F const& f) {
  for (int s = 0; s < layout.tiles(); ++s)
    for (int k = 0; k < layout.info(s).nk; ++k)
      for (int j = 0; j < layout.info(s).nj; ++j)
        for (int i = 0; i < layout.info(s).ni; ++i) f(s, k, j, i);
}

double inner(core::Field<double> const& a, core::Field<double> const& b) {
  double sum = 0;
  auto const x = a.host(), y = b.host();
  for_own_cells(a.layout(), [&](int s, int k, int j, int i) { sum += x(s, k, j, i) * y(s, k, j, i); });
  return sum;
}

std::vector<std::tuple<core::Grid::Shape, core::Grid::Shape, std::array<bool, 3>>> const shapes{
    {{16, 16, 1}, {16, 16, 1}, {}},
    {{15, 17, 1}, {15, 17, 1}, {}},
    {{23, 19, 1}, {7, 5, 1}, {}},
    {{22, 16, 1}, {7, 3, 1}, {}},
    {{25, 17, 1}, {8, 4, 1}, {}},
    {{25, 17, 1}, {8, 4, 1}, {true, false, false}},
    {{21, 14, 1}, {5, 4, 1}, {true, true, false}},
    {{9, 8, 7}, {4, 8, 3}, {}},
    {{9, 8, 7}, {4, 3, 7}, {false, false, true}},
    {{40, 1, 1}, {9, 1, 1}, {}},
    {{30, 2, 1}, {8, 2, 1}, {true, false, false}}};

}  // namespace tessera::tests

TEST(MultigridLines, KeepEverySecondLineOfAnEvenTileAndBothBordersOfAnOddGrid) {
  Jumps const even({12, 9, 1}, {6, 9, 1}, fixed(1));
  solvers::Heat const heat(even.properties(), 1);
  Level const level(heat.matrix());
  Lines const x(level, 0), y(level, 1), z(level, 2);
  EXPECT_FALSE(z.coarsened());
  EXPECT_EQ(x.kept(), (std::vector<core::Count>{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(y.kept(), (std::vector<core::Count>{0, 2, 4, 6, 8}));
  EXPECT_EQ(x.coarse_tile(), 3);
  auto const last = x.along(6);
  EXPECT_EQ(last.position, (std::vector<int>{-1, 1, 3, 5, 6}));  // the end of the grid
  EXPECT_EQ(last.removed, (std::vector<bool>{false, true, false, true, false, true, false, false}));
}

TEST(MultigridLines, OfOddTilesStayEvenlySpread) {
  // without care the narrowest gap stays one line while the others double from level to level
  for (core::Count tile : {33, 57, 65, 37, 41, 9, 5, 3})
    for (bool periodic : {false, true}) {
      Jumps const body({1000, 3, 1}, {tile, 3, 1}, fixed(1), {periodic, false, false});
      solvers::Heat const heat(body.properties(), 1);
      auto level = std::make_unique<Level>(heat.matrix());
      while (level->grid().tile()[0] > 3) {  // the last step may leave whole tiles as one line
        Entries const entries(*level);
        Transfer transfer(*level, entries);
        level = std::make_unique<Level>(transfer.galerkin(entries));
        auto const& x = level->positions().lines[0];
        ASSERT_EQ(static_cast<core::Count>(x.size()), level->grid().cells()[0]);
        core::Count least = 1000, most = 0;
        for (std::size_t n = 1; n < x.size(); ++n) {
          least = std::min(least, x[n] - x[n - 1]);
          most = std::max(most, x[n] - x[n - 1]);
        }
        EXPECT_LE(most, 6 * least) << tile << " at " << x.size() << " cells";
      }
    }
}

TEST(MultigridTransfer, InterpolatesAConstantExactlyWithoutBoundaryValues) {
  for (auto const& [cells, tile, periodic] : shapes) {
    Jumps const body(cells, tile, insulated(), periodic);
    solvers::Heat const heat(body.properties(), 1e12);  // as good as steady: row sums of 1e-12
    Level fine(heat.matrix());
    Entries const entries(fine);
    Transfer transfer(fine, entries);
    auto const coarse = transfer.galerkin(entries);
    core::Field<double> e("e", *coarse.layout, 1, 1.0), zero("zero", body.layout, 1), x("x", body.layout, 1);
    transfer.interpolate(e, zero, x);
    auto const v = x.host();
    for_own_cells(body.layout, [&](int s, int k, int j, int i) {
      EXPECT_NEAR(v(s, k, j, i), 1, 1e-10) << cells[0] << ": " << i << " " << j << " " << k;
    });
  }
}

TEST(MultigridTransfer, KeepsTheSumOfTheMatrix) {
  // P 1 = 1 gives 1^T P^T A P 1 = 1^T A 1 = 0, and rows of the coarse matrix that sum to zero
  for (auto const& [cells, tile, periodic] : shapes) {
    Jumps const body(cells, tile, insulated(), periodic);
    solvers::Heat const heat(body.properties(), 1e12);
    Level fine(heat.matrix());
    Entries const entries(fine);
    Transfer transfer(fine, entries);
    Level coarse(transfer.galerkin(entries));
    Entries const products(coarse);
    for_own_cells(coarse.layout(), [&](int s, int k, int j, int i) {
      double const diagonal = products(coarse.around().centre(), s, {i, j, k});
      EXPECT_GT(diagonal, 0);
      EXPECT_NEAR(row_sum(coarse, products, s, k, j, i), 0, 1e-9 * diagonal) << cells[0] << ": " << i << " " << j;
    });
  }
}

TEST(MultigridTransfer, FormsTheGalerkinProductOfItsOwnInterpolationAndRestriction) {
  // (A_coarse u, v) = (A P u, P v), and (P^T r, u) = (r, P u)
  for (auto const& [cells, tile, periodic] : shapes) {
    Jumps const body(cells, tile, fixed(1), periodic);
    solvers::Heat const heat(body.properties(), 3);
    Level fine(heat.matrix());
    Entries const entries(fine);
    Transfer transfer(fine, entries);
    Level coarse(transfer.galerkin(entries));
    auto const& small = coarse.layout();
    core::Field<double> u("u", small, 1), v("v", small, 1), zero("0", small, 1), none("0", body.layout, 1),
        pu("Pu", body.layout, 1), pv("Pv", body.layout, 1), apu("APu", body.layout, 1), b("b", small, 1);
    at_centres(u, [](auto const& x, double& y) { y = std::sin(3 * x[0] + 2 * x[1]) + x[2]; });
    at_centres(v, [](auto const& x, double& y) { y = std::cos(x[0] * x[1]) - 0.2 * x[2]; });
    transfer.interpolate(u, none, pu);
    transfer.interpolate(v, none, pv);
    heat.matrix().apply(pu, apu);
    fine.exchange(apu);
    transfer.restrict_to(b, apu);
    double const scale = std::sqrt(inner(apu, pu) * inner(pv, pv));
    EXPECT_NEAR(inner(b, v), inner(apu, pv), 1e-11 * scale) << cells[0];
    EXPECT_NEAR(-inner(coarse.residual(zero, u), v), inner(apu, pv), 1e-9 * scale) << cells[0];
  }
}

TEST(Multigrid, IsTheInverseOnAGridThatIsSolvedDirectly) {
  for (bool periodic : {false, true}) {
    Jumps const body({9, 8, 1}, {4, 3, 1}, fixed(1), {periodic, false, false});
    solvers::Heat const heat(body.properties(), 10);
    auto none = settings("");
    solvers::preconditioners::Multigrid const m(heat.matrix(), none);
    core::Field<double> x("x", body.layout, 1), ax("Ax", body.layout, 1), z("z", body.layout, 1);
    at_centres(x, [](auto const& c, double& v) { v = std::sin(c[0]) + c[1]; });
    heat.matrix().apply(x, ax);
    m.apply(ax, z);
    auto const a = x.host(), b = z.host();
    for_own_cells(body.layout, [&](int s, int k, int j, int i) {
      EXPECT_NEAR(a(s, k, j, i), b(s, k, j, i), 1e-9);  // condition some 1e4
    });
  }
}

TEST(Multigrid, IsExactInOneDimensionUpToSmoothing) {
  // in 1-D the interpolation is harmonic: the coarse correction leaves errors at removed cells alone, and these have no
  // coupling to each other, so that conjugate gradients end in a handful of steps whatever the length
  for (core::Count n : {200, 20000}) {
    Jumps const body({n, 1, 1}, {n == 200 ? 33 : 512, 1, 1}, fixed(1));
    solvers::Heat heat(body.properties(), 1e6);
    auto how = settings("solver PCG; preconditioner multigrid; tolerance 1e-8;");
    core::Field<double> t("T", body.layout, 1, 0.0);
    EXPECT_LE(heat.advance(*solvers::make_solver(heat.matrix(), how), t).iterations, 12) << n;
  }
}

TEST(Multigrid, HoldsAboutEightyBytesACell) {
  Jumps const body({512, 512, 1}, {128, 128, 1}, fixed(1));
  solvers::Heat const heat(body.properties(), 10);
  auto none = settings("");
  solvers::preconditioners::Multigrid const m(heat.matrix(), none);
  EXPECT_LT(static_cast<double>(m.bytes()) / (512.0 * 512.0), 90);  // halos and padding of tiles included
  EXPECT_GE(m.levels(), 6);
}

TEST(Multigrid, SolvesASteadyBodyWithoutAnyBoundaryValue) {
  Jumps const body({40, 36, 1}, {16, 12, 1}, insulated());
  solvers::Heat const heat(body.properties(), 1e15);
  core::Field<double> exact("exact", body.layout, 1), b("b", body.layout, 1), x("x", body.layout, 1);
  at_centres(exact, [](auto const& c, double& v) { v = std::sin(c[0]) * c[1]; });
  heat.matrix().apply(exact, b);
  auto how = settings("solver PCG; preconditioner multigrid; tolerance 1e-8; maxIter 100;");
  EXPECT_TRUE(solvers::make_solver(heat.matrix(), how)->solve(b, x).converged);
}

TEST(Multigrid, RefusesAMatrixWithoutAPositiveDiagonal) {
  Jumps const body({12, 12, 1}, {4, 4, 1}, fixed(1));
  solvers::Coefficients a(body.layout);
  a.diagonal.fill(1);
  a.diagonal.host()(3, 0, 2, 1) = -3;
  solvers::StencilMatrix const matrix(std::move(a));
  auto none = settings("");
  try {
    solvers::Preconditioners::make("multigrid", matrix, none);
    FAIL() << "a diagonal of -3 was taken";
  } catch (core::Error const& e) {
    EXPECT_NE(std::string(e.what()).find("cell (1 6 0) is -3"), std::string::npos) << e.what();
  }
}

TEST(Multigrid, RefusesSweepsBelowOne) {
  Jumps const body({12, 12, 1}, {4, 4, 1}, fixed(1));
  solvers::Heat const heat(body.properties(), 10);
  auto how = settings("sweeps 0;");
  EXPECT_THROW(solvers::Preconditioners::make("multigrid", heat.matrix(), how), core::Error);
}
