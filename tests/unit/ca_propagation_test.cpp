// SPDX-License-Identifier: Apache-2.0
#include "tests/support/propagation_check.hpp"

namespace tessera::tests {

using ca::Definition;
using ca::Direction;

TEST(Propagation, EqualsLabelsOnEveryGridOfFiveAndLess) {
  for (int side : {3, 4, 5}) {
    auto const layout = make_layout({side, side, 1}, {2, 3, 1});
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (side - 2) * (side - 2); ++bits)
      for (auto definition : {Definition::D1, Definition::D2})
        for (auto direction : {Direction::y, Direction::x}) {
          check_propagation(numbered_framed(side, bits), *layout, definition, direction,
                            "bits " + std::to_string(bits));
          if (HasFailure()) return;
        }
  }
}

TEST(Propagation, EqualsLabelsOnRandomGrids) {
  std::array<double, 6> const densities{0.55, 0.58, 0.592746, 0.61, 0.65, 0.70};
  std::array<int, 4> const tiles{0, 5, 8, 17};
  // a fenced build turns the memory of each of them for kernels again and again
  constexpr int grids = core::fenced ? 300 : 2000;
  int spanning = 0;
  for (std::uint64_t n = 0; n < grids; ++n) {
    int const nx = 6 + static_cast<int>(n * 7 % 31), ny = 6 + static_cast<int>(n * 11 % 29), side = tiles[n % 4];
    auto const direction = n % 5 == 4 ? Direction::x : Direction::y;
    auto const layout = direction == Direction::y ? make_layout({nx, ny, 1}, {side, side, 1})
                                                  : make_layout({ny, nx, 1}, {side, side, 1});
    auto const found =
        check_propagation(random_framed(nx, ny, densities[n % 6], n), *layout,
                          n % 2 == 0 ? Definition::D1 : Definition::D2, direction, "grid " + std::to_string(n));
    if (HasFailure()) return;
    spanning += found.result.spans;
  }
  EXPECT_GT(spanning, grids * 2 / 5);
}

TEST(Propagation, EqualsLabelsOnStructuredMedia) {
  for (auto const& [name, plain] : structured_masks(41, 38))
    for (int side : {0, 7})
      for (auto definition : {Definition::D1, Definition::D2}) {
        auto const layout = make_layout({41, 38, 1}, {side, side, 1});
        check_propagation(framed(plain), *layout, definition, Direction::y, name);
        if (HasFailure()) return;
      }
}

// Steps are breadth-first distances: within white clusters from the largest seed (colours), on blocks from the bars
// (flood), over black cells from each bar (clusters), over the cells of D1 (electrodes).
TEST(Propagation, TakesAsManyStepsAsTheLongestWays) {
  for (std::uint64_t n = 0; n < 40; ++n) {
    Mask const mask = random_framed(30 + static_cast<int>(n % 20), 50 - static_cast<int>(n % 20), 0.63, n);
    auto const layout = make_layout({mask.nx, mask.ny, 1}, {16, 16, 1});
    auto const found = check_propagation(mask, *layout, Definition::D2, Direction::y, "grid " + std::to_string(n));
    EXPECT_EQ(found.steps.colours, paper_eccentricity(mask)) << n;
    EXPECT_EQ(found.steps.flood, PaperReference(mask).flood_steps()) << n;
    EXPECT_EQ(found.steps.classification, found.result.spans ? 1 : 0);
    if (!found.result.spans) continue;
    auto const farthest = [&](Mask const& cells) {
      std::int64_t steps = 0;
      for (int bar : {0, mask.ny - 1}) {
        std::vector<int> queue;
        std::vector<std::int64_t> distance(cells.cells.size(), -1);
        for (int i = 0; i < mask.nx; ++i) {
          queue.push_back(bar * mask.nx + i);
          distance[queue.back()] = 0;
        }
        for (std::size_t head = 0; head < queue.size(); ++head) {
          int const c = queue[head], i = c % mask.nx, j = c / mask.nx;
          steps = std::max(steps, distance[c]);
          for (auto [a, b] : {std::pair{i + 1, j}, {i - 1, j}, {i, j + 1}, {i, j - 1}}) {
            int const other = b * mask.nx + a;
            if (b <= 0 || b >= mask.ny - 1 || !cells.black(a, b) || distance[other] >= 0) continue;
            distance[other] = distance[c] + 1;
            queue.push_back(other);
          }
        }
      }
      return steps;
    };
    EXPECT_EQ(found.steps.clusters, farthest(mask)) << n;
    EXPECT_EQ(found.steps.electrodes, farthest(reference_backbone(mask, false))) << n;
    EXPECT_EQ(found.steps.total(), 2 + found.steps.colours + found.steps.flood);
  }
}

// The left half is white and soon at rest; the right half is a winding corridor of white.
TEST(Propagation, LeavesTilesAtRestAlone) {
  Mask mask(81, 41);
  for (int j = 1; j < 40; ++j)
    for (int i = 40; i < 80; ++i) mask.at(i, j) = i == 40 || i == 79 || (j % 2 == 0 && i != (j % 4 == 0 ? 41 : 78));
  mask = framed(mask);
  auto const layout = make_layout({81, 41, 1}, {8, 8, 1});
  auto const found = check_propagation(mask, *layout, Definition::D1, Direction::y, "corridor");
  EXPECT_TRUE(found.result.spans);
  EXPECT_GT(found.steps.colours, 700);
  EXPECT_LT(found.cell_updates, found.steps.total() * 81 * 41 / 4);
}

TEST(Propagation, KeepsOnlyWhatIsAskedFor) {
  Mask const mask = random_framed(20, 20, 0.7, 1);
  auto const layout = make_layout({20, 20, 1}, {8, 8, 1});
  auto field = field_of(mask, *layout);
  auto const found =
      ca::percolate_synchronously(*field, ca::PercolationOptions::counts(Direction::y, Definition::D2, false));
  EXPECT_EQ(found.result.label, nullptr);
  EXPECT_EQ(found.result.spanning, nullptr);
  EXPECT_EQ(found.result.backbone, nullptr);
  EXPECT_EQ(found.result.articulation, nullptr);
  EXPECT_EQ(found.result.red, nullptr);
  EXPECT_EQ(found.result.backbone_sites, ca::percolate(*field, {.definition = Definition::D2}).backbone_sites);
  EXPECT_GT(found.result.backbone_sites, 0);
}

TEST(Propagation, RefusesGridsItIsNotMadeFor) {
  for (core::Grid::Shape cells : {core::Grid::Shape{2, 8, 1}, {8, 8, 2}}) {
    auto const layout = make_layout(cells, {0, 0, 0});
    core::Field<std::uint8_t> field("occupied", *layout, 1, 0);
    EXPECT_THROW(ca::percolate_synchronously(field, {}), core::Error);
  }
  auto const layout = make_layout({9, 7, 1}, {4, 4, 1});
  core::Field<std::uint8_t> field("occupied", *layout, 1, 0);
  EXPECT_THROW(ca::percolate_synchronously(field, {}), core::Error);  // no frame
}

}  // namespace tessera::tests
