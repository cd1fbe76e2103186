// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/partitioner.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using partition::Load;
using partition::Partitioners;

TEST(Partitioners, AreRegistered) { EXPECT_GE(Partitioners::entries().size(), 4u); }

TEST(Partitioners, GiveEveryTileOneOwnerAndFollowTheRates) {
  auto const grid = core::Grid::unit({512, 384, 1}, {16, 16, 1});
  for (auto const& [name, entry] : Partitioners::entries()) {
    if (name == "manual") continue;  // has no choice of its own
    for (std::vector<double> const& rates : {std::vector<double>{1, 1, 1, 1}, {2, 1, 1}, {5, 1}}) {
      auto d = core::Dictionary::parse("method " + name + ";", "decomposeParDict");
      Load load = Load::by_cells(grid, static_cast<int>(rates.size()));
      load.rank_rate = rates;
      auto const owners = Partitioners::make(name, d)->owners(grid, load);
      ASSERT_EQ(owners.size(), static_cast<std::size_t>(grid.tiles())) << name;
      EXPECT_EQ(owners, Partitioners::make(name, d)->owners(grid, load))
          << name << " gives another answer the second time";
      std::vector<double> cells(rates.size());
      double all = 0;
      for (double r : rates) all += r;
      for (int t = 0; t < grid.tiles(); ++t) {
        int const rank = owners[t];
        ASSERT_GE(rank, 0);
        ASSERT_LT(rank, static_cast<int>(rates.size()));
        cells[rank] += static_cast<double>(grid.tile_box(t).cells());
      }
      for (std::size_t r = 0; r < rates.size(); ++r)
        // a row or column of tiles is 1/24 of the grid, and cuts fall between them
        EXPECT_NEAR(cells[r] / static_cast<double>(grid.total()), rates[r] / all, 0.04) << name << " rank " << r;
    }
  }
}
