// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/labels.hpp"
#include "tests/support/masks.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

template <class Label>
void check(Mask const& mask, core::Grid::Shape tile, std::string const& what) {
  auto const layout = make_layout({mask.nx, mask.ny, 1}, tile);
  auto field = field_of(mask, *layout);
  core::Field<Label> labels("label", *layout, 0, -7);
  ca::Labeller labeller(*layout);
  for (std::uint8_t wanted : {1, 0})
    for (int neighbours : {4, 8}) {
      auto const clusters = labeller.run(*field, wanted, neighbours, labels);
      auto const expected = reference_labels(mask, wanted, neighbours);
      auto const got = collect(labels);
      ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin()))
          << what << ", cells equal to " << int{wanted} << ", " << neighbours << " neighbours, tile " << tile[0]
          << " x " << tile[1];
      EXPECT_EQ(clusters, number_of_clusters(expected)) << what;
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
          check<std::int32_t>(mask, tile,
                              std::to_string(nx) + " x " + std::to_string(ny) + ", p = " + std::to_string(p));
      }
}

TEST(Labels, EqualBreadthFirstSearchOnStructuredGrids) {
  for (auto const& [name, mask] : structured_masks(150, 131))
    for (core::Grid::Shape tile :
         {core::Grid::Shape{0, 0, 0}, {5, 7, 1}, {16, 64, 1}, {63, 9, 1}, {150, 1, 1}, {1, 40, 1}}) {
      check<std::int64_t>(mask, tile, name);
      check<std::int32_t>(mask, tile, name);
    }
}

TEST(Labels, AreNumbersOfTheFirstCell) {
  Mask mask(4, 3);
  mask.at(1, 0) = mask.at(1, 1) = mask.at(3, 1) = mask.at(2, 2) = 1;
  auto const layout = make_layout({4, 3, 1}, {2, 2, 1});
  auto field = field_of(mask, *layout);
  core::Field<std::int64_t> labels("label", *layout, 0);
  EXPECT_EQ(ca::label_clusters(*field, 1, 4, labels), 3);
  EXPECT_EQ(collect(labels), (std::vector<std::int64_t>{0, 2, 0, 0, 0, 2, 0, 8, 0, 0, 11, 0}));
  EXPECT_EQ(ca::label_clusters(*field, 1, 8, labels), 1);
  EXPECT_EQ(collect(labels), (std::vector<std::int64_t>{0, 2, 0, 0, 0, 2, 0, 2, 0, 0, 2, 0}));
}

TEST(Labels, TakeGridsOfOneRowOrColumn) {
  Mask row(70, 1), column(1, 70);
  for (int n = 0; n < 70; ++n) row.at(n, 0) = column.at(0, n) = n % 7 != 3;
  for (core::Grid::Shape tile : {core::Grid::Shape{0, 0, 0}, {6, 6, 1}}) {
    check<std::int32_t>(row, tile, "a row");
    check<std::int32_t>(column, tile, "a column");
  }
}

TEST(Labels, DoNotJoinPeriodicSides) {
  Mask const mask = [] {
    Mask m(10, 10);
    for (int j = 0; j < 10; ++j) m.at(0, j) = m.at(9, j) = 1;
    return m;
  }();
  auto const layout = make_layout({10, 10, 1}, {4, 4, 1}, {true, true, false});
  auto field = field_of(mask, *layout);
  core::Field<std::int32_t> labels("label", *layout, 0);
  EXPECT_EQ(ca::label_clusters(*field, 1, 8, labels), 2);
}

TEST(Labels, RefuseGridsInThreeDimensions) {
  auto const layout = make_layout({4, 4, 4}, {0, 0, 0});
  EXPECT_THROW(ca::Labeller{*layout}, core::Error);
}

}  // namespace tessera::tests
