// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/partitioner.hpp"
#include "tests/support/scratch.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace tessera;
using partition::Load;
using partition::Partitioners;

namespace tessera::tests {

std::vector<double> share(core::Grid const& grid, std::vector<int> const& owners, int ranks) {
  std::vector<double> cells(ranks);
  for (int t = 0; t < grid.tiles(); ++t)
    cells[owners[static_cast<std::size_t>(t)]] += static_cast<double>(grid.tile_box(t).cells());
  for (double& c : cells) c /= static_cast<double>(grid.total());
  return cells;
}

std::vector<int> owners(std::string const& dictionary, core::Grid const& grid, Load const& load) {
  auto d = core::Dictionary::parse(dictionary, "decomposeParDict");
  return Partitioners::make(d.get<std::string>("method"), d)->owners(grid, load);
}

core::Count cut(core::Grid const& grid, std::vector<int> const& owners) {
  auto const graph = partition::tile_graph(grid);
  core::Count cells = 0;
  for (std::size_t t = 0; t < owners.size(); ++t)
    for (int e = graph.first[t]; e < graph.first[t + 1]; ++e)
      if (owners[graph.neighbour[static_cast<std::size_t>(e)]] != owners[t]) cells += graph.cells[e];
  return cells / 2;
}

}  // namespace tessera::tests

using namespace tessera::tests;

TEST(Simple, CutsASquareIntoFourQuarters) {
  auto const grid = core::Grid::unit({64, 64, 1}, {8, 8, 1});
  auto const o = owners("method simple;", grid, Load::by_cells(grid, 4));
  EXPECT_EQ(o[0], 0);
  EXPECT_EQ(o[7], 1);
  EXPECT_EQ(o[56], 2);
  EXPECT_EQ(o[63], 3);
  EXPECT_EQ(cut(grid, o), 128);
}

TEST(Hierarchical, FollowsTheOrderOfTheAxes) {
  auto const grid = core::Grid::unit({60, 60, 1}, {6, 6, 1});
  auto const o =
      owners("method hierarchical; hierarchicalCoeffs { n (1 3 1); order yxz; }", grid, Load::by_cells(grid, 3));
  EXPECT_EQ(o[0], 0);
  EXPECT_EQ(o[99], 2);
  EXPECT_EQ(cut(grid, o), 120);
}

TEST(Manual, TakesOwnersAsListed) {
  auto const grid = core::Grid::unit({4, 1, 1}, {1, 1, 1});
  EXPECT_EQ(owners("method manual; manualCoeffs { owners (2 0 1 2); }", grid, Load::by_cells(grid, 3)),
            (std::vector<int>{2, 0, 1, 2}));
  EXPECT_THROW(owners("method manual; manualCoeffs { owners (0 0 1); }", grid, Load::by_cells(grid, 2)), core::Error);
  EXPECT_THROW(owners("method manual; manualCoeffs { owners (0 0 1 2); }", grid, Load::by_cells(grid, 2)), core::Error);
}

/// A case with the file constant/owners of `text`; what method manual makes of it, with its note.
struct OwnersFile {
  tests::Scratch scratch;
  std::unique_ptr<partition::Partitioner> made;

  explicit OwnersFile(std::string const& text, std::string const& place = "constant/owners") {
    std::filesystem::create_directories(scratch / "constant");
    std::ofstream(scratch / place) << text;
    auto d = core::Dictionary::parse("method manual; manualCoeffs { dataFile \"owners\"; }",
                                     scratch / "system/decomposeParDict");
    made = Partitioners::make("manual", d);
  }
};

