// SPDX-License-Identifier: Apache-2.0
// Cables in the ground against formulas and worked examples, on any ranks.
#include "run/models/rating/circuits.hpp"
#include "tests/support/tb880.hpp"
#include "tests/support/written_case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tessera::tests {
namespace {

constexpr double pi = std::numbers::pi;

std::string const control = "application cableRating; writeControl none;";

std::string const tb880 = "ambient 20; soil { resistivity 1; } types {" + tb880_cable + "}";
std::string const line = "circuits { line { type C; positions ((-0.03775 -1.021795) (0.03775 -1.021795) (0 "
                         "-0.956410)); current rated; %s } }";

std::string with(std::string text, std::string const& words) { return text.replace(text.find("%s"), 2, words); }

/// CIGRE TB 880, case 0-1 and its variants 4.6.3 and 4.6.4. The standard takes the ground outside of three touching cables by
/// a formula and their oversheaths by the factor 1.6; the field shows 0.4 % less current.
TEST(CableRating, CarriesWhatTB880SaysWithinOnePercent) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  struct Variant {
    char const* words;
    double current;
  };
  for (auto const& v : {Variant{"bonding bothEnds;", 821.7763}, Variant{"bonding oneEnd;", 886.17},
                        Variant{"bonding bothEnds; eddies yes;", 803.1596}}) {
    WrittenCase c({{"system/controlDict", control}, {"constant/cables", tb880 + with(line, v.words)}});
    auto const report = c.run();
    auto const& circuit = report["results"]["circuits"]["line"];
    EXPECT_NEAR(circuit["current"].get<double>(), v.current, 0.005 * v.current) << v.words;
    EXPECT_NEAR(circuit["temperature"].get<double>(), 90, 1e-6);
    EXPECT_NEAR(report["results"]["balance"]["error"].get<double>(), 0,
                1e-4 * report["results"]["balance"]["produced"].get<double>());
  }
}

/// A conductor in its insulation, alone, r and R, h deep in ground of resistivity 1: the conductor's rise is
///   W (rho_i / 2 pi ln(R / r) + 1 / 2 pi acosh(h / R))  where the cable's surface is an isotherm.
TEST(CableRating, FollowsKennellyForACableAlone) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  double const r = 0.015, outer = 0.03, h = 1.2, watts = 400.0 * 400 * 2.83e-5;
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", R"(
ambient 10; soil { resistivity 1; } materials { flat { resistivity 0.002604166; rho20 1.7241e-8; } }
types { C { conductor { diameter 0.03; material flat; R20 2.83e-5; } layers ( { name insulation; thickness 0.015; material PE; } ); } }
circuits { a { type C; positions ((0 -1.2)); frequency 0; current 400; } }
mesh { cells 60000; far 300; }
)"}});
  auto const results = c.run()["results"];
  auto const& cable = results["cables"]["a"];
  double const t1 = 3.5 / (2 * pi) * std::log(outer / r), t4 = std::acosh(h / outer) / (2 * pi);
  EXPECT_NEAR(cable["conductorLoss"].get<double>(), watts, 1e-9);  // its resistance does not rise with the temperature
  EXPECT_NEAR(cable["conductor"].get<double>() - 10, watts * (t1 + t4), 5e-4 * watts * (t1 + t4));
  EXPECT_NEAR(cable["surface"].get<double>() - 10, watts * t4, 2e-3 * watts * t4);
  EXPECT_LT(results["circuits"]["a"]["estimatedError"].get<double>(), 0.01);
}

