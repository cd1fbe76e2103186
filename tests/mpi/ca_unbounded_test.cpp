// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/hash_plane.hpp"
#include "ca/unbounded/tiled.hpp"
#include "core/error.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/life_reference.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tessera::tests {

using ca::unbounded::Cell;
using ca::unbounded::Plane;
using ca::unbounded::TiledPlane;
using Cells = std::map<std::pair<core::Count, core::Count>, int>;

/// Rules of Life's kin and Generations on a plane without end, cell by cell from those that are not as the plane far away is.
struct SparseReference {
  char shape = 'M';
  unsigned born = 0, survives = 0;
  int states = 2;
  Cells cells = {};
  bool far_away = false;  ///< all cells live there, under B0

  void step() {
    std::map<std::pair<core::Count, core::Count>, int> around;
    for (auto const& [x, state] : cells) {
      around[x] += 0;
      if (state != 1) continue;
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
          if (di == 0 && dj == 0) continue;
          // H: a cell counts all but those at the upper right and the lower left
          bool const counts = shape == 'M' || (shape == 'V' ? di == 0 || dj == 0 : di != dj);
          if (counts) ++around[{x.first - di, x.second - dj}];
        }
    }
    Cells next;
    int const all = neighbours();
    auto const lives = [&](bool alive, int n) { return ((alive ? survives : born) >> n & 1u) != 0; };
    bool const far_later = lives(far_away, far_away ? all : 0);
    for (auto const& [x, n] : around) {
      auto const here = cells.find(x);
      int const state = here == cells.end() ? 0 : here->second;
      if (far_away || far_later) {
        if (lives((state == 1) != far_away, far_away ? all - n : n) != far_later) next[x] = 1;
        continue;
      }
      int later = 0;
      if (state == 0) later = static_cast<int>(born >> n & 1u);
      if (state == 1) later = (survives >> n & 1u) != 0 ? 1 : 2 % states;
      if (state > 1) later = (state + 1) % states;
      if (later != 0) next[x] = later;
    }
    cells = std::move(next);
    far_away = far_later;
  }
  int neighbours() const { return shape == 'M' ? 8 : shape == 'V' ? 4 : 6; }
  std::string rulestring() const {
    std::string b, s;
    for (int n = 0; n <= 8; ++n) {
      if (born >> n & 1u) b += std::to_string(n);
      if (survives >> n & 1u) s += std::to_string(n);
    }
    std::string const tail = shape == 'M' ? "" : std::string(1, shape);
    return states == 2 ? "B" + b + "/S" + s + tail : fmt::format("{}/{}/{}{}", s, b, states, tail);
  }
};

/// All cells of the plane on every rank.
Cells collect(Plane const& plane) {
  core::Bytes mine;
  for (Cell const& cell : plane.own_cells()) core::append(mine, cell);
  core::Comm const world;
  Cells all;
  std::map<int, core::Bytes> outgoing;
  for (int rank = 0; rank < world.size(); ++rank) outgoing[rank] = mine;
  for (auto const& [rank, bytes] : world.exchange(outgoing))
    for (core::ByteReader in(bytes); !in.done();) {
      auto const cell = in.take<Cell>();
      EXPECT_TRUE(all.emplace(std::pair{cell.i, cell.j}, cell.state).second) << "two ranks have a cell";
    }
  return all;
}

/// Cells as Plane takes them: each rank gives some.
std::vector<Cell> shared_out(Cells const& cells) {
  core::Comm const world;
  std::vector<Cell> mine;
  int n = 0;
  for (auto const& [x, state] : cells)
    if (n++ % world.size() == world.rank()) mine.push_back({x.first, x.second, static_cast<std::uint8_t>(state)});
  return mine;
}

std::unique_ptr<ca::unbounded::Stepper> stepper_of(std::string const& rule, bool by_automaton) {
  auto properties = core::Dictionary::parse("rule \"" + rule + "\";", "properties");
  return by_automaton ? ca::unbounded::make_automaton_stepper(rule, properties)
                      : ca::unbounded::make_stepper(rule, properties);
}

/// A plane has the cells of the reference after each number of generations.
void check(SparseReference reference, std::vector<int> const& parts, bool by_automaton = false) {
  core::Comm const world;
  TiledPlane plane(stepper_of(reference.rulestring(), by_automaton), world);
  plane.put(shared_out(reference.cells));
  int done = 0;
  for (int const generations : parts) {
    plane.advance(generations);
    for (int n = 0; n < generations; ++n) reference.step();
    done += generations;
    ASSERT_EQ(collect(plane), reference.cells) << reference.rulestring() << ", generation " << done;
    ASSERT_EQ(plane.population(), static_cast<std::int64_t>(reference.cells.size()));
    auto const box = plane.box();
    ASSERT_EQ(box.has_value(), !reference.cells.empty());
    if (!box) continue;
    core::Box expected{{1 << 30, 1 << 30, 0}, {-(1 << 30), -(1 << 30), 1}};
    for (auto const& [x, state] : reference.cells)
      expected = {{std::min(expected.lo.i, x.first), std::min(expected.lo.j, x.second), 0},
                  {std::max(expected.hi.i, x.first + 1), std::max(expected.hi.j, x.second + 1), 1}};
    ASSERT_EQ(*box, expected);
  }
}

