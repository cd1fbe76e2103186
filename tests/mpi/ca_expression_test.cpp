// SPDX-License-Identifier: Apache-2.0
// Rules that stand in a case, against the same rules in C++ and against loops over arrays.
#include "ca/automaton.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "tests/support/automata.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {
namespace {

using core::Count;

/// Hashes of all fields after some generations from the same random start, the changes of the last one, and the rule's own numbers.
struct Course {
  std::vector<std::string> hashes;
  std::int64_t changed = 0;
  std::vector<double> quantities;
  bool operator==(Course const&) const = default;
};
Course course_of(std::string const& word, std::string const& entries, core::Layout const& layout, double low,
                 double high) {
  auto properties = core::Dictionary::parse(entries, "p");
  auto const automaton = ca::make_automaton(word, properties, layout);
  for (auto* const each : automaton->fields())
    core::visit(*each, [&]<class T>(core::Field<T>& field) {
      core::Random const random{9, 0};
      for_each_cell(field, [&](core::Index x, T& value) {
        value =
            static_cast<T>(low + (high - low) * random.uniform(static_cast<std::uint64_t>(layout.grid().number(x))));
      });
    });
  Course result;
  for (int n = 0; n < 7; ++n) result.changed = automaton->step();
  for (auto* const field : automaton->fields()) result.hashes.push_back(core::hash(*field));
  result.quantities = automaton->measure();
  return result;
}

/// The rule in C++, and as formulas.
struct Twin {
  std::string word, entries, formulas;
  double low = 0, high = 2;
};
std::vector<Twin> const twins{
    {"life", "", "rule { states 2; expression \"count(state == 1) == 3 || (state == 1 && count(state == 1) == 2)\"; }"},
    // its 256 states keep it from becoming a rulestring
    {"life", "", "rule { expression \"count(state == 1) == 3 || (state == 1 && count(state == 1) == 2)\"; }"},
    {"/2/3", "", "rule { states 3; expression \"state == 1 ? 2 : state == 2 ? 0 : count(state == 1) == 2\"; }", 0, 3},
    {"/2/3", "",
     "rule { fields { state int32; } expression \"state == 1 ? 2 : state == 2 ? 0 : count(state == 1) == 2\"; }", 0, 3},
    {"forestFire", "growth 0.03; lightning 1e-3; seed 5;",
     "rule { neighbours vonNeumann; states 3; parameters { growth 0.03; lightning 1e-3; } expression \"state == 2 ? 0 "
     ": state == 0 ? "
     "uniform() < growth : count(state == 2) > 0 || uniform() < lightning ? 2 : 1\"; } seed 5;",
     0, 3},
    {"grayScott", "feed 0.0367; kill 0.0649;",
     "rule { fields { u double; v double; } parameters { F 0.0367; k 0.0649; Du 0.16; Dv 0.08; } "
     "let { reaction \"u * v * v\"; lu \"(u(-1,0) + u(1,0)) + (u(0,-1) + u(0,1)) - 4 * u\"; "
     "lv \"(v(-1,0) + v(1,0)) + (v(0,-1) + v(0,1)) - 4 * v\"; } "
     "expressions { u \"u + Du * lu - reaction + F * (1 - u)\"; v \"v + Dv * lv + reaction - (F + k) * v\"; } }",
     0, 1},
    {"ising", "temperature 2.5; seed 8;",
     "rule { parameters { T 2.5; } let { up \"uniform() < 1 / (1 + exp(-2 * (2 * (state(-1, 0) + state(1, 0) + "
     "state(0, -1) + state(0, 1)) - 4) / T))\"; } phases ({ expression \"(x + y) % 2 ? state : up\"; } { expression "
     "\"(x + y) % 2 ? up : "
     "state\"; }); quantities { energy \"-(2 * state - 1) * ((2 * state(1, 0) - 1) + (2 * state(0, 1) - 1))\"; "
     "magnetisation \"2 * state - "
     "1\"; } } seed 8;"},
    {"sandpile", "rain 0.1; rainUntil 5;",
     "rule { fields { state int32; } neighbours vonNeumann; parameters { rain 0.1; } expression \"state - (state >= 4 "
     "? 4 : 0) + count(state "
     ">= 4) + (step < 5 && uniform() < rain)\"; quantities { topplings \"state >= 4\"; } }",
     0, 6},
    {"avalanches", "seed 4;",
     R"case(rule { fields { grains int32; toppled int32; }
          phases ( { expressions { grains "grains + (x == floor(common(0) * nx) && y == floor(common(1) * ny))";
                                   toppled "0"; } }
                   { untilStill yes; neighbours vonNeumann;
                     expressions { grains "grains - 4 * (grains >= 4) + count(grains >= 4)";
                                   toppled "toppled + (grains >= 4)"; } } );
          quantities { size "toppled"; area "toppled > 0"; } }
        seed 4;)case",
     0, 5},
    // repeated twice a generation, each time looking as far as another stencil; a field that is never set
    {"soaks_plane", "seed 6;",
     R"case(rule { fields { wall uint8; level int32; }
          phases ( { expressions { level "level + 20 * (x == floor(common(0) * nx) && y == floor(common(1) * ny))"; } }
                   { untilStill yes; neighbours vonNeumann;
                     expressions { level "wall ? level : max(level, largest(level) - 1)"; } }
                   { expressions { level "level > 3 ? level - 3 : 0"; } }
                   { untilStill yes;
                     neighbours ((2 0) (-2 0) (0 2) (0 -2) (1 0) (-1 0) (0 1) (0 -1) (1 1) (1 -1) (-1 1) (-1 -1));
                     expressions { level "wall ? level : max(level, largest(level) - 1)"; } } ); }
        seed 6;)case",
     0, 2}};

