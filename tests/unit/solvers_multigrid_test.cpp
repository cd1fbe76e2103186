// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "solvers/methods/pcg_multigrid.hpp"
#include "solvers/multigrid/coarsening.hpp"
#include "solvers/multigrid/rows.hpp"
#include "solvers/preconditioners/multigrid.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace tessera;
using namespace tessera::tests;
using solvers::StencilMatrix;
using solvers::multigrid::Array;
using solvers::multigrid::Level;
using solvers::multigrid::Lines;
using solvers::multigrid::Slab;
using solvers::multigrid::Transfer;

namespace tessera::tests {

/// A body whose lambda jumps by 400, with fixed values, or insulated all around and steady.
struct Jumps {
  Jumps(core::Grid::Shape cells, core::Grid::Shape tile, solvers::Boundary const& side,
        std::array<bool, 3> periodic = {})
      : grid(std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, periodic))),
        layout(grid, std::vector<int>(grid->tiles(), 0), core::Comm(MPI_COMM_SELF)),
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

/// A level of a body, the next coarser one, and the way between.
struct TwoLevels {
  TwoLevels(StencilMatrix const& matrix, double thin)
      : fine(solvers::multigrid::Redistribution(matrix.layout()).matrix(matrix)),
        transfer(make(fine, thin)),
        coarse(solvers::multigrid::galerkin(fine, transfer)) {}
  static Transfer<double> make(Level<double> const& fine, double thin) {
    auto const cells = fine.slab().cells();
    auto const lines = [&](int d) {
      std::vector<double> widths;
      for (core::Count n = 0; n < cells[d]; ++n) widths.push_back(n % 5 == 3 ? 2.0 : 1.0);
      return Lines(widths, fine.slab().periodic(d), thin);
    };
    std::array<Lines, 3> const all{lines(0), lines(1), lines(2)};
    Slab const coarse(fine.slab().comm(), {all[0].coarse(), all[1].coarse(), all[2].coarse()},
                      {fine.slab().periodic(0), fine.slab().periodic(1), fine.slab().periodic(2)}, {}, true);
    return solvers::multigrid::make_transfer(fine, coarse, all);
  }
  Level<double> fine;
  Transfer<double> transfer;
  Level<double> coarse;
};

double inner(Slab const& slab, Array<double> const& a, Array<double> const& b) {
  double sum = 0;
  slab.for_each_row(slab.lines(0),
                    [&](int k, int j) { sum += solvers::multigrid::dot(a.row(k, j), b.row(k, j), slab.held(0)); });
  return sum;
}

Array<double> wave(Slab const& slab, double a, double b) {
  Array<double> x(slab);
  slab.for_each_row(slab.lines(0), [&](int k, int j) {
    for (int i = 0; i < slab.held(0); ++i) x.row(k, j)[i] = std::sin(a * i + b * j) + 0.3 * k;
  });
  slab.complete(x);
  return x;
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
    {{30, 2, 1}, {8, 2, 1}, {true, false, false}},
    {{2, 19, 1}, {2, 7, 1}, {true, false, false}},
    {{21, 2, 1}, {5, 1, 1}, {true, true, false}},
    {{2, 8, 7}, {2, 3, 7}, {true, false, false}},
    {{9, 2, 7}, {4, 2, 3}, {false, true, true}},
    {{9, 8, 2}, {9, 8, 1}, {true, false, true}},
    {{2, 9, 2}, {1, 4, 2}, {true, false, true}},
    {{2, 2, 2}, {2, 2, 2}, {true, true, true}}};

}  // namespace tessera::tests

TEST(MultigridMemory, IsZeroEachTimeAndUsedAgain) {
  using solvers::multigrid::ZeroedMemory;
  auto const pool = std::make_shared<solvers::multigrid::MemoryPool>();
  constexpr std::size_t large = std::size_t{9} << 20;
  auto const taken = [&](std::size_t bytes) {
    ZeroedMemory memory(bytes, pool);
    auto* const values = static_cast<unsigned char*>(memory.data());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values) % 64, 0u);
    EXPECT_TRUE(std::all_of(values, values + bytes, [](unsigned char x) { return x == 0; })) << bytes;
    std::fill_n(values, bytes, 255);
    return memory;
  };
  auto first = taken(large), second = taken(1000), third = taken(large);
  std::size_t const reserved = pool->reserved();
  void* const place = first.data();
  first = {};
  // two smaller ones take the place of a larger one, and join again when they go
  {
    auto const left = taken(large / 3), right = taken(large / 3);
    EXPECT_EQ(left.data(), place);
    EXPECT_LT(right.data(), second.data());
  }
  second = {};
  EXPECT_EQ(taken(large + 64).data(), place);
  EXPECT_EQ(pool->reserved(), reserved);
}