/// The same in a duct from 0.1 to 0.12 m: the ground begins at the duct, and between the two lies the air of IEC 60287-2-1, 4.2.7.2,
///   W U / (1 + 0.1 (V + Y theta) De),   theta: the mean temperature of the air.
TEST(CableRating, HasTheAirOfADuctAtItsTemperature) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  double const h = 1.2;
  for (double const current : {100.0, 700.0}) {
    double const watts = current * current * 2.83e-5;
    WrittenCase c({{"system/controlDict", control},
                   {"constant/cables", fmt::format(R"(
ambient 10; soil {{ resistivity 1; }} materials {{ flat {{ resistivity 0.002604166; rho20 1.7241e-8; }} }}
types {{ C {{ conductor {{ diameter 0.03; material flat; R20 2.83e-5; }} layers ( {{ name insulation; thickness 0.015; material PE; }} ); }} }}
circuits {{ a {{ type C; positions ((0 -1.2)); frequency 0; current {}; duct {{ inner 0.1; outer 0.12; material PE; air earthenware; }} }} }}
mesh {{ cells 100000; far 300; }}
)",
                                                   current)}});
    auto const results = c.run()["results"];
    auto const& cable = results["cables"]["a"];
    double const outside = 10 + watts * std::acosh(h / 0.06) / (2 * pi),
                 inside = outside + watts * 3.5 / (2 * pi) * std::log(1.2);
    double surface = inside;
    for (int n = 0; n < 100; ++n)
      surface = inside + watts * 1.87 / (1 + 0.1 * (0.28 + 0.0036 * (inside + surface) / 2) * 60);
    double const conductor = surface + watts * 3.5 / (2 * pi) * std::log(2.0);
    EXPECT_NEAR(cable["duct"].get<double>(), outside, 2e-3 * (outside - 10)) << current;
    EXPECT_NEAR(cable["surface"].get<double>(), surface, 1e-3 * (surface - 10)) << current;
    EXPECT_NEAR(cable["conductor"].get<double>(), conductor, 1e-3 * (conductor - 10)) << current;
  }
}

/// CIGRE TB 880, case 0-2: each cable in a duct, which touch in trefoil, 682.8 A (679.8 A with eddy currents). It takes the ducts as
/// lines of heat in soil that fills everything. The air in a duct keeps the others' heat from passing through, which brings
/// (R / s)^2 more resistance: 7 % of that of the ground where they touch, 2.3 % less current.
TEST(CableRating, CarriesInDuctsThatTouchLessThanTB880Says) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  for (auto const& [words, current] : {std::pair{"", 682.8145}, {"eddies yes;", 679.8410}}) {
    WrittenCase c({{"system/controlDict", control},
                   {"constant/cables", tb880 + fmt::format("circuits {{ line {{ type C; positions ((-0.07 -1.040415) "
                                                           "(0.07 -1.040415) (0 -0.919171)); current rated; {} "
                                                           "duct {{ inner 0.1194; outer 0.140; material PE; }} }} }}",
                                                           words)}});
    auto const report = c.run();
    EXPECT_NEAR(report["results"]["circuits"]["line"]["current"].get<double>(), 0.977 * current, 0.003 * current)
        << words;
    EXPECT_NEAR(report["results"]["balance"]["error"].get<double>(), 0,
                1e-4 * report["results"]["balance"]["produced"].get<double>());
  }
}

/// Ten radii apart they are such lines.
TEST(CableRating, HeatsNeighboursInDuctsByImages) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  double const s = 0.7, h[] = {1 + s / std::sqrt(12), 1 + s / std::sqrt(12), 1 - s / std::sqrt(3)},
               x[] = {-s / 2, s / 2, 0};
  WrittenCase c({{"system/controlDict", control},
                 {"constant/cables",
                  tb880 + fmt::format("circuits {{ line {{ type C; positions (({} {}) ({} {}) ({} {})); "
                                      "current rated; duct {{ inner 0.1194; outer 0.140; material PE; }} }} }}",
                                      x[0], -h[0], x[1], -h[1], x[2], -h[2])}});
  auto const cables = c.run()["results"]["cables"];
  for (int i = 0; i < 3; ++i) {
    auto const& cable = cables[fmt::format("line-{}", i + 1)];
    double rise = cable["losses"].get<double>() * std::log(2 * h[i] / 0.07);
    for (int j = 0; j < 3; ++j)
      if (j != i)
        rise += cables[fmt::format("line-{}", j + 1)]["losses"].get<double>() *
                std::log(std::hypot(x[i] - x[j], h[i] + h[j]) / std::hypot(x[i] - x[j], h[i] - h[j]));
    rise /= 2 * pi;
    EXPECT_NEAR(cable["duct"].get<double>() - 20, rise, 0.005 * rise) << i;
  }
}

