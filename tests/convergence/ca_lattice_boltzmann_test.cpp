// SPDX-License-Identifier: Apache-2.0
// Lattice Boltzmann flows against those of Navier and Stokes.
#include "tests/support/automata.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

namespace tessera::tests {

/// A flow along x between walls on the sides across, until it is steady; `entries` of the case.
std::unique_ptr<ca::Automaton> steady(core::Layout const& layout, std::string const& entries, int steps) {
  bool const space = layout.grid().cells()[2] > 1;
  auto properties =
      core::Dictionary::parse(fmt::format("force (1e-6 0{}); {} boundary {{ bottom fixed 1; top fixed 1;{} }}",
                                          space ? " 0" : "", entries, space ? " back fixed 1; front fixed 1;" : ""),
                              "p");
  auto automaton = ca::make_automaton(space ? "D3Q19" : "D2Q9", properties, layout);
  for (int s = 0; s < steps; ++s) automaton->step();
  return automaton;
}

TEST(Flow, BetweenWallsIsExactAtTheMiddlesOfCells) {
  for (int const height : {5, 12})
    for (double const viscosity : {0.05, 1.0 / 6, 2.0})
      for (char const* inertia : {"yes", "no"}) {
        auto const layout = make_layout({4, height, 1}, {0, 0, 0}, {true, false, false});
        int const steps = static_cast<int>(5.0 * height * height / viscosity) + 400;
        auto const automaton = steady(*layout, fmt::format("viscosity {}; inertia {};", viscosity, inertia), steps);
        auto const& u = dynamic_cast<core::Field<double> const&>(*automaton->derived()[1]);
        for_each_cell(u, [&](core::Index x, double got) {
          double const y = static_cast<double>(x.j) + 0.5, exact = 1e-6 * y * (height - y) / (2 * viscosity);
          EXPECT_NEAR(got / exact, 1, 1e-9) << "nu " << viscosity << ", H " << height << ", inertia " << inertia;
        });
      }
}

/// Of another product of the relaxation times the walls' error is (16 magic / 3 - 1) / 8 of the force over nu, for any height: of second
/// order beside a flow that grows as the height's square.
TEST(Flow, BetweenWallsIsOfSecondOrderOtherwise) {
  double before = 0;
  for (int const height : {6, 12, 24}) {
    auto const layout = make_layout({4, height, 1}, {0, 0, 0}, {true, false, false});
    auto const automaton = steady(*layout, "viscosity 1; magic 0.25;", 6 * height * height);
    double const k = automaton->measure()[3] / (height * height), error = k * 12 - 1 - 0.5 / (height * height);
    if (before > 0) {
      EXPECT_NEAR(before / error, 4, 0.1) << height;
    }
    EXPECT_GT(error, 0);
    before = error;
  }
}

/// The mean velocity in a square duct of side a is 0.0351443 F a^2 / nu: 1/12 (1 - 192/pi^5 sum tanh(n pi / 2) / n^5, n odd).
/// Source: R. K. Shah & A. L. London 1978, Laminar Flow Forced Convection in Ducts.
TEST(Flow, InASquareDuctIsOfSecondOrder) {
  double sum = 0;
  for (int n = 1; n < 60; n += 2) sum += std::tanh(n * std::numbers::pi / 2) / std::pow(n, 5);
  double const exact = (1 - 192 / std::pow(std::numbers::pi, 5) * sum) / 12;
  EXPECT_NEAR(exact, 0.0351443, 1e-7);
  double before = 0;
  for (int const side : {6, 12, 24}) {
    auto const layout = make_layout({2, side, side}, {0, 0, 0}, {true, false, false});
    auto const automaton = steady(*layout, "viscosity 1; inertia no;", 2 * side * side + 100);
    double const error = automaton->measure()[4] / (side * side) / exact - 1;
    if (before != 0) {
      EXPECT_NEAR(before / error, 4, 0.4) << side;
    }
    before = error;
  }
  EXPECT_LT(std::abs(before), 0.005);
}

}  // namespace tessera::tests
