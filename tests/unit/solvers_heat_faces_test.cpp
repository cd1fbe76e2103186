// SPDX-License-Identifier: Apache-2.0
// Boundaries whose faces have a conductivity of their own, as the patch values of OpenFOAM's DT; by hand.
#include "core/error.hpp"
#include "solvers/heat.hpp"
#include "solvers/heat/side_faces.hpp"
#include "tests/support/heat.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tests;
using solvers::Boundary;
using solvers::FaceValues;
using Type = solvers::Boundary::Type;

namespace tessera::tests {

Boundary of_lambda(Boundary boundary, FaceValues lambda) {
  boundary.lambda = std::move(lambda);
  return boundary;
}

}  // namespace tessera::tests

TEST(HeatFaces, ConductWhatTheirOwnConductivitySays) {
  auto const axis = [](core::Count n, double length) { return core::Axis::make_uniform(n, 0, length); };
  auto const grid = std::make_shared<core::Grid const>(std::array<core::Axis, 3>{axis(2, 2), axis(1, 3), axis(1, 5)});
  core::Layout const layout(grid, {0}, core::Comm());
  core::Field<double> lambda("lambda", layout, 1, 1.0), t("T", layout, 1, 2.0), b("b", layout, 1);
  Boundary const left = of_lambda(fixed(7), 4), right = of_lambda({Type::mixed, 11, 0.25, 6}, 8);
  Boundary const front = of_lambda(fixed(13), FaceValues(std::vector{2.0, 6.0}));
  Boundary const back = of_lambda({Type::fixed_gradient, 0, 1, 10}, FaceValues(std::vector{3.0, 0.5}));
  solvers::HeatProperties const p{lambda, 1.0, 0.0, {left, right, of_lambda({}, 9), {}, back, front}};
  solvers::Heat heat(p, 1.0);
  // mass 15 / 1 s; between the cells 1 * 15 m2 / 1 m; left: 4 * 15 / 0.5 m; right: 0.25 * 8 * 15 / 0.5 m;
  // front: lambda * 3 m2 / 2.5 m
  auto const diagonal = heat.matrix().diagonal().host();
  EXPECT_DOUBLE_EQ(diagonal(0, 0, 0, 0), 15 + 15 + 120 + 2.4);
  EXPECT_DOUBLE_EQ(diagonal(0, 0, 0, 1), 15 + 15 + 60 + 7.2);
  heat.right_side(t, b);
  EXPECT_DOUBLE_EQ(b.host()(0, 0, 0, 0), 15 * 2 + 120 * 7 + 2.4 * 13 + 3 * 10 * 3);
  EXPECT_DOUBLE_EQ(b.host()(0, 0, 0, 1), 15 * 2 + 60 * 11 + 0.75 * 8 * 6 * 15 + 7.2 * 13 + 0.5 * 10 * 3);
  // a conductivity that changes is another matrix; the same one is not
  EXPECT_FALSE(heat.set_side(core::Side::left, left));
  EXPECT_TRUE(heat.set_side(core::Side::left, fixed(7)));
  EXPECT_DOUBLE_EQ(heat.matrix().diagonal().host()(0, 0, 0, 0), 15 + 15 + 30 + 2.4);
  EXPECT_THROW(heat.set_side(core::Side::left, of_lambda(fixed(7), -1)), core::Error);
}

TEST(HeatFaces, HaveTheTemperatureThatTheirFluxGives) {
  double const cell = 5, d = 0.1, t = 40;
  for (auto const& lambda : {std::optional<FaceValues>{}, std::optional<FaceValues>{0.4}})
    for (Boundary boundary : {fixed(70), Boundary{Type::fixed_gradient, 0, 1, 30}, Boundary{Type::mixed, 70, 0.3, 30},
                              Boundary{Type::convective, 70, 8}, Boundary{Type::heat_flux, 0, 1, 50}, Boundary{}}) {
      boundary.lambda = lambda;
      auto const terms = solvers::heat::face_terms(boundary, 0, cell, d);
      double const flux = terms.inflow - terms.conductance * t;
      EXPECT_NEAR(solvers::heat::face_temperature(boundary, 0, cell, d, t), t + flux * d / (lambda ? 0.4 : cell),
                  1e-12);
    }
}

TEST(HeatFaces, OfAWedgeAreAsTheirRadiusSays) {
  // cells from r = 0 to 1, 1 to 3 and 3 to 4 along y, 5 m long, thickness r / 10; centres of gravity at 2/3, 13/6 and
  // 74/21
  auto const grid = std::make_shared<core::Grid const>(std::array<core::Axis, 3>{
      core::Axis::make_uniform(1, 0, 5), core::Axis({0, 1, 3, 4}), core::Axis::make_uniform(1, -0.2, 0.4)});
  core::Layout const layout(grid, {0}, core::Comm());
  core::Field<double> lambda("lambda", layout, 1, 2.0), t("T", layout, 1, 2.0), b("b", layout, 1);
  solvers::HeatProperties p{lambda, 3.0, 7.0, {}};
  p.sides[3] = fixed(11);
  p.wedge = core::Wedge{1, 2, 0.1};
  solvers::Heat const heat(p, 1.0);
  double const first = 2 * 0.1 * 5 / (13.0 / 6 - 2.0 / 3), second = 2 * 0.3 * 5 / (74.0 / 21 - 13.0 / 6);
  auto const face = heat.matrix().face(1).host();
  EXPECT_EQ(face(0, 0, 0, 0), 0);
  EXPECT_NEAR(face(0, 0, 1, 0), first, 1e-14);
  EXPECT_NEAR(face(0, 0, 2, 0), second, 1e-14);
  // volumes: 5 m of triangle and trapezoids
  std::array<double, 3> const volume{5 * 0.05, 5 * 0.4, 5 * 0.35};
  double const out = 2 * 0.4 * 5 / (4 - 74.0 / 21);
  auto const diagonal = heat.matrix().diagonal().host();
  EXPECT_NEAR(diagonal(0, 0, 0, 0), 3 * volume[0] + first, 1e-13);
  EXPECT_NEAR(diagonal(0, 0, 1, 0), 3 * volume[1] + first + second, 1e-13);
  EXPECT_NEAR(diagonal(0, 0, 2, 0), 3 * volume[2] + second + out, 1e-13);
  heat.right_side(t, b);
  for (int j = 0; j < 3; ++j)
    EXPECT_NEAR(b.host()(0, 0, j, 0), (3 * 2 + 7) * volume[static_cast<std::size_t>(j)] + (j == 2 ? out * 11 : 0),
                1e-12);
  // a mean weighs cells by their volume
  for (int j = 0; j < 3; ++j) t.host()(0, 0, j, 0) = j;
  EXPECT_NEAR(heat.range(t).mean, (0.4 + 2 * 0.35) / 0.8, 1e-14);
}