/// Two zones (IEC 60287-1-1, 1.4.2): with U = integral of lambda dT the ground is one again, so that a cable alone is hotter by
///   W (T1 + v T4) - (v - 1) dTx,   v: dry over wet resistivity, dTx: the rise above which soil is dry,
/// and the isotherm is the circle of Apollonius of the line source and its image.
TEST(CableRating, FollowsTheTwoZoneFormulaWhereSoilDries) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  double const r = 0.015, outer = 0.03, h = 1.2, v = 2.5, rise = 25, watts = 1500.0 * 1500 * 2.83e-5;
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", R"(
ambient 10; soil { resistivity 1; dryResistivity 2.5; } dryAbove 35; materials { flat { resistivity 0.002604166; rho20 1.7241e-8; } }
types { C { conductor { diameter 0.03; material flat; R20 2.83e-5; } layers ( { name insulation; thickness 0.015; material PE; } ); } }
circuits { a { type C; positions ((0 -1.2)); frequency 0; current 1500; } }
mesh { cells 60000; far 300; }
)"}});
  auto const results = c.run()["results"];
  double const t1 = 3.5 / (2 * pi) * std::log(outer / r), t4 = std::acosh(h / outer) / (2 * pi);
  double const expected = watts * (t1 + v * t4) - (v - 1) * rise;
  EXPECT_NEAR(results["cables"]["a"]["conductor"].get<double>() - 10, expected, 1e-3 * expected);
  double const k = std::exp(2 * pi * rise / watts), image = std::sqrt(h * h - outer * outer);
  double const radius = 2 * image * k / (k * k - 1), area = pi * (radius * radius - outer * outer);
  EXPECT_NEAR(results["dryArea"].get<double>(), area, 0.02 * area);
  EXPECT_NEAR(results["balance"]["error"].get<double>(), 0, 1e-4 * watts);
}

/// The same by the current that the limit allows.
TEST(CableRating, FindsTheCurrentThatDriesTheGround) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", R"(
ambient 10; soil { resistivity 1; dryResistivity 2.5; } dryAbove 35; materials { flat { resistivity 0.002604166; rho20 1.7241e-8; } }
types { C { conductor { diameter 0.03; material flat; R20 2.83e-5; } layers ( { name insulation; thickness 0.015; material PE; } ); limit 80; } }
circuits { a { type C; positions ((0 -1.2)); frequency 0; current rated; } }
mesh { cells 60000; far 300; }
)"}});
  auto const report = c.run();
  double const t1 = 3.5 / (2 * pi) * std::log(2.0), t4 = std::acosh(1.2 / 0.03) / (2 * pi);
  double const watts = (70 + 1.5 * 25) / (t1 + 2.5 * t4), expected = std::sqrt(watts / 2.83e-5);
  EXPECT_NEAR(report["results"]["circuits"]["a"]["current"].get<double>(), expected, 1e-3 * expected);
  EXPECT_EQ(c.run_alone()["hash"], report["hash"]);
}

