// SPDX-License-Identifier: Apache-2.0
#include "run/ensemble.hpp"

#include <cmath>
#include <gtest/gtest.h>

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
