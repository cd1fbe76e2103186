// SPDX-License-Identifier: Apache-2.0
// Which late tasks are begun a second time, from made-up times [s].
#include "run/sweep/stragglers.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace tessera::run {
namespace {

using Found = std::optional<std::size_t>;

TEST(Stragglers, AreCopiedWhereTheCopyEndsClearlySooner) {
  // 10 s on a team of rate 1; its own has a quarter of that: 40 s
  EXPECT_EQ(worth_a_copy({{10, 0, 0.25}}, 1), Found(0));
  EXPECT_EQ(worth_a_copy({{10, 27, 0.25}}, 1), Found(0));  // 13 s are left, a copy takes 10 s
  EXPECT_EQ(worth_a_copy({{10, 28, 0.25}}, 1), Found());   // 12 s
  EXPECT_EQ(worth_a_copy({{10, 35, 0.25}}, 1), Found());
  // nor by a team as slow as the first
  EXPECT_EQ(worth_a_copy({{10, 1, 0.25}}, 0.25), Found());
  // by one twice as slow as the others, for some time
  EXPECT_EQ(worth_a_copy({{10, 14, 0.25}}, 0.5), Found(0));
  EXPECT_EQ(worth_a_copy({{10, 16, 0.25}}, 0.5), Found());
}

TEST(Stragglers, AreNotCopiedWhereTheCopyWouldEndLater) {
  for (double const predicted : {0.1, 1.0, 50.0})
    for (double const rate : {0.1, 0.5, 1.0, 3.0})
      for (double const own : {0.1, 0.5, 1.0, 3.0})
        for (double share = 0; share <= 1; share += 0.1) {
          double const running = share * predicted / own, left = predicted / own - running;
          if (worth_a_copy({{predicted, running, own}}, rate)) {
            EXPECT_LT(predicted / rate, left) << predicted << ' ' << rate << ' ' << own << ' ' << share;
          }
        }
}

TEST(Stragglers, ThatRunForLongerThanPredictedAreTakenToRunForAsMuchLongerAgain) {
  EXPECT_EQ(worth_a_copy({{10, 11, 1}}, 1), Found());
  EXPECT_EQ(worth_a_copy({{10, 22, 1}}, 1), Found());
  EXPECT_EQ(worth_a_copy({{10, 23, 1}}, 1), Found(0));  // 13 s late
  EXPECT_EQ(worth_a_copy({{10, 23, 1}}, 0.5), Found());
}

TEST(Stragglers, WithoutAPredictionAreLeftAlone) {
  EXPECT_EQ(worth_a_copy({}, 1), Found());
  EXPECT_EQ(worth_a_copy({{std::numeric_limits<double>::quiet_NaN(), 1e6, 1}}, 1), Found());
}

TEST(Stragglers, AreCopiedInTheOrderInWhichTheyWouldEndTheLastFirst) {
  std::vector<Straggler> const late{
      {10, 0, 0.5}, {10, 0, 0.25}, {10, 0, 1}, {30, 29, 0.5}};  // 20, 40, 10, 31 s are left
  EXPECT_EQ(worth_a_copy(late, 1), Found(1));
  // the copy of the last one would not pay
  EXPECT_EQ(worth_a_copy({late[0], {100, 0, 1}}, 1), Found(0));
}

/// Three tasks, of which a rank of rate 1/4 has one.
TEST(Stragglers, OfARoundAreFoundByWhatIsMeasuredInIt) {
  auto dictionary = core::Dictionary::parse("axes { a (1 2 3 4 5 6 7 8); } settings (\"f:e={a}\");", "sweepDict");
  Axes const axes(dictionary, ".");
  auto const tasks = axes.points();
  Stragglers late(axes, tasks, {}, 0);
  core::WorkBoard::View view;
  view.in_work = {{7, 1, 1.0}};
  EXPECT_EQ(late(view), std::nullopt);  // nothing is known
  for (std::int64_t n = 0; n < 7; ++n) view.measured.push_back({n, n % 3 == 1 ? 1 : 0, n % 3 == 1 ? 4.0 : 1.0});
  EXPECT_EQ(late(view), std::optional<std::int64_t>(7));  // 3 s against 1 s
  view.in_work[0].running = 3.5;
  EXPECT_EQ(late(view), std::nullopt);
  // what earlier rounds tell
  std::vector<MeasuredTask> earlier;
  for (auto const& [task, by, seconds] : view.measured) earlier.push_back({tasks[task], seconds, by});
  view.measured.clear();
  view.in_work[0].running = 1;
  EXPECT_EQ(Stragglers(axes, tasks, earlier, 0)(view), std::optional<std::int64_t>(7));
  EXPECT_EQ(Stragglers(axes, tasks, earlier, 1)(view), std::nullopt);  // the slow rank itself
}

}  // namespace
}  // namespace tessera::run