/// Mutual heating of cables far from each other: rho / 2 pi ln(d' / d) by images.
TEST(CableRating, HeatsNeighboursByImages) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", R"(
ambient 0; soil { resistivity 1.2; } materials { flat { resistivity 0.0026; rho20 1.7241e-8; } }
types { C { conductor { diameter 0.03; material flat; R20 2.83e-5; } layers ( { name insulation; thickness 0.005; material PE; } ); } }
circuits { hot { type C; positions ((0 -1)); frequency 0; current 1000; }
           cold { type C; positions ((0.5 -1.3)); frequency 0; current 0; } }
mesh { cells 60000; far 300; }
)"}});
  auto const results = c.run()["results"];
  double const expected = 28.3 * 1.2 / (2 * pi) * std::log(std::hypot(0.5, 2.3) / std::hypot(0.5, 0.3));
  EXPECT_NEAR(results["cables"]["cold"]["conductor"].get<double>(), expected, 3e-3 * expected);
  EXPECT_EQ(results["cables"]["cold"]["conductorLoss"].get<double>(), 0);
}

/// Each of several circuits is at its own limit, a given current stays, and all bits are those of one rank.
TEST(CableRating, RatesSeveralCircuitsTogetherWithTheSameBitsOnAnyRanks) {
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", R"(
ambient 15; soil { resistivity 1; } surface { type convective; h 12; }
beds { fill { box ((-0.4 -1.3) (0.5 -0.6)); resistivity 0.6; } }
types { C { conductor { diameter 0.02; material aluminium; area 240e-6; }
            layers ( { name insulation; thickness 0.006; material XLPE; } { name screen; thickness 0.002; material lead; }
                     { name jacket; thickness 0.003; material PVC; } ); limit 80; } }
circuits { flat { type C; positions ((-0.1 -1) (0 -1) (0.1 -1)); current rated; }
           other { type C; positions ((0.3 -0.8)); frequency 0; current rated; limit 60; }
           given { type C; positions ((1.2 -1) (1.4 -1) (1.6 -1)); bonding oneEnd; current 250; } }
mesh { finest 0.0025; growth 0.15; far 30; } sensitivity yes;)"}});
  auto const report = c.run({"system/controlDict:writeControl=timeStep"});
  auto const& circuits = report["results"]["circuits"];
  EXPECT_NEAR(circuits["flat"]["temperature"].get<double>(), 80, 1e-6);
  EXPECT_NEAR(circuits["other"]["temperature"].get<double>(), 60, 1e-6);
  EXPECT_EQ(circuits["given"]["current"].get<double>(), 250);
  EXPECT_EQ(circuits["flat"]["hottest"], "flat-2");
  if (core::Comm().root()) {
    auto const page = c.read("results/rating.html");
    for (char const* text : {"<td>flat-2</td>", "<td class=\"why\">given (given)</td>", ">Isotherms<", ">The cables<",
                             "<h2>What the ground brings</h2>", "</html>"})
      EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  auto const one = c.run_alone();
  EXPECT_EQ(one["hash"], report["hash"]);
  EXPECT_EQ(one["results"]["circuits"], circuits);
  EXPECT_EQ(one["results"]["sensitivity"], report["results"]["sensitivity"]);
}

std::string const two_circuits = R"(
ambient %a; soil { resistivity %s; } surface { type convective; h 12; } sensitivity %w;
beds { fill { box ((%l %b) (%r %t)); resistivity %f; } }
types { C { conductor { diameter 0.02; material aluminium; area 240e-6; }
            layers ( { name insulation; thickness 0.006; material XLPE; } { name screen; thickness 0.002; material lead; }
                     { name jacket; thickness 0.003; material PVC; } ); limit 80; } }
circuits { flat { type C; positions ((%1 %y) (%2 %y) (%3 %y)); current rated; }
           given { type C; positions ((%4 %z)); frequency 0; current 350; } }
mesh { finest 0.00125; growth 0.1; far 30; })";

