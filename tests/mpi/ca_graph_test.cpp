// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/cell_mail.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

// Every tile writes to the cells left and below of its first one, round the periodic axes; each letter carries the
// number of the cell it is for.
TEST(CellMail, FindsTheOwnersOfCells) {
  auto const layout = shuffled_layout({13, 9, 4}, {3, 4, 2}, {true, true, false});
  core::Grid const& grid = layout->grid();
  ca::graph::CellMail<std::int32_t> mail(*layout);
  auto const wrapped = [&](core::Index x) { return core::Index{(x.i + 13) % 13, (x.j + 9) % 9, x.k}; };
  for (int slot = 0; slot < layout->tiles(); ++slot) {
    core::Index const first = layout->info(slot).global(0, 0, 0);
    for (core::Index const to : {first - core::Index{1, 0, 0}, first - core::Index{0, 1, 0}})
      mail.post(slot, to, static_cast<std::int32_t>(grid.number(wrapped(to))));
  }
  EXPECT_TRUE(mail.deliver());
  std::int64_t letters = 0;
  for (int slot = 0; slot < layout->tiles(); ++slot)
    for (auto const& letter : mail.inbox(slot)) {
      ++letters;
      EXPECT_EQ(letter.tile, layout->info(slot).tile);
      EXPECT_EQ(letter.value, grid.number(layout->info(slot).global(letter.k, letter.j, letter.i)));
    }
  EXPECT_EQ(layout->comm().sum(letters), 2 * grid.tiles());
  EXPECT_FALSE(mail.deliver());
  for (int slot = 0; slot < layout->tiles(); ++slot) EXPECT_TRUE(mail.inbox(slot).empty());
}

}  // namespace tessera::tests
