// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters.hpp"
#include "tests/support/clusters_reference.hpp"
#include "tests/support/masks.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

void check(Mask const& mask, core::Grid::Shape tile, std::string const& what) {
  auto const layout = make_layout({mask.nx, mask.ny, 1}, tile);
  auto field = field_of(mask, *layout);
  ca::ClusterFinder finder(*layout);
  ca::ClusterResult got;
  for (std::uint8_t wanted : {1, 0})
    for (int neighbours : {4, 8})
      for (bool wide : {false, true}) {
        finder.run(
            *field,
            {.lattice = ca::make_lattice("square", neighbours), .occupied = wanted, .label = true, .wide_labels = wide},
            got);
        auto const expected = reference_labels(mask, wanted, neighbours);
        ASSERT_EQ(labels_of(got), expected) << what << ", cells equal to " << int{wanted} << ", " << neighbours
                                            << " neighbours, tile " << tile[0] << " x " << tile[1];
        EXPECT_EQ(got.clusters, number_of_clusters(expected)) << what;
      }
}

TEST(Labels, EqualBreadthFirstSearchOnRandomGrids) {
  std::uint64_t seed = 1;
  for (int nx : {2, 3, 7, 61, 62, 63, 64, 65, 126, 127, 190})
    for (int ny : {2, 5, 33, 70})
      for (double p : {0.3, 0.5, 0.6, 0.8}) {
        Mask mask(nx, ny);
        core::Random const random{seed++, 0};
        for (std::size_t n = 0; n < mask.cells.size(); ++n) mask.cells[n] = random.uniform(n) < p;
        for (core::Grid::Shape tile : {core::Grid::Shape{0, 0, 0}, {5, 5, 1}, {64, 8, 1}, {62, 64, 1}})
          check(mask, tile, std::to_string(nx) + " x " + std::to_string(ny) + ", p = " + std::to_string(p));
      }
}

TEST(Labels, EqualBreadthFirstSearchOnStructuredGrids) {
  for (auto const& [name, mask] : structured_masks(150, 131))
    for (core::Grid::Shape tile :
         {core::Grid::Shape{0, 0, 0}, {5, 7, 1}, {16, 64, 1}, {63, 9, 1}, {150, 1, 1}, {1, 40, 1}})
      check(mask, tile, name);
}

TEST(Labels, AreNumbersOfTheFirstCell) {
  Mask mask(4, 3);
  mask.at(1, 0) = mask.at(1, 1) = mask.at(3, 1) = mask.at(2, 2) = 1;
  auto const layout = make_layout({4, 3, 1}, {2, 2, 1});
  auto field = field_of(mask, *layout);
  auto const four = ca::find_clusters(*field, {.lattice = ca::make_lattice("square", 4), .label = true});
  EXPECT_EQ(four.clusters, 3);
  EXPECT_EQ(labels_of(four), (std::vector<std::int64_t>{0, 2, 0, 0, 0, 2, 0, 8, 0, 0, 11, 0}));
  auto const eight = ca::find_clusters(*field, {.lattice = ca::make_lattice("square", 8), .label = true});
  EXPECT_EQ(eight.clusters, 1);
  EXPECT_EQ(labels_of(eight), (std::vector<std::int64_t>{0, 2, 0, 0, 0, 2, 0, 2, 0, 0, 2, 0}));
}

TEST(Labels, TakeGridsOfOneRowOrColumn) {
  Mask row(70, 1), column(1, 70);
  for (int n = 0; n < 70; ++n) row.at(n, 0) = column.at(0, n) = n % 7 != 3;
  for (core::Grid::Shape tile : {core::Grid::Shape{0, 0, 0}, {6, 6, 1}}) {
    check(row, tile, "a row");
    check(column, tile, "a column");
  }
}

}  // namespace tessera::tests
