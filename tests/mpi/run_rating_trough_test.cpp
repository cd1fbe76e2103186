// SPDX-License-Identifier: Apache-2.0
// Cables in troughs against formulas and CIGRE TB 880, on any ranks.
#include "run/models/rating/site.hpp"
#include "tests/support/tb880.hpp"
#include "tests/support/written_case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tessera::tests::trough_ratings {
namespace {

constexpr double pi = std::numbers::pi;

std::string const control = "application cableRating; writeControl none;";

std::string const types = "types {" + tb880_cable + R"(
flat { conductor { diameter 0.03; material flat; R20 2.83e-5; } layers ( { name insulation; thickness 0.015; material PE; } ); }
}
materials { flat { resistivity 0.002604166; rho20 1.7241e-8; } }
)";
nlohmann::ordered_json rated(std::string const& cables) {
  return WrittenCase({{"system/controlDict", control}, {"constant/cables", types + cables}}).run()["results"];
}

/// CIGRE TB 880, case 0-5: the cables of case 0-1 side by side in a trough, 2 * 0.36 + 0.55 m of whose perimeter lead
/// heat away, in air of 25 C, h = 0.62 / De^0.25 + 1.95: 765.8 A.
TEST(CableTrough, CarriesWhatTB880Says) {
  auto const results = rated(R"(
ambient 25; troughs { culvert { box ((-0.275 -0.36) (0.275 0)); } }
circuits { line { type C; positions ((-0.0755 -0.18) (0 -0.18) (0.0755 -0.18)); trough { name culvert; arrangement touching; }
                  current rated; } })");
  EXPECT_NEAR(results["troughs"]["culvert"]["perimeter"].get<double>(), 2 * 0.36 + 0.55, 1e-12);
  EXPECT_NEAR(results["circuits"]["line"]["current"].get<double>(), 765.8, 0.005 * 765.8);
  EXPECT_NEAR(results["circuits"]["line"]["temperature"].get<double>(), 90, 1e-6);
}

/// One whose resistance does not rise with its temperature: the air is W / 3 p hotter than that above, the surface (W /
/// pi De h)^(4/5) hotter than the air, the conductor W (rho / 2 pi ln(R / r) + rho_c / 8 pi) hotter than the surface.
TEST(CableTrough, FollowsTheFormulasForACableAlone) {
  for (double const current : {300.0, 900.0}) {
    auto const results = rated(fmt::format(R"(
ambient 10; troughs {{ culvert {{ box ((-0.2 -0.3) (0.2 0)); perimeter 0.8; ambient 30; }} }}
circuits {{ a {{ type flat; positions ((0 -0.2)); frequency 0; current {}; trough {{ name culvert; arrangement single; }} }} }})",
                                           current));
    double const watts = current * current * 2.83e-5, de = 0.06, h = 0.21 / std::pow(de, 0.6) + 3.94;
    double const air = 30 + watts / (3 * 0.8);
    double surface = air + 1;  // W = (Ts - air) / T4, T4 = 1 / (pi De h (Ts - air)^(1/4))
    for (int n = 0; n < 100; ++n) surface = air + watts / (pi * de * h * std::pow(surface - air, 0.25));
    double const inside = 3.5 / (2 * pi) * std::log(2.0) + 0.002604166 / (8 * pi);
    auto const& cable = results["cables"]["a"];
    EXPECT_NEAR(cable["losses"].get<double>(), watts, 1e-9);
    EXPECT_NEAR(results["troughs"]["culvert"]["losses"].get<double>(), watts, 1e-9);
    EXPECT_NEAR(results["troughs"]["culvert"]["air"].get<double>(), air, 1e-8);
    EXPECT_NEAR(cable["surface"].get<double>(), surface, 1e-7);
    EXPECT_NEAR(cable["conductor"].get<double>(), surface + watts * inside, 1e-7);
  }
}

/// The formulas inside of a cable are the field's: with heat in the conductor, in an insulation and in a thick sheath that leads heat
/// badly.
TEST(CableTrough, HasTheInsideThatCablesInTheGroundHave) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  std::string const cables = R"(
ambient 10; soil { resistivity 1; } materials { lossy { resistivity 3.5; permittivity 2.5; lossFactor 0.02; }
                                                poor { resistivity 1; rho20 2.8e-8; } }
types { C { conductor { diameter 0.03; material copper; R20 2.83e-5; }
            layers ( { name insulation; thickness 0.015; material lossy; } { name sheath; thickness 0.01; material poor; lossFactor 0.5; }
                     { name oversheath; thickness 0.005; material PE; } );
            voltage 132e3; } }
