// SPDX-License-Identifier: Apache-2.0
#include "ca/stepwise/propagation.hpp"
#include "tests/support/masks.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

// All 65 536 interiors of the 6 x 6 grid; the sums are those of a block search and of an enumeration of all paths.
TEST(Propagation, GivesTheGoldenSumsOfSix) {
  auto const layout = make_layout({6, 6, 1}, {0, 0, 0});
  ASSERT_EQ(layout->tiles(), 1);
  core::Field<std::uint8_t> field("occupied", *layout, 1);
  std::int64_t spanning = 0, d1 = 0, d2 = 0;
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    Mask const mask = numbered_framed(6, bits);
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i) field.host()(0, 0, j, i) = mask.at(i, j);
    auto options = ca::PercolationOptions::counts(ca::Direction::y, ca::Definition::D1, false);
    auto const one = ca::percolate_synchronously(field, options);
    spanning += one.result.spans;
    d1 += one.result.backbone_sites;
    if (!one.result.spans) continue;
    options.definition = ca::Definition::D2;
    d2 += ca::percolate_synchronously(field, options).result.backbone_sites;
  }
  EXPECT_EQ(spanning, 22193);
  EXPECT_EQ(d1, 178520);
  EXPECT_EQ(d2, 174808);
}

}  // namespace tessera::tests
