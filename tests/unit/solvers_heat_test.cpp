// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "solvers/heat.hpp"
#include "solvers/heat/stepper.hpp"
#include "tests/support/heat.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

using namespace tessera;
using namespace tessera::tests;
using solvers::Heat;
using solvers::HeatProperties;

namespace tessera::tests {

std::string message(auto const& f) {
  try {
    f();
  } catch (core::Error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace tessera::tests

TEST(Heat, AssemblesTheCoefficientsOfAHandExample) {
  Body body({2, 1, 1}, {2, 3, 5});
  body.lambda.host()(0, 0, 0, 0) = 1;
  body.lambda.host()(0, 0, 0, 1) = 3;
  body.rho_c.fill(10);
  HeatProperties p{
      body.lambda, body.rho_c, body.q, {fixed(7), insulated(), insulated(), insulated(), insulated(), fixed(11)}};
  Heat const heat(p, 2.0);
  auto const& a = heat.matrix();
  // face: 2 * 1 * 3 / (1 + 3) = 1.5 W/(m K), area 15 m2, distance 1 m; mass 10 * 15 / 2 s; left: 1 * 15 / 0.5 m;
  // front: lambda * 3 m2 / 2.5 m
  EXPECT_DOUBLE_EQ(a.face(0).host()(0, 0, 0, 1), 22.5);
  EXPECT_EQ(a.face(0).host()(0, 0, 0, 0), 0);
  EXPECT_FALSE(a.has(1));
  EXPECT_DOUBLE_EQ(a.diagonal().host()(0, 0, 0, 0), 75 + 22.5 + 30 + 1.2);
  EXPECT_DOUBLE_EQ(a.diagonal().host()(0, 0, 0, 1), 75 + 22.5 + 3.6);
  body.t.fill(2);
  body.q.fill(4);
  core::Field<double> b("b", body.layout, 1);
  heat.right_side(body.t, b);
  EXPECT_DOUBLE_EQ(b.host()(0, 0, 0, 0), 75 * 2 + 4 * 15 + 30 * 7 + 1.2 * 11);
  EXPECT_DOUBLE_EQ(b.host()(0, 0, 0, 1), 75 * 2 + 4 * 15 + 3.6 * 11);
}

TEST(Heat, ConvergesAtOnceWhereThereIsNothingToSolve) {
  for (char const* how : {"solver PCG; preconditioner multigrid;", "solver PCG; preconditioner DIC;",
                          "solver PCG; preconditioner diagonal;", "solver smoothSolver; smoother GaussSeidel;",
                          "solver GAMG; smoother GaussSeidel;", "solver auto;"})
    for (double const tolerance : {1e-6, 1e-12})
      for (double const load : {0.0, 1e-3}) {
        if (load > 0 && std::string(how).starts_with("solver smooth")) continue;  // takes thousands of iterations
        Body body({33, 21, 1}, {0.7, 0.3, 0.01});
        at_centres(body.lambda, [](auto const& x, double& v) { v = x[0] < 0.3 ? 384 : 0.1 + x[1]; });
        body.t.fill(293.15);
        body.q.fill(load);
        Heat heat({body.lambda, 2.4e6, body.q, around(fixed(293.15))}, 1e5);
        auto entry = settings(how + fmt::format("tolerance {};", tolerance));
        auto const solver = solvers::make_solver(heat.matrix(), entry);
        for (int step = 0; step < 4; ++step) {
          auto const p = heat.advance(*solver, body.t);
          EXPECT_TRUE(p.converged) << how << p.final;
          EXPECT_EQ(p.iterations > 0, load > 0) << how << p.iterations;
        }
        if (load == 0) {
          for_each_cell(body.t, [](core::Index, double& v) { EXPECT_NEAR(v, 293.15, 1e-11); });
        }
      }
}

TEST(Heat, InterpolatesLinearlyOnRequestWithWeightsByDistance) {
  auto const grid = std::make_shared<core::Grid const>(std::array<core::Axis, 3>{
      core::Axis({0, 1, 4}), core::Axis::make_uniform(1, 0, 1), core::Axis::make_uniform(1, 0, 1)});
  core::Layout const layout(grid, {0}, core::Comm());
  core::Field<double> lambda("lambda", layout, 1, 1.0), one("one", layout, 1, 1.0), zero("zero", layout, 1, 0.0);
  lambda.host()(0, 0, 0, 1) = 5;
  auto const face = [&](solvers::Interpolation how) {
    return Heat({lambda, one, zero, around(fixed(0)), how}, 0).matrix().face(0).host()(0, 0, 0, 1) * 2;  // distance 2 m
  };
  // the face is 0.5 m from the first and 1.5 m from the second centre: w = 0.75
  EXPECT_DOUBLE_EQ(face(solvers::Interpolation::linear), 0.75 * 1 + 0.25 * 5);
  // 0.5 m of 1 W/(m K) and 1.5 m of 5 W/(m K) in series; OpenFOAM v1912 gives the same (2.5 for widths 0.53 and 1.07, 1
  // and 10)
  EXPECT_DOUBLE_EQ(face(solvers::Interpolation::harmonic), 1 / (0.25 / 1 + 0.75 / 5));
}

TEST(Heat, GivesTheExactTemperatureOfATwoLayerSlab) {
  Body body({40, 1, 1}, {1, 1, 1}, {16, 1, 1});
  at_centres(body.lambda, [](auto const& x, double& v) { v = x[0] < 0.5 ? 1.0 : 100.0; });
  HeatProperties p{
      body.lambda, body.rho_c, body.q, {fixed(0), fixed(1), insulated(), insulated(), insulated(), insulated()}};
  Heat heat(p, 0);
  auto how = settings("solver PCG; preconditioner DIC; tolerance 1e-14;");
  auto const solver = solvers::make_solver(heat.matrix(), how);
  EXPECT_TRUE(heat.advance(*solver, body.t).converged);
  // flux = 1 / (0.5 / 1 + 0.5 / 100)
  double const flux = 1 / 0.505;
  at_centres(body.t, [&](auto const& x, double& v) {
    EXPECT_NEAR(v, x[0] < 0.5 ? flux * x[0] : 1 - flux * (1 - x[0]) / 100, 1e-12);  // exact scheme: rounding only
  });
  auto const balance = heat.balance(body.t, body.t);
  EXPECT_NEAR(balance.in[1], flux, 1e-11);
  EXPECT_NEAR(balance.in[0], -flux, 1e-11);
}

TEST(Heat, KeepsItsBalance) {
  Body body({20, 12, 6}, {1, 2, 0.5}, {8, 8, 4}, {false, true, false});
  at_centres(body.lambda, [](auto const& x, double& v) { v = 1 + x[0] + 10 * (x[1] > 1); });
  at_centres(body.q, [](auto const& x, double& v) { v = x[0]; });
  solvers::Boundary const cyclic{solvers::Boundary::Type::cyclic, 0};
  HeatProperties p{body.lambda, body.rho_c, body.q, {fixed(3), insulated(), cyclic, cyclic, fixed(-1), insulated()}};
  Heat heat(p, 0.01);
  auto how = settings("solver PCG; preconditioner diagonal; tolerance 1e-12;");
  auto const solver = solvers::make_solver(heat.matrix(), how);
  core::Field<double> old("old", body.layout, 1, 0.0);
  EXPECT_TRUE(heat.advance(*solver, body.t).converged);
  auto const balance = heat.balance(body.t, old);
  EXPECT_NEAR(balance.produced, 0.5, 1e-12);  // mean of x over a volume of 1
  EXPECT_GT(balance.in[0], 1);
  EXPECT_EQ(balance.in[1] + balance.in[2] + balance.in[3] + balance.in[5], 0);
  EXPECT_NEAR(balance.total_in() + balance.produced, balance.stored, 1e-9);  // tolerance 1e-12 of some 100 W
}

TEST(Heat, MeansAreWeightedByVolume) {
  auto const grid = std::make_shared<core::Grid const>(std::array<core::Axis, 3>{
      core::Axis({0, 1, 4}), core::Axis::make_uniform(1, 0, 1), core::Axis::make_uniform(1, 0, 1)});
  core::Layout const layout(grid, {0}, core::Comm());
  core::Field<double> x("x", layout, 1);
  x.host()(0, 0, 0, 0) = 8;
  x.host()(0, 0, 0, 1) = 4;
  auto const r = solvers::range(x);
  EXPECT_EQ(r.min, 4);
  EXPECT_EQ(r.max, 8);
  EXPECT_EQ(r.mean, 5);
  x.host()(0, 0, 0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(solvers::range(x).min));
  EXPECT_TRUE(std::isnan(solvers::range(x).max));
}

TEST(Heat, NamesTheCellThatHasNoConductivity) {
  Body body({8, 4, 1}, {1, 1, 1}, {4, 4, 1});
  HeatProperties p{body.lambda, body.rho_c, body.q, around(fixed(0))};
  body.lambda.host()(1, 0, 2, 1) = -2;
  EXPECT_EQ(message([&] { Heat(p, 1); }), "lambda in cell (5 2 0) is -2, expected a value > 0: a conductivity");
  body.lambda.fill(1);
  body.rho_c.host()(0, 0, 3, 0) = std::nan("");
  EXPECT_NE(message([&] { Heat(p, 1); }).find("rhoC in cell (0 3 0) is nan"), std::string::npos);
  EXPECT_EQ(message([&] { Heat(p, 0); }), "");  // steady: no heat capacity needed
}

TEST(Heat, RefusesWhatHasNoSolution) {
  Body body({8, 4, 1}, {1, 1, 1});
  HeatProperties p{body.lambda, body.rho_c, body.q, around(insulated())};
  EXPECT_NE(message([&] { Heat(p, 0); }).find("no unique solution"), std::string::npos);
  EXPECT_EQ(message([&] { Heat(p, 1); }), "");
  EXPECT_NE(message([&] { Heat(p, -1); }).find("deltaT is -1"), std::string::npos);
  p.sides[0].type = solvers::Boundary::Type::cyclic;
  EXPECT_NE(message([&] { Heat(p, 1); }).find("'left' is cyclic"), std::string::npos);
}

TEST(Heat, AgreesWithOpenFoamOnThreeCables) {
  Cables cables({160, 128, 1}, {0, 0, 0}, core::Comm());
  Heat heat(cables.properties(), Cables::day);
  auto how = settings("solver PCG; preconditioner DIC; tolerance 1e-10; maxIter 20000;");
  auto const solver = solvers::make_solver(heat.matrix(), how);
  for (int step = 0; step < 10; ++step) EXPECT_TRUE(heat.advance(*solver, cables.t).converged);

  std::ifstream file(TESSERA_SOURCE_DIR "/tests/data/cable_160x128.f64", std::ios::binary);
  std::vector<double> reference(160 * 128);
  file.read(reinterpret_cast<char*>(reference.data()), static_cast<std::streamsize>(reference.size() * sizeof(double)));
  ASSERT_TRUE(file.good());
  double worst = 0;
  auto const t = std::as_const(cables.t).host();
  for (int s = 0; s < cables.layout.tiles(); ++s) {
    auto const& tile = cables.layout.info(s);
    for (int j = 0; j < tile.nj; ++j)
      for (int i = 0; i < tile.ni; ++i) {
        double const expected = reference[cables.grid->number(tile.global(0, j, i))];
        worst = std::max(worst, std::abs(t(s, 0, j, i) - expected) - 1e-9 * expected);
      }
  }
  EXPECT_LT(worst, 1e-7);  // both sides are solved to 1e-10; the reference is within 3.7e-8 K of a direct solution
}

using Type = solvers::Boundary::Type;

namespace tessera::tests {

/// The mask of the cells that f(centre) chooses.
template <class F>
solvers::heat::Cells cells_where(core::Layout const& layout, F const& f) {
  core::Field<std::uint8_t> mask("mask", layout, 0);
  at_centres(mask, [&](auto const& x, std::uint8_t& v) { v = f(x) ? 1 : 0; });
  return solvers::heat::Cells(mask);
}

/// Takes one step, or the steady state, with a tight solver.
solvers::StepResult take(Heat& heat, core::Field<double>& t, solvers::StepSettings const& how, double dt,
                         solvers::HeatBalance* balance = nullptr, char const* preconditioner = "diagonal") {
  auto entry =
      settings(std::string("solver PCG; tolerance 1e-14; maxIter 5000; preconditioner ") + preconditioner + ";");
  solvers::HeatStepper stepper(
      heat, t, [&](auto const& matrix) { return solvers::make_solver(matrix, entry); }, how);
  auto result = stepper.step(dt);
  if (balance) *balance = stepper.balance();
  stepper.accept();
  return result;
}

solvers::StepSettings const steady{.scheme = {solvers::TimeScheme::Type::steady}};

}  // namespace tessera::tests

TEST(HeatSides, AreResistancesInSeriesWhereHeatIsConvected) {
  Body body({10, 1, 1}, {2, 1, 1}, {4, 1, 1});
  body.lambda.fill(4);
  solvers::Boundary const water{Type::convective, 350, 20}, air{Type::convective, 300, 5};
  Heat heat({body.lambda, 1.0, 0.0, {water, air, insulated(), insulated(), insulated(), insulated()}}, 0);
  solvers::HeatBalance balance;
  EXPECT_TRUE(take(heat, body.t, steady, 0, &balance).converged());
  // 50 K over 1/20 + 2/4 + 1/5 m2 K/W
  EXPECT_NEAR(balance.in[0], 50 / 0.75, 1e-9);
  EXPECT_NEAR(balance.in[1], -50 / 0.75, 1e-9);
}

TEST(HeatSides, InPartsEqualASideWithAValueForEachFace) {
  std::array<solvers::Boundary, 6> sides = around(fixed(1));
  sides[2] = {Type::mixed, std::vector<double>{7, 7, 3, 3, 3, 5}, std::vector<double>{0.5, 0.5, 1, 1, 1, 0},
              std::vector<double>{0, 0, 2, 2, 2, 4}};
  Body whole({6, 4, 1}, {3, 2, 1}, {4, 3, 1}), cut({6, 4, 1}, {3, 2, 1}, {4, 3, 1});
  Heat one({whole.lambda, 1.0, 0.0, sides}, 0.5);
  solvers::HeatBalance expected, balance;
  take(one, whole.t, {}, 0.5, &expected);

  sides[2] = insulated();
  HeatProperties p{cut.lambda, 1.0, 0.0, sides};
  auto const part = [](core::Count from, core::Count to, solvers::Boundary const& b) {
    return solvers::SidePart{core::Side::bottom, {core::Box{{from, 0, 0}, {to, 1, 1}}}, b, "part"};
  };
  p.parts = {part(0, 2, {Type::mixed, 7, 0.5, 0}), part(2, 5, {Type::mixed, 3, 1, 2}),
             part(5, 6, {Type::mixed, 0, 1, 0})};
  Heat parts(p, 0.5);
  EXPECT_TRUE(parts.set_part(2, {Type::mixed, 5, 0, 4}));  // the conductance is another one
  EXPECT_EQ(parts.boundary(core::Side::bottom, {4, 0, 0}).value[0], 3);
  EXPECT_EQ(parts.boundary(core::Side::top, {4, 3, 0}).value[0], 1);
  take(parts, cut.t, {}, 0.5, &balance);
  EXPECT_EQ(core::hash(cut.t), core::hash(whole.t));
  ASSERT_EQ(balance.in.size(), 9U);
  EXPECT_NEAR(balance.in[6] + balance.in[7] + balance.in[8], expected.in[2], 1e-12);  // rounding of a sum of 6 terms
  EXPECT_EQ(balance.in[8], 4 * 0.5);                                                  // gradient times area
  EXPECT_EQ(balance.in[2], 0);
}

TEST(HeatSides, TakeGradientsFluxesAndWhatIsMixed) {
  Body body({2, 1, 1}, {2, 3, 5});
  body.lambda.fill(2);
  auto const terms = [&](solvers::Boundary const& side) {
    Heat const heat({body.lambda, 0.0, 0.0, {fixed(0), side, insulated(), insulated(), insulated(), insulated()}}, 0);
    core::Field<double> b("b", body.layout, 1);
    heat.right_side(body.t, b);
    return std::pair{heat.matrix().diagonal().host()(0, 0, 0, 1) - 30, b.host()(0, 0, 0, 1)};  // less the inner face
  };
  // faces of 15 m2, 0.5 m from the centres: lambda A / d = 60
  EXPECT_EQ(terms({Type::fixed_gradient, 0, 1, 7}), (std::pair{0.0, 2.0 * 15 * 7}));
  EXPECT_EQ(terms({Type::heat_flux, 0, 1, 7}), (std::pair{0.0, 15.0 * 7}));
  EXPECT_EQ(terms({Type::mixed, 8, 0.25, 3}), (std::pair{15.0, 15.0 * 8 + 0.75 * 2 * 15 * 3}));
}

TEST(HeatSides, RefuseNumbersThatMeanNothing) {
  Body body({4, 4, 1}, {1, 1, 1});
  auto const refuse = [&](solvers::Boundary const& side) {
    return message([&] { Heat({body.lambda, 1.0, 0.0, around(side)}, 1); });
  };
  EXPECT_EQ(refuse({Type::convective, 300, -5}),
            "the heat transfer coefficient on side 'left' is -5, expected a value >= 0");
  EXPECT_EQ(refuse({Type::mixed, 300, 1.5}), "valueFraction on side 'left' is 1.5, expected a number from 0 to 1");
  EXPECT_EQ(refuse({Type::fixed_value, std::vector<double>{1, 2, std::nan(""), 4}}),
            "fixedValue on side 'left' is nan, expected a number");
  // convection with h = 0 ties nothing to a temperature
  EXPECT_NE(message([&] {
              Heat({body.lambda, 1.0, 0.0, around({Type::convective, 300, 0})}, 0);
            }).find("no unique"),
            std::string::npos);
}

TEST(HeatSources, AreImplicitOrIteratedWithTheSameResult) {
  // insulated, q = 100 - 2 T: T = 50 wherever there is heat
  for (bool const implicit : {true, false}) {
    Body body({6, 6, 1}, {1, 1, 1}, {4, 4, 1});
    body.t.fill(300);
    solvers::heat::Cells const all(body.layout);
    Heat heat({body.lambda, 4.0, 0.0, around(insulated()), {}, {{all, 100, -2, implicit}}}, 1);
    solvers::StepSettings how{.outer_most = 100, .outer_tolerance = 1e-12};
    solvers::HeatBalance balance;
    auto const result = take(heat, body.t, how, 1, &balance);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.outer > 2, !implicit);
    // Euler: 4 (T - 300) = 100 - 2 T
    at_centres(body.t, [](auto const&, double& v) { EXPECT_NEAR(v, 1300.0 / 6, 1e-9); });
    EXPECT_NEAR(balance.produced, 100 - 2 * 1300.0 / 6, 1e-9);
    EXPECT_NEAR(balance.error(), 0, 1e-9);
  }
}

TEST(HeldCells, KeepTheirTemperatureAndGiveTheirHeat) {
  Body body({9, 8, 1}, {9, 1, 1}, {4, 3, 1});
  auto const middle = cells_where(body.layout, [](auto const& x) { return x[0] > 3 && x[0] < 6; });
  Heat heat({body.lambda,
             1.0,
             0.0,
             {fixed(0), fixed(0), insulated(), insulated(), insulated(), insulated()},
             {},
             {},
             {{middle, 35}}},
            0);
  solvers::HeatBalance balance;
  EXPECT_TRUE(take(heat, body.t, steady, 0, &balance).converged());
  at_centres(body.t, [](auto const& x, double& v) {
    // from 0 at the side to 35 in the middle of the first cell that is held, 3.5 m away
    EXPECT_NEAR(v, x[0] > 3 && x[0] < 6 ? 35 : 10 * std::min(x[0], 9 - x[0]), 1e-10);
  });
  EXPECT_NEAR(balance.from_held, 20, 1e-9);
  EXPECT_NEAR(balance.in[0], -10, 1e-9);
  EXPECT_NEAR(balance.error(), 0, 1e-9);
}

TEST(SteadyHeat, IsKnownUpToItsMeanWhereNothingTiesIt) {
  Body body({16, 12, 1}, {1, 1, 1}, {8, 8, 1});
  at_centres(body.q, [](auto const& x, double& v) { v = x[0] < 0.5 ? 1 : -1; });
  HeatProperties p{body.lambda, 1.0, body.q, around(insulated())};
  p.may_be_singular = true;
  Heat heat(p, 0);
  auto how = steady;
  how.mean = 293;
  EXPECT_TRUE(take(heat, body.t, how, 0).converged());
  EXPECT_NEAR(solvers::range(body.t).mean, 293, 1e-9);
  EXPECT_GT(solvers::range(body.t).max, 293.1);
  body.q.fill(2);
  EXPECT_EQ(message([&] { take(heat, body.t, how, 0); }),
            "the body gains 2 W and nothing takes them away: there is no steady state");
}

TEST(SteadyHeat, CountsWhatSourcesTakeAtTheTemperature) {
  Body body({7, 3, 1}, {1, 1, 1}, {7, 3, 1});
  body.q.fill(-1.3);
  HeatProperties p{body.lambda, 1.0, body.q, around(insulated())};
  p.may_be_singular = true;
  p.sources.push_back({.cells = solvers::heat::Cells(body.layout), .Su = 1, .Sp = 1e-3, .implicit = false});
  Heat heat(p, 0);
  EXPECT_FALSE(heat.tied());
  body.t.fill(300);
  auto how = steady;
  how.mean = 300;
  EXPECT_TRUE(take(heat, body.t, how, 0).converged());
  body.q.fill(-1.4);
  EXPECT_NE(message([&] { take(heat, body.t, how, 0); }).find("nothing takes them away"), std::string::npos);
}

TEST(SteadyHeat, TakesSourcesThatCancelButForRounding) {
  Body body({7, 3, 1}, {1, 1, 1}, {7, 3, 1});
  at_centres(body.q, [](auto const& x, double& v) {
    v = x[0] < 1. / 7 ? 0.1 : x[0] < 2. / 7 ? 0.2 : x[0] > 6. / 7 ? -0.3 : 0;
  });
  HeatProperties p{body.lambda, 1.0, body.q, around(insulated())};
  p.may_be_singular = true;
  Heat heat(p, 0);
  auto how = steady;
  how.mean = 300;
  EXPECT_NE(heat.balance(body.t, body.t).error(), 0);  // or this says nothing
  EXPECT_TRUE(take(heat, body.t, how, 0).converged());
  EXPECT_NEAR(solvers::range(body.t).mean, 300, 1e-9);
}

TEST(Heat, IsSymmetricInASymmetricBody) {
  Cables cables({40, 32, 1}, {16, 16, 1}, core::Comm());
  Heat heat(cables.properties(), Cables::day);
  EXPECT_TRUE(take(heat, cables.t, {}, Cables::day, nullptr, "DIC").converged());
  std::vector<double> all(40 * 32);
  std::size_t n = 0;
  at_centres(cables.t, [&](auto const& x, double& v) {
    n = static_cast<std::size_t>(x[1] / 0.05) * 40 + static_cast<std::size_t>(x[0] / 0.05);
    all[n] = v;
  });
  for (std::size_t j = 0; j < 32; ++j)
    for (std::size_t i = 0; i < 20; ++i)
      EXPECT_NEAR(all[j * 40 + i], all[j * 40 + 39 - i], 1e-10);  // solved to 1e-14 of some 300 K
}
