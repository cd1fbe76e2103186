// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/partitioner.hpp"

#include <gtest/gtest.h>
#include <numeric>

using namespace tessera;
using partition::Load;
using partition::Partitioners;

namespace tessera::tests {

std::vector<double> share(core::Grid const& grid, std::vector<int> const& owners, int ranks) {
  std::vector<double> cells(static_cast<std::size_t>(ranks));
  for (int t = 0; t < grid.tiles(); ++t)
    cells[static_cast<std::size_t>(owners[static_cast<std::size_t>(t)])] +=
        static_cast<double>(grid.tile_box(t).cells());
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
      if (owners[static_cast<std::size_t>(graph.neighbour[static_cast<std::size_t>(e)])] != owners[t])
        cells += graph.cells[static_cast<std::size_t>(e)];
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
