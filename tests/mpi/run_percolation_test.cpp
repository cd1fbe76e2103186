// SPDX-License-Identifier: Apache-2.0
#include "tests/support/percolation_case.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using tests::PercolationCase;

namespace {

std::string const medium = "input { type random; probability 0.66; seed 4; }\n";
std::string const properties = "constant/percolationProperties:";

}  // namespace

// One layer of the cubic lattice with 6 neighbours is the square lattice with 4: the plane method by faces and the search
// for blocks are two programs for one question.
TEST(Percolation, FindsTheSameByFacesAndByBlocks) {
  PercolationCase plane(medium + "frame none; definition D2; direction all; conductivity yes;",
                        "cells (60 50 1); tile (16 16 1);");
  PercolationCase blocks(medium + "lattice cubic; direction all; conductivity yes;",
                         "cells (60 50 1); tile (16 16 1);");
  auto const a = plane.run(), b = blocks.run();
  for (char const* key : {"occupation", "clusters", "largestCluster"}) EXPECT_EQ(a["results"][key], b["results"][key]);
  for (char const* direction : {"x", "y"}) {
    auto const &one = a["results"]["directions"][direction], &other = b["results"]["directions"][direction];
    EXPECT_EQ(one["spans"], true);
    for (char const* key : {"spans", "spanningClusters", "spanningSites", "backboneSites", "articulationSites",
                            "redSites", "shortestPath", "tortuosity"})
      EXPECT_EQ(one[key], other[key]) << direction << " " << key;
    // the potential, to the agreement of the currents squared
    EXPECT_NEAR(one["conductivity"].get<double>(), other["conductivity"].get<double>(), 1e-9);
    for (std::string const field : {"spanning_", "backbone_", "articulation_", "red_"})
      EXPECT_EQ(a["hash"][field + direction], b["hash"][field + direction]) << field;
  }
  EXPECT_EQ(a["hash"]["occupied"], b["hash"]["occupied"]);
  EXPECT_EQ(a["hash"]["label"], b["hash"]["label"]);
}

// The cluster on the right hangs on the upper end alone: its sites are no articulation sites, whether another one spans
// or not.
TEST(Percolation, CountsArticulationSitesInSpanningClustersOnly) {
  for (std::string const how : {"connectivity 8;", "frame none; definition D2;", "propagation synchronous;"}) {
    PercolationCase a_case("input { type picture; file \"constant/medium.pgm\"; occupied light; } " + how + "\n", "");
    auto const sites = [&](std::string const& rows) {
      a_case.write("constant/medium.pgm", "P2 5 3 1\n" + rows);
      return a_case.run()["results"]["articulationSites"];
    };
    EXPECT_EQ(sites("1 0 0 0 1\n1 0 0 0 1\n1 0 0 0 0\n"), 0) << how;
    EXPECT_EQ(sites("0 0 0 0 1\n0 0 0 0 1\n0 0 0 0 0\n"), 0) << how;
    // with eight neighbours the branch hangs on three sites of the column
    EXPECT_EQ(sites("1 0 0 0 1\n1 1 1 0 1\n1 0 0 0 0\n"), how == "connectivity 8;" ? 1 : 2) << how;
  }
}

// Four columns span; without a frame, inside one and outside of one.
TEST(Percolation, CountsSpanningClustersOnEveryLattice) {
  for (std::string const how : {"frame none; definition D2;", "frame outside;", "connectivity 8;",
                                "lattice triangular;", "propagation synchronous; frame none;"}) {
    PercolationCase a_case("input { type picture; file \"constant/medium.pgm\"; occupied light; } " + how,
                           "tile (3 1 1);");
    a_case.write("constant/medium.pgm", "P2 8 2 1\n1 0 1 0 1 0 1 0\n1 0 1 0 1 0 1 0\n");
    auto const results = a_case.run()["results"];
    EXPECT_EQ(results["spanningClusters"], 4) << how;
    EXPECT_EQ(results["spanningSites"], 8) << how;
  }
}