Cells soup(unsigned seed, core::Count nx, core::Count ny, core::Count i0, core::Count j0, int states = 2) {
  std::mt19937 random(seed);
  Cells cells;
  for (core::Count j = 0; j < ny; ++j)
    for (core::Count i = 0; i < nx; ++i)
      if (random() % 3 == 0) cells[{i0 + i, j0 + j}] = 1 + static_cast<int>(random() % (states - 1));
  return cells;
}

Cells drawn(std::vector<std::string> const& rows, core::Count i0, core::Count j0) {
  Cells cells;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < rows[r].size(); ++i)
      if (rows[r][i] == 'o')
        cells[{i0 + static_cast<core::Count>(i), j0 + static_cast<core::Count>(rows.size() - 1 - r)}] = 1;
  return cells;
}

constexpr unsigned three = 1u << 3, two_three = 1u << 2 | 1u << 3;

/// Any rule of two states, and a soup of up to `wide` + 4 cells a side somewhere.
SparseReference drawn_rule(std::mt19937& random, unsigned seed, unsigned wide) {
  SparseReference r;
  r.shape = "MVHM"[seed % 4];
  unsigned const sets = 2u << r.neighbours();
  r.born = random() % sets;
  r.survives = random() % sets;
  r.cells = soup(seed, 5 + random() % wide, 5 + random() % wide, static_cast<core::Count>(random() % 300) - 150,
                 static_cast<core::Count>(random() % 300) - 150);
  return r;
}

TEST(Unbounded, SoupsUnderAnyRuleAreThoseOfASerialReference) {
  std::mt19937 random(7);
  for (unsigned seed = 0; seed < 16; ++seed) {
    auto r = drawn_rule(random, seed, 40);
    r.born &= ~1u;  // no B0
    // the third: of another length, so that what rested may not
    check(r, {1, 30, 3}, seed % 3 == 0);
    if (HasFatalFailure()) return;
  }
}

// B0: the plane far away blinks, or lives for ever.
TEST(Unbounded, CellsThatAreBornOfNothingAreThoseOfASerialReference) {
  std::mt19937 random(11);
  for (unsigned seed = 0; seed < 16; ++seed) {
    auto r = drawn_rule(random, seed, 30);
    r.born |= 1u;
    r.far_away = (r.survives >> r.neighbours() & 1u) != 0;
    check(r, {1, 24, 3, 2, 1, 4}, seed % 3 == 0);
    if (HasFatalFailure()) return;
  }
}

TEST(Unbounded, ABlinkingPlaneGoesOnInItsGeneration) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane plane("B03/S23", properties, world), later("B03/S23", properties, world);
  plane.put(shared_out(soup(5, 30, 20, -40, 60)));
  plane.advance(7);
  later.put(shared_out(collect(plane)));
  later.set_generation(7);
  EXPECT_EQ(plane.hash(), later.hash());
  plane.advance(12);
  later.advance(12);
  EXPECT_EQ(collect(plane), collect(later));
}

TEST(Unbounded, ABlinkingPlaneIsTheSameAfterTwoGenerationsAtLeast) {
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane empty("B0/S", properties, core::Comm());
  auto const first = empty.hash();
  empty.advance(1);
  EXPECT_NE(empty.hash(), first);
  EXPECT_GT(empty.moved(), 0);
  empty.advance(1);
  EXPECT_EQ(empty.hash(), first);
  empty.advance(2);
  EXPECT_EQ(empty.moved(), 0);
  EXPECT_EQ(empty.population(), 0);
}

TEST(Unbounded, LifeHighLifeAndGenerationsGrowAndSettle) {
  check({.born = three, .survives = two_three, .cells = soup(3, 40, 30, -20, -15)}, {60, 60, 1, 59});
  check({.born = three, .survives = two_three, .cells = soup(3, 40, 30, -20, -15)}, {16, 33}, true);
  check({.born = three | 1u << 6, .survives = two_three, .cells = soup(4, 30, 30, 50, -70)}, {90, 11});
  // Brian's Brain, Star Wars, four neighbours with decay
  check({.born = 1u << 2, .survives = 0, .states = 3, .cells = soup(5, 30, 20, -40, 60, 3)}, {40, 3});
  check({.born = 1u << 2, .survives = 7u << 3, .states = 4, .cells = soup(6, 30, 20, -64, -64, 4)}, {40, 5});
  check({.shape = 'V', .born = 1u << 2, .survives = 3u << 1, .states = 5, .cells = soup(7, 20, 20, 0, 0, 5)}, {30});
}

