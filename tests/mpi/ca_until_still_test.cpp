// SPDX-License-Identifier: Apache-2.0
// Phases that go on until nothing changes, against loops over arrays.
#include "ca/rule.hpp"
#include "core/error.hpp"
#include "tests/support/automata.hpp"
#include "tests/support/foam.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::ca::rules {

/// Water of some level, which soaks into cells that are no wall and loses one on its way.
struct Ink {
  std::uint8_t wall;
  std::int32_t level;
  static constexpr auto fields = names("wall", "level");
};

/// One cell of the grid gets ink.
template <int D>
struct Sow {
  using State = Ink;
  static constexpr bool random = true;
  static constexpr auto stencil = core::alone<D>();
  KOKKOS_FUNCTION Ink operator()(Ink c, Near<Sow> near) const {
    core::Index const x = near.position(), n = near.cells();
    auto const here = [&](core::Count at, core::Count all, int k) {
      return at == static_cast<core::Count>(near.common(k) * static_cast<double>(all));
    };
    if (here(x.i, n.i, 0) && here(x.j, n.j, 1) && here(x.k, n.k, 5)) c.level += 20;
    return c;
  }
};
template <int D, int reach>
struct Soak {
  using State = Ink;
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::von_neumann<D, reach>();
  KOKKOS_FUNCTION Ink operator()(Ink c, Near<Soak> near) const {
    if (c.wall != 0) return c;
    constexpr auto beside = stencil;  // a device has no member constants
    for (int q = 0; q < beside.size(); ++q) {
      core::Offset const d = beside.offsets[q];
      std::int32_t const level = near(d.i, d.j, d.k).level - 1;
      c.level = level > c.level ? level : c.level;
    }
    return c;
  }
};
template <int D>
struct Fade {
  using State = Ink;
  static constexpr auto stencil = core::alone<D>();
  KOKKOS_FUNCTION Ink operator()(Ink c, Near<Fade>) const { return {c.wall, c.level > 3 ? c.level - 3 : 0}; }
};
/// Never at rest.
struct Blink {
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::von_neumann<2>();
  KOKKOS_FUNCTION State operator()(State c, Near<Blink>) const { return c == 0 ? 1 : 0; }
};
[[maybe_unused]] static bool const until_still_added =
    add_rule<Phases<Sow<1>, Soak<1, 2>, Fade<1>>>("soaks_line", "until still on a line") &&
    add_rule<Phases<Sow<2>, Soak<2, 1>, Fade<2>, Soak<2, 2>>>("soaks_plane", "until still, twice a generation") &&
    add_rule<Phases<Sow<3>, Soak<3, 1>, Fade<3>>>("soaks_box", "until still in space") &&
    add_rule<Blink>("blinks", "never still");

}  // namespace tessera::ca::rules

namespace tessera::tests {

using ca::rules::Ink;
using core::Count;
using core::Index;

/// The same by loops; beyond the grid the level is 0, or that of the other side.
struct Bath {
  Index n;
  std::array<bool, 3> around;
  std::uint64_t seed;
  std::vector<Ink> cells;
  std::int64_t changes = 0;

  Ink at(Index x) const {
    for (int a = 0; a < 3; ++a) {
      Count& p = core::along(x, a);
      Count const size = core::along(n, a);
      if (p >= 0 && p < size) continue;
      if (!around[static_cast<std::size_t>(a)]) return {0, 0};
      p = (p + size) % size;
    }
    return cells[static_cast<std::size_t>((x.k * n.j + x.j) * n.i + x.i)];
  }
  template <class F>
  std::int64_t all(F const& f) {
    auto next = cells;
    std::size_t number = 0;
    std::int64_t changed = 0;
    for (Count k = 0; k < n.k; ++k)
      for (Count j = 0; j < n.j; ++j)
        for (Count i = 0; i < n.i; ++i, ++number) {
          next[number].level = f(Index{i, j, k}, cells[number]);
          changed += next[number].level != cells[number].level;
        }
    cells = next;
    changes += changed;
    return changed;
  }
  void sow(std::int64_t step) {
    auto const common = [&](std::uint32_t k, Count size) {
      auto const block = core::Random::philox(
          {{0xffffffffu, 0xffffffffu, static_cast<std::uint32_t>(step), 0x80000000u + k / 4 * 0x10000u}},
          static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
      return static_cast<Count>(block.x[k % 4] / 4294967296.0 * static_cast<double>(size));
    };
    Index const here{common(0, n.i), common(1, n.j), common(5, n.k)};
    all([&](Index x, Ink c) { return c.level + (x == here ? 20 : 0); });
  }
  /// Water comes from cells at most so many steps away.
  void soak(int reach) {
    while (all([&](Index x, Ink c) {
             for (int dk = -reach; dk <= reach; ++dk)
               for (int dj = -reach; dj <= reach; ++dj)
                 for (int di = -reach; di <= reach; ++di) {
                   int const steps = std::abs(di) + std::abs(dj) + std::abs(dk);
                   bool const axes = (n.j > 1 || dj == 0) && (n.k > 1 || dk == 0);
                   if (c.wall == 0 && steps > 0 && steps <= reach && axes)
                     c.level = std::max(c.level, at({x.i + di, x.j + dj, x.k + dk}).level - 1);
                 }
             return c.level;
           }) > 0) {
    }
  }
  void fade() {
    all([](Index, Ink c) { return c.level > 3 ? c.level - 3 : 0; });
  }
};

/// Random grids, sides, tiles and owners: the cells and the changes of each generation are those of the loops.
void check_soaking(std::string const& rule, int dimensions, unsigned seed) {
  std::mt19937 random(seed);  // the same on all ranks
  auto const pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  core::Comm const world;
  for (int trial = 0; trial < 20; ++trial) {
    core::Grid::Shape cells{1, 1, 1}, tile{1, 1, 1};
    std::array<bool, 3> around{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions); ++a) {
      cells[a] = pick(5, dimensions == 1 ? 90 : dimensions == 2 ? 30 : 9);
      tile[a] = pick(3, 12);
      around[a] = pick(0, 1) == 0;
    }
    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, around));
    auto const owners = owner_tables(*grid, world.size());
    core::Layout const layout(grid, owners[static_cast<std::size_t>(trial) % owners.size()], world);
    auto properties = core::Dictionary::parse(
        fmt::format("rule {}; seed 9; boundary {{ left {}; right {}; bottom {}; top {}; back {}; front {}; }}", rule,
                    around[0] ? "periodic" : "fixed 0", around[0] ? "periodic" : "fixed 0",
                    around[1] ? "periodic" : "fixed 0", around[1] ? "periodic" : "fixed 0",
                    around[2] ? "periodic" : "fixed 0", around[2] ? "periodic" : "fixed 0"),
        "p");
    auto const automaton = ca::make_automaton(rule, properties, layout);
    EXPECT_EQ(automaton->work_ahead(4), 1);

