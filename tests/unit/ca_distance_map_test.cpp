// SPDX-License-Identifier: Apache-2.0
#include "tests/support/distance_map_check.hpp"

namespace tessera::tests {

TEST(DistanceMap, EqualsASearchThroughAllCellsOnOddShapes) {
  for (core::Grid::Shape const cells :
       {core::Grid::Shape{1, 1, 1}, {17, 1, 1}, {1, 13, 1}, {1, 1, 9}, {19, 14, 1}, {9, 7, 11}, {1, 8, 6}})
    for (std::uint64_t every : {2, 9, 60})
      for (bool periodic : {false, true}) {
        auto const layout = make_layout(cells, {4, 5, 3},
                                        {periodic && cells[0] > 1, periodic && cells[1] > 1, periodic && cells[2] > 1});
        check_distance_map(*layout, every, every + static_cast<std::uint64_t>(cells[0]));
      }
}

TEST(DistanceMap, TakesTheLengthsOfCells) {
  std::array<core::Axis, 3> axes{core::Axis::make_uniform(15, 1e6, 1.5), core::Axis::make_graded(12, 0, 3, 8),
                                 core::Axis::make_uniform(7, -1, 70)};
  auto const grid = std::make_shared<core::Grid const>(std::move(axes), core::Grid::Shape{8, 8, 2});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm(MPI_COMM_SELF));
  core::Field<std::uint8_t> mask("mask", layout, 0, 1);
  mask.host()(0, 1, 2, 3) = 0;
  auto const found = ca::distance_map(mask);
  auto const values = found.host();
  core::for_own_cells(layout, [&](int s, int k, int j, int i) {
    double const d = nearest(*grid, layout.info(s).global(k, j, i), {{3, 2, 1}});
    EXPECT_NEAR(values(s, k, j, i), d, 1e-9 * (1 + d));
  });
}

TEST(DistanceMap, HasNoRoundingInSquaresOfUnitCells) {
  auto const layout = make_layout({300, 200, 1}, {64, 64, 1});
  core::Field<std::uint8_t> mask("mask", *layout, 0, 1);
  mask.host()(0, 0, 0, 0) = 0;
  auto const found = ca::distance_map(mask);
  core::for_own_cells(*layout, [&, values = found.host()](int s, int k, int j, int i) {
    auto const x = layout->info(s).global(k, j, i);
    EXPECT_EQ(values(s, k, j, i), std::sqrt(static_cast<double>(x.i * x.i + x.j * x.j)));
  });
}

TEST(DistanceMap, IsInfiniteWhereNothingIsNear) {
  auto const layout = make_layout({6, 5, 4}, {3, 3, 3});
  auto const found = ca::distance_map(core::Field<std::uint8_t>("mask", *layout, 0, 1));
  core::for_own_cells(
      *layout, [&, values = found.host()](int s, int k, int j, int i) { EXPECT_TRUE(std::isinf(values(s, k, j, i))); });
}

}  // namespace tessera::tests
