// SPDX-License-Identifier: Apache-2.0
#include "run/ensemble.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace tessera;

TEST(MeanOf, GivesMeanAndStandardErrorOfWhatIsDefined) {
  // 1, 2, 4: mean 7/3, s^2 = 7/3, error sqrt(7/3 / 3)
  auto const m = run::mean_of({1, std::nan(""), 2, 4});
  EXPECT_EQ(m.samples, 3);
  EXPECT_DOUBLE_EQ(m.mean, 7.0 / 3);
  EXPECT_DOUBLE_EQ(m.error, std::sqrt(7.0 / 9));
}

TEST(MeanOf, HasNoErrorOfOneSampleAndNoMeanOfNone) {
  auto const one = run::mean_of({5});
  EXPECT_EQ(one.mean, 5);
  EXPECT_TRUE(std::isnan(one.error));
  EXPECT_TRUE(std::isnan(run::mean_of({}).mean));
  EXPECT_TRUE(run::finite_or_null(std::nan("")).is_null());
}

TEST(OrderAnew, IsDueWhenAQuarterMoreAreFinished) {
  run::OrderAnew anew;
  std::vector<std::int64_t> at;
  for (std::int64_t finished = 0; finished < 100; ++finished)
    if (anew.due(finished, 0)) {
      at.push_back(finished);
      anew.done(finished, 0, 0);
    }
  EXPECT_EQ(at, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 78, 97}));
}

TEST(OrderAnew, TakesNoMoreThanAFiftiethOfTheTime) {
  run::OrderAnew anew;
  anew.done(100, 10, 10.2);
  EXPECT_FALSE(anew.due(1000, 10.2 + 9.7));
  EXPECT_TRUE(anew.due(1000, 10.2 + 9.9));
  EXPECT_FALSE(anew.due(124, 100));
  EXPECT_TRUE(anew.due(125, 100));
}
