// SPDX-License-Identifier: Apache-2.0
// Resistances between zones of cells: `contacts` of transportProperties.
#include "io/foam/fields.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/written_case.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <sstream>

namespace tessera::tests::heat_contacts {
namespace {

/// 2 m from x = 0 at 400 K to x = 2 at 300 K, of so many cells; zone `a` is the first metre, `b` the second.
std::map<std::string, std::string> slab(std::string const& cells, std::string const& materials,
                                        std::string const& scheme = "steadyState") {
  return {{"system/blockMeshDict",
           "vertices ((0 0 0) (2 0 0) (2 1 0) (0 1 0) (0 0 1) (2 0 1) (2 1 1) (0 1 1));\n"
           "blocks (hex (0 1 2 3 4 5 6 7) (" +
               cells +
               ") simpleGrading (1 1 1));\n"
               "boundary (hot { type patch; faces ((0 3 7 4)); } cold { type patch; faces ((1 2 6 5)); }\n"
               "rest { type wall; faces ((0 1 5 4) (3 2 6 7) (0 1 2 3) (4 5 6 7)); });\n"},
          {"system/controlDict",
           "application heatConduction; startFrom startTime; startTime 0; stopAt endTime; endTime 4; deltaT 1;\n"
           "writeControl timeStep; writeInterval 4; writeFormat ascii; writePrecision 12;\n"},
          {"system/fvSchemes",
           "ddtSchemes { default " + scheme + "; } laplacianSchemes { default Gauss harmonic orthogonal; }\n"},
          {"system/fvSolution",
           "mustConverge yes; solvers { T { solver PCG; preconditioner DIC; tolerance 1e-12; relTol 0; } }\n"},
          {"system/decomposeParDict", "method scotch;\ntile (3 2 2);\n"},
          {"system/topoSetDict",
           "actions ( { name a; type cellZoneSet; action new; source boxToCell; box (0 0 0) (1 1 1); }\n"
           "{ name b; type cellZoneSet; action new; source boxToCell; box (1 0 0) (2 1 1); }\n"
           "{ name c; type cellZoneSet; action new; source boxToCell; box (1.5 0 0) (2 1 1); }\n"
           "{ name d; type cellZoneSet; action new; source boxToCell; box (0.5 0 0) (1.5 1 1); } );\n"},
          {"constant/transportProperties", "lambda 2; rhoC 1000; " + materials},
          {"0/T",
           "FoamFile { version 2.0; format ascii; class volScalarField; object T; }\ndimensions [0 0 0 1 0 0 0];\n"
           "internalField uniform 350; boundaryField { hot { type fixedValue; value uniform 400; }\n"
           "cold { type fixedValue; value uniform 300; } rest { type zeroGradient; } }\n"}};
}

/// Of the last time.
std::vector<double> temperatures(WrittenCase const& c) {
  std::istringstream in(c.read("4/T"));
  std::string word;
  while (in >> word && word != "internalField") {
  }
  std::size_t count = 0;
  in >> word >> word >> count >> word;
  std::vector<double> values(count);
  for (double& t : values) in >> t;
  return values;
}

std::string contact(std::string const& words) {
  return "regions { b { cellZone b; lambda 0.5; } } contacts { gap { " + words + " } }";
}

/// q = 100 K / (1 m / 2 + R + 1 m / 0.5) W/m2, to the last digits in every cell, however materials meet.
TEST(HeatContacts, DivideASlabAsTheirResistanceDoes) {
  for (auto const& [words, resistance] : {std::pair{"between (a b); resistance 0.5;", 0.5},
                                          {"between (b a); thicknessLayers (0.01 0.02); kappaLayers (0.1 0.2);", 0.2}})
    for (char const* interfaces : {"", " interfaces exact;"}) {
      WrittenCase c(slab("8 2 2", contact(words) + interfaces));
      auto const report = c.run();
      double const q = 100 / (0.5 + resistance + 2);
      if (core::Comm().root()) {
        auto const t = temperatures(c);
        ASSERT_EQ(t.size(), 32U);
        for (std::size_t n = 0; n < t.size(); ++n) {
          double const x = 0.125 + 0.25 * static_cast<double>(n % 8);
          EXPECT_NEAR(t[n], x < 1 ? 400 - q * x / 2 : 300 + q * (2 - x) / 0.5, 1e-7) << x << interfaces;
        }
      }
      EXPECT_LT(std::abs(report["results"]["balance"]["largestRelativeError"].get<double>()), 1e-9);
    }
}

/// Where lambda = 0.005 T in the one half, integral of lambda dT = q L there, the jump is q R, and q L / lambda in the other.
TEST(HeatContacts, StandBesideConductivitiesThatDependOnT) {
  WrittenCase c(slab("80 1 1",
                     "regions { a { cellZone a; lambda polynomial ((0 0) (0.005 1)); } b { cellZone b; lambda 0.5; } } "
                     "contacts { gap { between (a b); resistance 0.3; } }"));
  c.run();
  auto const left = [](double q) { return std::sqrt(400.0 * 400 - 2 * q / 0.005); };  // at the contact
  double low = 0, high = 300;
  for (int n = 0; n < 100; ++n) {
    double const q = 0.5 * (low + high);
    (left(q) - 0.3 * q - q / 0.5 > 300 ? low : high) = q;
  }
  if (!core::Comm().root()) return;
  auto const t = temperatures(c);
  double const h = 2.0 / 80;
  EXPECT_NEAR(t[39], std::sqrt(400.0 * 400 - 2 * low * (1 - h / 2) / 0.005), 2e-3);
  EXPECT_NEAR(t[40], 300 + low * (1 - h / 2) / 0.5, 2e-3);
}

/// In time heat is kept, whatever solves, and all bits are those of one rank.
TEST(HeatContacts, HaveTheSameBitsOnAnyRanks) {
  WrittenCase c(
      slab("10 5 4",
           "regions { a { cellZone a; lambda polynomial ((0 0) (0.005 1)); } } contacts { gap { between (a b); "
           "resistance 0.3; } foil { between (b c); resistance 0.01; } }",
           "Euler"));
  auto const report = c.run();
  EXPECT_EQ(c.run_alone()["hash"], report["hash"]);
  EXPECT_LT(std::abs(report["results"]["balance"]["largestRelativeError"].get<double>()), 1e-8);
  double const mean = report["results"]["mean"];
  for (std::vector<std::string> const& solver :
       {std::vector<std::string>{"system/fvSolution:solvers.T.preconditioner=multigrid"},
        {"system/fvSolution:solvers.T.solver=PBiCGStab"}})
    EXPECT_NEAR(c.run(solver)["results"]["mean"].get<double>(), mean, 1e-6) << solver.front();
}

/// 30 W/m in a cable of 0.02 m radius in the middle of a square: a contact round the conductor makes it W R / 2 pi r
/// hotter. Cells that are cut find that; those of a staircase have 4 / pi times the circumference.
TEST(HeatContacts, LieRoundACableThatCutsCells) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const hottest = [](int cells, std::string const& properties, std::string const& tile = "") {
    auto files = slab("1 1 1", "interfaces exact;" + properties);
    files["constant/transportProperties"] =
        properties +
        " lambda 1; rhoC 1; regions { insulation { cellZone insulation; lambda 0.286; } conductor { cellZone "
        "conductor; lambda 384; } }";
    files["system/blockMeshDict"] = fmt::format(
        "vertices ((0 0 0) (0.2 0 0) (0.2 0.2 0) (0 0.2 0) (0 0 1) (0.2 0 1) (0.2 0.2 1) (0 0.2 1));\n"
        "blocks (hex (0 1 2 3 4 5 6 7) ({0} {0} 1) simpleGrading (1 1 1));\nboundary (cold {{ type patch; faces "
        "((0 3 7 4) (1 2 6 5) (0 1 5 4) (3 2 6 7)); }} rest {{ type empty; faces ((0 1 2 3) (4 5 6 7)); }});\n",
        cells);
    files["system/topoSetDict"] = "actions ( { name insulation; type cellZoneSet; action new; source cylinderToCell; "
                                  "p1 (0.103 0.1 -1); p2 (0.103 0.1 "
                                  "2); radius 0.045; }\n{ name conductor; type cellZoneSet; action new; source "
                                  "cylinderToCell; p1 (0.103 0.1 -1); p2 "
                                  "(0.103 0.1 2); radius 0.02; } );";
    files["system/fvOptions"] = "heat { type scalarSemiImplicitSource; selectionMode cellZone; cellZone conductor; "
                                "volumeMode absolute; sources { T { "
                                "explicit 30; implicit 0; } } }";
    files["system/fvSolution"] = "solvers { T { solver PCG; preconditioner multigrid; tolerance 1e-10; relTol 0; } }";
    files["system/decomposeParDict"] = "method scotch;" + tile;
    auto& t = files["0/T"];
    t = t.substr(0, t.find("hot {")) + "cold { type fixedValue; value uniform 300; } rest { type empty; } }";
    return WrittenCase(files).run()["results"]["max"].get<double>();
  };
  std::string const gap = " contacts { gap { between (conductor insulation); resistance 0.05; } }";
  double const expected = 30 * 0.05 / (2 * std::numbers::pi * 0.02);
  double error[2];
  for (int n = 0; n < 2; ++n) {
    int const cells = n == 0 ? 50 : 100;
    error[n] = hottest(cells, "interfaces exact;" + gap) - hottest(cells, "interfaces exact;") - expected;
  }
  EXPECT_NEAR(error[0], 0, 0.01 * expected);
  EXPECT_NEAR(error[1], 0, 0.006 * expected);
  // heat of cut cells stays on its side of the contact, wherever tiles lie in memory
  double const whole = hottest(50, "interfaces exact;" + gap);
  for (char const* tile : {"tile (5 3 1);", "tile (50 1 1);", "tile (3 50 1);"})
    EXPECT_NEAR(hottest(50, "interfaces exact;" + gap, tile), whole, 1e-7) << tile;
  EXPECT_NEAR(hottest(100, gap) - hottest(100, ""), expected * std::numbers::pi / 4, 0.05 * expected);
}

TEST(HeatContacts, RefuseWhatIsNone) {
  struct Wrong {
    std::string contact, words;
  };
  for (auto const& w :
       {Wrong{"between (a e); resistance 1;", "unknown cellZone 'e'"},
        {"between (a); resistance 1;", "expected two cellZones"},
        {"between (a a); resistance 1;", "expected two cellZones"},
        {"between (a c); resistance 1;", "do not touch"},
        {"between (a d); resistance 1;", "share"},
        {"between (a b); resistance -1;", "resistance"},
        {"between (a b);", "expected one of resistance [m2 K/W] and thicknessLayers"},
        {"between (a b); resistance 1; thicknessLayers (1); kappaLayers (1);", "expected one of resistance"},
        {"between (a b); thicknessLayers (1); kappaLayers (0);", "layer 1 has thickness 1 and kappa 0"},
        {"between (a b); thicknessLayers (0); kappaLayers (1);", "have no resistance"},
        {"between (a b); thicknessLayers (); kappaLayers ();", "have no resistance"},
        {"between (a b); resistance 1; faceZone f;", "faceZone"}}) {
    auto const said = WrittenCase(slab("8 2 2", contact(w.contact))).complaint();
    EXPECT_NE(said.find(w.words), std::string::npos) << w.words << " in " << said;
    EXPECT_NE(said.find("constant/transportProperties:1"), std::string::npos) << said;
  }
  auto files = slab("8 2 2", contact("between (a b); resistance 1;"));
  EXPECT_EQ(WrittenCase(files).complaint(), "");
  files["constant/transportProperties"] = "DT 1; contacts { gap { between (a b); resistance 1; } }";
  files["system/controlDict"].replace(files["system/controlDict"].find("heatConduction"), 14, "laplacianFoam");
  EXPECT_NE(WrittenCase(files).complaint().find("use application heatConduction"), std::string::npos);
}

}  // namespace
}  // namespace tessera::tests::heat_contacts
