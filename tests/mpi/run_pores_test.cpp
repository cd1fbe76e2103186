// SPDX-License-Identifier: Apache-2.0
// Analyses of media: pore sizes, drainage, geodesic paths, tables of clusters.
#include "tests/support/percolation_case.hpp"

#include <gtest/gtest.h>
#include <sstream>

using namespace tessera;
using tests::PercolationCase;

namespace {

/// A table's columns by their names.
std::map<std::string, std::vector<double>> table(std::string const& text) {
  std::istringstream lines(text);
  std::string line, word;
  std::getline(lines, line);
  std::vector<std::string> names;
  for (std::istringstream head(line); std::getline(head, word, ',');) names.push_back(word);
  std::map<std::string, std::vector<double>> result;
  while (std::getline(lines, line)) {
    std::size_t n = 0;
    for (std::istringstream row(line); std::getline(row, word, ',');) result[names.at(n++)].push_back(std::stod(word));
    EXPECT_EQ(n, names.size());
  }
  return result;
}

using Column = std::vector<double>;

}  // namespace

// Between two reservoirs of 5 x 5 cells a throat of 3 x 3 and, above it, one of a single cell; a dead end hangs on the left reservoir.
//   5 cells high, x from the left: reservoir, throats, reservoir
TEST(Pores, TellWhatAnInvadingFluidDoes) {
  PercolationCase a_case("input { type picture; file \"constant/medium.pgm\"; level 1; occupied light; }\n"
                         "lattice square; connectivity 4; method lattice; direction x; backbone no; shortestPath no;\n"
                         "drainage yes; trapping yes; thickness yes; geodesic yes; clusterTable yes;\n",
                         "size (34 14 1); tile (7 4 1);");
  // 17 x 7 pixels, 2 wide
  a_case.write("constant/medium.pgm", "P2 17 7 1\n"
                                      "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
                                      "1 1 1 1 1 0 0 0 0 0 0 0 1 1 1 1 1\n"
                                      "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
                                      "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
                                      "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
                                      "1 1 1 1 1 0 0 0 0 0 0 0 1 1 1 1 1\n"
                                      "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  auto const results = a_case.run()["results"];
  // through the throat of three cells go balls of radius 2, whose diameter is 8
  EXPECT_EQ(results["breakthroughDiameter"], 8);
  EXPECT_EQ(results["drainedShare"], 1);
  EXPECT_EQ(results["trappedSites"], 0);
  EXPECT_EQ(results["largestThickness"], 12);
  EXPECT_EQ(results["shortestGeodesic"], 32);
  // from the rows beyond the throat's the way is a step aside longer at both ends, but may begin anywhere
  double const aside = 2 * (std::sqrt(2.0) - 1);
  EXPECT_NEAR(results["geodesicTortuosity"].get<double>(), 1 + 2 * aside / (5 * 32), 1e-12);
  auto const sizes = table(a_case.read("postProcessing/poreSizes.csv"));
  EXPECT_EQ(sizes.at("shareUpTo").back(), 1);
  EXPECT_EQ(sizes.at("diameter").back(), 12);
  auto const curve = table(a_case.read("postProcessing/drainage.csv"));
  EXPECT_EQ(curve.at("diameter").front(), 12);  // from the inlet's reservoir
  EXPECT_EQ(curve.at("saturation").back(), 1);
  auto const clusters = table(a_case.read("postProcessing/clusters.csv"));
  EXPECT_EQ(clusters.at("sites"), Column{71});
  EXPECT_EQ(clusters.at("xCentre"), Column{17});
  EXPECT_EQ(clusters.at("yCentre"), Column{7});
  EXPECT_EQ(clusters.at("yFirst"), Column{1});
  EXPECT_EQ(clusters.at("yLast"), Column{5});
  EXPECT_EQ(clusters.at("left"), Column{1});
  EXPECT_EQ(clusters.at("bottom"), Column{0});
}

// An outlet in the throat's wall: what lies in the dead end on the right is cut off when the throat is entered.
TEST(Pores, TrapWhatIsCutOff) {
  PercolationCase a_case(
      "input { type picture; file \"constant/medium.pgm\"; level 1; occupied light; }\n"
      "lattice square; connectivity 4; inlet left; outlet { file \"constant/outlet.pgm\"; level 1; occupied light; }\n"
      "backbone no; shortestPath no; drainage yes;\n",
      "");
  a_case.write("constant/medium.pgm", "P2 9 5 1\n"
                                      "0 0 0 0 0 0 0 0 0\n"
                                      "1 1 1 1 1 0 0 0 0\n"
                                      "1 1 1 1 1 1 1 1 1\n"
                                      "1 1 1 1 1 0 0 0 0\n"
                                      "0 0 0 0 0 0 0 0 0\n");
  a_case.write("constant/outlet.pgm", "P2 9 5 1\n"
                                      "0 0 0 0 0 0 0 0 0\n"
                                      "0 0 0 0 1 0 0 0 0\n"
                                      "0 0 0 0 0 0 0 0 0\n"
                                      "0 0 0 0 0 0 0 0 0\n"
                                      "0 0 0 0 0 0 0 0 0\n");
  auto const free = a_case.run()["results"],
             trapped = a_case.run({"constant/percolationProperties:trapping=yes"})["results"];
  EXPECT_EQ(free["drainedShare"], 1);
  EXPECT_FALSE(free.contains("trappedSites"));
  // balls of radius 2 leave the corners on the right and the dead end to smaller ones, which come too late for the dead end
  EXPECT_EQ(free["breakthroughDiameter"], trapped["breakthroughDiameter"]);
  EXPECT_GT(trapped["trappedSites"], 0);
  EXPECT_NEAR(trapped["drainedShare"].get<double>(), 1 - trapped["trappedSites"].get<double>() / 19, 1e-12);
}

TEST(Pores, HaveTheSameResultsOnAnyRanksAndTiles) {
  std::string const medium = "input { type random; probability 0.7; seed 4; }\nconnectivity 6;\n";
  std::string const all =
      medium +
      "direction all; drainage yes; trapping yes; thickness yes; geodesic yes; clusterTable yes; leastSites 2;\n";
  nlohmann::ordered_json first;
  std::string clusters;
  for (std::string const tile : {"(24 18 13)", "(5 6 7)"}) {
    PercolationCase a_case(all, "cells (24 18 13); tile " + tile + ";");
    auto const report = a_case.run();
    EXPECT_TRUE(report["hash"].contains("drainage_z") && report["hash"].contains("thickness"));
    auto const text = a_case.read("postProcessing/clusters.csv") + a_case.read("postProcessing/drainage_y.csv") +
                      a_case.read("postProcessing/poreSizes.csv");
    if (first.is_null()) {
      first = report;
      clusters = text;
      continue;
    }
    EXPECT_EQ(report["results"], first["results"]);
    EXPECT_EQ(report["hash"], first["hash"]);
    EXPECT_EQ(text, clusters);
  }
}

// The frame of a plane medium is neither pore nor wall.
TEST(Pores, AreThoseOfTheMediumWithoutItsFrame) {
  std::string const keys =
      "direction x; thickness yes; drainage yes; geodesic yes; clusterTable yes; shortestPath no;\n";
  std::string const picture = "input { type picture; file \"constant/medium.pgm\"; level 1; occupied light; }\n";
  PercolationCase framed(picture + keys, ""), bare(picture + "method lattice; frame none; " + keys, "");
  std::string rows = "P2 19 12 1\n";
  for (int n = 0; n < 19 * 12; ++n) rows += (n * n * 7 + n / 5) % 11 < 8 ? "1 " : "0 ";
  for (auto const* c : {&framed, &bare}) c->write("constant/medium.pgm", rows);
  auto const a = framed.run(), b = bare.run();
  for (char const* key : {"meanThickness", "thicknessDeviation", "breakthroughDiameter", "drainedShare",
                          "shortestGeodesic", "geodesicTortuosity"})
    EXPECT_EQ(a["results"][key], b["results"][key]) << key;
  EXPECT_EQ(a["hash"]["thickness"], b["hash"]["thickness"]);
  EXPECT_EQ(a["hash"]["drainage"], b["hash"]["drainage"]);
  EXPECT_EQ(framed.read("postProcessing/clusters.csv"), bare.read("postProcessing/clusters.csv"));
}

TEST(Pores, AreNumbersOfSamples) {
  PercolationCase a_case(
      "input { type random; probability (0.6 0.7); samples 3; seed 4; }\nthickness yes; drainage yes; geodesic yes;\n",
      "cells (20 20 20);");
  auto const report = a_case.run();
  auto const columns = table(a_case.read("postProcessing/samples.csv"));
  for (char const* name : {"meanThickness", "breakthroughDiameter", "geodesicTortuosity"})
    EXPECT_GT(columns.at(name).back(), 0);
}

TEST(Pores, RefuseByNameWhatDoesNotGo) {
  std::string const medium = "input { type random; probability 0.66; seed 4; }\n";
  auto const complaint = [&](std::string const& keys, std::string const& grid) {
    return PercolationCase(medium + keys, grid).complaint();
  };
  EXPECT_NE(complaint("thickness yes;", "cells (20 30 1); size (20 60 1);").find("'thickness'"), std::string::npos);
  EXPECT_NE(complaint("drainage yes; lattice triangular;", "cells (20 30 1);").find("'drainage'"), std::string::npos);
  EXPECT_NE(complaint("geodesic yes; direction x;", "cells (20 30 1); periodic (yes no no);").find("'geodesic'"),
            std::string::npos);
  EXPECT_NE(complaint("trapping yes;", "cells (20 30 1);").find("trapping"), std::string::npos);
  EXPECT_NE(complaint("clusterTable yes; method paper;", "cells (20 30 1);").find("'clusterTable'"), std::string::npos);
  EXPECT_NE(complaint("clusterTable yes; leastSites 0;", "cells (20 30 1);").find("'leastSites'"), std::string::npos);
}
