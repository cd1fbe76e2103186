// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/activity.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>
#include <set>

namespace tessera::tests {
namespace {

using ca::Activity;
using Words = Activity::Words;

/// A torus of tiles of so many words and 64 rows, four bands of 16, of which cells see ten rows far.
class Torus {
 public:
  explicit Torus(int words, int tiles)
      : layout_(shuffled_layout({words * 64 * tiles, 192, 1}, {words * 64, 64, 1}, {true, true, false})),
        across_(tiles),
        words_(words) {}

  /// The words that must be computed, by band and from left to right over all tiles and ranks. Those of row 84 (band 5) which `moves` names
  /// move then.
  std::set<std::pair<int, int>> computed(int generations, Words const& moves) {
    activity_.begin(generations);
    auto const all_words = static_cast<std::size_t>(across_ * words_);
    std::vector<std::int64_t> all(12 * all_words);
    std::vector<Activity::Area> areas;
    for (int slot = 0; slot < layout_->tiles(); ++slot) {
      core::TileInfo const& tile = layout_->info(slot);
      int const low = static_cast<int>(tile.i0 / 64), bottom = static_cast<int>(tile.j0);
      activity_.find_areas(slot, areas);
      activity_.compute(slot, areas);
      for (auto const& area : areas) {
        for (int j = area.first; j < area.end; ++j)
          for (int w = area.words.first; w < area.words.end; ++w)
            all[static_cast<std::size_t>((bottom + j) / 16) * all_words + static_cast<std::size_t>(low + w)] += 1;
        if (bottom != 64) continue;
        Words const here{std::clamp(moves.first - low, 0, words_), std::clamp(moves.end - low, 0, words_)};
        if (!here.empty()) activity_.moved(slot, 20, here);
      }
    }
    layout_->comm().sum(std::span<std::int64_t>(all));
    std::set<std::pair<int, int>> found;
    for (std::size_t n = 0; n < all.size(); ++n) {
      EXPECT_TRUE(all[n] == 0 || all[n] == 16) << "a band is computed whole, once";
      if (all[n] > 0) found.emplace(n / all_words, n % all_words);
    }
    return found;
  }
  void wake() { activity_.wake(); }

 private:
  std::unique_ptr<core::Layout> layout_;
  Activity activity_{*layout_, 10};
  int across_, words_;
};

/// The words first <= w < end of bands 4 to 6.
std::set<std::pair<int, int>> around(int first, int end) {
  std::set<std::pair<int, int>> words;
  for (int band = 4; band <= 6; ++band)
    for (int w = first; w < end; ++w) words.emplace(band, w);
  return words;
}

TEST(Activity, WhatSeesNothingThatMovedIsNotComputed) {
  Torus torus(8, 3);
  auto const all = std::size_t{12 * 24};
  EXPECT_EQ(torus.computed(6, {11, 13}).size(), all) << "nothing is known";
  EXPECT_EQ(torus.computed(6, {11, 13}), around(10, 14)) << "a word on either side";
  EXPECT_EQ(torus.computed(6, {}), around(10, 14));
  EXPECT_TRUE(torus.computed(6, {}).empty());
  torus.wake();
  EXPECT_EQ(torus.computed(6, {}).size(), all);
}

TEST(Activity, WhatMovesAtTheEndOfATileIsSeenByTheNext) {
  Torus torus(8, 3);
  torus.computed(6, {8, 10});
  EXPECT_EQ(torus.computed(6, {14, 16}), around(6, 11)) << "two words of the tile on the left, whose last may be short";
  EXPECT_EQ(torus.computed(6, {}), around(13, 17));
}

TEST(Activity, WhatComesNearTheEndOfARowThatGoesRoundIsComputedWhole) {
  Torus torus(8, 1);
  torus.computed(6, {3, 5});
  EXPECT_EQ(torus.computed(6, {1, 4}), around(2, 6));
  EXPECT_EQ(torus.computed(6, {3, 6}), around(0, 8));
  EXPECT_EQ(torus.computed(6, {2, 5}), around(0, 8));
  EXPECT_EQ(torus.computed(6, {}), around(1, 6));
}

TEST(Activity, WhatRestsForSomeGenerationsDoesForMultiples) {
  Torus torus(8, 3);
  Words const moves{11, 13};
  torus.computed(2, moves);
  EXPECT_EQ(torus.computed(10, moves), around(10, 14)) << "five times as many";
  EXPECT_EQ(torus.computed(10, moves), around(10, 14));
  EXPECT_EQ(torus.computed(2, moves).size(), std::size_t{12 * 24}) << "a period of 10 is none of 2";
  EXPECT_EQ(torus.computed(6, moves), around(10, 14));
  EXPECT_EQ(torus.computed(9, moves).size(), std::size_t{12 * 24});
}

TEST(Activity, RestfulNumbersOfGenerationsHaveTheCommonPeriods) {
  for (auto const& [most, chosen] :
       std::vector<std::pair<int, int>>{{1, 1}, {4, 4}, {8, 6}, {16, 12}, {29, 24}, {30, 30}})
    EXPECT_EQ(Activity::restful(most), chosen);
}

}  // namespace
}  // namespace tessera::tests
