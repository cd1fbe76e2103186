// SPDX-License-Identifier: Apache-2.0
// Time in runs of heat: adjusted steps meet what sources and boundaries do, results are written when OpenFOAM writes them.
#include "tests/support/error_of.hpp"
#include "tests/support/written_case.hpp"

#include <gtest/gtest.h>

namespace tessera::tests::heat_pulses {
namespace {

/// A square metre that keeps all heat but for a side at 300 K, with the sources of fvOptions.
WrittenCase plate(std::string const& control, std::string const& options,
                  std::string const& bottom = "fixedValue; value uniform 300;") {
  return WrittenCase(
      {{"system/blockMeshDict", "vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 1) (1 0 1) (1 1 1) (0 1 1));\n"
                                "blocks (hex (0 1 2 3 4 5 6 7) (1 8 1) simpleGrading (1 1 1));\n"
                                "boundary (bottom { type patch; faces ((0 1 5 4)); }\n"
                                "rest { type wall; faces ((3 2 6 7) (0 3 7 4) (1 2 6 5) (0 1 2 3) (4 5 6 7)); });\n"},
       {"system/controlDict", "application heatConduction; startTime 0; " + control},
       {"system/fvSchemes", "ddtSchemes { default Euler; } laplacianSchemes { default Gauss linear orthogonal; }\n"},
       {"system/fvSolution", "solvers { T { solver PCG; preconditioner DIC; tolerance 1e-12; relTol 0; } }\n"},
       {"system/fvOptions", options},
       {"constant/transportProperties", "lambda 2; rhoC 2e6;"},
       {"0/T", "FoamFile { version 2.0; format ascii; class volScalarField; object T; }\ndimensions [0 0 0 1 0 0 0];\n"
               "internalField uniform 300; boundaryField { bottom { type " +
                   bottom + " } rest { type zeroGradient; } }\n"}});
}

std::string const fixed = "endTime 100000; deltaT 50; writeControl none;";
std::string const adjusted = fixed + " adjustTimeStep yes; deltaTTolerance 0.05;";
std::string source(std::string const& su, std::string const& when = "") {
  return "s { type scalarSemiImplicitSource; selectionMode all; volumeMode specific; " + when +
         " injectionRateSuSp { T { Su " + su + " Sp 0; } } }";
}
double highest(WrittenCase c) { return c.run()["results"]["max"].get<double>(); }

}  // namespace

TEST(HeatPulses, AreNotPassedByByAdjustedSteps) {
  std::string const table = "{ type table; values ((0 0) (80000 0) (80060 4e4) (83600 4e4) (83660 0) (86400 0)); }";
  for (auto const& options : {source(table), source("2e4;", "timeStart 70000; duration 5000;")}) {
    double const met = highest(plate(adjusted, options)), all = highest(plate(fixed, options));
    EXPECT_GT(all, 305);
    EXPECT_NEAR(met, all, 0.03 * (all - 300)) << options;
  }
  std::string const warm =
      "uniformFixedValue; uniformValue table ((0 300) (80000 300) (80060 400) (95000 400) (95060 300));";
  double const met = highest(plate(adjusted, "", warm)), all = highest(plate(fixed, "", warm));
  EXPECT_GT(all, 310);
  EXPECT_NEAR(met, all, 0.03 * (all - 300));
}

TEST(HeatPulses, TakeFewStepsWhereNothingHappens) {
  auto c = plate(adjusted, source("{ type table; values ((0 0) (99000 0) (99060 4e4)); }"));
  EXPECT_LT(c.run()["steps"].get<int>(), 100);
}

TEST(WriteTimes, AreThoseOfOpenFoam) {
  // v1912 writes 2 5 7 10 and 3 7 10
  for (auto const& [interval, times] :
       {std::pair<std::string, std::vector<std::string>>{"2.5", {"2", "5", "7", "10"}}, {"3.3", {"3", "7", "10"}}}) {
    for (std::string const kind : {"runTime", "adjustableRunTime"}) {
      auto c = plate(
          "endTime 10; deltaT 1; writeFormat ascii; writeControl " + kind + "; writeInterval " + interval + ";", "");
      c.run();
      for (int t = 1; t <= 10; ++t) {
        auto const name = std::to_string(t);
        EXPECT_EQ(std::filesystem::exists(c.path(name + "/T")),
                  std::find(times.begin(), times.end(), name) != times.end())
            << kind << " " << interval << ": " << name;
      }
      core::Comm().barrier();
    }
  }
}

TEST(TimeDirectories, HaveTheValueOfUniformFixedValueAtTheirTime) {
  auto c = plate("endTime 4; deltaT 1; writeFormat ascii; writeControl timeStep; writeInterval 2;", "",
                 "uniformFixedValue; uniformValue table ((0 300) (4 340)); value uniform 300;");
  c.run();
  EXPECT_NE(c.read("2/T").find("value          uniform 320;"), std::string::npos) << c.read("2/T");
  EXPECT_NE(c.read("4/T").find("value          uniform 340;"), std::string::npos);
  EXPECT_EQ(c.read("4/T").find("uniform 300;"), std::string::npos);
}

TEST(CasesOfOpenFoam, HaveTheirFilesWhereItLooksFirst) {
  auto c = plate("endTime 4; deltaT 1; writeControl none;", source("1;"));
  auto const one = c.run()["results"]["max"];
  auto both = plate("endTime 4; deltaT 1; writeControl none;", source("7;"));
  both.write("constant/fvOptions", source("1;"));
  EXPECT_EQ(both.run()["results"]["max"], one);
}

// A setting without a folder is for the file that is there, and makes none in the other folder.
TEST(CasesOfOpenFoam, HaveSettingsInTheFileThatIsThere) {
  auto c = plate("endTime 4; deltaT 1; writeControl none;", source("1;"));
  auto const one = c.run()["results"]["max"];
  EXPECT_EQ(c.run({"fvOptions:comment=3"})["results"]["max"], one);
  auto const doubled = plate("endTime 4; deltaT 1; writeControl none;", source("2;")).run()["results"]["max"];
  EXPECT_NE(doubled, one);
  EXPECT_EQ(c.run({"fvOptions:s.injectionRateSuSp.T.Su=2"})["results"]["max"], doubled);
}

// v1912's blockMesh reads constant/polyMesh/blockMeshDict where both are there.
TEST(CasesOfOpenFoam, HaveTheirMeshWhereItLooksFirst) {
  auto c = plate("endTime 4; deltaT 1; writeControl none;", "");
  if (core::Comm().root()) {
    std::filesystem::create_directories(c.path("constant/polyMesh"));
    auto other = c.read("system/blockMeshDict");
    other.replace(other.find("(1 8 1)"), 7, "(1 5 1)");
    std::ofstream(c.path("constant/polyMesh/blockMeshDict")) << other;
  }
  core::Comm().barrier();
  EXPECT_EQ(c.run()["grid"]["cells"], (nlohmann::ordered_json{1, 5, 1}));
  testing::internal::CaptureStdout();
  auto loud = c.options();
  loud.quiet = false;
  run::run_case(core::Comm(), loud);
  auto const log = testing::internal::GetCapturedStdout();
  if (core::Comm().root()) {
    EXPECT_NE(log.find("Mesh of constant/polyMesh/blockMeshDict, as in OpenFOAM; system/blockMeshDict is not read"),
              std::string::npos)
        << log;
  }
}

TEST(Temperatures, BelowZeroKelvinAreRefused) {
  auto const said = [](std::string const& bottom, std::string const& options = "") {
    return plate("endTime 4; deltaT 1; writeControl none;", options, bottom).complaint();
  };
  for (auto const& [bottom, words] : std::map<std::string, std::string>{
           {"fixedValue; value uniform -20;", "0/T:3: entry 'value' has the value -20"},
           {"uniformFixedValue; uniformValue -20;", "entry 'uniformValue' has the value -20"},
           {"mixed; refValue uniform -20; refGradient uniform 0; valueFraction uniform 0.5;",
            "'refValue' has the value -20"},
           {"convective; h 10; Tinf -20;", "entry 'Tinf' has the value -20"},
           {"externalWallHeatFluxTemperature; mode coefficient; h uniform 10; Ta -20;",
            "entry 'Ta' has the value -20"}}) {
    auto const text = said(bottom);
    EXPECT_NE(text.find(words + ", expected kelvin, from 0 on"), std::string::npos) << text;
  }
  std::string const fixed = "fixedValue; value uniform 300;";
  EXPECT_NE(said(fixed, "s { type fixedTemperatureConstraint; selectionMode all; mode uniform; temperature -20; }")
                .find("fvOptions:1: 's' holds cells at -20, expected kelvin, from 0 on"),
            std::string::npos);
  EXPECT_NE(said(fixed, "s { type conductorLosses; selectionMode all; q20 1e3; alpha 4e-3; Tref 20; }")
                .find("fvOptions:1: entry 'Tref' is 20, expected kelvin"),
            std::string::npos);
  // a function that falls below is told when a step comes to it
  auto falls =
      plate("endTime 4; deltaT 1; writeControl none;", "", "convective; h 10; Tinf table ((0 300) (2 300) (4 -20));");
  EXPECT_EQ(falls.complaint(), "");
  auto const fault = tests::error_of([&] { falls.run(); });
  EXPECT_NE(fault.find("entry 'Tinf' has the value -20 at time 4, expected kelvin"), std::string::npos) << fault;
}

TEST(Patches, OfConstraintTypesAndTheirConditionsBelongTogether) {
  auto c = plate("endTime 4; deltaT 1; writeControl none;", "", "symmetryPlane;");
  EXPECT_NE(c.complaint().find("0/T:3: type symmetryPlane on the patch 'bottom' of type patch, expected another type"),
            std::string::npos)
      << c.complaint();
  auto mesh = c.read("system/blockMeshDict");
  mesh.replace(mesh.find("type patch"), 10, "type symmetry");
  core::Comm().barrier();  // all have read it
  c.write("system/blockMeshDict", mesh);
  EXPECT_NE(c.complaint().find("type symmetryPlane on the patch 'bottom' of type symmetry, expected"),
            std::string::npos)
      << c.complaint();
  auto other = plate("endTime 4; deltaT 1; writeControl none;", "");
  other.write("system/blockMeshDict", mesh);
  EXPECT_NE(other.complaint().find("type fixedValue on the patch 'bottom' of type symmetry, expected symmetry"),
            std::string::npos)
      << other.complaint();
}

TEST(Dimensions, AreRefusedWhereNobodyComparesThem) {
  auto const said = [](std::string const& options, std::string const& bottom) {
    return plate("endTime 4; deltaT 1; writeControl none;", options, bottom).complaint();
  };
  std::string const fixed = "fixedValue; value uniform 300;";
  for (auto const& text :
       {said("", "fixedValue; value uniform [1 0 0 0 0 0 0] 350;"),
        said("", "convective; h [0 0 0 0 0 0 0] 10; Tinf 280;"),
        said("", "uniformFixedValue; uniformValue [1 0 0 0 0 0 0] 310;"),
        said("s { type conductorLosses; selectionMode all; q20 [0 0 0 1 0 0 0] 1e3; alpha 4e-3; Tref 293.15; }", fixed),
        said("s { type conductorLosses; selectionMode all; q20 1e3; alpha 4e-3; Tref [0 1 0 0 0 0 0] 293.15; }",
             fixed)})
    EXPECT_NE(text.find("without dimensions, which are not compared here"), std::string::npos) << text;
}

}  // namespace tessera::tests::heat_pulses
