// SPDX-License-Identifier: Apache-2.0
#include "tests/support/automata.hpp"
#include "tests/support/pores_check.hpp"

namespace tessera::tests {

TEST(Pores, EqualTheSlowWayOnOddShapes) {
  std::uint64_t seed = 1;
  for (core::Grid::Shape const cells : {core::Grid::Shape{1, 1, 1}, {23, 1, 1}, {19, 14, 1}, {1, 8, 12}, {9, 7, 11}})
    for (double porosity : {0.4, 0.7, 0.95})
      for (bool periodic : {false, true}) {
        auto const layout = make_layout(cells, {5, 4, 3}, {periodic && cells[0] > 1, false, periodic && cells[2] > 1});
        for (auto const& lattice : {ca::make_lattice("cubic", 6), ca::make_lattice("cubic", 26)})
          check_pores(*layout, lattice, porosity, ++seed);
      }
}

TEST(Pores, WithoutSolidHaveNoWall) {
  auto const layout = make_layout({7, 5, 4}, {3, 3, 3});
  core::Field<std::uint8_t> const mask("mask", *layout, 0, 1);
  auto const found = ca::local_thickness({mask, layout->grid().box()});
  ASSERT_EQ(found.counts.size(), 1u);
  EXPECT_EQ(found.counts[0], (ca::SizeCount{ca::no_wall, 140}));
  auto const [in, out] = two_sides(layout->grid());
  auto const drained = ca::drainage({mask, layout->grid().box()},
                                    {ca::make_lattice("cubic", 6), mask_of(*layout, in), mask_of(*layout, out), true});
  EXPECT_EQ(drained.breakthrough, ca::no_wall);
  EXPECT_EQ(drained.trapped, 0);
  EXPECT_EQ(drained.invaded.counts, found.counts);
}

// A slit is as thick as the largest ball between its walls: the distance of the walls' centres.
TEST(Pores, OfASlitAreAsThickAsTheSlit) {
  auto const layout = make_layout({20, 12, 6}, {8, 8, 8});
  for (core::Count wide : {1, 2, 3, 4, 7}) {
    core::Field<std::uint8_t> mask("mask", *layout, 0);
    for_each_cell(mask, [&](core::Index x, std::uint8_t& v) { v = x.i >= 5 && x.i < 5 + wide; });
    auto found = ca::local_thickness({mask, layout->grid().box()});
    core::Count const radius = (wide + 1) / 2;
    for_each_cell(found.squares, [&](core::Index x, std::int32_t v) {
      EXPECT_EQ(v, x.i >= 5 && x.i < 5 + wide ? radius * radius : 0);
    });
  }
}

TEST(Pores, TakeNothingOutsideTheirBoxForAWall) {
  auto const layout = make_layout({12, 9, 1}, {5, 4, 1});
  core::Field<std::uint8_t> mask("mask", *layout, 0, 1);
  for_each_cell(mask, [&](core::Index x, std::uint8_t& v) { v = x.i > 0 && x.i < 11 && x.j > 0 && x.j < 8; });
  core::Box const inner{{1, 1, 0}, {11, 8, 1}};
  auto found = ca::local_thickness({mask, inner});
  for_each_cell(found.squares,
                [&](core::Index x, std::int32_t v) { EXPECT_EQ(v, inner.contains(x) ? ca::no_wall : 0); });
}

TEST(Pores, AreCountedInTheirBoxAlone) {
  auto const layout = make_layout({12, 9, 1}, {5, 4, 1});
  core::Box const inner{{1, 1, 0}, {11, 8, 1}};
  core::Field<std::uint8_t> mask("mask", *layout, 0, 1);
  for_each_cell(mask, [&](core::Index x, std::uint8_t& v) { v = x.i != 3 || x.j != 4; });
  auto found = ca::local_thickness({mask, inner});
  std::int64_t cells = 0;
  for (auto const& [square, count] : found.counts) cells += count;
  EXPECT_EQ(cells, 69);
  for_each_cell(found.squares, [&](core::Index x, std::int32_t v) { EXPECT_TRUE(inner.contains(x) || v == 0); });
}

TEST(Pores, PathsTakeTheLengthsOfCells) {
  std::array<core::Axis, 3> axes{core::Axis::make_uniform(13, 0, 6.5), core::Axis::make_uniform(9, 2, 27),
                                 core::Axis::make_uniform(5, 0, 1)};
  auto const grid = std::make_shared<core::Grid const>(std::move(axes), core::Grid::Shape{4, 4, 2});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm(MPI_COMM_SELF));
  auto const lattice = ca::make_lattice("cubic", 18);
  SmallPores const small(*grid, lattice, 0.6, 5);
  auto const [in, out] = two_sides(*grid);
  auto const lengths = small.lengths(in, {0.5, 3, 0.2});
  auto found = ca::path_lengths(mask_of(layout, small.open()), mask_of(layout, in), lattice);
  std::int64_t reached = 0;
  for_each_cell(found, [&](core::Index x, double v) {
    double const expected = lengths[static_cast<std::size_t>(grid->number(x))];
    if (std::isinf(expected)) {
      EXPECT_TRUE(std::isinf(v));
    } else {
      EXPECT_NEAR(v, expected, 1e-12 * (1 + v));
      ++reached;
    }
  });
  EXPECT_GT(reached, 100);
}

TEST(ClusterTable, EqualsSumsOverTheCells) {
  for (std::int64_t least : {1, 5})
    for (core::Grid::Shape const cells : {core::Grid::Shape{17, 12, 1}, {9, 8, 7}}) {
      check_cluster_table(*make_layout(cells, {5, 4, 3}, {true, false, false}), ca::make_lattice("cubic", 6), 0.4, 3,
                          least);
      check_cluster_table(*make_layout(cells, {5, 4, 3}), ca::make_lattice("cubic", 26), 0.3, 4, least);
    }
}

}  // namespace tessera::tests
