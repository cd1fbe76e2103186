// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/boundary.hpp"
#include "tests/support/automata.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {
namespace {

using Space = std::vector<std::uint8_t>;

/// Runs the rule from `start` on tiles of this shape and each table of owners, and expects `expected`.
void expect_in_space(std::string const& rule, core::Grid::Shape cells, core::Grid::Shape tile,
                     std::array<bool, 3> around, std::string const& sides, int depth, Space const& start, int steps,
                     Space const& expected) {
  core::Comm const world;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, around));
  for (auto const& owners : owner_tables(*grid, world.size())) {
    core::Layout const layout(grid, owners, world);
    auto properties = core::Dictionary::parse(sides, "properties");
    auto const automaton = ca::make_automaton(rule, properties, layout);
    if (depth > 1) automaton->work_ahead(depth);
    for_each_cell(bytes(*automaton), [&](core::Index x, std::uint8_t& value) {
      value = start[static_cast<std::size_t>(grid->number(x))];
    });
    for (int n = 0; n < steps; ++n) automaton->step();
    ASSERT_EQ(collect(bytes(*automaton)), expected)
        << rule << ", " << cells[0] << " x " << cells[1] << " x " << cells[2] << ", tile " << tile[0] << " x "
        << tile[1] << " x " << tile[2] << ", depth " << depth << ", " << sides;
  }
}

bool is_neighbour(char form, int x, int y, int z) {
  int const axes = std::abs(x) + std::abs(y) + std::abs(z);
  switch (form) {
  case 'F':
    return axes == 1;
  case 'E':
    return axes == 2;
  case 'C':
    return axes == 3;
  case 'H':  // spheres in layers: those beside in the same and in the two next layers
    return axes == 1 || (axes == 2 && x + y + z == 0);
  default:
    return axes > 0;
  }
}

}  // namespace

TEST(Life3D, GivesTheCellsOfASerialReference) {
  std::mt19937 random(5);
  auto const pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 20; ++round) {
    char const form = "MFECH"[round % 5];
    int const all = form == 'M' ? 26 : form == 'F' ? 6 : form == 'C' ? 8 : 12;
    std::string text[2];
    std::vector<bool> lives[2] = {std::vector<bool>(27), std::vector<bool>(27)};
    for (int s = 0; s < 2; ++s)
      for (int n = s; n <= all; ++n)
        if (pick(3) == 0) {
          lives[s][static_cast<std::size_t>(n)] = true;
          text[s] += (text[s].empty() ? "" : ",") + std::to_string(n);
        }
    auto const rule = fmt::format("3D{}/{}{}", text[0], text[1], form == 'M' ? "" : std::string(1, form));
    core::Grid::Shape const cells{5 + pick(20), 4 + pick(9), 3 + pick(9)};
    std::array<bool, 3> around{};
    int fixed[6] = {};
    std::string sides = "boundary { ";
    for (int s = 0; s < 6; ++s) {
      around[static_cast<std::size_t>(s / 2)] = s % 2 == 0 ? pick(2) == 0 : around[static_cast<std::size_t>(s / 2)];
      fixed[s] = pick(2);
      sides += fmt::format("{} {}; ", core::side_names[static_cast<std::size_t>(s)],
                           around[static_cast<std::size_t>(s / 2)] ? "periodic" : fmt::format("fixed {}", fixed[s]));
    }
    sides += "}";
    auto const index = [&](core::Count i, core::Count j, core::Count k) {
      return static_cast<std::size_t>((k * cells[1] + j) * cells[0] + i);
    };
    Space start(index(0, 0, cells[2]));
    for (auto& cell : start) cell = static_cast<std::uint8_t>(pick(2));
    // sides along z lie over those along y, these over those along x
    auto const at = [&](Space const& now, std::array<core::Count, 3> x) -> int {
      for (std::size_t axis = 3; axis-- > 0;) {
        if (x[axis] >= 0 && x[axis] < cells[axis]) continue;
        if (!around[axis]) return fixed[2 * axis + (x[axis] < 0 ? 0 : 1)];
        x[axis] = (x[axis] + cells[axis]) % cells[axis];
      }
      return now[index(x[0], x[1], x[2])];
    };
    int const steps = 4;
    Space expected = start;
    for (int n = 0; n < steps; ++n) {
      Space const now = expected;
      for (core::Count k = 0; k < cells[2]; ++k)
        for (core::Count j = 0; j < cells[1]; ++j)
          for (core::Count i = 0; i < cells[0]; ++i) {
            std::size_t count = 0;
            for (int z = -1; z <= 1; ++z)
              for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x)
                  count += is_neighbour(form, x, y, z) && at(now, {i + x, j + y, k + z}) == 1;
            expected[index(i, j, k)] = lives[now[index(i, j, k)] == 1 ? 0 : 1][count];
          }
    }
    core::Grid::Shape const tiles[] = {{0, 0, 0}, {7, 5, 3}, {4, 16, 4}};
    expect_in_space(rule, cells, tiles[pick(3)], around, sides, 1 + 2 * (round % 2), start, steps, expected);
  }
}

