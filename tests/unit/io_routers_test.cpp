// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/stream/routers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tessera::io {
namespace {

/// So many nodes of so many ranks, numbered in blocks or dealt out in turn.
std::vector<int> nodes_of(int nodes, int ranks_a_node, bool in_turn = false) {
  std::vector<int> node(nodes * ranks_a_node);
  for (std::size_t r = 0; r < node.size(); ++r)
    node[r] = in_turn ? static_cast<int>(r) % nodes : static_cast<int>(r) / ranks_a_node;
  return node;
}

TEST(Routers, OfAFewRanksAreNone) {
  RouterTree const one(nodes_of(1, 1));
  EXPECT_EQ(one.hops(), 0);
  EXPECT_EQ(one.levels(), 0);
  RouterTree const star(nodes_of(1, 20));
  EXPECT_EQ(star.hops(), 1);
  EXPECT_EQ(star.levels(), 0);
  EXPECT_EQ(star.children(0).size(), 19u);
}

TEST(Routers, FillTheTreeLevelByLevel) {
  RouterTree const tree(nodes_of(1, 8), {.radix = 2});
  EXPECT_EQ(tree.children(0), (std::vector<int>{1, 2}));
  EXPECT_EQ(tree.children(1), (std::vector<int>{3, 4}));
  EXPECT_EQ(tree.children(3), (std::vector<int>{7}));
  EXPECT_EQ(tree.hops(7), 3);
  EXPECT_EQ(tree.levels(), 2);
  EXPECT_EQ(tree.reach(1), 4);
  EXPECT_EQ(tree.ways(0), (std::vector<int>{0, 1, 2, 1, 1, 2, 2, 1}));
  EXPECT_EQ(tree.ways(1), (std::vector<int>{-1, 0, -1, 1, 2, -1, -1, 1}));
}

TEST(Routers, EnterEachNodeOnceThroughItsLowestRank) {
  for (bool const in_turn : {false, true})
    for (int const radix : {1, 2, 3, 8}) {
      auto const node = nodes_of(7, 5, in_turn);
      RouterTree const tree(node, {.radix = radix});
      std::vector<int> entries(7);
      int reached = 0;
      for (int rank = 0; rank < tree.ranks(); ++rank) {
        int here = 0, away = 0;
        for (int const child : tree.children(rank)) {
          EXPECT_EQ(tree.parent(child), rank);
          EXPECT_EQ(tree.hops(child), tree.hops(rank) + 1);
          bool const same = node[child] == node[rank];
          ++(same ? here : away);
          if (!same) ++entries[node[static_cast<std::size_t>(child)]];
          ++reached;
        }
        EXPECT_LE(here, radix);
        EXPECT_LE(away, radix);
      }
      EXPECT_EQ(reached, tree.ranks() - 1);
      EXPECT_EQ(tree.reach(0), tree.ranks());
      entries[0] += 1;  // the root's own
      EXPECT_EQ(entries, std::vector<int>(7, 1));
    }
}

TEST(Routers, TakeTheSmallestRadixThatManagesWithTheLevels) {
  // r + r^2 >= 110 below the root
  EXPECT_EQ(RouterTree(nodes_of(1, 111), {.radix = 0, .levels = 1}).radix(), 10);
  EXPECT_EQ(RouterTree(nodes_of(1, 112), {.radix = 0, .levels = 1}).radix(), 11);
  EXPECT_EQ(RouterTree(nodes_of(1, 112), {.radix = 0, .levels = 0}).radix(), 111);
  RouterTree const chain(nodes_of(1, 6), {.radix = 0, .levels = 4});
  EXPECT_EQ(chain.radix(), 1);
  EXPECT_EQ(chain.hops(), 5);
}

TEST(Routers, ThatDoNotReachAllRanksAreRefused) {
  EXPECT_THROW(RouterTree(nodes_of(1, 100), {.radix = 2, .levels = 1}), core::Error);
  EXPECT_THROW(RouterTree(nodes_of(4, 4), {.radix = 0, .levels = 0}), core::Error);  // root, leader, rank
  EXPECT_EQ(RouterTree(nodes_of(4, 4), {.radix = 3, .levels = 1}).hops(), 2);
}

TEST(Routers, ReachThePublishedGridInThreeHops) {
  // 100 x 100 cells, 8 neighbours, radix 36: 8 x 36^2 = 10368
  auto const chosen = cell_routers(100 * 100, 8, 0, -1);
  EXPECT_EQ(chosen.radix, 36);
  EXPECT_EQ(chosen.levels, 1);
  EXPECT_EQ(chosen.hops(), 3);
  EXPECT_EQ(chosen.reach(), 10368);
  EXPECT_EQ(cell_routers(100 * 100, 8, 36, -1).levels, 1);
  EXPECT_EQ(cell_routers(100 * 100, 8, 35, -1).levels, 2);  // 8 x 35^2 = 9800 are too few
  EXPECT_EQ(cell_routers(100 * 100, 8, 0, 2).radix, 11);    // 8 x 11^3 = 10648
  EXPECT_FALSE(cell_routers(100 * 100, 8, 35, 1).reaches(10000));
  EXPECT_EQ(cell_routers(27, 1, 3, -1).levels, 2);
  EXPECT_THROW(cell_routers(100, 8, 1, -1), core::Error);
  EXPECT_THROW(cell_routers(100, 0, 3, -1), core::Error);
  EXPECT_THROW(cell_routers(0, 8, 3, -1), core::Error);
}

TEST(Routers, LoadAsLongAsTheirBusiestRank) {
  core::Link const link{1e-6, 1e9};
  double const chunk = static_cast<double>(router_settings().chunk), chunks = 1000, bytes = chunk * chunks;
  // two ranks: each chunk's half crosses once, and keeps both ends for half of its time
  RouterTree const two(nodes_of(1, 2));
  double const message = 1e-6 + 0.5 * chunk / 1e9;
  EXPECT_NEAR(predict_load(two, bytes, link), (chunks - 1) * 0.5 * message + message, 1e-9);
  // a slow file sets the pace whatever the tree
  double const slow = predict_load(two, bytes, link, 1e6);
  EXPECT_NEAR(slow, bytes / 1e6, 0.01 * slow);
  // one core for both does the work of both
  EXPECT_NEAR(predict_load(two, bytes, link, 0, 1), chunks * message, 1e-3);
  // where latency is all, many ranks are reached faster through routers
  core::Link const far{1e-3, 1e12};
  EXPECT_LT(predict_load(RouterTree(nodes_of(1, 1000), {.radix = 10}), bytes, far),
            0.1 * predict_load(RouterTree(nodes_of(1, 1000), {.radix = 999}), bytes, far));
  EXPECT_EQ(predict_load(RouterTree(nodes_of(1, 1)), 0, {}), 0);
}

}  // namespace
}  // namespace tessera::io
