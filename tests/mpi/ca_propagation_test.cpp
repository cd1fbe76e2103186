// SPDX-License-Identifier: Apache-2.0
#include "tests/support/propagation_check.hpp"
#include "tests/support/small_media.hpp"

namespace tessera::tests {

// Masks are compared with percolate's, steps with a serial search, so any number of ranks gives the same.
TEST(Propagation, IsTheSameForEveryTileSizeAndOwnerTable) {
  for_small_media(6, [](SmallMedium const& m) {
    auto const definition = m.table == 1 ? ca::Definition::D1 : ca::Definition::D2;
    auto const found = check_propagation(m.mask, m.layout, definition, m.direction, "grid " + std::to_string(m.number));
    EXPECT_EQ(found.steps.colours, m.expected.steps.a2) << m.number;
    EXPECT_EQ(found.steps.flood, m.expected.flood_steps()) << m.number;
  });
}

}  // namespace tessera::tests
