// SPDX-License-Identifier: Apache-2.0
// Runs of heat against what v1912 has: steps at the ends of sources and at jumps of functions of time, and files of times.
#include "tests/support/written_case.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace tessera::tests::heat_times {
namespace {

/// Eight cells on each other, 1 m high and wide; `bottom` is what holds below, no heat passes elsewhere.
WrittenCase column(std::string const& control, std::string const& bottom, std::string const& options = "",
                   std::string const& application = "heatConduction") {
  return WrittenCase(
      {{"system/blockMeshDict", "vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 1) (1 0 1) (1 1 1) (0 1 1));\n"
                                "blocks (hex (0 1 2 3 4 5 6 7) lower (1 8 1) simpleGrading (1 1 1));\n"
                                "boundary (bottom { type patch; faces ((0 1 5 4)); }\n"
                                "rest { type wall; faces ((3 2 6 7) (0 3 7 4) (1 2 6 5) (0 1 2 3) (4 5 6 7)); });\n"},
       {"system/controlDict", "application " + application +
                                  "; startTime 0; writeControl timeStep; writeFormat ascii; writePrecision 17;\n" +
                                  control},
       {"system/fvSchemes", "ddtSchemes { default Euler; } laplacianSchemes { default Gauss linear orthogonal; }\n"},
       {"system/fvSolution", "solvers { T { solver PCG; preconditioner DIC; tolerance 1e-12; relTol 0; } }\n"},
       {"system/fvOptions", options},
       {"constant/transportProperties", "lambda 2;\nrhoC 20;\nDT 0.1;\n"},
       {"0/T", "FoamFile { version 2.0; format ascii; class volScalarField; object T; }\ndimensions [0 0 0 1 0 0 0];\n"
               "internalField uniform 300; boundaryField { bottom { type " +
                   bottom + " } rest { type zeroGradient; } }\n"}});
}

std::string control(std::string const& end, std::string const& dt, int steps) {
  return "endTime " + end + "; deltaT " + dt + "; writeInterval " + std::to_string(steps) + ";";
}

/// The number behind `value` of the patch `bottom` in a file, and that of the first cell.
struct Written {
  double face, cell;
};
Written written(WrittenCase const& c, std::string const& file) {
  std::string const text = c.read(file);
  auto const number = [&](std::size_t from) {
    auto const line = text.substr(from, text.find('\n', from) - from);
    bool const list = line.find("nonuniform") != std::string::npos;
    return std::strtod(text.c_str() + text.find_first_of("0123456789", list ? text.find('(', from) : from), nullptr);
  };
  auto const value = text.find("\n        value ", text.find("bottom", text.find("boundaryField")));
  return {value == std::string::npos ? -1 : number(value + 1), number(text.find("internalField"))};
}

std::string said_by(WrittenCase const& c) {
  testing::internal::CaptureStdout();
  run::run_case(core::Comm(), {c.path().string(), {}, "", false});
  return testing::internal::GetCapturedStdout();
}

}  // namespace

// v1912's numbers of steps. It has one less of 0 to 0.3, and of 60 to 180 with 0.3, as its times are sums of deltaT.
TEST(HeatTimes, SourcesActInAllStepsFromStartToEnd) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  struct Window {
    std::string start, duration, dt;
    int total, active;
  };
  for (auto const& w : std::vector<Window>{{"0", "0.6", "0.1", 10, 6},
                                           {"0", "0.7", "0.1", 10, 7},
                                           {"0.3", "0.4", "0.1", 10, 5},
                                           {"0.2", "0.5", "0.1", 10, 6},
                                           {"0.6", "0.3", "0.1", 10, 4},
                                           {"0.1", "0.2", "0.1", 10, 3},
                                           {"0", "0.3", "0.1", 10, 3},
                                           {"0", "0.14", "0.02", 10, 7},
                                           {"3", "4", "1", 10, 5}}) {
    auto c = column("endTime " + std::to_string(w.total * std::atof(w.dt.c_str())) + "; deltaT " + w.dt +
                        "; writeControl none;",
                    "zeroGradient;",
                    "s { type scalarSemiImplicitSource; selectionMode all; volumeMode specific; timeStart " + w.start +
                        "; duration " + w.duration + "; injectionRateSuSp { T (20 0); } }");
    double const rise = c.run()["results"]["max"].get<double>() - 300;
    EXPECT_NEAR(rise / std::atof(w.dt.c_str()), w.active, 1e-6) << w.start << " " << w.duration;
  }
}

