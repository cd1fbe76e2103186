// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"
#include "ca/engine/boundary.hpp"
#include "tests/support/automata.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/life_reference.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {

/// A rule, sides and a start drawn from a seed; the same on all ranks.
struct Drawn {
  LifeReference reference;
  std::string rule, sides, storage;
  std::array<bool, 3> periodic;

  /// `states`: of the Generations family; 0: a rule of two states.
  Drawn(core::Count nx, core::Count ny, unsigned seed, bool constant, int states = 0) : reference{nx, ny} {
    reference.states = states;
    std::mt19937 random(seed);
    auto const pick = [&](unsigned n) { return random() % n; };
    reference.shape = "MVHM"[seed % 4];
    unsigned const sets = reference.shape == 'M' ? 512 : reference.shape == 'V' ? 32 : 128;
    reference.born = pick(sets);
    reference.survives = pick(sets);
    storage = seed % 5 == 0 ? "bytes" : "bits";
    rule = reference.rulestring();
    for (std::size_t axis = 0; axis < 2; ++axis) {
      bool const around = pick(2) == 0;
      periodic[axis] = around;
      for (std::size_t s = 2 * axis; s < 2 * axis + 2; ++s) {
        auto const kind = pick(constant ? 2 : 4);
        auto const value = states > 0 && kind < 2 ? pick(static_cast<unsigned>(states)) : kind;
        reference.side[s] = around ? 'p' : kind < 2 ? static_cast<char>('0' + value) : "01ro"[kind];
        sides += fmt::format("{} {}; ", core::side_names[s],
                             around      ? "periodic"
                             : kind < 2  ? fmt::format("fixed {}", value)
                             : kind == 2 ? "reflecting"
                                         : "open");
      }
    }
    periodic[2] = false;
    unsigned const density = 1 + pick(3);
    for (auto& cell : reference.cells) {
      cell = pick(4) < density;
      if (states > 2 && cell == 1 && pick(2) == 0)
        cell = static_cast<std::uint8_t>(1 + pick(static_cast<unsigned>(states) - 1));
    }
  }
  /// Fields of words; 0: bytes.
  std::size_t planes() const {
    if (storage == "bytes" || reference.states > 16) return 0;
    return reference.states > 8 ? 4 : reference.states > 4 ? 3 : reference.states > 2 ? 2 : 1;
  }

  std::unique_ptr<ca::Automaton> start(core::Layout const& layout, core::Dictionary& properties, int depth) const {
    auto automaton = ca::make_automaton(rule, properties, layout);
    EXPECT_EQ(automaton->words().size(), planes());
    if (depth > 1) {
      EXPECT_EQ(automaton->work_ahead(depth), generations_at_once(depth, *automaton, layout.grid()));
    }
    for_each_cell(bytes(*automaton), [&](core::Index x, std::uint8_t& value) {
      value = reference.cells[static_cast<std::size_t>(x.j * reference.nx + x.i)];
    });
    return automaton;
  }
  core::Dictionary properties() const {
    return core::Dictionary::parse("storage " + storage + "; boundary { " + sides + "}", "properties");
  }
};

/// The automaton's cells are those of the reference after `steps`.
void check(Drawn drawn, core::Grid::Shape tile, int depth, std::vector<int> const& parts) {
  core::Comm const world;
  auto const grid = std::make_shared<core::Grid const>(
      core::Grid::unit({drawn.reference.nx, drawn.reference.ny, 1}, tile, drawn.periodic));
  for (auto const& owners : owner_tables(*grid, world.size())) {
    core::Layout const layout(grid, owners, world);
    auto properties = drawn.properties();
    auto const automaton = drawn.start(layout, properties, depth);
    LifeReference expected = drawn.reference;
    for (int const steps : parts) {
      for (int n = 0; n < steps; ++n) {
        auto const changed = expected.step(), told = automaton->step();
        if (depth == 1) {
          ASSERT_EQ(told, changed) << drawn.rule << " " << drawn.sides;
        }
      }
      ASSERT_EQ(collect(bytes(*automaton)), expected.cells)
          << drawn.rule << ", " << drawn.sides << grid->cells()[0] << " x " << grid->cells()[1] << ", tile " << tile[0]
          << " x " << tile[1] << ", depth " << depth << ", generation " << automaton->generation();
    }
  }
}

