// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/grid/grid.hpp"
#include "core/grid/stencil.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace tessera::core;

TEST(Box, IntersectsAndCounts) {
  Box const a{{0, 0, 0}, {10, 4, 2}}, b{{8, -3, 1}, {20, 2, 9}};
  EXPECT_EQ(intersect(a, b), (Box{{8, 0, 1}, {10, 2, 2}}));
  EXPECT_EQ(intersect(a, b).cells(), 4);
  EXPECT_TRUE(intersect(a, shifted(a, {10, 0, 0})).empty());
  EXPECT_EQ((Box{{3, 0, 0}, {2, 5, 5}}).cells(), 0);
}

TEST(Stencil, HasTheNeighboursOfTheTextbook) {
  static_assert(moore<2>().size() == 8 && moore<3>().size() == 26 && moore<1>().size() == 2);
  static_assert(von_neumann<2>().size() == 4 && von_neumann<3>().size() == 6 && von_neumann<2, 2>().size() == 12);
  constexpr auto s = von_neumann<2>();
  EXPECT_EQ(s.offsets[0].j, -1);
  EXPECT_EQ(s.offsets[3].j, 1);
  for (auto const& o : moore<2>().offsets) EXPECT_TRUE(o.i != 0 || o.j != 0);
}

TEST(Grid, CoversEveryCellByExactlyOneTile) {
  Grid const grid = Grid::unit({37, 23, 5}, {8, 7, 2});
  std::vector<int> seen(grid.total());
  for (int t = 0; t < grid.tiles(); ++t) {
    Box const b = grid.tile_box(t);
    EXPECT_FALSE(b.empty());
    EXPECT_EQ(grid.tile_number(grid.tile_position(t)), t);
    for (Count k = b.lo.k; k < b.hi.k; ++k)
      for (Count j = b.lo.j; j < b.hi.j; ++j)
        for (Count i = b.lo.i; i < b.hi.i; ++i) {
          ++seen[grid.number({i, j, k})];
          EXPECT_EQ(grid.tile_of({i, j, k}), t);
        }
  }
  for (int n : seen) EXPECT_EQ(n, 1);
}

TEST(Grid, NamesTheTilesBesideATileOnceWithTheCellsOfAllFacesBetweenThem) {
  Grid const grid = Grid::unit({8, 9, 2}, {4, 3, 1}, {true, true, false});
  std::map<int, Count> beside;
  grid.for_each_beside(0, [&](int tile, Count cells) { EXPECT_TRUE(beside.emplace(tile, cells).second) << tile; });
  // along x the other of two, on both sides; along y those in front and behind, round the end; along z the one above
  EXPECT_EQ(beside, (std::map<int, Count>{{1, 2 * 3}, {2, 4}, {4, 4}, {6, 12}}));
  Grid const alone = Grid::unit({4, 4, 1}, {4, 4, 1}, {true, true, false});
  alone.for_each_beside(0, [](int tile, Count) { ADD_FAILURE() << tile; });
}

TEST(Grid, GradesAnAxisAsBlockMeshDoes) {
  Axis const axis = Axis::make_graded(10, 1.0, 2.0, 4.0);
  EXPECT_NEAR(axis.width(9) / axis.width(0), 4.0, 1e-12);
  EXPECT_DOUBLE_EQ(axis.low(), 1.0);
  EXPECT_DOUBLE_EQ(axis.high(), 3.0);
  for (Count i = 1; i < 10; ++i) EXPECT_NEAR(axis.width(i) / axis.width(i - 1), std::pow(4.0, 1.0 / 9), 1e-12);
  EXPECT_FALSE(axis.uniform());
  EXPECT_TRUE(Axis::make_uniform(7, -1, 0.3).uniform());
}

TEST(Grid, KeepsNoFacesOfEqualCells) {
  Count const many = Count{1} << 50;  // kept, they would be 8 PiB
  Axis const axis = Axis::make_uniform(many, -1, 2);
  EXPECT_EQ(axis.cells(), many);
  EXPECT_EQ(axis.low(), -1);
  EXPECT_EQ(axis.high(), 1);
  EXPECT_EQ(axis.face(many / 2), 0);
  EXPECT_TRUE(axis.uniform());
  EXPECT_EQ(axis.faces_below(0.5), many / 4 * 3);
  EXPECT_EQ(axis.faces_up_to(0.5), many / 4 * 3 + 1);
}

TEST(Grid, FindsFacesOfAnyAxis) {
  for (Axis const& axis : {Axis::make_graded(9, 0.5, 2, 3), Axis::make_uniform(9, 0.5, 2), Axis({0, 1, 4, 5.5})}) {
    auto const faces = axis.faces();
    ASSERT_EQ(static_cast<Count>(faces.size()), axis.cells() + 1);
    EXPECT_EQ(axis.faces(1, 3), std::vector<double>(faces.begin() + 1, faces.begin() + 4));
    for (double const x : {-1.0, faces[0], 0.7, faces[2], 1.9, faces.back(), 9.0}) {
      EXPECT_EQ(axis.faces_below(x), std::lower_bound(faces.begin(), faces.end(), x) - faces.begin());
      EXPECT_EQ(axis.faces_up_to(x), std::upper_bound(faces.begin(), faces.end(), x) - faces.begin());
    }
  }
}

TEST(Grid, RefusesWhatIsNoGrid) {
  EXPECT_THROW(Axis::make_uniform(0, 0, 1), Error);
  EXPECT_THROW(Axis::make_uniform(4, 0, 0), Error);
  EXPECT_THROW(Axis::make_uniform(4, 0, std::nan("")), Error);
  EXPECT_THROW(Axis::make_graded(4, 0, 1, -2), Error);
  EXPECT_THROW(Grid::unit({4, 4, 1}, {-1, 4, 1}), Error);
}
