// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/lattice_steps.hpp"
#include "tests/support/automata.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

TEST(LatticeSteps, FindPositionsBackFromMemory) {
  for (core::Grid::Shape cells : {core::Grid::Shape{9, 7, 5}, {9, 7, 1}, {1, 7, 1}, {9, 1, 5}}) {
    auto const layout = make_layout(cells, {4, 3, 2});
    core::Field<std::int32_t> field("field", *layout, 1);
    auto const lattice = ca::make_lattice("cubic", 26);
    ca::graph::LatticeSteps const steps(lattice, layout->grid(), field.host());
    int thick = 0;
    for (int axis = 0; axis < 3; ++axis) thick += !layout->grid().thin(axis);
    EXPECT_EQ(steps.size(), thick == 3 ? 26 : thick == 2 ? 8 : 2);
    for (int n = 0; n < steps.size(); ++n)
      EXPECT_EQ(steps.offset(n) + steps.offset(steps.opposite(n)), (core::Index{0, 0, 0}));
    core::TileInfo const& t = layout->info(0);
    auto const check = [&](int k, int j, int i) { EXPECT_EQ(steps.local(steps.at(k, j, i)), (core::Index{i, j, k})); };
    core::for_cells(t, check);
    int ring = 0;
    steps.for_each_ring(t, [&](int k, int j, int i) {
      check(k, j, i);
      ++ring;
      EXPECT_EQ(&field.host()(0, k, j, i) - field.host().row(0, 0, 0), steps.at(k, j, i));
    });
    auto const wide = [&](int n, bool thin) { return thin ? n : n + 2; };
    auto const& grid = layout->grid();
    EXPECT_EQ(ring,
              wide(t.ni, grid.thin(0)) * wide(t.nj, grid.thin(1)) * wide(t.nk, grid.thin(2)) - t.ni * t.nj * t.nk);
  }
}

}  // namespace tessera::tests
