// SPDX-License-Identifier: Apache-2.0
#include "core/grid/tile_shape.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace tessera::core;

namespace tessera::tests {

int tiles_of(Grid::Shape const& cells, Grid::Shape const& tile) { return Grid::unit(cells, tile).tiles(); }

}  // namespace tessera::tests

using tessera::tests::tiles_of;

TEST(TileShape, IsLargeForOneWorkerAndForWorkersThatAreAlike) {
  EXPECT_EQ(choose_tile(TileUse::automata, {4096, 4096, 1}, 1), (Grid::Shape{2048, 512, 1}));
  EXPECT_EQ(choose_tile(TileUse::automata, {512, 512, 1}, 1), (Grid::Shape{512, 512, 1}));
  EXPECT_EQ(choose_tile(TileUse::automata, {2048, 2048, 1}, 2), (Grid::Shape{2048, 512, 1}));
  EXPECT_EQ(choose_tile(TileUse::automata, {3, 3, 1}, 4), (Grid::Shape{3, 3, 1}));
  for (int workers : {2, 3, 4, 7, 64})
    for (Grid::Shape cells :
         {Grid::Shape{512, 512, 1}, {4096, 4096, 1}, {1128, 903, 1}, {128, 128, 128}, {65536, 1, 1}}) {
      Grid::Shape const tile = choose_tile(TileUse::automata, cells, workers);
      EXPECT_TRUE(tiles_of(cells, tile) >= 2 * workers || (tile[0] <= 64 && tile[1] <= 16))
          << cells[0] << " on " << workers;
      EXPECT_LE(tiles_of(cells, tile), std::max(64 * workers, tiles_of(cells, {2048, 512, 64})));
      EXPECT_GE(tile[0], 32);
    }
}

TEST(TileShape, GivesASlowWorkerSomeTilesToo) {
  Grid::Shape const cells{2048, 2048, 1};
  for (double slow : {1.5, 2.0, 2.7, 4.0, 7.3, 10.0, 40.0}) {
    std::vector<double> const rates{1, 1 / slow};
    auto const fit = judge_tile(cells, choose_tile(TileUse::automata, cells, rates), rates);
    EXPECT_LE(fit.imbalance, 0.04) << slow;
    // and not much is paid for it
    EXPECT_LE(fit.shape,
              (slow < 20 ? 1.15 : 1.3) * judge_tile(cells, choose_tile(TileUse::automata, cells, 2), rates).shape)
        << slow;
  }
}

TEST(TileShape, FitsSharesThatWholeTilesMakeEven) {
  // a half, a quarter and a quarter of eight tiles, as wide as the grid
  std::vector<double> const rates{2, 1, 1};
  Grid::Shape const cells{2048, 2048, 1}, tile = choose_tile(TileUse::automata, cells, rates);
  EXPECT_EQ(tile, (Grid::Shape{2048, 256, 1}));
  EXPECT_NEAR(judge_tile(cells, tile, rates).evenness, 1, 1e-6);
}

TEST(TileShape, JudgesHowWholeTilesFit) {
  Grid::Shape const cells{1024, 1024, 1}, tile{1024, 256, 1};
  std::vector<double> const alike{1, 1}, two_to_one{2, 1}, three{1, 1, 1}, ten{10, 1};
  EXPECT_NEAR(judge_tile(cells, tile, alike).evenness, 1, 1e-6);
  EXPECT_NEAR(judge_tile(cells, tile, alike).imbalance, 0, 1e-6);
  // four tiles on 2 : 1: 3 and 1 take 1.5 and 1, and all at once 4 / 3
  EXPECT_NEAR(judge_tile(cells, tile, two_to_one).evenness, 1.5 / (4.0 / 3), 1e-6);
  EXPECT_NEAR(judge_tile(cells, tile, two_to_one).imbalance, 1.5 / 1.25 - 1, 1e-6);
  // on three alike one has two
  EXPECT_NEAR(judge_tile(cells, tile, three).evenness, 1.5, 1e-6);
  // the slow one has one, too, for which the fast one waits
  EXPECT_NEAR(judge_tile(cells, tile, ten).evenness, 1 / (4.0 / 11), 1e-6);
}

TEST(TileShape, CostsMoreWithLowerAndShorterTiles) {
  Grid::Shape const cells{4096, 4096, 1};
  std::vector<double> const one{1};
  auto const cost = [&](Count i, Count j) { return judge_tile(cells, {i, j, 1}, one).shape; };
  EXPECT_LT(cost(2048, 256), cost(2048, 128));
  EXPECT_LT(cost(2048, 128), cost(1024, 128));
  EXPECT_LT(cost(1024, 128), cost(1024, 64));
  EXPECT_LT(cost(1024, 64), 1.4 * cost(2048, 256));
}

TEST(TileShape, GivesEachWorkerATileOfASmallGrid) {
  auto const tiles = [](Grid::Shape cells, int workers) {
    return Grid::unit(cells, choose_tile(TileUse::automata, cells, workers)).tiles();
  };
  EXPECT_GE(tiles({31, 3, 1}, 4), 4);
  EXPECT_GE(tiles({20, 20, 1}, 16), 16);
  EXPECT_GE(tiles({10, 10, 10}, 8), 8);
  EXPECT_EQ(tiles({3, 2, 1}, 4), 1) << "there are too few cells";
}