TEST(Bits, GiveTheCellsOfASerialReferenceForAnyRuleWidthSidesAndTiles) {
  unsigned seed = 1;
  for (core::Count const nx : {2, 7, 63, 64, 65, 100, 128, 129, 200})
    for (core::Count const ny : {2, 11, 37})
      for (core::Grid::Shape const tile : {core::Grid::Shape{256, 64, 1}, {64, 5, 1}, {64, 1, 1}, {128, 16, 1}})
        for (int repeat = 0; repeat < 3; ++repeat) check({nx, ny, ++seed, false}, tile, 1, {1, 4});
}

TEST(Bits, GiveTheSameCellsWhenTheyWorkAhead) {
  unsigned seed = 1000;
  for (core::Count const nx : {2, 7, 63, 64, 65, 100, 128, 129, 200})
    for (core::Count const ny : {2, 11, 37})
      for (core::Grid::Shape const tile : {core::Grid::Shape{256, 64, 1}, {64, 5, 1}, {64, 1, 1}, {128, 16, 1}})
        for (int const depth : {2, 3, 8, 17}) check({nx, ny, ++seed, true}, tile, depth, {depth, 2 * depth + 1, 1, 3});
}

/// All numbers of states that are kept in bit planes, and more, which are not.
Drawn decaying(core::Count nx, core::Count ny, unsigned seed, bool constant) {
  Drawn drawn(nx, ny, seed, constant, static_cast<int>(2 + seed % 17));
  if (drawn.reference.states > 16) drawn.storage = "auto";
  return drawn;
}

TEST(BitPlanes, GiveTheCellsOfASerialReferenceForAnyRuleWidthSidesAndTiles) {
  unsigned seed = 3000;
  for (core::Count const nx : {2, 63, 64, 100, 129, 1100})
    for (core::Count const ny : {2, 23})
      for (core::Grid::Shape const tile : {core::Grid::Shape{2048, 64, 1}, {64, 5, 1}, {128, 1, 1}})
        for (int repeat = 0; repeat < 4; ++repeat) check(decaying(nx, ny, ++seed, false), tile, 1, {1, 5});
}

TEST(BitPlanes, GiveTheSameCellsWhenTheyWorkAhead) {
  unsigned seed = 4000;
  for (core::Count const nx : {2, 63, 64, 100, 129, 1100})
    for (core::Count const ny : {2, 23})
      for (core::Grid::Shape const tile : {core::Grid::Shape{2048, 64, 1}, {64, 5, 1}, {128, 1, 1}})
        for (int const depth : {2, 5, 17}) check(decaying(nx, ny, ++seed, true), tile, depth, {depth, depth + 2, 1});
}

TEST(BitPlanes, WorkUpTo64GenerationsAhead) {
  for (unsigned seed = 1; seed <= 8; ++seed) check(decaying(150, 70, seed, true), {64, 32, 1}, 64, {64, 7});
}

/// Cells that do nothing but decay: in four generations 2 becomes 6, that 10 and 14, of which the lower two bits are the same.
TEST(BitPlanes, DoNotPassOverTilesOfWhichUpperBitsMove) {
  Drawn drawn(200, 40, 5, true, 16);
  drawn.storage = "bits";
  drawn.reference.born = drawn.reference.survives = 0;
  drawn.rule = drawn.reference.rulestring();
  for (std::size_t n = 0; auto& cell : drawn.reference.cells) cell = n++ % 97 == 0 ? 2 : 0;
  check(drawn, {64, 8, 1}, 4, {12, 8});
}

TEST(Bits, WorkUpTo64GenerationsAhead) {
  for (unsigned seed = 1; seed <= 8; ++seed) check({150, 70, seed, true}, {64, 32, 1}, 64, {64, 7});
}