TEST(MultigridMemory, OutlivesItsPoolsUser) {
  solvers::multigrid::ZeroedMemory memory(1 << 20, std::make_shared<solvers::multigrid::MemoryPool>());
  std::fill_n(static_cast<char*>(memory.data()), 1 << 20, 'x');
  EXPECT_EQ(static_cast<char*>(memory.data())[99], 'x');
}

TEST(MultigridLines, KeepEverySecondOfEqualLines) {
  Lines const even(std::vector<double>(8, 1.0), false, 2.5), odd(std::vector<double>(7, 1.0), false, 2.5);
  for (auto const* l : {&even, &odd})
    for (core::Count n = 0; n < l->fine(); ++n) EXPECT_EQ(l->removed(n), n % 2 == 0);
  EXPECT_TRUE(even.regular());
  EXPECT_TRUE(odd.regular());
  EXPECT_EQ(even.coarse(), 4);
  EXPECT_EQ(odd.coarse(), 3);
  // half of a removed line goes to either side, all of it where there is one
  EXPECT_EQ(even.coarse_widths(), (std::vector<double>{2.5, 2, 2, 1.5}));
  EXPECT_EQ(odd.coarse_widths(), (std::vector<double>{2.5, 2, 2.5}));
}

TEST(MultigridLines, MergeThinLinesFirst) {
  Lines const lines({8, 4, 2, 1, 1, 2, 4, 8}, false, 2.5);
  std::vector<bool> removed;
  for (core::Count n = 0; n < 8; ++n) removed.push_back(lines.removed(n));
  EXPECT_EQ(removed, (std::vector<bool>{false, false, true, false, true, false, false, false}));
  EXPECT_FALSE(lines.regular());
  EXPECT_EQ(lines.coarse_widths(), (std::vector<double>{8, 5, 2.5, 2.5, 4, 8}));
  EXPECT_FALSE(Lines({1, 1, 1}, false, 0.5).coarsened());
}

TEST(MultigridLines, StayWhereTheyAreToBeKept) {
  Lines const lines(std::vector<double>(7, 1.0), false, 2.5, {false, false, true, false, false, false, false});
  std::vector<bool> removed;
  for (core::Count n = 0; n < 7; ++n) removed.push_back(lines.removed(n));
  EXPECT_EQ(removed, (std::vector<bool>{true, false, false, true, false, true, false}));
  EXPECT_FALSE(lines.regular());
}

TEST(MultigridLines, OfAThinConductorInInsulationAreKept) {
  // a plus of five cells whose centre lies on two lines that would go: its arms have no coarse cell either
  Jumps body({24, 24, 1}, {24, 24, 1}, fixed(0));
  auto const lines_for = [&](double conductor) {
    at_centres(body.lambda, [&](auto const& x, double& v) {
      v = std::abs(x[0] - 10.5) + std::abs(x[1] - 12.5) < 1.5 ? conductor : 1;
    });
    solvers::Heat const heat(body.properties(), 0);
    auto const level = solvers::multigrid::Redistribution(body.layout).matrix(heat.matrix());
    return solvers::multigrid::choose_lines(level, {std::vector<double>(24, 1.0), std::vector<double>(24, 1.0), {1}});
  };
  auto const plain = lines_for(2), jump = lines_for(1e4);
  EXPECT_TRUE(plain[0].regular() && plain[1].regular());
  EXPECT_TRUE(plain[0].removed(10) && plain[1].removed(12));
  EXPECT_FALSE(jump[0].removed(10));
  EXPECT_FALSE(jump[1].removed(12));
  EXPECT_LE(jump[0].coarse(), 13);
}

