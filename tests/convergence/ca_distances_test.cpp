// SPDX-License-Identifier: Apache-2.0
#include "ca/distances.hpp"
#include "ca/engine/initial.hpp"
#include "tests/support/automata.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera::tests {

/// Mean sites of the shortest path from the lower to the upper side over spanning n x n grids at the threshold.
inline double mean_path(int n, int spanning) {
  auto const layout = make_layout({n, n, 1}, {0, 0, 0});
  auto const lower = ca::side_mask(*layout, core::Side::bottom), upper = ca::side_mask(*layout, core::Side::top);
  auto const lattice = ca::make_lattice("square", 4);
  core::Field<std::uint8_t> occupied("occupied", *layout, 1);
  double sum = 0;
  int found = 0;
  for (std::uint32_t sample = 0; found < spanning; ++sample) {
    ca::fill_random(occupied, 0.592746, core::Random{static_cast<std::uint64_t>(n), sample});
    auto const path = ca::shortest_path(occupied, *lower, *upper, lattice);
    if (path.sites == 0) continue;
    EXPECT_EQ(path.straight_sites, n);
    sum += static_cast<double>(path.sites);
    ++found;
  }
  return sum / spanning;
}

// Means over 2000 spanning grids of a serial program: 47.51 +- 0.21, 105.0 +- 0.5. One grid scatters by 15 %, so 500
// grids give 0.7 % and 2000 give 0.34 %; tolerances are three standard errors of both. The exponent is 1.1308 (Zhou,
// Yang, Deng & Ziff 2012): from sides 32 and 256 its standard error is 0.15 sqrt(2 / 2000) / ln 8 = 0.0023 and its bias
// -0.002, so 0.01 is three standard errors and the bias.
TEST(Distances, GrowAsShortestPathsAtTheThresholdDo) {
  double const small = mean_path(32, 2000), middle = mean_path(64, 500), large = mean_path(256, 2000);
  EXPECT_NEAR(small, 47.51, 3 * std::hypot(0.21, 0.0034 * 47.5));
  EXPECT_NEAR(middle, 105.0, 3 * std::hypot(0.5, 0.0067 * 105));
  double const exponent = std::log(large / small) / std::log(8.0);
  EXPECT_NEAR(exponent, 1.1308, 0.01);
  RecordProperty("exponent", std::to_string(exponent));
}

}  // namespace tessera::tests