TEST(Expression, IsTheRuleInCpp) {
  for (auto const& twin : twins)
    for (std::string const sides :
         {"boundary { left fixed 1; top fixed 0; }", "boundary { right reflecting; bottom open; }"})
      for (core::Grid::Shape const tile : {core::Grid::Shape{64, 32, 1}, {17, 9, 1}}) {
        auto const layout = shuffled_layout({150, 40, 1}, tile);
        EXPECT_EQ(course_of("expression", twin.formulas + sides, *layout, twin.low, twin.high),
                  course_of(twin.word, twin.entries + sides, *layout, twin.low, twin.high))
            << twin.formulas;
      }
}

/// A rule of two fields in two phases whose formulas look up to two cells far, as loops over arrays.
struct Arrays {
  core::Grid::Shape n;
  std::array<std::string, 6> sides;  ///< words of the case
  std::vector<double> a, b;

  double at(std::vector<double> const& values, std::array<Count, 3> x) const {
    for (std::size_t axis = 3; axis-- > 0;) {  // corners: x first, then y over it, then z
      Count& p = x[axis];
      bool const high = p >= n[axis];
      if (p >= 0 && !high) continue;
      auto const& word = sides[2 * axis + high];
      Count const beyond = high ? p - n[axis] : -p - 1;
      if (word == "periodic")
        p = (p % n[axis] + n[axis]) % n[axis];
      else if (word == "open")
        p = high ? n[axis] - 1 : 0;
      else if (word == "reflecting")
        p = high ? n[axis] - 1 - beyond : beyond;
      else
        return 2;
    }
    return values[static_cast<std::size_t>((x[2] * n[1] + x[1]) * n[0] + x[0])];
  }
  template <class F>
  void for_cells(F const& f) const {
    for (Count k = 0; k < n[2]; ++k)
      for (Count j = 0; j < n[1]; ++j)
        for (Count i = 0; i < n[0]; ++i) f(static_cast<std::size_t>((k * n[1] + j) * n[0] + i), i, j, k);
  }
  void step(Count generation) {
    auto next_a = a, next_b = b;
    bool const plane = n[1] > 1, space = n[2] > 1;
    for_cells([&](std::size_t cell, Count i, Count j, Count k) {
      double sum = 0;
      int above = 0;
      for (Count dk = space ? -1 : 0; dk <= (space ? 1 : 0); ++dk)
        for (Count dj = plane ? -1 : 0; dj <= (plane ? 1 : 0); ++dj)
          for (Count di = -1; di <= 1; ++di) {
            if (di == 0 && dj == 0 && dk == 0) continue;
            sum += at(b, {i + di, j + dj, k + dk});
            above += at(a, {i + di, j + dj, k + dk}) > a[cell];
          }
      next_a[cell] = static_cast<double>((static_cast<long>(a[cell]) + above + generation + i + 2 * j) % 11);
      next_b[cell] = b[cell] + 0.125 * sum;
    });
    a = next_a;
    b = next_b;
    for_cells([&](std::size_t cell, Count i, Count j, Count k) {
      next_b[cell] = 0.25 * b[cell] + 0.5 * at(b, {i - 2, j, k}) + a[cell];
    });
    b = next_b;
  }
};

