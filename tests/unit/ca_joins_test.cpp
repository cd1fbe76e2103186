// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/joins.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

namespace tessera::ca::parts {
namespace {

// The four tiles in the middle of two millions, which others own: no field could be held, but numbers, joints and labels
// are those of the whole grid.
TEST(Joins, NumberCellsBeyond32Bits) {
  constexpr int n = 70, across = 1430, side = across * n, half = side / 2;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({side, side, 1}, {n, n, 1}));
  std::vector<int> owners(across * across, 1);
  for (int j : {across / 2 - 1, across / 2})
    for (int i : {across / 2 - 1, across / 2}) owners[j * across + i] = 0;
  core::Layout const layout(grid, owners, core::Comm(MPI_COMM_SELF));
  ASSERT_EQ(layout.tiles(), 4);
  ASSERT_GT(grid->total(), std::int64_t{1} << 33);

  std::vector<TileParts> tiles(4);
  for (auto& tile : tiles) tile.bits.shape(n, n, 0);
  auto const set = [&](int i, int j) { tiles[(j >= n ? 2 : 0) + (i >= n ? 1 : 0)].bits.set(j % n, i % n, true); };
  // a diagonal stair through all four, one cell in the last tile, and one in the first
  for (int k = 40; k < 2 * n - 40; ++k) {
    set(k, k);
    set(k + 1, k);
  }
  set(2 * n - 1, 2 * n - 1);
  set(3, 2);

  for (int neighbours : {4, 8}) {
    Lattice const lattice = make_lattice("square", neighbours);
    Joins joins(layout);
    for (int q = 0; q < 4; ++q) {
      find_parts(tiles[q], 1, lattice, Measure::first_and_cells);
      list_borders(tiles[q], *grid, layout.info(q), lattice);
    }
    joins.join(tiles, lattice);

    auto const number = [&](int i, int j) { return 1 + (std::int64_t{half} - n + j) * side + half - n + i; };
    std::vector<std::vector<std::int64_t>> first(4);
    for (int q = 0; q < 4; ++q) first_cells(tiles[q], layout.info(q), *grid, joins, q, first[q]);
    ASSERT_GT(number(40, 40), std::int64_t{1} << 32);
    EXPECT_EQ(first[0], (std::vector<std::int64_t>{number(3, 2), number(40, 40)}));
    EXPECT_EQ(first[1], (std::vector<std::int64_t>{number(40, 40)}));
    EXPECT_EQ(first[2], (std::vector<std::int64_t>{}));
    EXPECT_EQ(first[3], (std::vector<std::int64_t>{number(40, 40), number(2 * n - 1, 2 * n - 1)}));
    std::vector<std::int64_t> sizes;
    for_each_whole(tiles, joins, [&](std::int64_t cells, std::uint64_t) { sizes.push_back(cells); });
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<std::int64_t>{1, 1, 2 * (2 * n - 80)}));
    joins.for_each_counted([&](Record const& whole) {
      if (whole.cells > 1) {
        EXPECT_EQ(whole.first, number(40, 40));
      }
    });
  }
}

}  // namespace
}  // namespace tessera::ca::parts
