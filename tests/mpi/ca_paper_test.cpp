// SPDX-License-Identifier: Apache-2.0
#include "tests/support/paper_check.hpp"
#include "tests/support/small_media.hpp"

namespace tessera::tests {

// Masks, counts and steps are compared with automata that know no tiles, so any number of ranks gives the same.
TEST(PaperAutomata, AreTheSameForEveryTileSizeAndOwnerTable) {
  for_small_media(16, [](SmallMedium const& m) {
    check_paper(m.mask, m.expected, m.layout, m.direction, "grid " + std::to_string(m.number));
    if (m.number % 4 != 1) return;
    core::Random const random{m.number, 1};
    check_paper(m.mask, paper_in_random_order(m.mask, random, m.direction == ca::Direction::x), m.layout,
                {m.direction, ca::Update::random, random}, "random order, grid " + std::to_string(m.number));
  });
}

}  // namespace tessera::tests
