// SPDX-License-Identifier: Apache-2.0
#include "io/stream/sum_up.hpp"
#include "tests/support/routers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::io {
namespace {

using tests::Routers;

/// A star, a chain, a tree, two ranks a node; chunks of one, of some and of all values.
std::vector<RouterSettings> const all_routers{{},         {1, -1, 8},       {1, -1, 200},
                                              {2, -1, 1}, {2, -1, 1 << 20}, {1, -1, 96, 2}};

TEST(SumUp, GivesTheRootTheSumsOverAllRanks) {
  core::Comm const world;
  for (auto const& settings : all_routers)
    for (std::size_t const size : {0, 1, 3, 100}) {
      Routers const routers(settings);
      std::vector<std::int64_t> values(size);
      // value n is n (r + 1) of rank r, but rank n modulo 3 has none: whole chunks of zeros are among them
      std::vector<std::int64_t> expected(size);
      for (std::size_t n = 0; n < size; ++n)
        for (int rank = 0; rank < world.size(); ++rank) {
          auto const value = static_cast<int>(n / 7 % 3) == rank ? 0 : static_cast<std::int64_t>(n) * (rank + 1);
          if (rank == world.rank()) values[n] = value;
          expected[n] += value;
        }
      detail::sum_up(world, std::span(values));
      if (!world.root()) continue;
      EXPECT_EQ(values, expected) << settings.radix << " " << settings.chunk << " " << size;
    }
}

TEST(SumUp, HoldsFourChunksAndSendsZerosAsHeaders) {
  core::Comm const world;
  if (world.size() == 1) return;
  Routers const routers({2, -1, 4096});
  std::vector<double> values(64 * 512);
  router_counts() = {};
  detail::sum_up(world, std::span(values));
  std::int64_t const header = sizeof(detail::Header);
  EXPECT_EQ(router_counts().bytes, world.root() ? 0 : 64 * header);
  values[1000] = world.rank();
  router_counts() = {};
  detail::sum_up(world, std::span(values));
  EXPECT_EQ(router_counts().bytes, world.root() ? 0 : 64 * header + 4096);
  EXPECT_LE(router_counts().largest_hold, 4 * (4096 + header));
  EXPECT_GT(router_counts().largest_hold, 0);
  if (!world.root()) return;
  EXPECT_EQ(values[1000], 0.5 * world.size() * (world.size() - 1));
}

}  // namespace
}  // namespace tessera::io