circuits { a { type C; positions ((0 -1.2)); current 900; } } mesh { cells 100000; })";
  auto in = core::Dictionary::parse(cables, "cables");
  run::rating::Site const site(in);
  auto const cable =
      WrittenCase({{"system/controlDict", control}, {"constant/cables", cables}}).run()["results"]["cables"]["a"];
  double const dielectric = cable["dielectricLoss"], sheath = cable["metalLoss"][0], surface = cable["surface"];
  EXPECT_GT(dielectric, 5);
  EXPECT_GT(sheath, 10);
  auto const inside =
      run::rating::over_surface(site.types[0], cable["conductorLoss"].get<double>(), dielectric, {sheath});
  EXPECT_NEAR(cable["conductor"].get<double>() - surface, inside.conductor, 1e-3 * inside.conductor);
  EXPECT_NEAR(cable["metal"][0].get<double>() - surface, inside.metal[0], 2e-3 * inside.metal[0]);
}

std::string const in_ground =
    "buried { type C; positions ((3 -1) (3.0755 -1) (3.151 -1)); frequency 16.7; current rated; }";
std::string const shared = R"(
troughs { culvert { box ((-0.3 -0.4) (0.3 0)); } }
circuits {
    line { type C; positions ((-0.2 -0.3) (-0.1 -0.3) (0 -0.3)); trough { name culvert; arrangement touching; } current rated; }
    rail { type flat; positions ((0.2 -0.3)); frequency 0; current 900; trough { name culvert; arrangement single; } }
    )";
std::string const ground = "ambient 20; soil { resistivity 1; } mesh { finest 0.0025; growth 0.15; far 30; }";

/// The air has the heat of all; a circuit in the ground is rated as without them; all bits are those of one rank.
TEST(CableTrough, IsSharedByCircuitsBesideThoseInTheGround) {
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", types + ground + shared + in_ground + "}"}});
  auto const report = c.run({"system/controlDict:writeControl=timeStep"});
  auto const& results = report["results"];
  double watts = 0;
  for (char const* cable : {"line-1", "line-2", "line-3", "rail"})
    watts += results["cables"][cable]["losses"].get<double>();
  double const air = results["troughs"]["culvert"]["air"];
  EXPECT_NEAR(air, 20 + watts / (3 * 1.4), 1e-7);
  EXPECT_NEAR(results["circuits"]["line"]["temperature"].get<double>(), 90, 1e-6);
  EXPECT_EQ(results["circuits"]["rail"]["current"].get<double>(), 900);
  for (auto const& [cable, de, h] : {std::tuple{"line-2", 0.0755, 0.62 / std::pow(0.0755, 0.25) + 1.95},
                                     {"rail", 0.06, 0.21 / std::pow(0.06, 0.6) + 3.94}}) {
    double const rise = results["cables"][cable]["surface"].get<double>() - air;
    EXPECT_NEAR(results["cables"][cable]["losses"].get<double>(), pi * de * h * std::pow(rise, 1.25), 1e-6) << cable;
  }
  double buried = 0;
  for (char const* cable : {"buried-1", "buried-2", "buried-3"})
    buried += results["cables"][cable]["losses"].get<double>();
  EXPECT_NEAR(results["balance"]["produced"].get<double>(), buried, 1e-4 * buried);
  if (core::Comm().root()) {
    auto const page = c.read("results/rating.html");
    for (char const* text : {"<h2>Troughs</h2>", "<td>by formulas</td>", ">Trough culvert: air at ", ">Isotherms<"})
      EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  auto const alone = c.run_alone();
  EXPECT_EQ(alone["hash"], report["hash"]);
  EXPECT_EQ(alone["results"], results);
  WrittenCase without(
      {{"system/controlDict", control}, {"constant/cables", types + ground + "circuits {" + in_ground + "}"}});
  EXPECT_NEAR(without.run()["results"]["circuits"]["buried"]["current"].get<double>(),
              results["circuits"]["buried"]["current"].get<double>(), 1e-6);
}