/// Blocks, blinkers and gliders on an empty plane: most tiles rest most of the time, and are woken by gliders.
TEST(Bits, PassOverTilesThatRestUntilSomethingComes) {
  std::vector<std::string> const blinker{"###"}, block{"##", "##"}, glider{".#.", "..#", "###"};
  for (core::Grid::Shape const tile : {core::Grid::Shape{64, 8, 1}, {128, 3, 1}, {192, 32, 1}})
    for (char const side : {'0', 'p'}) {
      LifeReference expected{200, 90};
      expected.born = 1u << 3;
      expected.survives = 1u << 2 | 1u << 3;
      std::fill(std::begin(expected.side), std::end(expected.side), side);
      auto const grid =
          std::make_shared<core::Grid const>(core::Grid::unit({200, 90, 1}, tile, {side == 'p', side == 'p', false}));
      core::Comm const world;
      core::Layout const layout(grid, owner_tables(*grid, world.size())[2], world);
      core::Dictionary properties;
      auto const life = ca::make_automaton("life", properties, layout);
      EXPECT_EQ(life->work_ahead(8), 8);
      for (core::Index const at : {core::Index{3, 60, 0}, {120, 20, 0}, {199 - 8, 44, 0}})
        draw(bytes(*life), block, at);
      for (core::Index const at : {core::Index{30, 33, 0}, {66, 70, 0}, {130, 50, 0}}) draw(bytes(*life), blinker, at);
      for (core::Index const at : {core::Index{10, 80, 0}, {90, 85, 0}, {150, 40, 0}}) draw(bytes(*life), glider, at);
      expected.cells = collect(bytes(*life));
      for (int part = 0; part < 6; ++part) {
        for (int n = 0; n < 64; ++n) {
          expected.step();
          life->step();
        }
        ASSERT_EQ(collect(bytes(*life)), expected.cells) << "tile " << tile[0] << ", generation " << life->generation();
      }
    }
}

/// Gliders that fly any way, blinkers and blocks in places that are drawn: what rests within a tile is passed over, too, and gliders
/// come to it from every side, round the grid and out of other tiles.
TEST(Bits, PassOverWhatRestsWithinTiles) {
  std::vector<std::vector<std::string>> const pictures{{"###"}, {"##", "##"}, {".#.", "..#", "###"}};
  unsigned seed = 0;
  for (core::Count const nx : {1536, 641})
    for (core::Grid::Shape const tile : {core::Grid::Shape{2048, 100, 1}, {512, 256, 1}, {192, 50, 1}})
      for (bool const round : {true, false}) {
        std::mt19937 random(++seed);
        LifeReference expected{nx, 150};
        expected.born = 1u << 3;
        expected.survives = 1u << 2 | 1u << 3;
        std::fill(std::begin(expected.side), std::end(expected.side), round ? 'p' : '0');
        auto const grid =
            std::make_shared<core::Grid const>(core::Grid::unit({nx, 150, 1}, tile, {round, round, false}));
        core::Comm const world;
        core::Layout const layout(grid, owner_tables(*grid, world.size())[2], world);
        core::Dictionary properties;
        auto const life = ca::make_automaton("life", properties, layout);
        int const depth = seed % 3 == 0 ? 48 : 30;
        EXPECT_EQ(life->work_ahead(depth), generations_at_once(depth, *life, *grid));
        for (int n = 0; n < 10; ++n) {
          auto picture = pictures[n % 3];
          if (random() % 2 == 0) std::reverse(picture.begin(), picture.end());
          for (auto& row : picture)
            if (seed % 2 == 0) std::reverse(row.begin(), row.end());
          draw(bytes(*life), picture,
               {static_cast<core::Count>(random() % (nx - 3)), static_cast<core::Count>(random() % 147), 0});
        }
        expected.cells = collect(bytes(*life));
        for (int const steps : {depth, 10, 3 * depth, depth}) {
          for (int n = 0; n < steps; ++n) {
            expected.step();
            life->step();
          }
          ASSERT_EQ(collect(dynamic_cast<core::Field<std::uint8_t> const&>(life->look())), expected.cells)
              << nx << " cells wide, tile " << tile[0] << ", generation " << life->generation();
        }
      }
}

}  // namespace tessera::tests