TEST(MultigridLines, AreStillRemovedWhereThinConductorsAreEverywhere) {
  // wires in every line: to keep them all would leave nothing to coarsen, an eighth more lines is the most
  Jumps body({64, 64, 1}, {64, 64, 1}, fixed(0));
  std::mt19937 random(7);
  at_centres(body.lambda, [&](auto const&, double& v) { v = random() % 2 == 0 ? 1e3 : 1e-3; });
  solvers::Heat const heat(body.properties(), 0);
  auto const level = solvers::multigrid::Redistribution(body.layout).matrix(heat.matrix());
  std::vector<double> const widths(64, 1.0);
  auto const lines = solvers::multigrid::choose_lines(level, {widths, widths, {1}});
  for (int d : {0, 1}) {
    EXPECT_GE(lines[d].coarse(), 32);
    EXPECT_LE(lines[d].coarse(), 36);
  }
}

TEST(MultigridLines, ThatAreThickerGoWhereFewAreThin) {
  // 60 lines that grow from two places in the middle by a third: eight are thinner than 1.9 times the thinnest
  std::vector<double> widths, faces{0};
  for (int n = 0; n < 60; ++n) widths.push_back(std::pow(1.33, n < 30 ? std::abs(n - 15) : std::abs(n - 45)));
  for (double width : widths) faces.push_back(faces.back() + width);
  core::Axis const axis(faces);
  auto const grid = std::make_shared<core::Grid const>(
      std::array<core::Axis, 3>{axis, axis, core::Axis::make_uniform(1, 0, 1)}, core::Grid::Shape{60, 60, 1});
  core::Layout const layout(grid, {0}, core::Comm(MPI_COMM_SELF));
  core::Field<double> const one("one", layout, 1, 1.0);
  solvers::Heat const heat({one, one, one, around(fixed(0))}, 0);
  auto const level = solvers::multigrid::Redistribution(layout).matrix(heat.matrix());
  auto const lines = solvers::multigrid::choose_lines(level, {widths, widths, {1}});
  EXPECT_GT(Lines(widths, false, 1.9).coarse() * Lines(widths, false, 1.9).coarse(), 0.8 * 3600);
  EXPECT_LE(lines[0].coarse() * lines[1].coarse(), 0.8 * 3600);
  EXPECT_GT(lines[0].coarse() * lines[1].coarse(), 0.6 * 3600);
  EXPECT_FALSE(lines[0].removed(0) || lines[1].removed(30));  // the thickest
}

TEST(MultigridLines, GoRoundAPeriodicAxis) {
  for (std::size_t n : {2u, 3u, 7u, 8u}) {
    Lines const lines(std::vector<double>(n, 1.0), true, 2.5);
    for (core::Count x = -9; x < 9; ++x) EXPECT_FALSE(lines.removed(x) && lines.removed(x + 1)) << n << " at " << x;
    for (core::Count c = -5; c < 9; ++c) {
      EXPECT_FALSE(lines.removed(lines.at(c)));
      EXPECT_EQ(lines.below(lines.at(c)), c);
    }
    EXPECT_EQ(lines.coarse(), static_cast<core::Count>((n + 1) / 2));
  }
}

TEST(MultigridTransfer, InterpolatesAConstantExactlyWithoutBoundaryValues) {
  for (double thin : {1.5, 9.0})
    for (auto const& [cells, tile, periodic] : shapes) {
      Jumps const body(cells, tile, insulated(), periodic);
      solvers::Heat const heat(body.properties(), 1e12);  // as good as steady: row sums of 1e-12
      TwoLevels const two(heat.matrix(), thin);
      Array<double> e(two.coarse.slab()), x(two.fine.slab());
      e.fill(1);
      two.transfer.interpolate(e, x, 0);
      two.fine.slab().for_each_row(two.fine.slab().lines(0), [&, &of = cells](int k, int j) {
        for (int i = 0; i < two.fine.slab().held(0); ++i)
          EXPECT_NEAR(x.row(k, j)[i], 1, 1e-10) << of[0] << ": " << i << " " << j << " " << k;
      });
    }
}

