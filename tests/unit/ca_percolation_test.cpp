// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/initial.hpp"
#include "tests/support/percolation_check.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

using ca::Definition;
using ca::Direction;

TEST(Percolation, EqualsBruteForceOnEveryGridOfFive) {
  auto const layout = make_layout({5, 5, 1}, {2, 3, 1});
  for (std::uint64_t bits = 0; bits < 512; ++bits) {
    Mask const mask = numbered_framed(5, bits);
    Expected const expected(mask, true);
    for (auto definition : {Definition::D1, Definition::D2})
      for (auto direction : {Direction::y, Direction::x}) {
        check_percolation(mask, expected, true, *layout, definition, direction, "bits " + std::to_string(bits));
        if (HasFatalFailure()) return;
      }
  }
}

// Sums over all interiors, computed by three independent programs (block search, networkx, enumeration of paths).
TEST(Percolation, GivesTheGoldenSums) {
  struct Golden {
    int side;
    std::int64_t spanning, d1, d2;
  };
  for (Golden const golden : {Golden{3, 1, 1, 1}, {4, 7, 20, 20}, {5, 197, 1019, 1019}}) {
    auto const layout = make_layout({golden.side, golden.side, 1}, {0, 0, 0});
    std::int64_t spanning = 0, d1 = 0, d2 = 0;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (golden.side - 2) * (golden.side - 2); ++bits) {
      auto field = field_of(numbered_framed(golden.side, bits), *layout);
      auto const one = ca::percolate(*field, ca::PercolationOptions::counts(Direction::y, Definition::D1));
      auto const two = ca::percolate(*field, ca::PercolationOptions::counts(Direction::y, Definition::D2));
      spanning += one.spans;
      d1 += one.backbone_sites;
      d2 += two.backbone_sites;
      EXPECT_EQ(one.label, nullptr);
      EXPECT_EQ(one.red, nullptr);
    }
    EXPECT_EQ(spanning, golden.spanning) << golden.side;
    EXPECT_EQ(d1, golden.d1) << golden.side;
    EXPECT_EQ(d2, golden.d2) << golden.side;
  }
}

// All 65 536 interiors of the 6 x 6 grid; the sums are those of a block search and of an enumeration of all paths.
TEST(Percolation, GivesTheGoldenSumsOfSix) {
  auto const layout = make_layout({6, 6, 1}, {0, 0, 0});
  core::Field<std::uint8_t> field("occupied", *layout, 1);
  ASSERT_EQ(layout->tiles(), 1);
  std::int64_t spanning = 0, d1 = 0, d2 = 0;
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    Mask const mask = numbered_framed(6, bits);
    auto const cells = field.host();
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i) cells(0, 0, j, i) = mask.at(i, j);
    auto const one = ca::percolate(field, ca::PercolationOptions::counts(ca::Direction::y, ca::Definition::D1));
    spanning += one.spans;
    d1 += one.backbone_sites;
    if (one.spans)
      d2 += ca::percolate(field, ca::PercolationOptions::counts(ca::Direction::y, ca::Definition::D2)).backbone_sites;
  }
  EXPECT_EQ(spanning, 22193);
  EXPECT_EQ(d1, 178520);
  EXPECT_EQ(d2, 174808);
}

