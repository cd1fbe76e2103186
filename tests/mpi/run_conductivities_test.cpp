// SPDX-License-Identifier: Apache-2.0
#include "tests/support/error_of.hpp"
#include "tests/support/kirchhoff.hpp"
#include "tests/support/percolation_case.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

using namespace tessera;
using tests::PercolationCase;

namespace {

/// A volume of bytes as a raw file of the case.
void write_volume(PercolationCase& a_case, tests::Medium const& m) {
  a_case.write("constant/m.raw", std::string(m.cells.begin(), m.cells.end()));
}
PercolationCase volume_case(core::Grid::Shape const& n, std::string const& how, std::string const& tile) {
  return {fmt::format("input {{ type picture; file \"constant/m.raw:{}x{}x{}:uint8\"; level 1; occupied light; }} "
                      "effectiveConductivity yes; {}",
                      n[0], n[1], n[2], how),
          "tile " + tile + ";"};
}

/// Harmonic means of the phases' conductivities; half a cell to the electrodes.
double dense(tests::Medium const& m, std::map<int, double> const& s, std::size_t axis, int connectivity) {
  tests::Medium conducting(m.n);
  conducting.periodic = m.periodic;
  for (std::size_t c = 0; c < m.cells.size(); ++c) conducting.cells[c] = s.at(m.cells[c]) > 0;
  auto const of = [&](int c) { return s.at(m.cells[c]); };
  auto const found = tests::kirchhoff(
      conducting, tests::neighbours_of(conducting, m.n[2] > 1 ? "cubic" : "square", connectivity),
      tests::side_of(m, static_cast<core::Side>(2 * axis)), tests::side_of(m, static_cast<core::Side>(2 * axis + 1)),
      [&](int a, int b) { return 2 * of(a) * of(b) / (of(a) + of(b)); }, [&](int c) { return 2 * of(c); });
  double const cells = static_cast<double>(m.size()), length = static_cast<double>(m.n[axis]);
  return found.conductance * length * length / cells;
}

/// What a run ends with; "" if it does not fail.
std::string fault(PercolationCase& a_case) {
  return tests::error_of<std::exception>([&] { a_case.run(); });
}

}  // namespace

// Three phases at random, one of them an insulator in every second medium; islands and dead ends as they come.
TEST(EffectiveConductivity, IsThatOfADenseSolution) {
  std::vector<std::pair<core::Grid::Shape, std::string>> const shapes{
      {{9, 8, 1}, "(4 3 1)"}, {{5, 4, 6}, "(3 4 2)"}, {{1, 7, 1}, "(1 2 1)"}, {{3, 2, 9}, "auto"}};
  int insulated = 0;
  for (std::uint64_t seed = 1; seed <= 6; seed += tests::on_few_ranks() ? 1 : 3)
    for (auto const& [n, tile] : shapes) {
      core::Random const random{seed, 9};
      tests::Medium m(n);
      for (std::size_t c = 0; c < m.cells.size(); ++c) m.cells[c] = static_cast<std::uint8_t>(4 * random.uniform(c));
      std::map<int, double> const s{{0, seed % 2 == 0 ? 0 : 0.01}, {1, 1}, {2, 0.3}, {3, 25}};
      auto a_case = volume_case(n,
                                fmt::format("conductivities ((3 25) (0 {}) (2 0.3) (1 1)); direction all;{}", s.at(0),
                                            n[2] == 1 ? " frame none; definition D2;" : ""),
                                tile);
      write_volume(a_case, m);
      auto const results = a_case.run()["results"];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (n[axis] == 1) continue;
        std::string const name(1, "xyz"[axis]);
        bool const one = n == core::Grid::Shape{1, 7, 1};
        double const found = (one ? results : results["directions"][name])["effectiveConductivity"];
        double const expected = dense(m, s, axis, n[2] > 1 ? 6 : 4);
        insulated += expected == 0;
        EXPECT_NEAR(found, expected, 1e-7 * expected) << name << " seed " << seed << "\n" << m.text();
        EXPECT_GE(found, results["wienerLower"].get<double>() * (1 - 1e-9));
        EXPECT_LE(found, results["wienerUpper"].get<double>() * (1 + 1e-9));
      }
    }
  EXPECT_GT(insulated, 0);
}

TEST(EffectiveConductivity, OfLayersIsThatOfThemInSeriesAndInParallel) {
  // 3 layers of 1, 2 of 10, 5 of 0.1 along z
  core::Grid::Shape const n{4, 6, 10};
  tests::Medium m(n);
  for (core::Count k = 0; k < 10; ++k)
    for (core::Count j = 0; j < 6; ++j)
      for (core::Count i = 0; i < 4; ++i) m.at(i, j, k) = k < 3 ? 1 : k < 5 ? 2 : 3;
  auto a_case = volume_case(n, "conductivities ((1 1) (2 10) (3 0.1)); direction all;", "(4 3 4)");
  write_volume(a_case, m);
  auto const results = a_case.run()["results"];
  double const series = 10 / (3 / 1.0 + 2 / 10.0 + 5 / 0.1), parallel = (3 * 1.0 + 2 * 10 + 5 * 0.1) / 10;
  auto const along = [&](char const* axis) {
    return results["directions"][axis]["effectiveConductivity"].get<double>();
  };
  EXPECT_NEAR(along("z"), series, 1e-9);
  EXPECT_NEAR(along("x"), parallel, 1e-7);
  EXPECT_NEAR(along("y"), parallel, 1e-7);
  EXPECT_NEAR(results["wienerLower"].get<double>(), series, 1e-12);
  EXPECT_NEAR(results["wienerUpper"].get<double>(), parallel, 1e-12);
}

