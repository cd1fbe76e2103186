// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/boundary.hpp"
#include "ca/engine/initial.hpp"
#include "tests/support/automata.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

TEST(Life, IsTheSameForEveryTileSizeAndOwnerTable) {
  for (std::string const sides :
       {"", "left periodic; right periodic; top reflecting; bottom fixed 1;",
        "left periodic; right periodic; top periodic; bottom periodic;", "left open; right reflecting; top open;"}) {
    std::string expected;
    for (core::Grid::Shape tile : {core::Grid::Shape{0, 0, 0}, {7, 5, 1}, {16, 16, 1}, {64, 3, 1}, {1, 1, 1}}) {
      auto properties = core::Dictionary::parse("rule life; boundary { " + sides + " }", "p");
      auto const grid =
          std::make_shared<core::Grid const>(core::Grid::unit({37, 23, 1}, tile, ca::periodic_axes(properties)));
      core::Comm const world;
      for (auto const& owners : owner_tables(*grid, world.size())) {
        core::Layout const layout(grid, owners, world);
        auto life = ca::make_automaton("life", properties, layout);
        ca::fill_random(bytes(*life), 0.4, {3, 0});
        for (int n = 0; n < 12; ++n) life->step();
        auto const now = core::hash(life->state());
        if (expected.empty()) expected = now;
        EXPECT_EQ(now, expected) << sides << " tile " << tile[0] << " x " << tile[1];
      }
    }
  }
}

TEST(Life, CountsTheChangesOfAllRanks) {
  auto const layout = shuffled_layout({20, 20, 1}, {4, 4, 1});
  auto properties = core::Dictionary::parse("rule life;", "p");
  auto life = ca::make_automaton("life", properties, *layout);
  for (core::Index at : {core::Index{2, 2, 0}, {8, 10, 0}, {14, 16, 0}}) draw(bytes(*life), {"###"}, at);
  for (int n = 0; n < 4; ++n) EXPECT_EQ(life->step(), 12);  // three blinkers, four cells each
}

}  // namespace tessera::tests