// The label of the cluster of cell 0 is 1 on every lattice, also where a frame is added that nobody sees.
TEST(Percolation, NumbersLabelsByTheCellsOfTheInput) {
  std::string hash;
  for (std::string const how :
       {"connectivity 8;", "frame none;", "frame outside;", "frame none; propagation synchronous;"}) {
    PercolationCase a_case("input { type picture; file \"constant/medium.pgm\"; occupied light; } fields (label); " +
                               how,
                           "tile (2 3 1);");
    a_case.write("constant/medium.pgm", "P2 4 5 1\n0 0 1 1\n0 0 0 0\n0 0 1 0\n1 0 0 0\n1 0 0 1\n");
    auto const report = a_case.run();
    if (hash.empty()) hash = report["hash"]["label"];
    EXPECT_EQ(report["hash"]["label"], hash) << how;
  }
}

TEST(Percolation, HasTheSameResultsOnAnyRanks) {
  for (std::string const how :
       {"direction x; definition D1; fields (occupied label dangling);", "propagation synchronous;",
        "method paper; update random;", "lattice triangular;", "connectivity 8; frame none; shortestPath no;",
        "inlet left; outlet top; conductivity yes;"}) {
    PercolationCase a_case(medium + how, "cells (40 34 1); tile (8 8 1);");
    auto const here = a_case.run(), serial = a_case.alone();
    EXPECT_EQ(here["results"], serial["results"]) << how;
    EXPECT_EQ(here["hash"], serial["hash"]) << how;
  }
}

TEST(Percolation, RunsInSpaceAndOnTheTorus) {
  PercolationCase cubic("input { type random; probability 0.4; } direction all; conductivity yes;",
                        "cells (14 12 10); tile (7 6 5);");
  auto const here = cubic.run(), serial = cubic.alone();
  EXPECT_EQ(here["results"], serial["results"]);
  EXPECT_EQ(here["hash"], serial["hash"]);
  EXPECT_EQ(here["results"]["directions"]["z"]["spans"], true);

  PercolationCase torus("input { type random; probability 1; } direction all;",
                        "cells (9 8 1); tile (3 4 1); periodic (yes no no);");
  auto const full = torus.run()["results"];
  EXPECT_EQ(full["directions"]["x"]["wrappingSites"], 72);
  EXPECT_EQ(full["directions"]["y"]["spanningSites"], 72);
  EXPECT_EQ(full["directions"]["y"]["backboneSites"], 72);
  EXPECT_EQ(full["directions"]["y"]["shortestPath"], 8);
}

TEST(Percolation, WritesTheSizesOfClusters) {
  // one cluster of three sites, two of one
  PercolationCase a_case("input { type picture; file \"constant/medium.pgm\"; occupied light; } lattice triangular;",
                         "tile (2 1 1);");
  a_case.write("constant/medium.pgm", "P2 4 3 1\n1 1 0 1\n1 0 0 0\n0 0 1 0\n");
  auto const results = a_case.run()["results"];
  EXPECT_EQ(results["clusters"], 3);
  EXPECT_EQ(results["largestCluster"], 3);
  if (core::Comm().root()) {
    EXPECT_EQ(a_case.read("postProcessing/clusterSizes.csv"), "sites,clusters\n1,2\n3,1\n");
  }
}