struct Ground {
  double ambient = 15, soil = 1, fill = 0.6, depth = 0, gap = 0;
  bool sensitivity = false;
  std::string cables() const {
    std::string text = two_circuits;
    auto const put = [&](char name, double x) {
      std::string const key{'%', name};
      for (auto at = text.find(key); at != std::string::npos; at = text.find(key))
        text.replace(at, 2, fmt::format("{:.17g}", x));
    };
    put('a', ambient), put('s', soil), put('f', fill), put('y', -1 - depth), put('z', -0.9 - depth);
    put('1', -0.1), put('2', gap), put('3', 0.1 + 2 * gap), put('4', 0.45 + 3 * gap);
    put('l', -0.4), put('r', 0.6 + 3 * gap), put('b', -1.3 - depth), put('t', -0.6 - depth);
    return text.replace(text.find("%w"), 2, sensitivity ? "yes" : "no");
  }
  nlohmann::ordered_json rated() const {
    return WrittenCase(
               {{"system/controlDict", control},
                {"constant/cables", cables()},
                {"system/fvSolution", "solvers { T { solver PCG; preconditioner multigrid; tolerance 1e-11; } }"}})
        .run();
  }
  /// The current that is sought, and the temperature at the one that is given.
  std::array<double, 2> answers() const {
    auto const circuits = rated()["results"]["circuits"];
    return {circuits["flat"]["current"], circuits["given"]["temperature"]};
  }
};

/// Against differences of whole ratings; where cables move the mesh is another, too.
TEST(CableRating, TellsWhatTheGroundBrings) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  Ground asked;
  asked.sensitivity = true;
  auto const told = asked.rated()["results"]["sensitivity"];
  auto const differ = [](double Ground::*what, double step) {
    Ground up, down;
    up.*what += step;
    down.*what -= step;
    auto const more = up.answers(), less = down.answers();
    return std::array{(more[0] - less[0]) / (2 * step), (more[1] - less[1]) / (2 * step)};
  };
  auto const expect = [](double said, double difference, double tolerance) {
    EXPECT_NEAR(said, difference, tolerance * std::abs(difference));
  };
  std::array const soil = differ(&Ground::soil, 0.01), fill = differ(&Ground::fill, 0.006),
                   ambient = differ(&Ground::ambient, 0.1), depth = differ(&Ground::depth, 0.1),
                   gap = differ(&Ground::gap, 0.01);
  int n = 0;
  for (char const* name : {"flat", "given"}) {
    auto const& of = told[name];
    auto const at = static_cast<std::size_t>(n++);
    expect(of["soil"], soil[at], 1e-4);
    expect(of["beds"]["fill"], fill[at], 1e-4);
    expect(of["ambient"], ambient[at], 1e-4);
    expect(of["depth"], depth[at], 0.01);
    expect(of["spacing"], gap[at], 0.03);
  }
  EXPECT_EQ(told["flat"]["unit"], "A");
  EXPECT_EQ(told["given"]["unit"], "K");
}

