// SPDX-License-Identifier: Apache-2.0
#include "core/cores.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <numeric>

using namespace tessera::core;

TEST(Comm, GathersBlocksInPlace) {
  Comm const world;
  // rank r has r + 1 bytes, that hold r
  std::vector<int> counts, places;
  int total = 0;
  for (int r = 0; r < world.size(); ++r) {
    places.push_back(total);
    counts.push_back(r + 1);
    total += r + 1;
  }
  Bytes data(static_cast<std::size_t>(total));
  auto const me = static_cast<std::size_t>(world.rank());
  for (int n = 0; n < counts[me]; ++n) data[static_cast<std::size_t>(places[me] + n)] = std::byte(me);
  world.gather_in_place(data.data(), counts, places);
  std::size_t at = 0;
  for (int r = 0; r < world.size(); ++r)
    for (int n = 0; n <= r; ++n) EXPECT_EQ(data[at++], std::byte(r));
}

TEST(Comm, BringsMessagesToTheirRanks) {
  Comm const world;
  EXPECT_EQ(world.sum(std::int64_t{world.rank()}), world.size() * (world.size() - 1) / 2);
  int const next = (world.rank() + 1) % world.size(), last = (world.rank() + world.size() - 1) % world.size();
  Bytes mine;
  append(mine, world.rank());
  auto const got = world.exchange({{next, mine}});
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(ByteReader(got.at(last)).take<int>(), last);
}

TEST(Crowding, LiesBetweenACoreForEachThreadAndOneForAll) {
  Comm const world;
  int const threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  double const crowd = measure_crowding(world);
  EXPECT_GE(crowd, 1);
  EXPECT_LE(crowd, world.size() * threads);
}