// Dykhne 1971, Sov. Phys. JETP 32:63: two phases that may change places conduct as the geometric mean. A square of n cells has an
// error of its corners, of n^-1.2 at this contrast (the field there goes as r^(0.59 - 1)): 1.2 % at 16 cells.
TEST(EffectiveConductivity, OfACheckerboardTendsToTheGeometricMean) {
  double last = 1;
  for (core::Count const square : {4, 8, 16}) {
    core::Count const side = 4 * square;
    tests::Medium m({side, side, 1});
    // mirrors at the sides go through the middle of squares
    for (core::Count j = 0; j < side; ++j)
      for (core::Count i = 0; i < side; ++i) m.at(i, j) = ((i + square / 2) / square + (j + square / 2) / square) % 2;
    auto a_case = volume_case({side, side, 1},
                              "conductivities ((0 1) (1 4)); direction all; frame none; definition D2;", "(16 16 1)");
    write_volume(a_case, m);
    auto const results = a_case.run()["results"];
    double const x = results["directions"]["x"]["effectiveConductivity"],
                 y = results["directions"]["y"]["effectiveConductivity"];
    EXPECT_NEAR(x, y, 1e-6);
    double const error = std::abs(x / 2 - 1);
    EXPECT_LT(error, 0.7 * last) << square;
    last = error;
  }
  EXPECT_LT(last, 0.015);
}

TEST(EffectiveConductivity, OfGreyValuesIsLinearBetweenThoseListed) {
  auto a_case =
      volume_case({1, 4, 1}, "conductivities ((10 1) (20 3)); interpolate yes; frame none; definition D2;", "auto");
  a_case.write("constant/m.raw", std::string({5, 10, 15, 40}));
  EXPECT_NEAR(a_case.run()["results"]["effectiveConductivity"].get<double>(), 4 / (1 + 1 + 1 / 2.0 + 1 / 3.0), 1e-9);
}

TEST(EffectiveConductivity, OfRandomMediaIsThatOfOccupiedAndEmptySites) {
  PercolationCase a_case(
      "input { type random; probability 1; } effectiveConductivity yes; conductivities ((0 0.1) (1 3)); ",
      "cells (12 14 1); tile (5 5 1);");
  EXPECT_NEAR(a_case.run()["results"]["effectiveConductivity"].get<double>(), 3, 1e-7);
  // within Hashin & Shtrikman's bounds, which a random medium keeps but for its fluctuations
  auto const results = a_case.run(
      {"constant/percolationProperties:input.probability=0.5", "system/gridDict:cells=(80 80 1)"})["results"];
  EXPECT_GT(results["effectiveConductivity"].get<double>(), results["hashinShtrikmanLower"].get<double>());
  EXPECT_LT(results["effectiveConductivity"].get<double>(), results["hashinShtrikmanUpper"].get<double>());
}

TEST(EffectiveConductivity, HasTheSameBitsOnAnyRanks) {
  PercolationCase a_case(
      "input { type random; probability 0.5; } effectiveConductivity yes; conductivities ((0 0.1) (1 3)); ",
      "cells (66 74 1);");
  auto const alone = a_case.alone(), together = a_case.run();
  EXPECT_EQ(together["grid"]["tile"], alone["grid"]["tile"]);
  EXPECT_EQ(together["results"]["effectiveConductivity"], alone["results"]["effectiveConductivity"]);
}

TEST(EffectiveConductivity, NamesTheValueThatHasNone) {
  auto a_case = volume_case({1, 4, 1}, "conductivities ((10 1) (20 3)); frame none; definition D2;", "auto");
  a_case.write("constant/m.raw", std::string({10, 20, 30, 10}));
  auto const said = tests::error_of([&] { a_case.run(); });
  EXPECT_NE(said.find("'conductivities' has none for the value 30"), std::string::npos) << said;
  auto const expect = [&](std::string const& setting, std::string const& words) {
    auto const complaint = a_case.complaint({"constant/percolationProperties:" + setting});
    EXPECT_NE(complaint.find(words), std::string::npos) << complaint << "\nexpected: " << words;
  };
  expect("conductivities=((1 -2))", "a conductivity of 0 or more");
  expect("conductivities=((1 2) (1 3))", "holds 1 twice");
  expect("conductivities=()", "is empty");
}

