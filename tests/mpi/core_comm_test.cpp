// SPDX-License-Identifier: Apache-2.0
#include "core/comm/cores.hpp"
#include "core/grid/exact_sum.hpp"
#include "tests/support/transports.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <thread>

using namespace tessera::core;
using namespace tessera::tests;

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
  for (int n = 0; n < counts[me]; ++n) data[places[me] + n] = std::byte(me);
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

TEST(Comm, ReducesAlikeByMessagesAndThroughSharedMemory) {
  Comm const world;
  int const n = world.size(), me = world.rank();
  for (Transport const by : transports) {
    By const chosen(by);
    for (int round = 0; round < 50; ++round) {
      if ((round + me) % 9 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      EXPECT_EQ(world.sum(std::int64_t{me + round}), n * (n - 1) / 2 + n * round);
      EXPECT_EQ(world.min(std::int64_t{me - round}), -round);
      EXPECT_EQ(world.max(std::int64_t{me - round}), n - 1 - round);
      EXPECT_EQ(world.max(0.5 * me), 0.5 * (n - 1));
      EXPECT_EQ(world.min(-0.5 * me), -0.5 * (n - 1));
      EXPECT_EQ(world.any(me == round % n), true);
      EXPECT_EQ(world.any(false), false);
    }
    for (std::size_t size : {0, 1, 71, 512, 513, 20'000}) {  // up to 512 there is room on a board
      std::vector<std::int64_t> x(size);
      for (std::size_t k = 0; k < size; ++k) x[k] = static_cast<std::int64_t>(k) * (me + 1);
      world.sum(std::span<std::int64_t>(x));
      for (std::size_t k = 0; k < size; ++k) ASSERT_EQ(x[k], static_cast<std::int64_t>(k) * n * (n + 1) / 2);
    }
  }
}

TEST(ExactSum, HasTheSameBitsByMessagesAndThroughSharedMemory) {
  Comm const world;
  std::vector<double> results;
  for (Transport const by : transports) {
    By const chosen(by);
    ExactSum sums[2];
    for (int k = 0; k < 1000; ++k)
      if (k % world.size() == world.rank()) {
        sums[0].add(std::pow(-1.01, k) / (k + 3));
        sums[1].add(k == 500 ? std::numeric_limits<double>::infinity() : 1.0);
      }
    ExactSum::all_reduce(world, sums);
    results.push_back(sums[0].round());
    EXPECT_EQ(sums[1].round(), std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(results[0], results[1]);
  ExactSum alone;
  for (int k = 0; k < 1000; ++k) alone.add(std::pow(-1.01, k) / (k + 3));
  EXPECT_EQ(results[0], alone.round());
}

TEST(Node, HasTheRanksThatShareMemory) {
  Comm const world;
  auto const nodes = memory_nodes(world);
  if (!std::is_sorted(nodes.begin(), nodes.end())) GTEST_SKIP() << "the ranks that share memory are those in order";
  auto const me = static_cast<std::size_t>(world.rank());
  int const here = static_cast<int>(std::count(nodes.begin(), nodes.end(), nodes[me]));
  if (node_of(world) == nullptr) {
    EXPECT_EQ(here, 1);
    return;
  }
  EXPECT_EQ(node_of(world)->size(), here);
  EXPECT_EQ(node_of(world)->local(world.rank()), node_of(world)->rank());
  for (int r = 0; r < world.size(); ++r) EXPECT_EQ(node_of(world)->local(r) >= 0, nodes[r] == nodes[me]);
}

TEST(SharedMemory, GivesPiecesThatOthersReadAndTakesThemAgain) {
  Comm const world;
  if (node_of(world) == nullptr) GTEST_SKIP() << "no ranks that share memory";
  SharedMemory& memory = node_of(world)->memory();
  Comm const& node = node_of(world)->comm();
  auto const me = static_cast<std::uint64_t>(node.rank());
  struct Held {
    SharedMemory::Piece piece;
    std::span<std::uint64_t> words;
  };
  std::vector<Held> held;
  for (std::uint64_t n = 0; n < 41; ++n) {
    bool const large = n == 20, none = n % 5 == 4 && me == 0;  // the large one needs a window of its own
    std::size_t const words = none ? 0 : large ? 3'000'000 : 1 + (n * 7919 + me * 104729) % 40'000;
    auto const piece = memory.allocate(8 * words);
    ASSERT_TRUE(piece);
    ASSERT_GE(piece->bytes, 8 * words);
    held.push_back({*piece, {}});
    if (none) continue;
    auto* const first = reinterpret_cast<std::uint64_t*>(memory.address(node.rank(), piece->window, piece->at));
    held.back().words = {first, words};
    for (std::size_t k = 0; k < words; ++k) first[k] = 1'000'000'000 * n + k;
    if (n % 3 != 2) continue;
    memory.release(held[n - 1].piece);
    held[n - 1] = {};
  }
  node.barrier();
  for (std::uint64_t n = 0; n < held.size(); ++n)  // nobody wrote in another's piece
    for (std::size_t k = 0; k < held[n].words.size(); ++k) ASSERT_EQ(held[n].words[k], 1'000'000'000 * n + k);
  // where the first rank says that it lies, the others find the large piece
  Bytes place;
  append(place, held[20].piece);
  node.broadcast(place);
  auto const large = ByteReader(place).take<SharedMemory::Piece>();
  if (me > 0) {
    auto const* const words = reinterpret_cast<std::uint64_t*>(memory.address(0, large.window, large.at));
    EXPECT_EQ(words[2'999'999], 20'000'000'000U + 2'999'999U);
  }
  node.barrier();
  for (Held const& h : held) memory.release(h.piece);
  // all together again: the whole of the first window but the boards of reductions
  auto const whole = memory.allocate((std::size_t{16} << 20) - (std::size_t{64} << 10));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->window, 0);
  memory.release(*whole);
}