TEST(Expression, IsALoopOverArraysForRandomGridsSidesTilesAndOwners) {
  std::mt19937 random(31);  // the same on all ranks
  auto const pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  core::Comm const world;
  for (int trial = 0; trial < 60; ++trial) {
    std::size_t const dimensions = static_cast<std::size_t>(pick(1, 3));
    Arrays expected{{1, 1, 1}, {}, {}, {}};
    core::Grid::Shape tile{1, 1, 1};
    std::array<bool, 3> around{};
    std::string boundary = "boundary {";
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      expected.n[axis] = pick(5, dimensions == 1 ? 300 : dimensions == 2 ? 40 : 9);
      tile[axis] = pick(4, dimensions == 1 ? 160 : 20);
      around[axis] = pick(0, 1) == 0;
      for (std::size_t high = 0; high < 2; ++high) {
        auto& word = expected.sides[2 * axis + high];
        word = around[axis] ? "periodic"
                            : std::array{"fixed 2", "open", "reflecting"}[static_cast<std::size_t>(pick(0, 2))];
        boundary += fmt::format(" {} {};", core::side_names[2 * axis + high], word);
      }
    }
    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(expected.n, tile, around));
    auto const owners = owner_tables(*grid, world.size());
    core::Layout const layout(grid, owners[static_cast<std::size_t>(trial) % owners.size()], world);
    std::string const aside = std::array{"b(-2)", "b(-2, 0)", "b(-2, 0, 0)"}[dimensions - 1];
    auto properties = core::Dictionary::parse(
        "rule { fields { a uint8; b double; } parameters { h 0.5; } phases ("
        "{ expressions { a \"(a + count(a > centre(a)) + step + x + 2 * y) % 11\"; b \"b + 0.125 * sum(b)\"; } }"
        "{ let { half \"h * " +
            aside + "\"; } expressions { b \"0.25 * b + half + a\"; } }); } " + boundary + " }",
        "p");
    auto const automaton = ca::make_automaton("expression", properties, layout);
    for (Count n = 0; n < grid->total(); ++n) {
      expected.a.push_back(pick(0, 10));
      expected.b.push_back(pick(0, 1000) / 7.0);
    }
    auto const fields = automaton->fields();
    auto& a = dynamic_cast<core::Field<std::uint8_t>&>(*fields[0]);
    auto& b = dynamic_cast<core::Field<double>&>(*fields[1]);
    auto const number = [&](core::Index x) { return static_cast<std::size_t>(grid->number(x)); };
    for_each_cell(
        a, [&](core::Index x, std::uint8_t& value) { value = static_cast<std::uint8_t>(expected.a[number(x)]); });
    for_each_cell(b, [&](core::Index x, double& value) { value = expected.b[number(x)]; });
    int const steps = pick(1, 5);
    for (int n = 0; n < steps; ++n) automaton->step(), expected.step(n);
    std::int64_t wrong = 0;
    for_each_cell(a, [&](core::Index x, std::uint8_t value) { wrong += value != expected.a[number(x)]; });
    for_each_cell(b, [&](core::Index x, double value) { wrong += value != expected.b[number(x)]; });
    ASSERT_EQ(world.sum(wrong), 0) << grid->cells()[0] << " x " << grid->cells()[1] << " x " << grid->cells()[2]
                                   << ", tile " << tile[0] << " x " << tile[1] << ", " << boundary;
  }
}

TEST(Expression, ThatAFieldCannotHoldEndsTheRunOnAllRanks) {
  auto const fault = [](std::string const& rule, std::string const& beside = "") -> std::string {
    auto const layout = shuffled_layout({30, 20, 1}, {7, 6, 1});
    auto properties = core::Dictionary::parse("rule { " + rule + " }" + beside, "p");
    auto const automaton = ca::make_automaton("expression", properties, *layout);
    try {
      for (int n = 0; n < 4; ++n) automaton->step();
    } catch (core::Error const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      fault("states 3; expression \"state + (x == 12 && y > 3)\";"),
      "p:1: the formula gives 3 in cell (12 4 0) of generation 2, expected a whole number 0 .. 2 for the field state");
  EXPECT_EQ(fault("expression \"state + 0.5 * (x == 3)\";"), "p:1: the formula gives 0.5 in cell (3 0 0) of generation "
                                                             "0, expected a whole number 0 .. 255 for the field state");
  EXPECT_EQ(fault("fields { n int32; } expression \"y == 19 ? log(-1) : n\";"),
            "p:1: the formula gives no number in cell (0 19 0) of generation 0, expected a whole number -2147483648 .. "
            "2147483647 for the "
            "field n");
  EXPECT_NE(fault("phases ({ expression \"x == 29 ? -1 : state\"; } { expression \"state\"; });")
                .find("gives -1 in cell (29 0 0)"),
            std::string::npos)
      << "before the second phase reads it";
  EXPECT_EQ(
      fault("phases ({ expression \"0\"; } { untilStill yes; neighbours ((-1 0)); expression \"x == 0 ? 1 : sum(state) "
            "> 0 && state == 0 ? sum(state) + 20 : state\"; });"),
      "p:1: the formula gives 261 in cell (13 0 0) of generation 0, expected a whole number 0 .. 255 for the field "
      "state")
      << "a repeat of a phase";
  EXPECT_EQ(
      fault("expression \"1 - state\"; untilStill yes;", "maxRepeats 30;"),
      "p:1: phase 0 of the rule 'expression' still changes cells after 30 repeats in generation 0, expected that it "
      "comes to rest, or a larger maxRepeats");
  EXPECT_EQ(fault("fields { n double; } expression \"1 / 0\";"), "") << "a field of real numbers holds what comes";
}

}  // namespace
}  // namespace tessera::tests