TEST(Unbounded, GlidersLeaveInAllDirections) {
  SparseReference r{.born = three, .survives = two_three};
  std::vector<std::string> const glider{"bob", "bbo", "ooo"};
  for (int turn = 0; turn < 4; ++turn)
    for (auto const& [x, state] : drawn(glider, 0, 0)) {
      // down right, down left, up right, up left, from places on borders of tiles
      auto const i = turn % 2 == 0 ? x.first : 2 - x.first, j = turn < 2 ? x.second : 2 - x.second;
      r.cells[{i + (turn % 2 == 0 ? 60 : -66), j + (turn < 2 ? -65 : 62)}] = state;
    }
  check(r, {300, 500});
}

TEST(Unbounded, AGliderTakesOneTileOrTwoAfterALongWay) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane plane("B3/S23", properties, world);
  plane.put(shared_out(drawn({"bob", "bbo", "ooo"}, 0, 0)));
  plane.advance(100000);
  EXPECT_EQ(plane.population(), 5);
  // a cell down and right in four generations
  EXPECT_EQ(*plane.box(), (core::Box{{25000, -25000, 0}, {25003, -24997, 1}}));
  EXPECT_LE(plane.tiles(), 4);
}

TEST(Unbounded, AGunFiresAndItsHashKnowsPlacesNotRanks) {
  check({.born = three, .survives = two_three, .cells = drawn(gun, -10, -5)}, {300, 1, 29});
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane plane("B3/S23", properties, world), other(stepper_of("B3/S23", true), world);
  for (auto* p : {&plane, &other}) p->put(shared_out(drawn(gun, -10, -5)));
  plane.advance(600);
  for (int n = 0; n < 20; ++n) other.advance(30);  // bytes, eight generations at once
  // 36 cells and a glider each 30 generations
  EXPECT_EQ(plane.population(), 36 + 5 * 20);
  EXPECT_EQ(plane.hash(), other.hash());
  TiledPlane moved("B3/S23", properties, world);
  moved.put(shared_out(drawn(gun, -9, -5)));
  moved.advance(600);
  EXPECT_NE(plane.hash(), moved.hash());
}

TEST(Unbounded, WhatRestsMovesNoMore) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane plane("B3/S23", properties, world);
  plane.put(shared_out(drawn({"ooo", "bbb", "bbb", "bbb", "oo", "oo"}, 62, -2)));  // blinker and block, on a border
  plane.advance(60);
  EXPECT_EQ(plane.moved(), 0);
  EXPECT_EQ(plane.population(), 7);
  plane.advance(1);
  EXPECT_GT(plane.moved(), 0);
}

TEST(Unbounded, WhatRestsForSomeGenerationsDoesForMultiples) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane plane("B3/S23", properties, world);
  plane.put(shared_out(drawn({"ooo"}, 30, 30)));
  auto const updates = [&](std::int64_t generations) {
    auto const before = plane.updates();
    plane.advance(generations);
    return world.sum(plane.updates() - before);
  };
  EXPECT_GT(updates(10), 0);
  EXPECT_EQ(updates(30), 0) << "a blinker that ten generations left alone";
  EXPECT_EQ(updates(90), 0);
  EXPECT_GT(updates(10), 0) << "a period of 30 is none of 10";
  EXPECT_EQ(updates(20), 0);
  EXPECT_EQ(plane.population(), 3);
}

TEST(Unbounded, AFieldGetsTheCellsFromAnOrigin) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane plane("2/2/4", properties, world);
  auto const cells = soup(9, 37, 21, -50, 40, 4);
  plane.put(shared_out(cells));
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({40, 25, 1}, {16, 8, 1}));
  for (auto const& owners : owner_tables(*grid, world.size())) {
    core::Layout const layout(grid, owners, world);
    core::Field<std::uint8_t> field("state", layout);
    plane.copy(field, {-51, 38, 0});
    for_each_cell(field, [&](core::Index x, std::uint8_t& value) {
      auto const found = cells.find({x.i - 51, x.j + 38});
      EXPECT_EQ(value, found == cells.end() ? 0 : found->second);
    });
  }
  auto const census = plane.census();
  ASSERT_EQ(census.size(), 3u);
  EXPECT_EQ(census[0] + census[1] + census[2], static_cast<std::int64_t>(cells.size()));
}

TEST(Unbounded, RefusesWhatFillsThePlaneAtOnceOrIsOfChance) {
  for (auto const& [rule, what] : {std::pair{"23/03/4", "born where nothing lives"},
                                   {"ising", "random numbers"},
                                   {"W110", "which an unbounded plane does not take"},
                                   {"heat", "which an unbounded plane does not take"}}) {
    auto properties = core::Dictionary::parse(fmt::format("rule \"{}\";", rule), "properties");
    try {
      TiledPlane const plane(rule, properties, core::Comm());
      ADD_FAILURE() << rule;
    } catch (core::Error const& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  }
}

}  // namespace tessera::tests
