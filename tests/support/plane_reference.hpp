// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/boundary.hpp"
#include "tests/support/automata.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace tessera::tests {

/// An automaton in the plane, cell by cell in one array: `next` is given a function that tells the state of the cell di to
/// the right and dj above.
struct PlaneReference {
  using At = std::function<int(int, int)>;
  std::int64_t nx, ny;
  std::function<int(At const&)> next;
  /// Left, right, bottom, top: the state of all cells beyond, or one of these
  static constexpr int periodic = -1, reflecting = -2, open = -3;
  int side[4] = {0, 0, 0, 0};
  std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(static_cast<std::size_t>(nx * ny));

  /// Sides along y are laid over those along x, so that they have the corners.
  int at(std::int64_t i, std::int64_t j) const {
    for (auto const& [x, n, s] : {std::tuple{&j, ny, 2}, std::tuple{&i, nx, 0}})
      while (*x < 0 || *x >= n) {
        int const kind = side[s + (*x < 0 ? 0 : 1)];
        if (kind >= 0) return kind;
        if (kind == periodic) *x = (*x % n + n) % n;
        if (kind == reflecting) *x = *x < 0 ? -1 - *x : 2 * n - 1 - *x;
        if (kind == open) *x = *x < 0 ? 0 : n - 1;
      }
    return cells[static_cast<std::size_t>(j * nx + i)];
  }
  void step() {
    auto after = cells;
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i)
        after[static_cast<std::size_t>(j * nx + i)] =
            static_cast<std::uint8_t>(next([&](int di, int dj) { return at(i + di, j + dj); }));
    cells = std::move(after);
  }

  /// Sides and a start of so many states; most cells are 0 where `density` is small.
  void draw(std::mt19937& random, int states, double density, bool constant) {
    auto const pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int axis = 0; axis < 2; ++axis) {
      bool const around = pick(2) == 0;
      for (int s = 2 * axis; s < 2 * axis + 2; ++s) {
        int const kind = pick(constant ? 2 : 4);
        side[s] = around ? periodic : kind == 0 ? 0 : kind == 1 ? pick(states) : kind == 2 ? reflecting : open;
      }
    }
    auto const one_in = static_cast<unsigned>(1 / density);
    for (auto& cell : cells)
      cell = static_cast<std::uint8_t>(random() % one_in == 0 ? random() % static_cast<unsigned>(states) : 0);
  }
  std::string boundary() const {
    std::string text = "boundary { ";
    for (std::size_t s = 0; s < 4; ++s)
      text += fmt::format("{} {}; ", core::side_names[s],
                          side[s] == periodic     ? "periodic"
                          : side[s] == reflecting ? "reflecting"
                          : side[s] == open       ? "open"
                                                  : fmt::format("fixed {}", side[s]));
    return text + "}";
  }
};

/// The rule gives the cells of the reference, on tiles of this shape and each table of owners; `depth` generations at once.
inline void expect_same_cells(std::string const& rule, PlaneReference const& start, core::Grid::Shape tile, int depth,
                              int steps) {
  core::Comm const world;
  std::array<bool, 3> const around{start.side[0] == PlaneReference::periodic, start.side[2] == PlaneReference::periodic,
                                   false};
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({start.nx, start.ny, 1}, tile, around));
  auto expected = start;
  for (int n = 0; n < steps; ++n) expected.step();
  for (auto const& owners : owner_tables(*grid, world.size())) {
    core::Layout const layout(grid, owners, world);
    auto properties = core::Dictionary::parse(start.boundary(), "properties");
    auto const automaton = ca::make_automaton(rule, properties, layout);
    if (depth > 1) {
      EXPECT_EQ(automaton->work_ahead(depth), generations_at_once(depth, *automaton, *grid));
    }
    for_each_cell(bytes(*automaton), [&](core::Index x, std::uint8_t& value) {
      value = start.cells[static_cast<std::size_t>(x.j * start.nx + x.i)];
    });
    for (int n = 0; n < steps; ++n) automaton->step();
    ASSERT_EQ(collect(bytes(*automaton)), expected.cells)
        << rule << ", " << start.boundary() << ", " << start.nx << " x " << start.ny << ", tile " << tile[0] << " x "
        << tile[1] << ", depth " << depth;
  }
}

/// Sizes, tiles and depths for a rule; sides and starts drawn by `random`.
inline void expect_same_cells(std::string const& rule, std::function<int(PlaneReference::At const&)> const& next,
                              int states, std::mt19937& random, double density = 1) {
  core::Grid::Shape const tiles[] = {{0, 0, 0}, {7, 5, 1}, {16, 64, 1}, {64, 3, 1}};
  for (int const depth : {1, 3}) {
    PlaneReference start{static_cast<std::int64_t>(12 + random() % 60), static_cast<std::int64_t>(12 + random() % 30),
                         next};
    start.draw(random, states, density, depth > 1);
    expect_same_cells(rule, start, tiles[random() % 4], depth, 5);
  }
}

}  // namespace tessera::tests
