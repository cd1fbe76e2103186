// SPDX-License-Identifier: Apache-2.0
#include "tests/support/layouts.hpp"
#include "tests/support/propagation_check.hpp"

namespace tessera::tests {

// Masks are compared with percolate's, steps with a serial search, so any number of ranks gives the same.
TEST(Propagation, IsTheSameForEveryTileSizeAndOwnerTable) {
  core::Comm const world;
  std::array<double, 4> const densities{0.55, 0.592746, 0.62, 0.70};
  for (std::uint64_t n = 0; n < 6; ++n) {
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
        auto const definition = table == 1 ? ca::Definition::D1 : ca::Definition::D2;
        auto const found = check_propagation(mask, layout, definition, direction, "grid " + std::to_string(n));
        EXPECT_EQ(found.steps.colours, expected.steps.a2) << n;
        EXPECT_EQ(found.steps.flood, expected.flood_steps()) << n;
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace tessera::tests
