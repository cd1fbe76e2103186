// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/tile_components.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace tessera::ca::components {
namespace {

// Four tiles of 50 000 x 50 000 cells, of which only the corners that meet in the middle are there: no field could be
// held, but numbers, seams and labels are those of the whole grid.
TEST(Components, AreNumberedBeyond32Bits) {
  constexpr int side = 100000, half = side / 2, n = 70;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({side, side, 1}, {half, half, 1}));
  core::Layout const layout(grid, {0, 0, 0, 0}, core::Comm(MPI_COMM_SELF));
  ASSERT_EQ(layout.tiles(), 4);
  ASSERT_GT(grid->total(), std::int64_t{1} << 33);

  // a diagonal stair through all four, one cell in the last tile, and one in the first
  std::vector<BitTile> bits(4);
  std::vector<core::TileInfo> info(4);
  for (std::size_t q = 0; q < 4; ++q) {
    bits[q].shape(n, n, 0);
    core::Count const i0 = q % 2 == 0 ? half - n : half, j0 = q < 2 ? half - n : half;
    info[q] = {static_cast<int>(q), n, n, 1, i0, j0, 0};
  }
  auto const set = [&](int i, int j) { bits[(j >= n ? 2 : 0) + (i >= n ? 1 : 0)].set(j % n, i % n, true); };
  for (int k = 40; k < 2 * n - 40; ++k) {
    set(k, k);
    set(k + 1, k);
  }
  set(2 * n - 1, 2 * n - 1);
  set(3, 2);

  for (bool eight : {false, true}) {
    std::vector<TileComponents> tiles(4);
    std::vector<SeamTile> seam_tiles(4);
    Seams seams(layout);
    for (std::size_t q = 0; q < 4; ++q) {
      find_components(bits[q], eight, Measure::first_and_cells, tiles[q]);
      list_borders(bits[q], info[q], *grid, tiles[q], seam_tiles[q]);
    }
    seams.join(seam_tiles, eight ? Meet::beside_8 : Meet::beside_4);
    EXPECT_EQ(count_components(tiles, seams, layout.comm()), 3);

    auto const number = [&](int i, int j) { return 1 + (std::int64_t{half} - n + j) * side + half - n + i; };
    std::vector<std::vector<std::int64_t>> first(4);
    for (std::size_t q = 0; q < 4; ++q) first_cells(tiles[q], info[q], *grid, seams, static_cast<int>(q), first[q]);
    ASSERT_GT(number(40, 40), std::int64_t{1} << 32);
    EXPECT_EQ(first[0], (std::vector<std::int64_t>{number(3, 2), number(40, 40)}));
    EXPECT_EQ(first[1], (std::vector<std::int64_t>{number(40, 40)}));
    EXPECT_EQ(first[2], (std::vector<std::int64_t>{}));
    EXPECT_EQ(first[3], (std::vector<std::int64_t>{number(40, 40), number(2 * n - 1, 2 * n - 1)}));
    std::int64_t cells = 0;
    seams.for_each_component_here([&](Record const& whole) {
      cells = std::max(cells, whole.cells);
      if (whole.cells > 1) {
        EXPECT_EQ(whole.first, number(40, 40));
      }
    });
    EXPECT_EQ(cells, 2 * (2 * n - 80));
  }
}

}  // namespace
}  // namespace tessera::ca::components
