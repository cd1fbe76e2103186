// SPDX-License-Identifier: Apache-2.0
#include "tests/support/paper_check.hpp"

namespace tessera::tests {

using ca::Direction;

// Sums over all interiors of backbone cells, and grids where they differ from the biconnected block: from a program
// independent of this one. The smallest grids where the automata fail have 6 x 6 cells.
TEST(PaperAutomata, GiveTheGoldenSums) {
  struct Golden {
    int side;
    std::int64_t spanning, sites;
  };
  for (Golden const golden : {Golden{3, 1, 1}, {4, 7, 20}, {5, 197, 1019}}) {
    auto const layout = make_layout({golden.side, golden.side, 1}, {2, 3, 1});
    std::int64_t spanning = 0, sites = 0, wrong = 0;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (golden.side - 2) * (golden.side - 2); ++bits) {
      Mask const mask = numbered_framed(golden.side, bits);
      auto field = field_of(mask, *layout);
      auto const result = ca::run_paper(*field);
      spanning += result.spans;
      sites += result.backbone_sites;
      wrong += result.spans && mask_of(*result.backbone) != reference_backbone(mask, false);
    }
    EXPECT_EQ(spanning, golden.spanning) << golden.side;
    EXPECT_EQ(sites, golden.sites) << golden.side;
    EXPECT_EQ(wrong, 0) << golden.side;
  }
}

// Two adjacent articulation cells on the only way: neither is black after A3, so no couple crosses them, and A5 finds
// one marked neighbour and no square for each.
TEST(PaperAutomata, MissCellsBehindTwoArticulationCells) {
  Mask mask(6, 6);
  for (auto [i, j] : {std::pair{3, 4}, {1, 3}, {2, 3}, {3, 3}, {4, 3}, {2, 2}, {2, 1}}) mask.at(i, j) = 1;
  mask = framed(mask);
  auto const layout = make_layout({6, 6, 1}, {0, 0, 0});
  auto field = field_of(mask, *layout);
  PaperReference const expected(mask);
  check_paper(mask, expected, *layout, Direction::y, "smallest");
  EXPECT_EQ(ca::run_paper(*field).backbone_sites, 3);
  EXPECT_EQ(ca::percolate(*field, {}).backbone_sites, 5);
}

