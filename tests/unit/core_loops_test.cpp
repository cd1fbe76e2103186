// SPDX-License-Identifier: Apache-2.0
#include "core/grid/loops.hpp"

#include <gtest/gtest.h>
#include <vector>

using namespace tessera::core;

namespace tessera::tests {
namespace {

/// Numbers of the cells that a loop visits, in its order.
template <class Loop>
std::vector<Count> visited(Layout const& layout, Loop const& loop) {
  std::vector<Count> numbers;
  loop([&](int slot, int k, int j, int i) {
    numbers.push_back(layout.grid().number(layout.info(slot).global(k, j, i)));
  });
  return numbers;
}

TEST(Loops, VisitOwnCellsTileByTileInRasterOrder) {
  auto const grid = std::make_shared<Grid const>(Grid::unit({3, 2, 2}, {2, 2, 1}));
  Layout const layout(grid, std::vector<int>(4, 0), Comm());
  std::vector<Count> const all{0, 1, 3, 4, 2, 5, 6, 7, 9, 10, 8, 11};
  EXPECT_EQ(visited(layout, [&](auto f) { for_own_cells(layout, f); }), all);
  EXPECT_EQ(visited(layout,
                    [&](auto f) {
                      for_own_rows(layout, [&](int slot, int k, int j) {
                        for (int i = 0; i < layout.info(slot).ni; ++i) f(slot, k, j, i);
                      });
                    }),
            all);
}

TEST(Loops, VisitTheCellsOfABox) {
  auto const grid = std::make_shared<Grid const>(Grid::unit({3, 2, 2}, {2, 2, 1}));
  Layout const layout(grid, std::vector<int>(4, 0), Comm());
  auto const in = [&](Box const& box) { return visited(layout, [&](auto f) { for_own_cells(layout, box, f); }); };
  EXPECT_EQ(in({{1, 1, 0}, {3, 2, 2}}), (std::vector<Count>{4, 5, 10, 11}));
  EXPECT_EQ(in({{-5, -5, 1}, {1, 9, 9}}), (std::vector<Count>{6, 9}));
  EXPECT_TRUE(in({{3, 0, 0}, {9, 2, 2}}).empty());
}

}  // namespace
}  // namespace tessera::tests