TEST(Manual, TakesAListOfCellsAsOpenFoamWritesIt) {
  auto const grid = core::Grid::unit({4, 2, 1}, {2, 2, 1});
  std::string const header =
      "/* banner */\nFoamFile\n{\n  version 2.0;\n  format ascii;\n  class labelList;\n}\n// list\n";
  OwnersFile const whole(header + "8\n(\n1\n1\n0\n0\n1\n1\n0\n0\n)\n");
  EXPECT_EQ(whole.made->owners(grid, Load::by_cells(grid, 2)), (std::vector<int>{1, 0}));
  EXPECT_TRUE(whole.made->numbers_cells(grid));
  EXPECT_EQ(whole.made->note(grid), whole.scratch / "constant/owners:9: taken for the ranks of 8 cells");
  // cells of a tile that name different ranks: that of most, the lowest of equals
  OwnersFile const mixed("8(1 2 0 1 1 2 0 0)");
  EXPECT_EQ(mixed.made->owners(grid, Load::by_cells(grid, 3)), (std::vector<int>{1, 0}));
  EXPECT_NE(mixed.made->note(grid).find("2 of 2 tiles hold cells of several ranks"), std::string::npos);
  OwnersFile const equal(header + "8{1}\n", "owners");
  EXPECT_EQ(equal.made->owners(grid, Load::by_cells(grid, 2)), (std::vector<int>{1, 1}));
}

TEST(Manual, TakesAListOfTilesFromAFileToo) {
  auto const grid = core::Grid::unit({4, 2, 1}, {2, 2, 1});
  for (std::string const text : {"2(1 0)", "(1 0)", "FoamFile { format ascii; }\nowners (1 0);"}) {
    OwnersFile const file(text);
    EXPECT_EQ(file.made->owners(grid, Load::by_cells(grid, 2)), (std::vector<int>{1, 0})) << text;
    EXPECT_FALSE(file.made->numbers_cells(grid));
    EXPECT_NE(file.made->note(grid).find("taken for the ranks of 2 tiles"), std::string::npos) << text;
  }
}

TEST(Manual, RefusesListsThatDoNotFitWithFileAndLine) {
  auto const grid = core::Grid::unit({4, 2, 1}, {2, 2, 1});
  auto const fault = [&](std::string const& text) -> std::string {
    try {
      OwnersFile const file(text);
      file.made->owners(grid, Load::by_cells(grid, 2));
    } catch (core::Error const& error) {
      std::string const message = error.what();
      return message.substr(message.rfind("owners:"));
    }
    return "";
  };
  EXPECT_EQ(fault("3(1 0)"), "owners:1: the list has 2 values, expected 3");
  EXPECT_EQ(fault("\n3(1 0 1)"), "owners:2: owners has 3 entries, expected one for each of 2 tiles or of 8 cells");
  EXPECT_EQ(fault("(1 2)"), "owners:1: owner 2 is no rank, expected 0 .. 1");
  for (char const* bad : {"", "\n", "5", "(1 0", "(1 x)", "(1 -1)", "(1.5 0)", "FoamFile {", "8{1", "/*", "//"})
    EXPECT_NE(fault(bad).find(": expected a list of ranks"), std::string::npos) << bad;
  EXPECT_NE(fault("FoamFile { format binary; }\n2(..)").find("expected format ascii"), std::string::npos);
  auto d =
      core::Dictionary::parse("method manual; manualCoeffs { dataFile \"gone\"; }", "nowhere/system/decomposeParDict");
  EXPECT_THROW(Partitioners::make("manual", d), core::Error);
}

TEST(Partitioners, RefuseMoreRanksThanTilesAndWrongParts) {
  auto const grid = core::Grid::unit({16, 16, 1}, {8, 8, 1});
  for (std::string const method : {"simple", "hierarchical", "scotch"})
    EXPECT_THROW(owners("method " + method + ";", grid, Load::by_cells(grid, 5)), core::Error) << method;
  EXPECT_THROW(owners("method simple; simpleCoeffs { n (3 1 1); }", grid, Load::by_cells(grid, 2)), core::Error);
}

TEST(Scotch, CutsLittle) {
  auto const grid = core::Grid::unit({256, 256, 1}, {16, 16, 1});
  auto const o = owners("method scotch;", grid, Load::by_cells(grid, 4));
  EXPECT_LE(cut(grid, o), 2 * 256 * 1.3);  // four squares cut 512; Scotch's parts need not be square
}

namespace tessera::tests {

/// The cut between domains of ranks, in cells.
core::Count cut_between(core::Grid const& grid, std::vector<int> owners, std::vector<int> const& domain) {
  for (int& owner : owners) owner = domain[owner];
  return cut(grid, owners);
}

/// Four nodes of two sockets of two ranks, which are numbered across them.
Load four_nodes(core::Grid const& grid) {
  Load load = Load::by_cells(grid, 16);
  load.domains.assign(2, {});
  for (int rank = 0; rank < 16; ++rank) {
    load.domains[0].push_back(rank * 5 % 16 / 4);
    load.domains[1].push_back(rank * 5 % 16 / 2);
  }
  return load;
}

}  // namespace tessera::tests