TEST(EffectiveConductivity, IsCheckedAsItRuns) {
  auto a_case = volume_case({1, 4, 1}, "conductivities ((10 1) (20 3));", "auto");
  a_case.write("constant/m.raw", std::string({10, 20, 10, 20}));
  EXPECT_EQ(a_case.complaint(), "");
  a_case.write("constant/m.raw", std::string({10, 20, 30, 10}));
  auto const said = a_case.complaint();
  EXPECT_NE(said.find("percolationProperties:1: entry 'conductivities' has none for the value 30"), std::string::npos)
      << said;
  // outside of the region nothing wants a conductivity
  auto const upto = [&](std::string const& y) {
    auto of_region = volume_case(
        {1, 4, 1}, "conductivities ((10 1) (20 3)); region { type box; from (0 0 0); to (1 " + y + " 1); }", "auto");
    of_region.write("constant/m.raw", std::string({10, 20, 30, 10}));
    return of_region.complaint();
  };
  EXPECT_EQ(upto("2"), "");
  EXPECT_NE(upto("3").find("has none for the value 30"), std::string::npos);

  PercolationCase numbers("input { type picture; file \"constant/m.raw:1x4x1:float32\"; level 1; occupied light; } "
                          "effectiveConductivity yes; conductivities ((0 1) (2 3)); interpolate yes;",
                          "");
  std::array<float, 4> const values{0, 1, std::numeric_limits<float>::quiet_NaN(), 2};
  numbers.write("constant/m.raw", std::string(reinterpret_cast<char const*>(values.data()), sizeof values));
  EXPECT_NE(numbers.complaint().find("has no conductivity for cells that are not a number"), std::string::npos);

  PercolationCase random("input { type random; probability 0.5; } effectiveConductivity yes; conductivities ((1 1));",
                         "cells (8 8 1);");
  EXPECT_NE(random.complaint().find("has none for the value 0"), std::string::npos);
  EXPECT_EQ(random.complaint({"constant/percolationProperties:input.probability=1"}), "");
}

// Islands of a phase that conducts 1e10 times as well as what lies between: the potential in them is known to fewer digits than
// the currents want, their dissipation is not.
TEST(EffectiveConductivity, IsFoundWherePhasesLieFarApart) {
  core::Grid::Shape const n{14, 12, 1};
  core::Random const random{3, 9};
  tests::Medium m(n);
  for (std::size_t c = 0; c < m.cells.size(); ++c) m.cells[c] = random.uniform(c) < 0.3;
  for (double const least : {1e-6, 1e-8, 1e-10}) {
    std::map<int, double> const s{{0, least}, {1, 1}};
    auto a_case = volume_case(
        n, fmt::format("conductivities ((0 {}) (1 1)); direction x; frame none; definition D2;", least), "(5 7 1)");
    write_volume(a_case, m);
    auto const report = a_case.run();
    double const found = report["results"]["effectiveConductivity"], expected = dense(m, s, 0, 4);
    EXPECT_NEAR(found, expected, 1e-5 * expected) << least;
    EXPECT_EQ(report["solvers"]["potential"]["solver"], "elimination");
    // the stencil has them, too
    a_case.write("system/fvSolution",
                 "solvers { effectiveConductivity { solver PCG; preconditioner DIC; maxIter 9999; } }");
    double const by_stencil = a_case.run()["results"]["effectiveConductivity"];
    EXPECT_NEAR(by_stencil, expected, 1e-5 * expected) << least;
  }
  auto too_far = volume_case(n, "conductivities ((0 1e-17) (1 1)); direction x; frame none; definition D2;", "(5 7 1)");
  write_volume(too_far, m);
  EXPECT_NE(fault(too_far).find("lie too far apart"), std::string::npos) << fault(too_far);
}

TEST(EffectiveConductivity, TakesTheSolverOfItsName) {
  PercolationCase a_case(
      "input { type random; probability 0.5; } effectiveConductivity yes; conductivities ((0 0.1) (1 3)); ",
      "cells (32 24 1);");
  auto const solver = [&](std::string const& name, std::string const& text) {
    a_case.write("system/fvSolution", "solvers { " + name + " { " + text + " } }\n");
  };
  double const expected = a_case.run()["results"]["effectiveConductivity"];
  solver("effectiveConductivity", "solver PCG; preconditioner diagonal; tolerance 1e-9; maxIter 5000;");
  auto const report = a_case.run();
  EXPECT_EQ(report["solvers"]["potential"]["preconditioner"], "diagonal");
  EXPECT_NEAR(report["results"]["effectiveConductivity"].get<double>(), expected, 1e-6 * expected);
  solver("effectiveConductivity", "solver PCG; preconditioner DIC; maxIter 2;");
  EXPECT_NE(fault(a_case).find("did not converge in 2 iterations"), std::string::npos) << fault(a_case);
  EXPECT_NE(fault(a_case).find("raise maxIter of solvers.effectiveConductivity in system/fvSolution"),
            std::string::npos);
  solver("effectiveConductivity", "solver PGC;");
  EXPECT_NE(a_case.complaint().find("fvSolution:1: unknown solver 'PGC'; did you mean 'PCG'"), std::string::npos);
  solver("potential", "solver PCG; preconditioner DIC;");
  EXPECT_NE(a_case.complaint().find("that of effectiveConductivity has its name"), std::string::npos);
}