TEST(Life3D, MovesASpaceshipTenCellsInTenGenerations) {
  // Found by A. Trevorrow, 2018: Golly's help of 3D.lua
  char const* layers[4][4] = {
      {"..", ".#", ".#", ".."}, {".#", ".#", ".#", "##"}, {"##", ".#", ".#", ".#"}, {"..", ".#", ".#", ".."}};
  core::Count const n = 24;
  auto const index = [](core::Count i, core::Count j, core::Count k) {
    return static_cast<std::size_t>((k * n + j) * n + i);
  };
  Space start(index(0, 0, n));
  for (core::Count k = 0; k < 4; ++k)
    for (core::Count j = 0; j < 4; ++j)
      for (core::Count i = 0; i < 2; ++i) start[index(5 + i, 5 + j, 5 + k)] = layers[k][j][i] == '#';
  bool moved = false;
  auto const layout = make_layout({n, n, n}, {12, 12, 12}, {true, true, true});
  auto properties = core::Dictionary::parse("", "properties");
  auto const automaton = ca::make_automaton("3D4,7/5,8", properties, *layout);
  for_each_cell(bytes(*automaton), [&](core::Index x, std::uint8_t& value) { value = start[index(x.i, x.j, x.k)]; });
  for (int step = 0; step < 10; ++step) automaton->step();
  auto const end = collect(bytes(*automaton));
  for (core::Count by : {-10, 10})
    for (int axis = 0; axis < 3; ++axis) {
      Space there(start.size());
      for (core::Count k = 0; k < n; ++k)
        for (core::Count j = 0; j < n; ++j)
          for (core::Count i = 0; i < n; ++i) {
            std::array<core::Count, 3> x{i, j, k};
            auto& along = x[static_cast<std::size_t>(axis)];
            along = (along + by + n) % n;
            there[index(x[0], x[1], x[2])] = start[index(i, j, k)];
          }
      moved = moved || there == end;
    }
  EXPECT_TRUE(moved);
}

TEST(Life3D, HasOneSpellingForARule) {
  EXPECT_EQ(ca::known_rule("3D4,5,6,7,9/4,5,7")->canonical, "3D4..7,9/4..5,7");
  EXPECT_EQ(ca::known_rule("life3D")->canonical, "3D5..7/6");
  EXPECT_EQ(ca::known_rule("3D/2H")->canonical, "3D/2H");
  EXPECT_EQ(ca::known_rule("3D0..6/1,3F")->dimensions, 3);
  for (char const* word :
       {"3D27/6", "3D5/7F", "3D9/1C", "3D5/13E", "3D5/1X", "3D5", "3D5,/6", "3D5/6FF", "3D", "3D4../5"})
    EXPECT_FALSE(ca::known_rule(word)) << word;
}

}  // namespace tessera::tests