// At a jump functions have the value that v1912 gives: that of its time, which is a sum of deltaT.
TEST(HeatTimes, FunctionsJumpWhereThoseOfOpenFoamDo) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  struct Jump {
    std::string function, time;
    int steps;
    double value;
  };
  std::string const repeat = "outOfBounds repeat; }";
  for (auto const& j :
       std::vector<Jump>{{"{ type square; amplitude 10; frequency 2; scale 2; level 320; }", "1", 10, 300},
                         {"{ type table; values ((0 300) (0.5 400)); " + repeat, "1", 10, 400},
                         {"{ type table; values ((0.1 300) (0.3 400)); " + repeat, "0.3", 3, 300},
                         {"{ type table; values ((0 300) (0.3 400)); " + repeat, "0.9", 9, 400}}) {
    auto c = column(control(j.time, "0.1", j.steps), "uniformFixedValue; uniformValue " + j.function);
    c.run();
    if (core::Comm().root()) {
      EXPECT_NEAR(written(c, j.time + "/T").face, j.value, 1e-9) << j.function;
    }
  }
  // a run that goes on has the same times
  auto c = column(control("0.4", "0.1", 2),
                  "uniformFixedValue; uniformValue { type table; values ((0 300) (0.5 400)); " + repeat);
  c.run();
  auto const on = c.run({"system/controlDict:startFrom=latestTime", "system/controlDict:endTime=1"});
  if (core::Comm().root()) {
    EXPECT_NEAR(written(c, "1/T").face, 400, 1e-9);
  }
  auto once = column(control("1", "0.1", 2),
                     "uniformFixedValue; uniformValue { type table; values ((0 300) (0.5 400)); " + repeat);
  EXPECT_EQ(once.run()["hash"]["T"], on["hash"]["T"]);
}

TEST(HeatTimes, FilesHaveTheTemperaturesOfFacesThatFollowTheCells) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  struct Patch {
    std::string entry;
    double of_cell, other;  // T of the face is of_cell times that of the cell, and other
  };
  // half a cell leads 2 / (1/16) = 32 W/(m2 K)
  for (auto const& p : std::vector<Patch>{
           {"mixed; refValue uniform 400; refGradient uniform 0; valueFraction uniform 0.5; value uniform 5;", 0.5,
            200},
           {"uniformFixedGradient; uniformGradient 160; value uniform 5;", 1, 10},
           {"convective; h 32; Tinf 400; value uniform 5;", 0.5, 200},
           {"externalWallHeatFluxTemperature; mode coefficient; h uniform 32; Ta 400; value uniform 5;", 0.5, 200},
           {"externalWallHeatFluxTemperature; mode flux; q uniform 320; value uniform 5;", 1, 10},
           {"externalWallHeatFluxTemperature; mode power; Q 320; value uniform 5;", 1, 10}}) {
    auto c = column(control("2", "0.5", 2), p.entry);
    auto const once = c.run();
    if (core::Comm().root()) {
      auto const at = written(c, "2/T");
      EXPECT_GT(at.cell, 300.5) << p.entry;
      EXPECT_NEAR(at.face, p.of_cell * at.cell + p.other, 1e-9) << p.entry;
      std::filesystem::remove_all(c.path("results"));
      std::filesystem::remove_all(c.path("2"));
    }
    core::Comm().barrier();
    EXPECT_EQ(c.run({"system/controlDict:startFrom=latestTime"})["hash"]["T"], once["hash"]["T"]) << p.entry;
  }
}

TEST(HeatTimes, SetFieldsSetsNoFieldThatHasNoFile) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto c = column(control("2", "0.5", 4), "fixedValue; value uniform 400;", "", "laplacianFoam");
  auto const plain = c.run()["hash"]["T"];
  c.write("system/setFieldsDict", "defaultFieldValues ( volScalarFieldValue DT 5 );\nregions ();\n");
  EXPECT_EQ(c.run()["hash"]["T"], plain);
  auto const log = said_by(c);
  if (core::Comm().root()) {
    EXPECT_NE(log.find("system/setFieldsDict: DT is not set, as by OpenFOAM's setFields: there is no file 0/DT"),
              std::string::npos)
        << log;
  }
}

TEST(HeatTimes, RegionsOfMaterialsSayOneThingOfTheirCells) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto c = column(control("2", "0.5", 4), "zeroGradient;");
  auto const said = [&](std::string const& regions) {
    c.write("constant/transportProperties", "lambda 2; rhoC 20;\nregions\n{\n" + regions + "\n}\n");
    return c.complaint();
  };
  EXPECT_NE(
      said("x { cellZone lower; }")
          .find("transportProperties:4: the region 'x' says nothing of cellZone 'lower', expected lambda or rhoC"),
      std::string::npos)
      << said("x { cellZone lower; }");
  std::string const twice = "x { cellZone lower; lambda 3; }\ny { cellZone lower; lambda 4; }";
  EXPECT_NE(said(twice).find("transportProperties:5: the region 'y' gives lambda of cellZone lower, as 'x' does: "
                             "expected one value for these cells"),
            std::string::npos)
      << said(twice);
  EXPECT_EQ(said("x { cellZone lower; lambda 3; }\ny { cellZone lower; rhoC 4; }"), "");
}

}  // namespace tessera::tests::heat_times
