// SPDX-License-Identifier: Apache-2.0
#include "partition/summary.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::partition;

TEST(Summary, CountsCellsFacesNeighboursAndTimes) {
  // four tiles of 8 x 8 in a square; ranks 0 0 / 1 2
  auto const grid = core::Grid::unit({16, 16, 1}, {8, 8, 1});
  Load load = Load::by_cells(grid, 3);
  load.rank_rate = {2, 1, 0.5};
  auto const s = summarize(grid, load, {0, 0, 1, 2});
  EXPECT_EQ(s[0].cells, 128);
  EXPECT_EQ(s[0].tiles, 2);
  EXPECT_EQ(s[0].cut, 16);
  EXPECT_EQ(s[0].neighbours, 2);
  EXPECT_EQ(s[1].cut, 16);
  EXPECT_EQ(s[2].neighbours, 2);
  // 256 cells at 3.5 cells a unit of time
  EXPECT_NEAR(s[0].imbalance, 64 / (256 / 3.5) - 1, 1e-12);
  EXPECT_NEAR(s[2].imbalance, 128 / (256 / 3.5) - 1, 1e-12);
}

TEST(MapColours, DifferBetweenNeighbours) {
  auto const grid = core::Grid::unit({64, 64, 1}, {8, 8, 1});
  auto const graph = tile_graph(grid);
  std::vector<int> owners(64);
  for (int t = 0; t < 64; ++t) owners[t] = t / 16 * 4 + t % 8 / 2;  // 16 blocks of 2 x 2
  auto const colours = map_colours(graph, owners, 16, 5);
  for (std::size_t t = 0; t < 64; ++t)
    for (int e = graph.first[t]; e < graph.first[t + 1]; ++e) {
      int const a = owners[t], b = owners[graph.neighbour[static_cast<std::size_t>(e)]];
      if (a != b) {
        EXPECT_NE(colours[a], colours[b]);
      }
    }
  EXPECT_EQ(map_colours(graph, owners, 16, 16)[7], 7);
}