TEST(Percolation, TakesMasksAsInletAndOutlet) {
  PercolationCase a_case(
      "input { type picture; file \"constant/medium.pgm\"; occupied light; } conductivity yes; electrodes sites;\n"
      "inlet { file \"constant/in.pgm\"; occupied light; } outlet { file \"constant/out.pgm\"; occupied light; }",
      "tile (2 1 1);");
  a_case.write("constant/medium.pgm", "P2 5 3 1\n0 0 0 0 0\n1 1 1 1 1\n0 0 1 0 0\n");
  a_case.write("constant/in.pgm", "P2 5 3 1\n0 0 0 0 0\n0 1 0 0 0\n0 0 0 0 0\n");
  a_case.write("constant/out.pgm", "P2 5 3 1\n0 0 0 0 0\n0 0 0 1 0\n0 0 0 0 0\n");
  auto const report = a_case.run();
  auto const& results = report["results"];
  EXPECT_EQ(results["spans"], true);
  EXPECT_EQ(results["spanningSites"], 6);
  EXPECT_EQ(results["backboneSites"], 3);
  EXPECT_EQ(results["redSites"], 3);
  EXPECT_EQ(results["shortestPath"], 3);
  EXPECT_NEAR(results["conductance"].get<double>(), 0.25, 1e-8);  // two bonds between, one at each end
  EXPECT_FALSE(results.contains("conductivity"));
  auto const hashes = report["hash"];
  EXPECT_TRUE(hashes.contains("spanning")) << "named as it was asked for";
  EXPECT_FALSE(hashes.contains("connecting"));
}

TEST(Percolation, NamesTheEntryWhereAGridIsNothingButFrame) {
  PercolationCase a_case("input { type random; probability 0.6; }\nframe inside;", "cells (1 16 1);");
  auto const complaint = a_case.complaint();
  EXPECT_NE(complaint.find("percolationProperties:2: "), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("'frame' is inside, but the grid has 1 x 16 cells"), std::string::npos) << complaint;
}

TEST(Percolation, RefusesByNameWhatDoesNotGoTogether) {
  PercolationCase a_case(medium, "cells (20 20 1); tile (5 5 1);");
  auto const expect = [&](std::vector<std::string> settings, std::string const& words) {
    for (auto& s : settings) s = (s.find(':') == std::string::npos ? properties : "") + s;
    auto const complaint = a_case.complaint(settings);
    EXPECT_NE(complaint.find(words), std::string::npos) << complaint << "\nexpected: " << words;
  };
  EXPECT_EQ(a_case.complaint(), "");
  expect({"lattice=cubic", "frame=outside"}, "only the square lattice with 4 neighbours");
  expect({"lattice=triangular", "connectivity=4"}, "expected 6 for lattice triangular");
  expect({"lattice=triangular", "definition=D1"}, "inlet and outlet are electrodes");
  expect({"lattice=triangular", "method=paper"}, "paper is for the square lattice");
  expect({"lattice=triangular", "propagation=synchronous"}, "the automaton is for the square lattice");
  expect({"method=paper", "definition=D2"}, "bars of sites");
  expect({"update=random"}, "expected synchronous with method exact");
  expect({"direction=z"}, "one cell along it");
  expect({"inlet=left"}, "expected both inlet and outlet");
  expect({"inlet=left", "outlet=left"}, "expected another side");
  expect({"inlet=left", "outlet=top", "direction=x"}, "expected none beside inlet and outlet");
  expect({"inlet=left", "outlet=front"}, "is front");
  expect({"fields=(occupied bacbone)"}, "did you mean 'backbone'");
  expect({"electrodes=faces"}, "is for conductivity yes");
  expect({"input.samples=3", "fields=(occupied)"}, "only numbers are kept");
  expect({"input.sharing=tiles"}, "is for several samples");
  expect({"input.probability=(0.5 1.5)"}, "holds 1.5");
  expect({"system/gridDict:cells=(8 8 4)", "lattice=square"}, "expected cubic");
  expect({"system/gridDict:periodic=(no yes no)", "backbone=yes"}, "there are no ends for a backbone");
  expect({"system/gridDict:periodic=(no yes no)", "conductivity=yes"}, "there are no electrodes");
  expect({"conductivity=yes", "system/fvSolution:solvers.potential={ solver PCG; preconditioner DCI; }"},
         "did you mean 'DIC'");
}