/// Loads that change are those of circuits in the ground; troughs keep their steady state.
TEST(CableTrough, KeepsItsStateWhileLoadsInTheGroundChange) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  std::string buried = in_ground;
  buried.insert(buried.rfind('}'), "load (0.3 0.5 1 0.6);");
  auto const results = rated(ground + shared + buried + "} emergency { circuit buried; current 1400; limit 105; }");
  EXPECT_NEAR(results["daily"]["line"]["highest"].get<double>(), 90, 1e-3);
  EXPECT_NEAR(results["daily"]["line"]["factor"].get<double>(), 1, 1e-6);
  EXPECT_GT(results["daily"]["buried"]["factor"].get<double>(), 1.05);
  EXPECT_NEAR(results["emergency"]["temperature"].get<double>(), 105, 1e-4);
}

TEST(CableTrough, RefusesWhatItCannotRate) {
  auto const said = [](std::string const& trough, std::string const& placing, std::string const& more = "") {
    std::string circuits =
        "circuits { a { type C; positions ((-0.0755 -0.18) (0 -0.18) (0.0755 -0.18)); current 100; trough {" + placing +
        "} } }";
    return WrittenCase({{"system/controlDict", control},
                        {"constant/cables", types + "ambient 20; troughs { t {" + trough + "} }" + circuits + more}})
        .complaint();
  };
  std::string const box = "box ((-0.3 -0.36) (0.3 0));", lies = "name t; arrangement touching;";
  EXPECT_EQ(said(box, lies), "");
  EXPECT_EQ(said(box, "name t; Z 0.62; E 1.95; g 0.25;"), "");
  struct Wrong {
    std::string trough, placing, more, words;
  };
  for (auto const& w :
       {Wrong{"box ((-0.3 -0.4) (0.3 -0.1));", lies, "", "its cover is level with the surface"},
        {box + "perimeter 0;", lies, "", "perimeter"},
        {"box ((-0.1 -0.36) (0.3 0));", lies, "", "put cable a-1 not wholly into trough t"},
        {box, "name u; arrangement touching;", "", "unknown trough 'u'; valid: t"},
        {box, "name t;", "", "expected arrangement, or Z, E and g"},
        {box, "name t; arrangement loose;", "", "single touching trefoil vertical verticalSpaced wall wallTrefoil"},
        {box, "name t; arrangement trefoil;", "", "three cables in trefoil"},
        {box, "name t; arrangement single;", "", "1.75 diameters or more"},
        {box, lies + "Z 0.5;", "", "none beside arrangement"},
        {box, "name t; Z 0.62; E 1.95;", "", "'g'"},
        {box, "name t; Z 0; E 0; g 0.25;", "", "gives off no heat"},
        {box, lies, "soil { resistivity 1; }", "all circuits lie in troughs"},
        {box, lies, "sensitivity yes;", "no trough beside it"},
        {box, lies, "emergency { circuit a; current 900; }", "expected one in the ground"}}) {
    auto const text = said(w.trough, w.placing, w.more);
    EXPECT_NE(text.find(w.words), std::string::npos) << w.words << " in " << text;
    EXPECT_NE(text.find("constant/cables:"), std::string::npos) << text;  // file and line
  }
  auto const misspelt =
      WrittenCase({{"system/controlDict", control},
                   {"constant/cables", types + "ambient 20; trougs { t {" + box +
                                           "} } circuits { a { type C; positions ((0 -0.18)); current 100; trough {" +
                                           lies + "} } }"}})
          .complaint();
  EXPECT_NE(misspelt.find("entry 'troughs' is missing; is 'trougs' meant?"), std::string::npos) << misspelt;
  auto const circuit = [](std::string const& words) {
    return WrittenCase({{"system/controlDict", control},
                        {"constant/cables",
                         types +
                             "ambient 20; soil { resistivity 1; } troughs { t { box ((-0.3 -0.36) (0.3 0)); } }"
                             "circuits { a { type flat; frequency 0; current 100; " +
                             words + "} }"}})
        .complaint();
  };
  for (auto const& [words, expected] :
       {std::pair{"positions ((0 -0.2)); trough { name t; arrangement single; } load (0.5 1);", "none beside trough"},
        {"positions ((0 -0.2)); trough { name t; arrangement single; } duct { inner 0.1; outer 0.12; material PE; }",
         "none beside duct"},
        {"positions ((0 -1));", "holds no circuit"}})
    EXPECT_NE(circuit(words).find(expected), std::string::npos) << circuit(words);
  EXPECT_NE(WrittenCase(
                {{"system/controlDict", control},
                 {"constant/cables", types + ground + shared + "a { type C; positions ((0.2 -0.1)); current 100; } }"}})
                .complaint()
                .find("put cable a into trough culvert"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::tests::trough_ratings