TEST(Percolation, EqualsTheBlockSearchOnRandomGrids) {
  std::array<double, 6> const densities{0.55, 0.58, 0.592746, 0.61, 0.65, 0.70};
  std::array<int, 5> const tiles{0, 8, 17, 33, 64};
  int spanning = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    core::Random const random{99, 0};
    int const nx = 21 + static_cast<int>(random.uniform(n, 0) * 181),
              ny = 21 + static_cast<int>(random.uniform(n, 1) * 181);
    Mask const mask = random_framed(nx, ny, densities[n % 6], n);
    Expected const expected(mask, false);
    spanning += expected.spans;
    Direction const direction = n % 4 == 3 ? Direction::x : Direction::y;
    int const side = tiles[n % 5];
    auto const layout = direction == Direction::y ? make_layout({nx, ny, 1}, {side, side, 1})
                                                  : make_layout({ny, nx, 1}, {side, side, 1});
    for (auto definition : {Definition::D1, Definition::D2}) {
      check_percolation(mask, expected, false, *layout, definition, direction, "grid " + std::to_string(n));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(spanning, 300);
}

TEST(Percolation, FindsArticulationAndRedCellsOfRandomGrids) {
  for (std::uint64_t n = 0; n < 120; ++n) {
    int const nx = 6 + static_cast<int>(n % 17), ny = 6 + static_cast<int>(n % 13);
    Mask const mask = random_framed(nx, ny, 0.5 + 0.02 * static_cast<double>(n % 11), 1000 + n);
    Expected const expected(mask, true);
    for (int side : {0, 4, 7}) {
      auto const layout = make_layout({nx, ny, 1}, {side, side, 1});
      check_percolation(mask, expected, true, *layout, Definition::D1, Direction::y, "grid " + std::to_string(n));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Percolation, SurvivesStructuredMedia) {
  for (auto const& [name, plain] : structured_masks(41, 38)) {
    Mask const mask = framed(plain);
    Expected const expected(mask, true);
    for (int side : {0, 5, 16})
      for (auto direction : {Direction::y, Direction::x}) {
        auto const layout = direction == Direction::y ? make_layout({41, 38, 1}, {side, side, 1})
                                                      : make_layout({38, 41, 1}, {side, side, 1});
        for (auto definition : {Definition::D1, Definition::D2}) {
          check_percolation(mask, expected, true, *layout, definition, direction, name);
          if (HasFatalFailure()) return;
        }
      }
  }
}

TEST(Percolation, KnowsTheSmallestDifferenceOfD1AndD2) {
  Mask mask(6, 6);
  for (auto [i, j] : {std::pair{1, 4}, {1, 3}, {1, 2}, {1, 1}, {3, 4}, {3, 3}, {4, 3}, {4, 4}}) mask.at(i, j) = 1;
  mask = framed(mask);
  auto const layout = make_layout({6, 6, 1}, {0, 0, 0});
  auto field = field_of(mask, *layout);
  EXPECT_EQ(ca::percolate(*field, {.definition = Definition::D1}).backbone_sites, 8);
  auto const electrodes = ca::percolate(*field, {.definition = Definition::D2});
  EXPECT_EQ(electrodes.backbone_sites, 4);
  EXPECT_EQ(electrodes.red_sites, 4);
  EXPECT_EQ(electrodes.spanning_sites, 4);
  EXPECT_EQ(electrodes.clusters, 2);
  EXPECT_DOUBLE_EQ(electrodes.occupation, 0.5);
}

TEST(Percolation, FramesAndFillsTheInteriorOnly) {
  for (auto direction : {Direction::x, Direction::y}) {
    auto const layout = make_layout({12, 9, 1}, {5, 4, 1});
    core::Field<std::uint8_t> field("occupied", *layout, 1, 9);
    ca::fill_random(field, 1, {}, ca::interior(layout->grid()));
    ca::frame(field, direction);
    for_each_cell(field, [&](core::Index x, std::uint8_t v) {
      bool const end_x = x.i == 0 || x.i == 11, end_y = x.j == 0 || x.j == 8;
      bool const bar = direction == Direction::y ? end_y : end_x, side = !bar && (end_x || end_y);
      EXPECT_EQ(v, side ? 0 : 1);
    });
    auto const all = ca::percolate(field, {.direction = direction});
    EXPECT_EQ(all.backbone_sites, 70);
    EXPECT_EQ(all.occupation, 1);
    EXPECT_EQ(all.red_sites, 0);
    EXPECT_THROW(ca::percolate(field, {.direction = direction == Direction::x ? Direction::y : Direction::x}),
                 core::Error);
  }
}

TEST(Percolation, FindsTheSameOnKeptBuffers) {
  auto const layout = make_layout({60, 50, 1}, {17, 16, 1});
  ca::Percolator percolator(*layout);
  for (std::uint64_t n = 0; n < 40; ++n) {
    Mask const mask = random_framed(60, 50, n % 3 == 0 ? 0.4 : 0.65, n);  // those of 0.4 do not span
    Expected const expected(mask, false);
    auto field = field_of(mask, *layout);
    ca::PercolationOptions const all{
        .definition = n % 2 == 0 ? Definition::D1 : Definition::D2, .dangling = true, .sizes = true};
    auto& result = percolator.run(*field, all);
    check_result(mask, expected, false, result, all, "grid " + std::to_string(n));
    if (HasFatalFailure()) return;
    auto const counts = result.backbone_sites;
    auto const red = result.red_sites;
    auto const& less = percolator.run(
        *field,
        {.definition = all.definition, .label = false, .spanning = false, .articulation = false, .clusters = false});
    EXPECT_EQ(less.spans, expected.spans);
    EXPECT_EQ(less.backbone_sites, counts);
    EXPECT_EQ(less.red_sites, red);
    EXPECT_EQ(less.occupation, static_cast<double>(mask.count() - 120) / (58 * 48));
    EXPECT_EQ(less.clusters, 0);
    EXPECT_EQ(less.label, nullptr);
  }
}

TEST(Percolation, LabelsSmallGridsWithNumbersOf32Bits) {
  auto const layout = make_layout({9, 9, 1}, {0, 0, 0});
  auto field = field_of(random_framed(9, 9, 0.6, 3), *layout);
  EXPECT_EQ(ca::percolate(*field, {}).label->element(), core::Element::int32);
}

TEST(Percolation, RefusesGridsItIsNotMadeFor) {
  for (core::Grid::Shape cells : {core::Grid::Shape{2, 8, 1}, {8, 2, 1}, {8, 8, 2}}) {
    auto const layout = make_layout(cells, {0, 0, 0});
    core::Field<std::uint8_t> field("occupied", *layout, 1, 0);
    EXPECT_THROW(ca::frame(field, Direction::y), core::Error);
    EXPECT_THROW(ca::percolate(field, {}), core::Error);
  }
}

}  // namespace tessera::tests