    Bath expected{{cells[0], cells[1], cells[2]}, around, 9, {}};
    for (Count n = 0; n < grid->total(); ++n) expected.cells.push_back({random() % 4 == 0, 0});
    auto const fields = automaton->fields();
    for_each_cell(dynamic_cast<core::Field<std::uint8_t>&>(*fields[0]), [&](Index x, std::uint8_t& wall) {
      wall = expected.cells[static_cast<std::size_t>(grid->number(x))].wall;
    });
    for (int step = 0; step < 4; ++step) {
      expected.changes = 0;
      expected.sow(step);
      expected.soak(rule == "soaks_line" ? 2 : 1);
      expected.fade();
      if (rule == "soaks_plane") expected.soak(2);
      ASSERT_EQ(automaton->step(), expected.changes);
      int wrong = 0;
      for_each_cell(dynamic_cast<core::Field<std::int32_t>&>(*automaton->fields()[1]),
                    [&](Index x, std::int32_t level) {
                      wrong += level != expected.cells[static_cast<std::size_t>(grid->number(x))].level;
                    });
      ASSERT_EQ(world.sum(wrong), 0) << rule << " " << cells[0] << " x " << cells[1] << " x " << cells[2] << ", tile "
                                     << tile[0] << " x " << tile[1] << " x " << tile[2] << ", generation " << step;
    }
  }
}

TEST(UntilStill, OnALineIsWhatLoopsFind) { check_soaking("soaks_line", 1, 1); }
TEST(UntilStill, OnAPlaneIsWhatLoopsFind) { check_soaking("soaks_plane", 2, 2); }
TEST(UntilStill, InSpaceIsWhatLoopsFind) { check_soaking("soaks_box", 3, 3); }

TEST(UntilStill, EndsARuleThatNeverRests) {
  core::Comm const world;
  auto const layout = shuffled_layout({12, 9, 1}, {5, 4, 1});
  auto properties = core::Dictionary::parse("rule blinks; maxRepeats 30;", "p");
  auto const automaton = ca::make_automaton("blinks", properties, *layout);
  EXPECT_EQ(error_of([&] { automaton->step(); }),
            "p:1: phase 0 of the rule 'blinks' still changes cells after 30 repeats in generation 0, expected that it "
            "comes to rest, or a larger maxRepeats");
}

TEST(UntilStill, EndsOnAllRanksWhereOneWouldNotGoOn) {
  core::Comm const world;
  auto const layout = shuffled_layout({12, 9, 1}, {5, 4, 1});
  for (std::string const rule : {"blinks", "{ expression \"1 - state\"; untilStill yes; }"}) {
    auto properties = core::Dictionary::parse("rule " + rule + (rule == "blinks" ? ";" : ""), "p");
    auto const word = rule == "blinks" ? rule : "expression";
    auto const automaton = ca::make_automaton(word, properties, *layout);
    std::vector<std::int64_t> asked;
    automaton->ask_between_repeats([&](int phase, std::int64_t repeats) {
      EXPECT_EQ(phase, 0);
      asked.push_back(repeats);
      return repeats < 7 || world.rank() + 1 < world.size();
    });
    auto const said = error_of<core::RunError>([&] { automaton->step(); });
    EXPECT_NE(
        said.find("'" + word + "' had not come to rest after 7 repeats in generation 0 when the run was asked to"),
        std::string::npos)
        << said;
    EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(UntilStill, WhatIsNoNumberComesToRest) {
  auto const layout = shuffled_layout({12, 9, 1}, {5, 4, 1});
  for (char const* type : {"double", "float"}) {
    auto properties = core::Dictionary::parse(
        fmt::format("rule {{ fields {{ u {}; }} expression \"x == 1 ? 0 / 0 : u\"; untilStill yes; }}", type), "p");
    auto const automaton = ca::make_automaton("expression", properties, *layout);
    EXPECT_EQ(automaton->step(), 9) << "cells of a column, once";
    EXPECT_EQ(automaton->step(), 0);
  }
}

}  // namespace tessera::tests
