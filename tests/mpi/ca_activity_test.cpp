// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/activity.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>
#include <set>

namespace tessera::tests {
namespace {

using ca::Activity;

/// Tiles of a torus of 6 x 5, of which one moves with each of some generations.
class Torus {
 public:
  /// Which tiles must be computed, over all ranks; the one at (2, 1) moves if `moves`, all others stay.
  std::set<core::Count> computed(int generations, bool moves = true) {
    activity_.begin(generations);
    std::vector<std::int64_t> all(30);
    for (int slot = 0; slot < layout_->tiles(); ++slot) {
      core::TileInfo const& tile = layout_->info(slot);
      auto const number = static_cast<std::size_t>(tile.j0 / 10 * 6 + tile.i0 / 20);
      bool const rests = activity_.rests(slot);
      all[number] += rests ? 0 : 1;
      if (!rests) moved_.emplace_back(slot, moves && number == 8);
    }
    for (auto const& [slot, moved] : moved_) activity_.moved(slot, moved);
    moved_.clear();
    layout_->comm().sum(std::span<std::int64_t>(all));
    std::set<core::Count> numbers;
    for (std::size_t n = 0; n < all.size(); ++n)
      if (all[n] > 0) numbers.insert(static_cast<core::Count>(n));
    return numbers;
  }
  void wake() { activity_.wake(); }

 private:
  std::unique_ptr<core::Layout> layout_ = shuffled_layout({120, 50, 1}, {20, 10, 1}, {true, true, false});
  Activity activity_{*layout_, 10};
  std::vector<std::pair<int, bool>> moved_;
};

std::set<core::Count> const around{1, 2, 3, 7, 8, 9, 13, 14, 15};

TEST(Activity, OnlyTilesThatSeeOneThatMovedAreComputed) {
  Torus torus;
  EXPECT_EQ(torus.computed(6).size(), 30u) << "nothing is known";
  EXPECT_EQ(torus.computed(6), around);
  EXPECT_EQ(torus.computed(6, false), around);
  EXPECT_TRUE(torus.computed(6).empty());
  torus.wake();
  EXPECT_EQ(torus.computed(6).size(), 30u);
}

TEST(Activity, WhatRestsForSomeGenerationsDoesForMultiples) {
  Torus torus;
  torus.computed(2);
  EXPECT_EQ(torus.computed(10), around) << "five times as many";
  EXPECT_EQ(torus.computed(10), around);
  EXPECT_EQ(torus.computed(2).size(), 30u) << "a period of 10 is none of 2";
  EXPECT_EQ(torus.computed(6), around);
  EXPECT_EQ(torus.computed(9).size(), 30u);
}

TEST(Activity, RestfulNumbersOfGenerationsHaveTheCommonPeriods) {
  for (auto const& [most, chosen] :
       std::vector<std::pair<int, int>>{{1, 1}, {4, 4}, {8, 6}, {16, 12}, {29, 24}, {30, 30}})
    EXPECT_EQ(Activity::restful(most), chosen);
}

}  // namespace
}  // namespace tessera::tests
