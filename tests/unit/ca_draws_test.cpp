// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/draws.avx512.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

void expect_draws(core::Random random, double p, std::uint64_t first) {
  std::uint64_t const word = ca::bits::Draws(random, p)(first);
  for (unsigned n = 0; n < 64; ++n) EXPECT_EQ(word >> n & 1, random.uniform(first + n) < p) << p << " " << first + n;
}

TEST(Draws, AreThoseOfEachCell) {
  for (double const p : {0x1p-60, 0.1, 0.5, 0.7, 1 - 0x1p-53})
    for (std::uint64_t const first : {std::uint64_t{0}, std::uint64_t{12345}, (std::uint64_t{1} << 32) - 20,
                                      (std::uint64_t{1} << 34) + 3, std::uint64_t{1} << 63})
      for (core::Random const random : {core::Random{1, 0}, {0xfedcba9876543210u, 77}}) expect_draws(random, p, first);
}

/// Where the upper 32 bits of a draw are those of the probability, the lower 21 decide.
TEST(Draws, AreExactWhereTheUpperHalfDoesNotDecide) {
  core::Random const random{5, 2};
  for (std::uint64_t cell = 0; cell < 20; ++cell) {
    double const draw = random.uniform(cell);
    for (double const p : {draw, draw + 0x1p-53, draw - 0x1p-53, std::floor(draw * 0x1p32) * 0x1p-32})
      if (p > 0 && p < 1) expect_draws(random, p, cell < 7 ? 0 : cell - 7);
  }
}

}  // namespace tessera::tests
