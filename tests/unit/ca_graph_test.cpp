// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/lattice_steps.hpp"
#include "ca/lattices/search.hpp"
#include "tests/support/automata.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

using ca::graph::TwoEnds;

/// Searches a graph given by edges between cells.
inline std::vector<int> search(std::vector<std::uint8_t> marks, std::vector<std::pair<int, int>> const& edges) {
  std::vector<std::vector<std::int32_t>> lists(marks.size());
  for (auto [a, b] : edges) {
    lists[a].push_back(b);
    lists[b].push_back(a);
  }
  std::vector<std::uint8_t> degrees;
  std::vector<std::int32_t> neighbours;
  for (auto const& list : lists) {
    degrees.push_back(static_cast<std::uint8_t>(list.size()));
    neighbours.insert(neighbours.end(), list.begin(), list.end());
  }
  auto const found = TwoEnds(std::move(marks), degrees, neighbours).search();
  std::vector<int> result;
  constexpr int asked = ca::graph::in_backbone | ca::graph::is_articulation | ca::graph::is_red;
  for (std::uint8_t mark : found) result.push_back(mark & asked);
  return result;
}

constexpr int backbone = ca::graph::in_backbone, holds = ca::graph::is_articulation, red = ca::graph::is_red;
constexpr std::uint8_t in = ca::graph::is_inlet, out = ca::graph::is_outlet;

// s - 0 - (1 | 2) - 3 - t, cell 4 hangs on 3, and the ring 5 6 7 hangs on 1.
TEST(TwoEnds, FindsBlocksByHand) {
  EXPECT_EQ(
      search({in, 0, 0, out, 0, 0, 0, 0}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {1, 5}, {5, 6}, {6, 7}, {7, 5}}),
      (std::vector<int>{backbone | red, backbone | holds, backbone, backbone | red | holds, 0, holds, 0, 0}));
}

TEST(TwoEnds, LeavesOutWhatReturnsToOneEnd) {
  // 0 - 1 is an arch of the inlet; 2 is the only way; 3 - 4 is an arch of the outlet
  EXPECT_EQ(search({in, in, in | out, out, out}, {{0, 1}, {3, 4}}), (std::vector<int>{0, 0, backbone | red, 0, 0}));
  // a rung between the arch and the way makes all of them backbone
  EXPECT_EQ(search({in, in, in | out, out, out}, {{0, 1}, {3, 4}, {1, 2}}),
            (std::vector<int>{backbone, backbone, backbone | red, 0, 0}));
}

TEST(TwoEnds, FindsNothingWhereNothingSpans) {
  EXPECT_EQ(search({in, 0, out}, {{0, 1}}), (std::vector<int>{holds, 0, 0}));
  EXPECT_EQ(search({}, {}), std::vector<int>{});
}

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
