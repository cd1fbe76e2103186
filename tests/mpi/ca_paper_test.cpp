// SPDX-License-Identifier: Apache-2.0
#include "tests/support/layouts.hpp"
#include "tests/support/paper_check.hpp"

namespace tessera::tests {

// Masks, counts and steps are compared with automata that know no tiles, so any number of ranks gives the same.
TEST(PaperAutomata, AreTheSameForEveryTileSizeAndOwnerTable) {
  core::Comm const world;
  std::array<double, 4> const densities{0.55, 0.592746, 0.62, 0.70};
  for (std::uint64_t n = 0; n < 16; ++n) {
    int const nx = 13 + static_cast<int>(n * 7 % 40), ny = 13 + static_cast<int>(n * 11 % 40),
              side = n % 8 == 7 ? 1 : 2 + static_cast<int>(n * 5 % 23);
    Mask const mask = random_framed(nx, ny, densities[n % 4], n);
    PaperReference const expected(mask);
    for (auto direction : {ca::Direction::y, ca::Direction::x}) {
      bool const across = direction == ca::Direction::x;
      auto const grid = std::make_shared<core::Grid const>(
          core::Grid::unit({across ? ny : nx, across ? nx : ny, 1}, {side, side, 1}));
      auto const tables = owner_tables(*grid, world.size());
      for (std::size_t table = across ? 2 : 0; table < tables.size(); ++table) {
        core::Layout const layout(grid, tables[table], world);
        check_paper(mask, expected, layout, direction, "grid " + std::to_string(n));
        if (HasFatalFailure()) return;
        if (n % 4 != 1) continue;
        core::Random const random{n, 1};
        check_paper(mask, paper_in_random_order(mask, random, across), layout, {direction, ca::Update::random, random},
                    "random order, grid " + std::to_string(n));
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace tessera::tests
