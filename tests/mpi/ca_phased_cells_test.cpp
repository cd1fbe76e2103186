// SPDX-License-Identifier: Apache-2.0
// Phases of a rule taken one by one, without a case, against loops over arrays.
#include "ca/engine/phased_cells.hpp"
#include "tests/support/automata.hpp"

#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {

/// Water rises to the highest level so many steps away; cells of -1 are walls.
template <int distance>
struct Rise {
  using State = std::int32_t;
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::von_neumann<2, distance>();
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t level, ca::Near<Rise> near) const {
    if (level < 0) return level;
    constexpr auto beside = stencil;  // a device has no member constants
    for (int q = 0; q < beside.size(); ++q) {
      std::int32_t const other = near(beside.offsets[q].i, beside.offsets[q].j);
      level = other > level ? other : level;
    }
    return level;
  }
};
/// Looks at one side alone, two cells far.
struct Downwind {
  using State = std::int32_t;
  static constexpr core::Stencil<1> stencil{{core::Offset{2, 0, 0}}, 2, 2};
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t, ca::Near<Downwind> near) const { return near(2); }
};
/// Where there is water, there is more of it.
struct Rain {
  using State = std::int32_t;
  static constexpr auto stencil = core::alone<2>();
  std::int32_t more = 1;
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t level, ca::Near<Rain>) const {
    return level > 0 ? level + more : level;
  }
};
using Weather = ca::Phases<Rise<1>, Rain, Rise<2>>;

/// The same by loops, tile by tile.
struct Valley {
  int nx, ny, tile_x, tile_y;
  std::vector<std::int32_t> cells, before;
  std::int64_t steps = 0, changes = 0, updates = 0;

  std::int32_t at(std::vector<std::int32_t> const& levels, int i, int j) const {
    return i < 0 || j < 0 || i >= nx || j >= ny ? 0 : levels[static_cast<std::size_t>(j * nx + i)];
  }
  /// Whether a cell of the tile, or one that a cell of it may look at, changed in the last step.
  bool restless(int x0, int y0, int distance) const {
    for (int j = y0 - distance; j < std::min(ny, y0 + tile_y) + distance; ++j)
      for (int i = x0 - distance; i < std::min(nx, x0 + tile_x) + distance; ++i)
        if (at(cells, i, j) != at(before, i, j)) return true;
    return false;
  }
  void rise(int distance) {
    for (steps = changes = 0;; ++steps) {
      for (int y0 = 0; y0 < ny; y0 += tile_y)
        for (int x0 = 0; x0 < nx; x0 += tile_x)
          if (steps == 0 || restless(x0, y0, distance))
            updates += std::int64_t{std::min(nx - x0, tile_x)} * std::min(ny - y0, tile_y);
      before = cells;
      std::int64_t changed = 0;
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
          std::int32_t& level = cells[static_cast<std::size_t>(j * nx + i)];
          if (level < 0) continue;
          for (int dj = -distance; dj <= distance; ++dj)
            for (int di = -distance; di <= distance; ++di)
              if (std::abs(di) + std::abs(dj) <= distance) level = std::max(level, at(before, i + di, j + dj));
          changed += level != at(before, i, j);
        }
      if (changed == 0) return;
      changes += changed;
    }
  }
};

template <int q>
void check_rise(ca::PhasedCells<Weather>& cells, Valley& valley, core::Comm const& world) {
  auto const found = cells.until_still<q>();
  valley.rise(q == 0 ? 1 : 2);
  ASSERT_TRUE(found.still);
  ASSERT_EQ(found.steps, valley.steps);
  ASSERT_EQ(found.changes, valley.changes);
  ASSERT_EQ(world.sum(cells.cell_updates()), valley.updates);
  ASSERT_EQ(collect(cells.state().first()), valley.cells);
}

TEST(PhasedCells, AreWhatLoopsFindPhaseByPhase) {
  std::mt19937 random(1);  // the same on all ranks
  core::Comm const world;
  std::int64_t steps = 0, at_rest = 0;
  for (int trial = 0; trial < 40; ++trial) {
    auto const pick = [&](int lo, int hi) {
      return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
    };
    Valley valley{pick(5, 50), pick(5, 50), pick(2, 12), pick(2, 12), {}, {}};
    auto const layout = shuffled_layout({valley.nx, valley.ny, 1}, {valley.tile_x, valley.tile_y, 1});
    for (int n = 0; n < valley.nx * valley.ny; ++n)
      valley.cells.push_back(random() % 5 < 2 ? -1 : random() % 40 == 0 ? pick(1, 9) : 0);
    ca::PhasedCells cells(Weather{}, *layout, "level");
    for_each_cell(cells.state().first(), [&](core::Index x, std::int32_t& level) {
      level = valley.cells[static_cast<std::size_t>(x.j * valley.nx + x.i)];
    });
    check_rise<0>(cells, valley, world);
    if (HasFatalFailure()) return;
    steps += valley.steps;

    std::int64_t wet = 0;
    cells.stage<1>().more = 3;
    cells.take<1>();
    for (auto& level : valley.cells)
      if (level > 0) {
        level += 3;
        ++wet;
      }
    valley.updates += std::int64_t{valley.nx} * valley.ny;
    ASSERT_EQ(cells.everywhere(cells.take_changes()), wet);
    ASSERT_EQ(cells.take_changes(), 0);

    check_rise<2>(cells, valley, world);
    if (HasFatalFailure()) return;
    steps += valley.steps;
    at_rest += (steps + 3) * valley.nx * valley.ny - valley.updates;
    steps = 0;
  }
  EXPECT_GT(at_rest, 100000);
}

TEST(PhasedCells, EndAPhaseThatGoesOn) {
  auto const layout = shuffled_layout({30, 4, 1}, {7, 3, 1});
  ca::PhasedCells cells(Weather{}, *layout, "level");
  for_each_cell(cells.state().first(), [](core::Index x, std::int32_t& level) { level = x.i == 0 && x.j == 0; });
  auto const found = cells.until_still<0>(0, 10);
  EXPECT_FALSE(found.still);
  EXPECT_EQ(found.steps, 11);
  EXPECT_EQ(collect(cells.state().first())[11], 1);
  EXPECT_EQ(collect(cells.state().first())[12], 0);
  EXPECT_EQ(cells.until_still<0>().steps, 29 + 3 - 11);
}

TEST(PhasedCells, SeeMirrorImagesOneWayInNarrowTiles) {
  ca::Boundaries sides;
  for (auto& side : sides.side) side.kind = ca::Condition::Kind::reflecting;
  for (core::Count const nx : {3, 7, 8})
    for (core::Count const width : {1, 2, 3, 8}) {
      auto const layout = shuffled_layout({nx, 2, 1}, {width, 2, 1});
      ca::PhasedCells cells(Downwind{}, *layout, "level");
      cells.enclose(sides);
      for_each_cell(cells.state().first(),
                    [](core::Index x, std::int32_t& level) { level = static_cast<std::int32_t>(1 + x.i + 10 * x.j); });
      cells.take<0>();
      auto const found = collect(cells.state().first());
      for (core::Count j = 0; j < 2; ++j)
        for (core::Count i = 0; i < nx; ++i) {
          core::Count const from = i + 2 < nx ? i + 2 : 2 * nx - 1 - (i + 2);
          ASSERT_EQ(found[static_cast<std::size_t>(j * nx + i)], 1 + from + 10 * j) << nx << ", tiles of " << width;
        }
    }
}

}  // namespace tessera::tests
