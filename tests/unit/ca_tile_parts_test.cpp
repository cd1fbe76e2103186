// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/joins.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace tessera::ca::parts {
namespace {

// Four tiles of 50 000 x 50 000 cells: no field could be held, but the numbers of a corner of the last one are those of
// the whole grid.
TEST(TileParts, AreNumberedBeyond32Bits) {
  constexpr int side = 100000, half = side / 2, n = 70;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({side, side, 1}, {half, half, 1}));
  core::Layout const layout(grid, {0, 0, 0, 0}, core::Comm(MPI_COMM_SELF));
  Joins const joins(layout);
  core::TileInfo const info{3, n, n, 1, half, half, 0};

  // a diagonal stair and a cell beside it, one cell before them in raster order and one after them
  TileParts tile;
  tile.bits.shape(n, n, 0);
  for (int k = 10; k < n - 10; ++k) {
    tile.bits.set(k, k, true);
    tile.bits.set(k, k + 1, true);
  }
  tile.bits.set(3, 2, true);
  tile.bits.set(20, 22, true);
  tile.bits.set(n - 1, n - 1, true);

  auto const number = [&](int i, int j) { return 1 + (std::int64_t{half} + j) * side + half + i; };
  ASSERT_GT(number(0, 0), std::int64_t{1} << 32);
  std::vector<std::int64_t> first;
  find_parts(tile, 1, make_lattice("square", 4), Measure::first_and_cells);
  first_cells(tile, info, *grid, joins, 3, first);
  EXPECT_EQ(first, (std::vector<std::int64_t>{number(2, 3), number(10, 10), number(n - 1, n - 1)}));
  EXPECT_EQ(tile.cells, (std::vector<std::uint32_t>{1, 2 * (n - 20) + 1, 1}));

  tile.bits.set(9, 12, true);  // at a corner of the stair
  find_parts(tile, 1, make_lattice("square", 8), Measure::first_and_cells);
  first_cells(tile, info, *grid, joins, 3, first);
  EXPECT_EQ(first, (std::vector<std::int64_t>{number(2, 3), number(12, 9), number(n - 1, n - 1)}));
  EXPECT_EQ(tile.cells, (std::vector<std::uint32_t>{1, 2 * (n - 20) + 2, 1}));
}

}  // namespace
}  // namespace tessera::ca::parts