TEST(MultigridTransfer, FormsTheGalerkinProductOfItsOwnInterpolationAndRestriction) {
  // (A_coarse u, v) = (A P u, P v), and (P^T r, u) = (r, P u)
  for (double thin : {1.5, 9.0})
    for (auto const& [cells, tile, periodic] : shapes) {
      Jumps const body(cells, tile, fixed(1), periodic);
      solvers::Heat const heat(body.properties(), 3);
      TwoLevels const two(heat.matrix(), thin);
      Slab const &fine = two.fine.slab(), &coarse = two.coarse.slab();
      Array<double> const u = wave(coarse, 3, 2), v = wave(coarse, 0.5, 1.3);
      Array<double> pu(fine), pv(fine), apu(fine), b(coarse), au(coarse);
      two.transfer.interpolate(u, pu, 0);
      two.transfer.interpolate(v, pv, 0);
      fine.complete(pu);
      two.fine.product(pu, apu, 0);
      fine.complete(apu);
      two.transfer.restrict_to(b, apu);
      two.coarse.product(u, au, 0);
      double const scale = std::sqrt(inner(fine, apu, pu)) * std::sqrt(inner(fine, pv, pv));
      EXPECT_NEAR(inner(coarse, b, v), inner(fine, apu, pv), 1e-11 * scale) << cells[0];
      EXPECT_NEAR(inner(coarse, au, v), inner(fine, apu, pv), 1e-9 * scale) << cells[0] << " " << thin;
    }
}

TEST(MultigridSlab, BringsFieldsOnTilesAndBack) {
  for (auto const& [cells, tile, periodic] : shapes) {
    Jumps const body(cells, tile, fixed(1), periodic);
    core::Field<double> from("from", body.layout, 1), to("to", body.layout, 1, 7.0);
    fill_by_number(from);
    solvers::multigrid::Redistribution const redistribution(body.layout);
    Array<double> a(redistribution.slab());
    redistribution.load(from, a);
    redistribution.store(a, to);
    EXPECT_EQ(core::hash(from), core::hash(to));
    EXPECT_EQ(a.row(cells[2] > 1 ? 1 : 0, cells[1] > 1 ? 1 : 0)[1],
              static_cast<double>(body.grid->number({1, cells[1] > 1, cells[2] > 1})));
  }
}

TEST(Multigrid, IsTheInverseOnAGridThatIsSolvedDirectly) {
  for (bool periodic : {false, true}) {
    Jumps const body({9, 8, 1}, {4, 3, 1}, fixed(1), {periodic, false, false});
    solvers::Heat const heat(body.properties(), 10);
    auto none = settings("");
    solvers::preconditioners::Multigrid m(heat.matrix(), none);
    m.set_up();
    core::Field<double> x("x", body.layout, 1), ax("Ax", body.layout, 1), z("z", body.layout, 1);
    at_centres(x, [](auto const& c, double& v) { v = std::sin(c[0]) + c[1]; });
    heat.matrix().apply(x, ax);
    m.apply(ax, z);
    auto const a = x.host(), b = z.host();
    core::for_own_cells(body.layout, [&](int s, int k, int j, int i) {
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

TEST(Multigrid, HoldsSixtyBytesACellInSinglePrecision) {
  Jumps const body({512, 512, 1}, {128, 128, 1}, fixed(1));
  solvers::Heat const heat(body.properties(), 10);
  auto none = settings("");
  solvers::preconditioners::Multigrid const m(heat.matrix(), none);
  auto const levels = m.make_levels<float>();
  solvers::multigrid::CgPasses<float> const finest(*levels);
  EXPECT_LT(static_cast<double>(levels->bytes() + finest.bytes()) / (512.0 * 512.0), 65);  // ghost cells included
  EXPECT_EQ(levels->levels(), 7u);
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

TEST(Multigrid, IsRefusedWhereItIsAppliedBeforeItIsSetUp) {
  Jumps const body({12, 12, 1}, {4, 4, 1}, fixed(1));
  solvers::Heat const heat(body.properties(), 10);
  auto none = settings("");
  solvers::preconditioners::Multigrid const m(heat.matrix(), none);
  core::Field<double> r("r", body.layout, 1), z("z", body.layout, 1);
  EXPECT_THROW(m.apply(r, z), core::BrokenPromise);
}

TEST(Multigrid, RefusesSweepsBelowOne) {
  Jumps const body({12, 12, 1}, {4, 4, 1}, fixed(1));
  solvers::Heat const heat(body.properties(), 10);
  auto how = settings("sweeps 0;");
  EXPECT_THROW(solvers::Preconditioners::make("multigrid", heat.matrix(), how), core::Error);
}
