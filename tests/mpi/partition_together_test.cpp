// SPDX-License-Identifier: Apache-2.0
#include "partition/partitioner.hpp"

#include <gtest/gtest.h>
#include <numeric>

using namespace tessera;
using partition::Load;
using partition::Partitioners;

TEST(PartitionersOfAllRanks, GiveAllRanksTheSameOwnersThatFollowTheRates) {
  core::Comm const world;
  auto const grid = core::Grid::unit({510, 384, 1}, {16, 16, 1});  // the last column of tiles is narrower
  for (auto const& [name, entry] : Partitioners::entries()) {
    if (name == "manual") continue;  // has no choice of its own
    auto d = core::Dictionary::parse("", "decomposeParDict");
    auto const partitioner = Partitioners::make(name, d);
    for (std::vector<double> const& rates : {std::vector<double>{1, 1, 1, 1}, {2, 1, 1}, {5, 1}, {1}}) {
      Load load = Load::by_cells(grid, static_cast<int>(rates.size()));
      load.rank_rate = rates;
      auto const owners = partitioner->owners_by_all(grid, load, world);
      if (!owners) {
        EXPECT_NE(name, "ptscotch");
        continue;
      }
      ASSERT_EQ(owners->size(), static_cast<std::size_t>(grid.tiles())) << name;
      EXPECT_EQ(owners, partitioner->owners_by_all(grid, load, world)) << name << " answers otherwise the second time";
      std::int64_t const here = std::accumulate(owners->begin(), owners->end(), std::int64_t{0},
                                                [](std::int64_t h, int owner) { return (h * 31 + owner) % 1000003; });
      EXPECT_EQ(world.min(here), world.max(here)) << name << " answers otherwise on other ranks";
      std::vector<double> cells(rates.size());
      for (int t = 0; t < grid.tiles(); ++t)
        cells.at(static_cast<std::size_t>((*owners)[t])) += static_cast<double>(grid.tile_box(t).cells());
      double const all = std::accumulate(rates.begin(), rates.end(), 0.0);
      for (std::size_t r = 0; r < rates.size(); ++r)
        EXPECT_NEAR(cells[r] / static_cast<double>(grid.total()), rates[r] / all, 0.04) << name << " rank " << r;
    }
  }
}