TEST(PartitionsOfNodes, CutLittleBetweenNodes) {
  auto const grid = core::Grid::unit({512, 512, 1}, {16, 16, 1});
  for (std::string const method : {"scotch", "ptscotch"}) {
    if (!Partitioners::contains(method)) continue;
    Load load = four_nodes(grid);
    auto const nodes = load.domains[0], sockets = load.domains[1];
    auto const with = owners("method " + method + ";", grid, load);
    load.domains.clear();
    auto const without = owners("method " + method + ";", grid, load);
    // four squares of 256 x 256 cells cut 1024, eight halves of them 2048; sixteen parts, whose numbers say nothing, 3072
    EXPECT_LE(cut_between(grid, with, nodes), 1024 * 1.3) << method;
    EXPECT_LE(cut_between(grid, with, sockets), 2048 * 1.3) << method;
    EXPECT_LE(cut(grid, with), 3072 * 1.3) << method;
    EXPECT_GT(cut_between(grid, without, nodes), cut_between(grid, with, nodes)) << method;
    for (double s : share(grid, with, 16)) EXPECT_NEAR(s, 1.0 / 16, 0.01) << method;
  }
}

TEST(PartitionsOfNodes, FollowTheRatesOfNodesOfUnequalSize) {
  auto const grid = core::Grid::unit({512, 512, 1}, {16, 16, 1});
  Load load = Load::by_cells(grid, 5);
  load.rank_rate = {4, 1, 1, 2, 2};
  load.domains = {{0, 1, 1, 1, 0}};
  for (std::string const method : {"scotch", "ptscotch"}) {
    if (!Partitioners::contains(method)) continue;
    auto const shares = share(grid, owners("method " + method + ";", grid, load), 5);
    for (std::size_t r = 0; r < 5; ++r) EXPECT_NEAR(shares[r], load.rank_rate[r] / 10, 0.03) << method << " rank " << r;
  }
}

TEST(PartitionsOfNodes, AreGivenByHandWithDomains) {
  auto const grid = core::Grid::unit({512, 512, 1}, {16, 16, 1});
  Load load = four_nodes(grid);
  for (std::size_t rank = 0; rank < 16; ++rank) load.domains[0][rank] = static_cast<int>(rank) / 4;
  auto const nodes = load.domains[0];
  load.domains.pop_back();
  auto const found = owners("method scotch;", grid, load);
  load.domains.clear();
  EXPECT_EQ(owners("method scotch; scotchCoeffs { domains (4 4); }", grid, load), found);
  EXPECT_THROW(owners("method scotch; scotchCoeffs { domains (4 3); }", grid, load), core::Error);
  EXPECT_THROW(owners("method scotch; scotchCoeffs { domains (4 0); }", grid, load), core::Error);
}

TEST(PartitionsOfNodes, LeaveALevelOutThatHasTooFewTiles) {
  // six tiles for six ranks: however the nodes share them, every rank has one
  auto const grid = core::Grid::unit({48, 32, 1}, {16, 16, 1});
  Load load = Load::by_cells(grid, 6);
  load.rank_rate = {100, 1, 1, 1, 1, 1};
  load.domains = {{0, 0, 1, 1, 1, 1}};
  for (std::string const method : {"scotch", "ptscotch"}) {
    if (!Partitioners::contains(method)) continue;
    auto o = owners("method " + method + ";", grid, load);
    std::sort(o.begin(), o.end());
    EXPECT_EQ(o, (std::vector<int>{0, 1, 2, 3, 4, 5})) << method;
  }
}

TEST(OneTileEach, GoesToTheFastestRanks) {
  EXPECT_EQ(partition::one_tile_each(2, {1, 3, 1, 2}), (std::vector<int>{1, 3}));
  EXPECT_EQ(partition::one_tile_each(3, {1, 1, 1, 1}), (std::vector<int>{0, 1, 2}));
}
