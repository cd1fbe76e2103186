// SPDX-License-Identifier: Apache-2.0
#include "core/grid/exact_sum.hpp"
#include "core/random.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace tessera::core;

TEST(Random, GivesThePublishedPhiloxNumbers) {
  // known-answer vectors of the Random123 distribution, philox4x32 10
  auto const zero = Random::philox({{0, 0, 0, 0}}, 0, 0);
  EXPECT_EQ(zero.x[0], 0x6627e8d5u);
  EXPECT_EQ(zero.x[1], 0xe169c58du);
  EXPECT_EQ(zero.x[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.x[3], 0x9b00dbd8u);
  auto const pi = Random::philox({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0xa4093822u, 0x299f31d0u);
  EXPECT_EQ(pi.x[0], 0xd16cfe09u);
  EXPECT_EQ(pi.x[1], 0x94fdccebu);
  EXPECT_EQ(pi.x[2], 0x5001e420u);
  EXPECT_EQ(pi.x[3], 0x24126ea1u);
}

TEST(Random, IsUniformAndDiffersByCellStepSampleAndSeed) {
  Random const random{42, 0};
  double sum = 0, squares = 0;
  int const n = 100000;
  for (int c = 0; c < n; ++c) {
    double const u = random.uniform(static_cast<std::uint64_t>(c));
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  // five standard errors of the mean (0.29 / sqrt n) and of the mean square (0.30 / sqrt n)
  EXPECT_NEAR(sum / n, 0.5, 5 * 0.29 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * 0.30 / std::sqrt(n));
  EXPECT_NE(random.bits(1), random.bits(2));
  EXPECT_NE(random.bits(1, 0), random.bits(1, 1));
  EXPECT_NE(random.bits(1), (Random{43, 0}).bits(1));
  EXPECT_NE(random.bits(1), (Random{42, 1}).bits(1));
}

TEST(ExactSum, HasTheSameBitsInAnyOrder) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-300, 300);
  std::vector<double> x(2000);
  for (double& v : x) v = std::ldexp(mantissa(random), exponent(random));
  ExactSum forward;
  for (double v : x) forward.add(v);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(x.begin(), x.end(), random);
    ExactSum a, b;
    for (std::size_t n = 0; n < x.size(); ++n) (n % 3 ? a : b).add(x[n]);
    a.add(b);
    EXPECT_EQ(a.round(), forward.round());
  }
}

TEST(ExactSum, RoundsOnceToNearestEven) {
  ExactSum s;
  s.add(1e300);
  s.add(1.0);
  s.add(-1e300);
  EXPECT_EQ(s.round(), 1.0);  // plain double gives 0
  double const ulp = std::ldexp(1, -52);
  ExactSum tie;
  tie.add(1.0);
  tie.add(ulp / 2);
  EXPECT_EQ(tie.round(), 1.0);
  tie.add(std::ldexp(1, -1000));
  EXPECT_EQ(tie.round(), 1.0 + ulp);
  ExactSum negative;
  negative.add(-3.5);
  negative.add(0.25);
  EXPECT_EQ(negative.round(), -3.25);
  ExactSum nothing;
  EXPECT_EQ(nothing.round(), 0.0);
  ExactSum tiny;
  tiny.add(std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(tiny.round(), std::numeric_limits<double>::denorm_min());
  ExactSum large;
  large.add(std::numeric_limits<double>::max());
  EXPECT_EQ(large.round(), std::numeric_limits<double>::max());
}

TEST(ExactSum, AgreesWithLongDoubleOnOrdinaryNumbers) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  ExactSum s;
  long double reference = 0;
  for (int n = 0; n < 100000; ++n) {
    double const x = u(random);
    s.add(x);
    reference += x;
  }
  // long double carries 11 more bits; 1e5 terms of size 1 lose less than 1e5 * 2^-64
  EXPECT_NEAR(s.round(), static_cast<double>(reference), 1e-14);
}

TEST(ExactSum, PassesOnInfinitiesAndNaN) {
  double const inf = std::numeric_limits<double>::infinity();
  ExactSum s;
  s.add(-inf);
  s.add(5);
  EXPECT_EQ(s.round(), -inf);
  s.add(inf);
  EXPECT_TRUE(std::isnan(s.round()));
}

TEST(Times, PartsSumToTheWall) {
  auto const pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); };
  times().restart();
  pause();
  {
    Timed const compute(Part::compute);
    pause();
    {
      Timed const halo(Part::halo);
      pause();
    }
    pause();
  }
  EXPECT_EQ(times().current(), Part::boot);
  auto const seconds = times().seconds();
  double const all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  EXPECT_NEAR(all, times().wall(), 0.02 * all);
  EXPECT_GE(seconds[static_cast<std::size_t>(Part::compute)], 2 * 0.003);
  EXPECT_GE(seconds[static_cast<std::size_t>(Part::halo)], 0.003);
}
