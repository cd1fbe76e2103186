// SPDX-License-Identifier: Apache-2.0
// Regions: media of which some cells are no part of the sample.
#include "tests/support/percolation_case.hpp"
#include "tests/support/volume.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using tests::PercolationCase;
using tests::random_volume;
using tests::Volume;

namespace {

std::string const properties = "constant/percolationProperties:";

std::string const all_found =
    "conductivity yes; verify yes; thickness yes; drainage yes; trapping yes; geodesic yes; clusterTable yes;\n"
    "effectiveConductivity yes; conductivities ((0 1) (1 0.3) (2 0.02) (3 0));\n";

/// All numbers of a report's results with their paths. Those of a solver agree to its tolerance.
void expect_same_results(nlohmann::ordered_json const& a, nlohmann::ordered_json const& b,
                         std::string const& path = "") {
  for (auto const& [key, value] : a.items()) {
    if (!b.contains(key)) continue;
    std::string const name = path + "." + key;
    if (value.is_object())
      expect_same_results(value, b[key], name);
    else if (value.is_number_float())
      EXPECT_NEAR(value.get<double>(), b[key].get<double>(), 1e-7 * (1 + std::abs(value.get<double>()))) << name;
    else
      EXPECT_EQ(value, b[key]) << name;
  }
}

std::string complaint_of_run(PercolationCase& a_case, std::vector<std::string> const& settings = {}) {
  try {
    a_case.run(settings);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// The same cells cut out of the file are another way to the same sample: all that is found agrees.
TEST(Region, OfABoxIsTheBoxCutOut) {
  Volume const volume = random_volume({15, 13, 12}, 3);
  for (std::string const lattice : {"connectivity 6;", "connectivity 26;"}) {
    std::string const limit = volume.file("m") + " level 2; occupied dark;",
                      keys = all_found + lattice + " direction all;";
    PercolationCase cut("input { type picture; " + limit + " box ((3 1 2) (13 12 11)); } " + keys, "tile (5 4 3);");
    PercolationCase region("input { type picture; " + limit + " } region { type box; from (3 1 2); to (13 12 11); }\n" +
                               keys,
                           "tile (4 5 6);");
    for (auto const* c : {&cut, &region}) c->write("constant/m.raw", volume.cells);
    auto const a = cut.run(), b = region.run();
    EXPECT_EQ(a["results"].size(), b["results"].size());
    EXPECT_EQ(a["results"]["directions"]["x"].size(), b["results"]["directions"]["x"].size());
    expect_same_results(a["results"], b["results"]);
    EXPECT_GT(b["results"]["directions"]["x"]["backboneSites"], 100);
    EXPECT_EQ(b["region"]["sites"], 10 * 11 * 9);
    EXPECT_EQ(b["region"]["box"], nlohmann::ordered_json::parse("[[3,1,2],[13,12,11]]"));
    for (char const* table :
         {"postProcessing/poreSizes.csv", "postProcessing/drainage_y.csv", "postProcessing/clusterSizes.csv"})
      EXPECT_EQ(cut.read(table), region.read(table)) << table;
  }
}

// What lies outside cannot be entered: but for what is told in shares, and what depends on walls, it is as solid.
TEST(Region, OfAMaskIsTheMediumWithSolidOutside) {
  core::Grid::Shape const n{14, 15, 11};
  Volume const volume = random_volume(n, 8);
  // a bent tube, which begins and ends within the grid
  auto const inside = [](int i, int j, int k) {
    double const x = i - 6.5 - 2 * std::sin(0.4 * k), y = j - 7.5;
    return k >= 1 && k < 10 && x * x + y * y < 20 ? 1 : 0;
  };
  Volume const mask(n, inside), solid(n, [&](int i, int j, int k) { return inside(i, j, k) ? volume.at(i, j, k) : 3; });
  auto const end = [&](int layer) {
    return Volume(n, [&, layer](int i, int j, int k) { return k == layer && inside(i, j, k); });
  };
  std::string keys = all_found + "electrodes faces;";
  keys.replace(keys.find("trapping yes"), 12, "trapping no");
  PercolationCase region(fmt::format("input {{ type picture; {} level 2; occupied dark; }}\n"
                                     "region {{ type mask; {} level 1; occupied light; outside solid; }}\n{}",
                                     volume.file("m"), mask.file("r"), keys),
                         "tile (5 5 4);");
  auto const port = [](Volume const& v, std::string const& name) {
    return "{ " + v.file(name) + " level 1; occupied light; }";
  };
  PercolationCase masked("input { type picture; " + solid.file("m") + " level 2; occupied dark; }\ninlet " +
                             port(mask, "in") + " outlet " + port(mask, "out") + "\n" + keys,
                         "tile (7 6 5);");
  region.write("constant/m.raw", volume.cells);
  region.write("constant/r.raw", mask.cells);
  masked.write("constant/m.raw", solid.cells);
  masked.write("constant/in.raw", end(1).cells);
  masked.write("constant/out.raw", end(9).cells);
  auto const a = region.run(), b = masked.run();
  auto const &found = a["results"], &other = b["results"];
  EXPECT_EQ(found["spans"], true);
  for (char const* key :
       {"clusters", "largestCluster", "spans", "spanningClusters", "spanningSites", "backboneSites", "danglingSites",
        "articulationSites", "redSites", "shortestPath", "shortestGeodesic", "breakthroughDiameter", "drainedShare",
        "meanThickness", "thicknessDeviation", "largestThickness"})
    EXPECT_EQ(found[key], other[key]) << key;
  for (char const* field :
       {"occupied", "label", "spanning", "backbone", "articulation", "red", "thickness", "drainage"})
    EXPECT_EQ(a["hash"][field], b["hash"][field]) << field;

  auto const sites = static_cast<double>(std::count(mask.cells.begin(), mask.cells.end(), 1));
  EXPECT_EQ(a["region"]["sites"], sites);
  EXPECT_NEAR(found["occupation"].get<double>() * sites, other["occupation"].get<double>() * 14 * 15 * 11, 1e-9);
  // length over mean section: nine layers
  EXPECT_NEAR(found["conductance"].get<double>(), other["conductance"].get<double>(), 1e-8);
  EXPECT_NEAR(found["conductivity"].get<double>(), other["conductance"].get<double>() * 9 / (sites / 9), 1e-8);
  EXPECT_NEAR(found["tortuosityFactor"].get<double>(),
              found["occupation"].get<double>() / found["conductivity"].get<double>(), 1e-9);
  EXPECT_NEAR(found["effectiveConductivity"].get<double>(),
              other["effectiveConductance"].get<double>() * 9 / (sites / 9), 1e-7);
  EXPECT_EQ(found["tortuosity"].get<double>(), found["shortestPath"].get<double>() / 9);
  double sum = 0;
  for (std::size_t c = 0; c < mask.cells.size(); ++c)
    if (mask.cells[c]) sum += std::array{1.0, 0.3, 0.02, 0.0}[static_cast<std::size_t>(volume.cells[c])];
  EXPECT_NEAR(found["wienerUpper"].get<double>(), sum / sites, 1e-12);
}

// Nothing is known of what lies outside: balls are bounded by solid of the region alone.
TEST(Region, HasBallsThatReachBeyondIt) {
  core::Grid::Shape const n{13, 12, 9};
  Volume const volume(n, [random = core::Random{5, 0}, number = 0ull](int, int, int) mutable {
    return random.uniform(number++) < 0.1;
  });
  auto const inside = [](int i, int j, int) { return (i - 6.0) * (i - 6.0) + (j - 5.5) * (j - 5.5) <= 30.25; };
  // the reference: ball by ball
  std::vector<std::array<int, 3>> pores, solids;
  for (int k = 0; k < 9; ++k)
    for (int j = 0; j < 12; ++j)
      for (int i = 0; i < 13; ++i)
        if (inside(i, j, k)) (volume.at(i, j, k) ? solids : pores).push_back({i, j, k});
  auto const square = [](auto const& a, auto const& b) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
  };
  std::vector<int> radius(pores.size(), 1 << 30);
  for (std::size_t p = 0; p < pores.size(); ++p)
    for (auto const& s : solids) radius[p] = std::min(radius[p], square(pores[p], s));
  double mean = 0, largest = 0;
  for (auto const& x : pores) {
    int thick = 0;
    for (std::size_t c = 0; c < pores.size(); ++c)
      if (square(x, pores[c]) < radius[c]) thick = std::max(thick, radius[c]);
    mean += 2 * std::sqrt(thick) / static_cast<double>(pores.size());
    largest = std::max(largest, 2 * std::sqrt(thick));
  }
  PercolationCase a_case(
      "input { type picture; " + volume.file("m") +
          " level 1; occupied dark; }\n"
          "region { type cylinder; radius 5.5; }\nbackbone no; shortestPath no; thickness yes; drainage yes;",
      "tile (5 4 3);");
  a_case.write("constant/m.raw", volume.cells);
  auto const found = a_case.run()["results"], walled = a_case.run({properties + "region.outside=solid"})["results"];
  EXPECT_NEAR(found["meanThickness"].get<double>(), mean, 1e-9);
  EXPECT_NEAR(found["largestThickness"].get<double>(), largest, 1e-12);
  EXPECT_NEAR(found["occupation"].get<double>(),
              static_cast<double>(pores.size()) / static_cast<double>(pores.size() + solids.size()), 1e-12);
  EXPECT_LT(walled["meanThickness"].get<double>(), mean);
  EXPECT_LE(walled["breakthroughDiameter"].get<double>(), found["breakthroughDiameter"].get<double>());
}

// Without a word of centre and radius: the largest that fits, in the unit of the grid, along each axis.
TEST(Region, OfACylinderIsTheLargestThatFits) {
  for (int axis = 0; axis < 3; ++axis) {
    core::Grid::Shape n{12, 12, 12};
    n[static_cast<std::size_t>(axis)] = 5;
    // cells twice as wide along the axis that comes first of those across
    std::array<double, 3> size{0.6, 0.6, 0.6};
    std::size_t const wide = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
    size[wide] = 1.2;
    Volume const mask(n, [&](int i, int j, int k) {
      std::array<int, 3> const x{i, j, k};
      double const u = (x[wide] + 0.5 - 6) * 0.1, v = (x[other] + 0.5 - 6) * 0.05;
      return u * u + v * v <= 0.3 * 0.3;
    });
    std::string const grid = fmt::format("size ({} {} {}); origin (3 -2 7); tile (5 5 4);", size[0], size[1], size[2]);
    std::string const keys = fmt::format("fields (occupied region); direction {};", "xyz"[axis]);
    Volume const volume = random_volume(n, 2);
    std::string const input = "input { type picture; " + volume.file("m") + " level 3; }\n";
    PercolationCase cylinder(fmt::format("{}region {{ type cylinder; axis {}; }}\n{}", input, "xyz"[axis], keys), grid);
    PercolationCase masked(input + "region { type mask; " + mask.file("r") + " level 1; occupied light; }\n" + keys,
                           grid);
    for (auto const* c : {&cylinder, &masked}) c->write("constant/m.raw", volume.cells);
    masked.write("constant/r.raw", mask.cells);
    auto const a = cylinder.run(), b = masked.run();
    EXPECT_EQ(a["results"], b["results"]);
    EXPECT_EQ(a["hash"], b["hash"]);
    EXPECT_EQ(a["region"]["sites"], std::count(mask.cells.begin(), mask.cells.end(), 1));
    // the radius and the place of the middle, said
    double const u = (wide == 0 ? 3 : -2) + 0.6, v = (other == 1 ? -2 : 7) + 0.3;
    auto const said =
        cylinder.run({fmt::format("{}region.centre=({} {})", properties, u, v), properties + "region.radius=0.3"});
    EXPECT_EQ(said["hash"], a["hash"]);
  }
}

// All sites there: a sample of one section conducts as a full medium, straight through.
TEST(Region, ThatIsFullConductsAsAFullMedium) {
  PercolationCase a_case("input { type random; probability 1; }\nregion { type cylinder; }\nconductivity yes; "
                         "electrodes faces; geodesic yes;\n"
                         "effectiveConductivity yes; conductivities ((0 0.1) (1 3));",
                         "cells (11 11 8); tile (4 4 4);");
  auto const found = a_case.run()["results"];
  EXPECT_EQ(found["occupation"], 1);
  EXPECT_EQ(found["backboneSites"], found["spanningSites"]);
  EXPECT_EQ(found["tortuosity"], 1);
  EXPECT_NEAR(found["conductivity"].get<double>(), 1, 1e-8);
  EXPECT_NEAR(found["effectiveConductivity"].get<double>(), 3, 1e-7);
  EXPECT_NEAR(found["wienerUpper"].get<double>(), 3, 1e-12);
  EXPECT_NEAR(found["wienerLower"].get<double>(), 3, 1e-12);
  EXPECT_NEAR(found["shortestGeodesic"].get<double>(), 7, 1e-12);
}

// Its straight way is that through the whole region, not through the grid.
TEST(Region, ThatIsBentIsNoDetour) {
  Volume const bent({9, 9, 1}, [](int i, int j, int) {
    return (i == 1 && j <= 6) || (j == 6 && i >= 1 && i <= 5) || (i == 5 && j >= 2 && j <= 6) ||
           (j == 2 && i >= 5 && i <= 7) || (i == 7 && j >= 2);
  });
  PercolationCase a_case("input { type random; probability 1; }\nregion { type mask; " + bent.file("r") +
                             " level 1; occupied light; }",
                         "cells (9 9 1); tile (4 5 1);");
  a_case.write("constant/r.raw", bent.cells);
  auto const found = a_case.run()["results"];
  EXPECT_EQ(found["shortestPath"], 7 + 4 + 4 + 2 + 6);
  EXPECT_EQ(found["tortuosity"], 1);
}

// A limit looked for in the values is that of the region's: the picture's dark corners have no part in it.
TEST(Region, AloneHasAPartInLimits) {
  core::Grid::Shape const n{20, 20, 4};
  auto const inside = [](int i, int j) { return (i - 9.5) * (i - 9.5) + (j - 9.5) * (j - 9.5) <= 100; };
  core::Random const random{3, 0};
  std::uint64_t number = 0;
  Volume const volume(n, [&](int i, int j, int) {
    double const u = random.uniform(number++);
    return !inside(i, j) ? 0 : u < 0.4 ? 90 + static_cast<int>(100 * u) / 4 : 150 + static_cast<int>(40 * u);
  });
  PercolationCase a_case("input { type picture; " + volume.file("m") +
                             " threshold otsu; }\nregion { type cylinder; }\n"
                             "effectiveConductivity yes; interpolate yes; conductivities ((90 1) (190 0.1));",
                         "tile (7 7 4);");
  a_case.write("constant/m.raw", volume.cells);
  auto const report = a_case.run();
  std::int64_t cells = 0, dark = 0;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 20; ++j)
      for (int i = 0; i < 20; ++i) {
        cells += inside(i, j);
        dark += inside(i, j) && volume.at(i, j, k) < 130;
      }
  EXPECT_EQ(report["region"]["sites"], cells);
  EXPECT_NEAR(report["results"]["occupation"].get<double>(), static_cast<double>(dark) / static_cast<double>(cells),
              1e-12);
  EXPECT_GE(report["input"]["values"][0], 90);
  // every value of the region has to have a conductivity, none of those outside
  std::string listed;
  for (int v = 90; v < 190; ++v) listed += fmt::format("({} 1)", v);
  a_case.run({properties + "interpolate=no", properties + "conductivities=(" + listed + ")"});
}

TEST(Region, HasTheSameResultsOnAnyRanksAndTiles) {
  Volume const volume = random_volume({24, 18, 13}, 6);
  std::string const mask = "region { type mask; file \"constant/m.raw:24x18x13:uint8\"; level 3; outside solid; }\n";
  for (std::string const& how :
       {"region { type cylinder; radius 8; }\n" + all_found, mask + all_found + "inlet left; outlet top;",
        std::string("region { type box; from (2 3 1); to (22 15 12); }\ndirection all; "
                    "thickness yes; drainage yes; geodesic yes;"),
        std::string("region { type cylinder; axis x; }\ndirection x; lattice { neighbours ((1 "
                    "0 0) (0 1 0) (0 0 1) (2 0 0)); }")}) {
    nlohmann::ordered_json first;
    for (std::string const tile : {"(24 18 13)", "(5 6 7)"}) {
      PercolationCase a_case("input { type picture; " + volume.file("m") + " level 3; }\n" + how, "tile " + tile + ";");
      a_case.write("constant/m.raw", volume.cells);
      auto const here = a_case.run(), serial = a_case.alone();
      EXPECT_EQ(here["results"], serial["results"]) << how;
      EXPECT_EQ(here["hash"], serial["hash"]) << how;
      EXPECT_EQ(here["region"], serial["region"]) << how;
      if (first.is_null()) first = here;
      expect_same_results(first["results"], here["results"]);
      EXPECT_EQ(first["hash"], here["hash"]) << how;
    }
  }
}

// In one layer a region is no matter of the plane: it has no frame, and the lattice's definitions.
TEST(Region, OfOneLayerIsADisc) {
  PercolationCase disc("input { type random; probability 0.7; seed 2; }\nregion { type cylinder; radius 14; "
                       "}\ndirection all; fields (occupied region backbone);",
                       "cells (33 29 1); tile (8 8 1);");
  auto const found = disc.run();
  std::int64_t cells = 0;
  for (int j = 0; j < 29; ++j)
    for (int i = 0; i < 33; ++i) cells += (i - 16) * (i - 16) + (j - 14) * (j - 14) <= 14 * 14;
  EXPECT_EQ(found["region"]["sites"], cells);
  EXPECT_EQ(found["region"]["box"], nlohmann::ordered_json::parse("[[2,0,0],[31,29,1]]"));
  PercolationCase spatial("input { type random; probability 0.7; seed 2; }\nregion { type cylinder; radius 14; "
                          "}\ndirection all; fields (occupied region backbone);\n"
                          "lattice cubic;",
                          "cells (33 29 1); tile (8 8 1);");
  auto const other = spatial.run();
  EXPECT_EQ(found["results"], other["results"]);
  EXPECT_EQ(found["hash"], other["hash"]);
}

// A wire round a periodic axis; lattices that leave cells out count those of the region that are sites.
TEST(Region, GoesWithPeriodicAxesAndLattices) {
  PercolationCase wire("input { type random; probability 1; }\nregion { type cylinder; radius 2.2; }\ndirection all;",
                       "cells (7 7 6); tile (4 4 3); periodic (yes no yes);");
  auto const found = wire.run({properties + "direction=z"})["results"];
  EXPECT_EQ(found["wraps"], true);
  EXPECT_EQ(found["wrappingSites"], 13 * 6);  // within 2.2 of the middle
}

TEST(Region, OfManySamplesIsThatOfOne) {
  std::string const how = "region { type cylinder; radius 6.5; }\nconductivity yes; thickness yes;\n";
  PercolationCase many("input { type random; probability (0.6 0.8); samples 6; seed 3; eachSample yes; }\n" + how,
                       "cells (16 14 12); tile (5 5 5);");
  PercolationCase one("input { type random; probability 0.6; seed 3; sample 4; }\n" + how,
                      "cells (16 14 12); tile (5 5 5);");
  auto const ranks = many.run({properties + "input.sharing=samples"});
  auto const table = many.read("postProcessing/samples.csv"), each = many.read("postProcessing/eachSample.csv");
  auto const tiles = many.run({properties + "input.sharing=tiles"});
  EXPECT_EQ(ranks["hash"], tiles["hash"]);
  EXPECT_EQ(table, many.read("postProcessing/samples.csv"));
  EXPECT_NEAR(ranks["results"]["ensemble"][0]["occupation"]["mean"].get<double>(), 0.6, 0.05);
  EXPECT_EQ(ranks["region"], one.run()["region"]);
  // sample 4 at 0.6: row 1 + 2 * 4
  std::istringstream rows(each);
  std::string names, row;
  std::getline(rows, names);
  for (int n = 0; n <= 8; ++n) std::getline(rows, row);
  auto const results = one.run()["results"];
  std::istringstream heads(names), values(row);
  int compared = 0;
  for (std::string name, value; std::getline(heads, name, ',') && std::getline(values, value, ',');)
    if (results.contains(name) && results[name].is_number()) {
      EXPECT_NEAR(results[name].get<double>(), std::stod(value), 1e-12) << name;
      ++compared;
    }
  EXPECT_GT(compared, 12);
}

TEST(Region, RefusesByNameWhatDoesNotGo) {
  PercolationCase a_case("input { type random; probability 0.7; seed 2; }\nregion { type cylinder; }\n",
                         "cells (20 20 10); size (2 2 1); tile (5 5 5);");
  auto const expect = [&](std::vector<std::string> settings, std::string const& words) {
    for (auto& s : settings) s = (s.find(':') == std::string::npos ? properties : "") + s;
    auto const complaint = a_case.complaint(settings);
    EXPECT_NE(complaint.find(words), std::string::npos) << complaint << "\nexpected: " << words;
  };
  EXPECT_EQ(a_case.complaint(), "");
  expect({"direction=x"}, "'direction' leads to the mantle of the region, a cylinder along z");
  expect({"direction=all"}, "'direction' leads to the mantle");
  expect({"inlet=back", "outlet=left"}, "'outlet' leads to the mantle");
  expect({"region.axis=y"}, "'region' is a cylinder along y, expected one along z, the direction");
  expect({"region.radius=0"}, "'radius'");
  expect({"region.radius=0.01"}, "'radius' leaves no cell of the medium in the region");
  expect({"region.centre=(9 9)"}, "'centre' leaves no cell");
  expect({"region.centre=(9 9 9)"}, "'centre'");
  expect({"region.type=sphere"}, "valid: cylinder box mask");
  expect({"region.outside=wall"}, "valid: nothing solid");
  expect({"region={ type box; from (0 0 0); to (1 -1 1); }"}, "'to' is -1 along y, expected at least 0");
  expect({"region={ type box; from (3 3 3); to (4 4 4); }"}, "'to' leaves no cell");
  expect({"region={ type box; from (0 0 0); }"}, "to");
  expect({"region={ type mask; }"}, "file");
  expect({"input.type=bonds"}, "'region' is for sites");
  expect({"method=paper", "system/gridDict:cells=(20 20 1)"}, "without periodic axes and region");
  expect({"frame=inside", "system/gridDict:cells=(20 20 1)"}, "without periodic axes and region");
  expect({"fields=(regoin)"}, "did you mean 'region'");
  Volume const other({5, 5, 5}, [](int, int, int) { return 1; }),
      empty({20, 20, 10}, [](int i, int, int) { return i % 2; });
  PercolationCase masked("input { type random; probability 0.7; seed 2; }\nregion { type mask; " + other.file("r") +
                             " }\n",
                         "cells (20 20 10);");
  masked.write("constant/r.raw", other.cells);
  EXPECT_NE(masked.complaint().find("has 5 x 5 x 5 cells, expected those of the medium, 20 x 20 x 10"),
            std::string::npos);
  PercolationCase nothing("input { type random; probability 0.7; seed 2; }\nregion { type mask; " + empty.file("r") +
                              " phase 3; }\n",
                          "cells (20 20 10);");
  nothing.write("constant/r.raw", empty.cells);
  EXPECT_NE(complaint_of_run(nothing).find("percolationProperties:2: "), std::string::npos);
  EXPECT_NE(complaint_of_run(nothing).find("'file' leaves no site of the medium in the region"), std::string::npos);
}
