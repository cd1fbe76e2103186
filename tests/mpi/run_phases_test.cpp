// SPDX-License-Identifier: Apache-2.0
// Several phases of a label image in one run.
#include "core/random.hpp"
#include "tests/support/percolation_case.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using tests::PercolationCase;

namespace {

std::string const of_medium = "constant/percolationProperties:";

/// Values 0 .. 3, the last on six cells of ten.
std::string labels(int cells) {
  core::Random const random{4, 0};
  std::string text;
  for (int c = 0; c < cells; ++c) {
    double const u = random.uniform(static_cast<std::uint64_t>(c));
    text.push_back(static_cast<char>(u < 0.6 ? 3 : static_cast<int>(10 * u) - 6 + (u >= 0.9 ? -1 : 0)));
  }
  return text;
}

}  // namespace

// A run of each phase by itself is the reference.
TEST(Phases, AreWhatEachOfThemIsAlone) {
  for (std::string const& how :
       {std::string("16x14x12 connectivity 18; direction all;"),
        std::string("16x14x12 region { type cylinder; radius 6; } conductivity yes;"),
        std::string("32x28x1 direction all;"), std::string("32x28x1 connectivity 8; inlet left; outlet top;")}) {
    auto const blank = how.find(' ');
    PercolationCase a_case("input { type picture; file \"constant/m.raw:" + how.substr(0, blank) +
                               ":uint8\"; phases (0); }\n" + how.substr(blank),
                           "tile (5 6 7);");
    a_case.write("constant/m.raw", labels(16 * 14 * 12 / (blank == 8 ? 1 : 3)));
    auto const found = a_case.run({of_medium + "phaseTable=yes", of_medium + "phaseValues=(3 0 1 2 7)"})["results"];
    auto const table = a_case.read("postProcessing/phases.csv");
    double all = 0;
    int spanning = 0;
    for (std::string const phase : {"0", "1", "2", "3"}) {
      auto const one = a_case.run({of_medium + "input.phases=(" + phase + ")"})["results"];
      auto const& here = found["phases"][phase];
      EXPECT_EQ(here["share"], one["occupation"]) << how << phase;
      EXPECT_EQ(here["clusters"], one["clusters"]) << how << phase;
      EXPECT_EQ(here["largestCluster"], one["largestCluster"]) << how << phase;
      all += here["share"].get<double>();
      auto const compare = [&](auto const& across, auto const& other) {
        for (char const* key : {"spans", "spanningClusters", "spanningSites"})
          EXPECT_EQ(across["phases"][phase][key], other[key]) << how << phase << key;
        spanning += other["spans"] == true;
      };
      if (!one.contains("directions"))
        compare(found, one);
      else
        for (auto const& [direction, across] : found["directions"].items())
          compare(across, one["directions"][direction]);
    }
    EXPECT_NEAR(all, 1, 1e-12);
    EXPECT_GT(spanning, 0) << how;
    EXPECT_EQ(found["phases"]["7"]["sites"], 0);
    EXPECT_EQ(table.substr(0, table.find('\n')), "phase,sites,share,clusters,largestCluster");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
  }
}

TEST(Phases, HaveTheSameResultsOnAnyTiles) {
  PercolationCase a_case("input { type random; probability 0.5; seed 3; }\nphaseTable yes; phaseValues (0 1);",
                         "cells (20 18 16); tile (5 6 7);");
  auto const a = a_case.run(), b = a_case.run({"system/gridDict:tile=(20 18 16)"});
  EXPECT_EQ(a["results"], b["results"]);
  EXPECT_EQ(a["results"]["phases"]["1"]["share"], a["results"]["occupation"]);
  EXPECT_EQ(a["results"]["phases"]["0"]["spans"], true);
}

TEST(Phases, AreRefusedByName) {
  PercolationCase a_case("input { type random; probability 0.5; seed 3; }\nphaseTable yes; phaseValues (0 1);",
                         "cells (9 9 9);");
  auto const expect = [&](std::string const& setting, std::string const& words) {
    auto const complaint = a_case.complaint({of_medium + setting});
    EXPECT_NE(complaint.find(words), std::string::npos) << complaint << "\nexpected: " << words;
  };
  EXPECT_EQ(a_case.complaint(), "");
  expect("phaseValues=()", "'phaseValues' is empty");
  expect("phaseValues=(1 2 1)", "'phaseValues' holds 1 twice");
  expect("phaseTable=no", "phaseValues");
  expect("input.type=bonds", "'phaseTable'");
}