TEST(CableRating, RefusesHalfOfADryingSoil) {
  auto const said = [](std::string const& soil) -> std::string {
    auto text = tb880 + with(line, "");
    text.replace(text.find("soil { resistivity 1; }"), 23, soil);
    WrittenCase c({{"system/controlDict", control}, {"constant/cables", text}});
    try {
      c.run();
    } catch (std::exception const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(said("soil { resistivity 1; dryResistivity 2; }").find("dryAbove"), std::string::npos);
  EXPECT_NE(said("soil { resistivity 1; } dryAbove 50;").find("dryResistivity"), std::string::npos);
  EXPECT_NE(said("soil { resistivity 1; dryResistivity 0.5; } dryAbove 50;").find("dryResistivity"), std::string::npos);
  EXPECT_NE(said("soil { resistivity 1; dryResistivity 2; } dryAbove 50; sensitivity yes;").find("no dryAbove"),
            std::string::npos);
  EXPECT_NE(said("soil { resistivity 1; dryResistivity 2; } dryAbove 15;").find("above `ambient`"), std::string::npos);
}

TEST(CableRating, RefusesDuctsThatCannotBe) {
  auto const said = [](std::string const& duct, std::string const& more = "") -> std::string {
    WrittenCase c({{"system/controlDict", control},
                   {"constant/cables", tb880 + "circuits { a { type C; positions ((0 -1)); current rated; duct { " +
                                           duct + " } } }" + more}});
    try {
      c.run();
    } catch (std::exception const& error) {
      return error.what();
    }
    return "";
  };
  for (auto const& [duct, words] :
       {std::pair{"inner 0.07; outer 0.14; material PE;", "expected a diameter above 0.0755 m, that of the cable"},
        {"inner 0.12; outer 0.11; material PE;", "expected a diameter above 0.12 m, the inner one"},
        {"inner 0.12; outer 0.14; material steel;", "expected none that is a metal"},
        {"inner 0.12; outer 0.14; material PE; air wet;", "plastic earthenware fibre"}})
    EXPECT_NE(said(duct).find(words), std::string::npos) << said(duct);
  EXPECT_NE(said("inner 0.12; outer 0.14; material PE;", " sensitivity yes;").find("no duct beside it"),
            std::string::npos);
}

TEST(CableRating, SaysWhereThereIsNoAnswer) {
  auto const said = [](std::string const& circuits) -> std::string {
    WrittenCase c({{"system/controlDict", control}, {"constant/cables", tb880 + circuits}, {"system/fvSolution", ""}});
    try {
      c.run({"constant/cables:mesh.cells=60000"});
    } catch (std::exception const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(said("circuits { a { type C; positions ((0 -1)); current 5000; } }").find("thermal runaway"),
            std::string::npos);
  EXPECT_NE(said("circuits { a { type C; positions ((0 -1)); current 1500; } b { type C; positions ((0.1 -1)); current "
                 "rated; limit 30; } }")
                .find(fmt::format("constant/cables:{}: circuit b has conductors at",
                                  1 + std::count(tb880.begin(), tb880.end(), '\n'))),
            std::string::npos);
  // a circuit that its neighbour at the limit warms beyond its own
  auto const none =
      said("circuits { a { type C; positions ((0 -1)); current rated; } b { type C; positions ((0.15 -1)); current "
           "rated; limit 30; } }");
  auto const line = 1 + std::count(tb880.begin(), tb880.end(), '\n');
  EXPECT_NE(none.find(fmt::format("constant/cables:{}: circuit b is at", line)), std::string::npos) << none;
  EXPECT_NE(none.find("without a current, beside circuits that carry"), std::string::npos) << none;
  // a forgotten name: both circuits would be one
  auto const twice = said("circuits { a { type C; positions ((0 -1)); current 300; }\na { type C; positions ((0.3 "
                          "-1)); current rated; } }");
  EXPECT_NE(twice.find("entry 'a' stands in line"), std::string::npos) << twice;
  auto const seconds = said("circuits { a { type C; positions ((0 -1)); current [0 0 1 0 0 0 0] 300; } }");
  EXPECT_NE(seconds.find("without dimensions"), std::string::npos) << seconds;
}

/// A factor for losses that alternating currents induce says nothing of direct ones.
TEST(CableRating, HasNoInducedLossesInDirectCurrents) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const results = [](std::string const& factor, std::string const& frequency) {
    WrittenCase c({{"system/controlDict", control},
                   {"constant/cables", R"(
ambient 10; soil { resistivity 1; }
types { C { conductor { diameter 0.03; material copper; R20 2.83e-5; }
            layers ( { name insulation; thickness 0.015; material PE; } { name sheath; thickness 0.001; material lead; )" +
                                           factor + R"( } ); } }
circuits { a { type C; positions ((0 -1.2)); current 400; frequency )" +
                                           frequency + R"(; } }
mesh { cells 60000; })"}});
    return c.run()["results"]["circuits"]["a"]["temperature"].get<double>();
  };
  EXPECT_EQ(results("lossFactor 0.5;", "0"), results("", "0"));
  EXPECT_GT(results("lossFactor 0.5;", "50"), results("", "50") + 1);
}

}  // namespace
}  // namespace tessera::tests