TEST(TileShape, OfClustersHasTilesToShareOutOnEveryGrid) {
  EXPECT_EQ(choose_tile(TileUse::clusters, {16384, 16384, 1}, 4), (Grid::Shape{1024, 1024, 1}));
  EXPECT_EQ(choose_tile(TileUse::clusters, {4096, 4096, 1}, 4), (Grid::Shape{1024, 1024, 1}));
  EXPECT_EQ(choose_tile(TileUse::clusters, {1024, 1024, 1}, 4), (Grid::Shape{256, 256, 1}));
  EXPECT_EQ(choose_tile(TileUse::clusters, {1024, 1024, 1}, 1), (Grid::Shape{1024, 1024, 1}));  // nobody to share with
  EXPECT_EQ(choose_tile(TileUse::clusters, {3, 5, 1}, 4), (Grid::Shape{3, 5, 1}));
  for (Count nx : {65, 100, 1000, 5000})
    for (Count ny : {65, 100, 1000, 5000}) {
      auto const tile = choose_tile(TileUse::clusters, {nx, ny, 1}, 4);
      bool const enough = ((nx + tile[0] - 1) / tile[0]) * ((ny + tile[1] - 1) / tile[1]) >= 16;
      EXPECT_TRUE(enough || tile[1] < 32) << nx << " x " << ny;
    }
}

TEST(TileShape, OfVolumesHasLongRowsAndIsNearlySquareAcross) {
  EXPECT_EQ(choose_tile(TileUse::volumes, {400, 400, 400}, 4), (Grid::Shape{400, 58, 58}));
  EXPECT_EQ(choose_tile(TileUse::volumes, {256, 256, 256}, 1), (Grid::Shape{256, 64, 64}));
}

TEST(TileShape, OfSumsDoesNotDependOnRanksAndSufficesToShareOut) {
  EXPECT_EQ(choose_tile(TileUse::sums, {4096, 4096, 1}), (Grid::Shape{1024, 32, 1}));
  EXPECT_EQ(choose_tile(TileUse::sums, {8192, 8192, 1}), (Grid::Shape{1024, 128, 1}));
  EXPECT_EQ(choose_tile(TileUse::sums, {2048, 2048, 1}), (Grid::Shape{1024, 32, 1}));
  EXPECT_EQ(choose_tile(TileUse::sums, {1128, 903, 1}), (Grid::Shape{564, 16, 1}));  // 2 x 57, hardly any of them empty
  for (Grid::Shape cells : {Grid::Shape{160, 128, 1}, {64, 64, 64}, {1024, 1024, 1}, {4000, 1, 1}}) {
    Grid const grid = Grid::unit(cells);
    EXPECT_GE(grid.tiles(), 16) << cells[0];
  }
  EXPECT_EQ(Grid::unit({3, 3, 1}).tiles(), 1);
}

// Bits of solvers depend on the shape for sums, and speeds on the others: a new shape must be meant.
TEST(TileShape, IsTheOneThatWasMeasured) {
  struct {
    Grid::Shape cells, sums, alone, two, unequal, clusters;
  } const table[] = {
      {{3, 3, 1}, {3, 3, 1}, {3, 3, 1}, {3, 3, 1}, {3, 3, 1}, {3, 3, 1}},
      {{160, 128, 1}, {80, 16, 1}, {160, 128, 1}, {160, 32, 1}, {80, 16, 1}, {160, 16, 1}},
      {{1128, 903, 1}, {564, 16, 1}, {1128, 456, 1}, {1128, 232, 1}, {576, 120, 1}, {256, 226, 1}},
      {{1024, 1024, 1}, {512, 16, 1}, {1024, 512, 1}, {1024, 256, 1}, {1024, 64, 1}, {256, 256, 1}},
      {{4096, 4096, 1}, {1024, 32, 1}, {2048, 512, 1}, {2048, 512, 1}, {2048, 512, 1}, {1024, 1024, 1}},
      {{8192, 8192, 1}, {1024, 128, 1}, {2048, 512, 1}, {2048, 512, 1}, {2048, 512, 1}, {1024, 1024, 1}},
      {{30000, 1000, 1}, {1024, 64, 1}, {2048, 504, 1}, {2048, 504, 1}, {2048, 336, 1}, {1024, 1000, 1}},
      {{65536, 1, 1}, {1024, 1, 1}, {2048, 1, 1}, {2048, 1, 1}, {2048, 1, 1}, {1024, 1, 1}},
      {{64, 64, 64}, {64, 16, 16}, {64, 64, 64}, {64, 32, 32}, {64, 16, 16}, {64, 16, 64}},
      {{400, 400, 400}, {256, 32, 16}, {400, 64, 60}, {400, 64, 60}, {400, 56, 52}, {200, 50, 400}},
      {{1000, 20, 300}, {500, 20, 16}, {1000, 20, 60}, {1000, 20, 52}, {512, 20, 40}, {250, 20, 300}},
  };
  std::vector<double> const rates{1, 0.37, 0.1};
  for (auto const& row : table) {
    auto const name = testing::PrintToString(row.cells);
    EXPECT_EQ(choose_tile(TileUse::sums, row.cells), row.sums) << name;
    EXPECT_EQ(choose_tile(TileUse::automata, row.cells, 1), row.alone) << name;
    EXPECT_EQ(choose_tile(TileUse::automata, row.cells, 2), row.two) << name;
    EXPECT_EQ(choose_tile(TileUse::automata, row.cells, rates), row.unequal) << name;
    EXPECT_EQ(choose_tile(TileUse::clusters, row.cells, 4), row.clusters) << name;
  }
}
