// SPDX-License-Identifier: Apache-2.0
// Worked examples of books and papers: inputs and results as their sources have them.
#include "tests/support/written_case.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {
namespace {

nlohmann::ordered_json rated(std::string const& cables) {
  return WrittenCase(
             {{"system/controlDict", "application cableRating; writeControl none;"}, {"constant/cables", cables}})
      .run()["results"];
}

double current(nlohmann::ordered_json const& results) { return results["circuits"]["line"]["current"]; }

/// G. J. Anders, Rating of Electric Power Cables (IEEE Press, 1997), pages 364 ff: a 10 kV cable of 300 mm2 in flat formation,
/// two diameters from axis to axis, 1 m deep: 629 A; lambda1 = 0.09 in the middle, T4 = 1.933 K m/W, as the outer
/// screens are heated more. Numbers as ie3-institute/simona quotes them (Anders1997SingleCoreCable10kV, ampacity tests). The
/// resistance of the screen, 76 wires of 0.65 mm, is that of the published lambda1.
TEST(CableRatingExamples, CarriesWhatAndersSaysOfTenKilovoltsFlat) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const results = rated(R"(
ambient 15; soil { resistivity 1; }
types { C {
    conductor { diameter 20.5e-3; material copper; R20 6.01e-5; }
    layers ( { name conductorScreen; thickness 0.6e-3; material XLPE; } { name insulation; thickness 3.4e-3; material XLPE; }
             { name insulationScreen; thickness 0.8e-3; material XLPE; }
             { name screen; thickness 0.65e-3; material copper; R20 7.67e-4; }
             { name jacket; thickness 2.2e-3; material PVC; } );
} }
circuits { line { type C; positions ((-0.0716 -1) (0 -1) (0.0716 -1)); bonding bothEnds; current rated; } }
mesh { cells 40000; })");
  auto const& middle = results["cables"]["line-2"];
  EXPECT_NEAR(current(results), 629, 0.01 * 629);
  EXPECT_EQ(results["circuits"]["line"]["hottest"], "line-2");
  EXPECT_NEAR(middle["metalLoss"][0].get<double>() / middle["conductorLoss"].get<double>(), 0.09, 0.001);
  EXPECT_NEAR((middle["surface"].get<double>() - 15) / middle["losses"].get<double>(), 1.933, 0.01 * 1.933);
}

/// CIGRE TB 880, case 4 (pages 195 ff): a 33 kV cable of 240 mm2 in touching trefoil, screens of wires joined at both ends:
/// 537.46 A, R = 97.629 uOhm/m, lambda1 = 0.0435, Wd = 0.108 W/m, with 1.07 T1, 1.6 T3 and a formula for T4; the field has
/// the cables as they are. Numbers as LineCableModels.jl's tutorial of that case and simona quote them.
TEST(CableRatingExamples, CarriesWhatTB880SaysOfThirtyThreeKilovoltsInTrefoil) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const results = rated(R"(
ambient 20; soil { resistivity 1; }
materials { tape { resistivity 6; } XLPE { lossFactor 4e-3; } }
types { C {
    conductor { diameter 18.4e-3; material copper; R20 7.54e-5; }
    layers ( { name conductorScreen; thickness 0.5e-3; material semiconductor; }
             { name insulation; thickness 7.7e-3; material XLPE; }
             { name insulationScreen; thickness 0.5e-3; material semiconductor; }
             { name bedding; thickness 0.5e-3; material tape; }
             { name screen; thickness 0.9e-3; material copper; R20 5.394e-4; }
             { name serving; thickness 0.3e-3; material tape; }
             { name jacket; thickness 2.2e-3; material PE; } { name skin; thickness 0.2e-3; material semiconductor; } );
    voltage 33e3;
} }
circuits { line { type C; positions ((-0.022 -1.012702) (0.022 -1.012702) (0 -0.974595)); bonding bothEnds; current rated; } }
mesh { cells 40000; })");
  auto const& cable = results["cables"]["line-1"];
  EXPECT_NEAR(current(results), 537.46, 0.01 * 537.46);
  EXPECT_NEAR(cable["resistance"].get<double>(), 9.7629e-5, 1e-9);
  EXPECT_NEAR(cable["dielectricLoss"].get<double>(), 0.108, 0.001);
  EXPECT_NEAR(cable["metalLoss"][0].get<double>() / cable["conductorLoss"].get<double>(), 0.0435, 0.0002);
}

/// F. Aras, C. Oysu, G. Yilmaz, Electric Power Components and Systems 33 (2005) 1385: three 154 kV cables of 1200 mm2, flat,
/// 0.33 m apart, 1.2 m deep, by finite elements on 18 m x 10 m of ground whose borders are at 20 C: 1110 A, which heats a
/// conductor by 44.4 W/m and its insulation by 3.57 W/m. Numbers as lkoc/tesis_MIA_lk quotes them; the loss factor of the
/// insulation is that of the 3.57 W/m.
TEST(CableRatingExamples, CarriesWhatArasFindsByFiniteElements) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const results = rated(R"(
ambient 20; soil { conductivity 1.2; }
materials { constant { resistivity 0.0026; rho20 1.7241e-8; } XLPE { lossFactor 8.004e-3; } }
types { C {
    conductor { diameter 37.7e-3; material constant; R20 3.6036e-5; ys 0; yp 0; }
    layers ( { name insulation; thickness 22e-3; material XLPE; }
             { name screen; thickness 8.5e-3; material copper; lossFactor 0; }
             { name cover; thickness 4e-3; material PE; } );
    voltage 154e3;
} }
circuits { line { type C; positions ((-0.33 -1.2) (0 -1.2) (0.33 -1.2)); current rated; } }
mesh { far 7.289; })");
  EXPECT_NEAR(current(results), 1110, 0.01 * 1110);
  EXPECT_NEAR(results["cables"]["line-2"]["dielectricLoss"].get<double>(), 3.57, 0.01);
}

}  // namespace
}  // namespace tessera::tests