TEST(PaperAutomata, EqualTheSerialAutomataOnRandomGrids) {
  std::array<double, 6> const densities{0.45, 0.55, 0.592746, 0.61, 0.65, 0.70};
  std::array<int, 5> const tiles{0, 1, 7, 16, 33};
  int spanning = 0;
  std::int64_t restored = 0;
  for (std::uint64_t n = 0; n < 120; ++n) {
    int const nx = 5 + static_cast<int>(n * 7 % 41), ny = 5 + static_cast<int>(n * 11 % 37), side = tiles[n % 5];
    Mask const mask = random_framed(nx, ny, densities[n % 6], n);
    PaperReference const expected(mask);
    spanning += expected.spans;
    restored += expected.restored;
    for (auto direction : {Direction::y, Direction::x}) {
      bool const across = direction == Direction::x;
      auto const layout = make_layout({across ? ny : nx, across ? nx : ny, 1}, {side, side, 1});
      check_paper(mask, expected, *layout, direction, "grid " + std::to_string(n));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(spanning, 40);
  EXPECT_GT(restored, 40);
}

TEST(PaperAutomata, SpreadColoursAsFarAsTheFarthestCellOfACluster) {
  for (std::uint64_t n = 0; n < 40; ++n) {
    Mask const mask =
        random_framed(30 + static_cast<int>(n), 90 - static_cast<int>(n), 0.3 + 0.01 * static_cast<double>(n), n);
    auto const layout = make_layout({mask.nx, mask.ny, 1}, {16, 16, 1});
    auto field = field_of(mask, *layout);
    auto const result = ca::run_paper(*field);
    EXPECT_EQ(result.steps.a2, paper_eccentricity(mask)) << n;
    EXPECT_GE(result.steps.a2, mask.ny - 3) << n;  // the right side column has one seed, at its lower end
  }
}

TEST(PaperAutomata, AddNoWrongCell) {
  int spanning = 0;
  for (std::uint64_t n = 0; n < 20; ++n) {
    auto const layout = make_layout({101, 101, 1}, {32, 32, 1});
    auto field = field_of(random_framed(101, 101, 0.6, n), *layout);
    auto const exact = ca::percolate(*field, {});
    auto const paper = ca::run_paper(*field);
    EXPECT_EQ(paper.spans, exact.spans);
    EXPECT_EQ(paper.occupation, exact.occupation);
    if (!exact.spans) continue;
    ++spanning;
    Mask const all = mask_of(*exact.backbone), found = mask_of(*paper.backbone);
    for (std::size_t c = 0; c < all.cells.size(); ++c) ASSERT_LE(found.cells[c], all.cells[c]) << n;
  }
  EXPECT_GT(spanning, 5);
}

// The left half is white and at rest after as many steps as it is high; the right half is a winding corridor.
TEST(PaperAutomata, LeaveTilesAtRestAlone) {
  Mask mask(81, 41);
  for (int j = 1; j < 40; ++j)
    for (int i = 40; i < 80; ++i) mask.at(i, j) = i == 40 || i == 79 || (j % 2 == 0 && i != (j % 4 == 0 ? 41 : 78));
  mask = framed(mask);
  auto const layout = make_layout({81, 41, 1}, {8, 8, 1});
  PaperReference const expected(mask);
  check_paper(mask, expected, *layout, Direction::y, "corridor");
  auto field = field_of(mask, *layout);
  auto const result = ca::run_paper(*field);
  EXPECT_GT(result.steps.a2, 700);
  EXPECT_LT(result.cell_updates, result.steps.total() * 81 * 41 / 4);
}

// In place and in a random order: the reference sorts all cells of the grid by their keys and visits them one by one.
TEST(PaperAutomata, EqualTheSerialSweepsInRandomOrder) {
  std::array<double, 5> const densities{0.2, 0.5, 0.592746, 0.62, 0.68};
  std::array<int, 5> const tiles{0, 1, 3, 8, 16};
  std::int64_t spanning = 0, fewer = 0;
  for (std::uint64_t n = 0; n < 60; ++n) {
    int const nx = 5 + static_cast<int>(n * 7 % 31), ny = 5 + static_cast<int>(n * 11 % 29), side = tiles[n % 5];
    Mask const mask = random_framed(nx, ny, densities[n * 3 % 5], n);
    PaperReference const at_once(mask);
    for (auto direction : {Direction::y, Direction::x}) {
      bool const across = direction == Direction::x;
      core::Random const random{n / 2, 7};
      auto const expected = paper_in_random_order(mask, random, across);
      auto const layout = make_layout({across ? ny : nx, across ? nx : ny, 1}, {side, side, 1});
      check_paper(mask, expected, *layout, {direction, ca::Update::random, random}, "grid " + std::to_string(n));
      if (HasFatalFailure()) return;
      // only the steps differ
      EXPECT_EQ(expected.backbone, at_once.backbone);
      fewer += at_once.steps.total() - expected.steps.total();
    }
    spanning += at_once.spans;
  }
  EXPECT_GT(spanning, 20);
  EXPECT_GT(fewer, 300);
}

TEST(PaperAutomata, LeaveTilesAtRestAloneInRandomOrderToo) {
  Mask mask(81, 41);
  for (int j = 1; j < 40; ++j)
    for (int i = 40; i < 80; ++i) mask.at(i, j) = i == 40 || i == 79 || (j % 2 == 0 && i != (j % 4 == 0 ? 41 : 78));
  mask = framed(mask);
  auto const layout = make_layout({81, 41, 1}, {8, 8, 1});
  core::Random const random{3, 0};
  check_paper(mask, paper_in_random_order(mask, random, false), *layout, {Direction::y, ca::Update::random, random},
              "corridor");
  auto field = field_of(mask, *layout);
  auto const result = ca::run_paper(*field, {Direction::y, ca::Update::random, random});
  EXPECT_GT(result.steps.a2, 400);
  EXPECT_LT(result.cell_updates, result.steps.total() * 81 * 41 / 4);
}

TEST(PaperAutomata, RefuseGridsTheyAreNotMadeFor) {
  for (core::Grid::Shape cells : {core::Grid::Shape{2, 8, 1}, {8, 2, 1}, {8, 8, 2}}) {
    auto const layout = make_layout(cells, {0, 0, 0});
    core::Field<std::uint8_t> field("occupied", *layout, 1, 0);
    EXPECT_THROW(ca::run_paper(field), core::Error);
  }
  auto const layout = make_layout({9, 7, 1}, {4, 4, 1});
  core::Field<std::uint8_t> field("occupied", *layout, 1, 0);
  EXPECT_THROW(ca::run_paper(field), core::Error);  // no frame
  ca::frame(field, Direction::x);
  EXPECT_THROW(ca::run_paper(field, Direction::y), core::Error);
  EXPECT_FALSE(ca::run_paper(field, Direction::x).spans);
}

}  // namespace tessera::tests
