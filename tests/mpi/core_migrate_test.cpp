// SPDX-License-Identifier: Apache-2.0
#include "core/grid/migrate.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

namespace tessera::core {

template <class T>
void check_migration(Grid::Shape cells, Grid::Shape tile, std::size_t piece) {
  Comm const world;
  auto grid = std::make_shared<Grid const>(Grid::unit(cells, tile));
  auto const tables = tests::owner_tables(*grid, world.size());
  for (auto const& before : tables)
    for (auto const& after : tables) {
      Layout const old_layout(grid, before, world), new_layout(grid, after, world);
      Field<T> from("from", old_layout, 1), to("to", new_layout, 2), expected("expected", new_layout, 0);
      tests::fill_by_number(from);
      tests::fill_by_number(expected);
      int changed = 0;
      for (std::size_t t = 0; t < before.size(); ++t) changed += before[t] != after[t];
      EXPECT_EQ(migrate(from, to, piece), changed);
      EXPECT_EQ(hash(to), hash(expected));
    }
}

TEST(Migration, BringsEveryCellToTheNewOwnerOfItsTile) {
  check_migration<double>({37, 29, 1}, {8, 8, 1}, 1 << 20);
  check_migration<double>({37, 29, 1}, {8, 8, 1}, 1000);  // several pieces for each pair of ranks
  check_migration<std::uint8_t>({37, 29, 1}, {5, 7, 1}, 1);
  check_migration<std::int64_t>({13, 11, 9}, {4, 4, 4}, 600);
}

TEST(Migration, BringsEveryCellToTilesOfAnotherShape) {
  Comm const world;
  for (Grid::Shape const cells : {Grid::Shape{37, 29, 1}, {13, 11, 9}})
    for (std::size_t const piece : {std::size_t{500}, std::size_t{1} << 20}) {
      auto const coarse = std::make_shared<Grid const>(Grid::unit(cells, {16, 8, 4}));
      auto const fine = std::make_shared<Grid const>(Grid::unit(cells, {5, 7, 3}));
      for (auto const& [old_grid, new_grid] : {std::pair(coarse, fine), std::pair(fine, coarse)})
        for (auto const& before : tests::owner_tables(*old_grid, world.size()))
          for (auto const& after : tests::owner_tables(*new_grid, world.size())) {
            Layout const old_layout(old_grid, before, world), new_layout(new_grid, after, world);
            Field<double> from("from", old_layout, 1), to("to", new_layout, 2), expected("expected", new_layout, 0);
            tests::fill_by_number(from);
            tests::fill_by_number(expected);
            migrate(from, to, piece);
            EXPECT_EQ(hash(to), hash(expected));
          }
    }
}

}  // namespace tessera::core
