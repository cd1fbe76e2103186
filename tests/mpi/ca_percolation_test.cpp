// SPDX-License-Identifier: Apache-2.0
#include "tests/support/layouts.hpp"
#include "tests/support/percolation_check.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

TEST(Percolation, IsTheSameForEveryTileSizeAndOwnerTable) {
  core::Comm const world;
  auto const check_all = [&](Mask const& mask, bool cell_by_cell, core::Grid::Shape tile, std::string const& what) {
    Expected const expected(mask, cell_by_cell);
    for (auto direction : {ca::Direction::y, ca::Direction::x}) {
      bool const across = direction == ca::Direction::x;
      auto const grid = std::make_shared<core::Grid const>(
          core::Grid::unit({across ? mask.ny : mask.nx, across ? mask.nx : mask.ny, 1}, tile));
      auto const tables = owner_tables(*grid, world.size());
      for (std::size_t n = across ? 2 : 0; n < tables.size(); ++n) {
        core::Layout const layout(grid, tables[n], world);
        for (auto definition : {ca::Definition::D1, ca::Definition::D2}) {
          check_percolation(mask, expected, cell_by_cell, layout, definition, direction, what);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  };
  for (auto const& [name, plain] : structured_masks(35, 28)) {
    for (core::Grid::Shape tile : {core::Grid::Shape{8, 8, 1}, {100, 100, 1}, {35, 1, 1}}) {
      check_all(framed(plain), true, tile, name);
      if (HasFatalFailure()) return;
    }
  }
  std::array<double, 4> const densities{0.55, 0.592746, 0.62, 0.70};
  for (std::uint64_t n = 0; n < 24; ++n) {
    int const nx = 21 + static_cast<int>(n * 7 % 90), ny = 21 + static_cast<int>(n * 11 % 90),
              side = 8 + static_cast<int>(n * 5 % 40);
    check_all(random_framed(nx, ny, densities[n % 4], n), nx * ny < 2000, {side, side, 1}, "grid " + std::to_string(n));
    if (HasFatalFailure()) return;
  }
}

// 10 000 grids over the runs with 1 to 4 ranks, fewer where ranks wait for each other.
TEST(Percolation, EqualsTheBlockSearchOnManyRandomGridsWithShuffledTiles) {
  core::Comm const world;
  std::array<double, 5> const densities{0.55, 0.58, 0.592746, 0.62, 0.68};
  std::uint64_t spanning = 0;
  std::uint64_t const grids = 1000 * static_cast<std::uint64_t>(std::max(1, 5 - world.size()));
  for (std::uint64_t n = 0; n < grids; ++n) {
    core::Random const random{static_cast<std::uint64_t>(world.size()), 1};
    int const nx = 8 + static_cast<int>(random.uniform(n, 0) * 40),
              ny = 8 + static_cast<int>(random.uniform(n, 1) * 40),
              side = 5 + static_cast<int>(random.uniform(n, 2) * 20);
    Mask const mask = random_framed(nx, ny, densities[n % 5], 100000 * static_cast<std::uint64_t>(world.size()) + n);
    auto const layout = shuffled_layout({nx, ny, 1}, {side, side, 1});
    auto field = field_of(mask, *layout);
    auto const definition = n % 2 == 0 ? ca::Definition::D1 : ca::Definition::D2;
    auto const result = ca::percolate(*field, {.definition = definition,
                                               .label = false,
                                               .spanning = false,
                                               .articulation = false,
                                               .red = false,
                                               .clusters = n % 3 == 0});
    Mask const expected = reference_spans(mask) ? reference_backbone(mask, n % 2 == 1) : Mask(nx, ny);
    spanning += result.spans;
    ASSERT_EQ(result.spans, reference_spans(mask)) << n << "\n" << mask.text();
    ASSERT_EQ(mask_of(*result.backbone), expected) << n << "\n" << mask.text();
    ASSERT_EQ(result.backbone_sites, expected.count()) << n;
  }
  EXPECT_GT(spanning, grids / 3);
}

}  // namespace tessera::tests
