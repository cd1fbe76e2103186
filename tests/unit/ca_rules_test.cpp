// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/initial.hpp"
#include "ca/engine/stop.hpp"
#include "ca/rule.hpp"
#include "tests/support/automata.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera::ca::rules {

// a whole plugin, as the manual shows it
struct ByHand {
  static constexpr auto stencil = core::moore<2>();
  KOKKOS_FUNCTION State operator()(State centre, Near<ByHand> near) const {
    int const alive = near.count(1);
    return alive == 3 || (centre == 1 && alive == 2);
  }
};
[[maybe_unused]] static bool const by_hand = add_rule<ByHand>("by_hand", "Conway's Life, B3/S23");

/// Shows where and when it is asked; a radius of 2 and a state of its own type.
struct Clock {
  using State = double;
  static constexpr auto stencil = core::von_neumann<2, 2>();
  KOKKOS_FUNCTION double operator()(double, Near<Clock> near) const {
    return 100.0 * static_cast<double>(near.step()) + static_cast<double>(10 * near.cell().j + near.cell().i) +
           1000.0 * near.count(0);
  }
};
[[maybe_unused]] static bool const clock_added = add_rule<Clock>("clock", "position and step");

}  // namespace tessera::ca::rules

namespace tessera::tests {

using core::Dictionary;
using Picture = std::vector<std::string>;

struct Case {
  Dictionary properties;
  std::unique_ptr<core::Layout> layout;
  std::unique_ptr<ca::Automaton> automaton;
};

Case make_case(std::string const& word, core::Grid::Shape cells, std::string const& text = "",
               core::Grid::Shape tile = {0, 0, 0}) {
  Case c{Dictionary::parse("rule \"" + word + "\"; " + text, "properties"), nullptr, nullptr};
  c.layout = make_layout(cells, tile, ca::periodic_axes(c.properties));
  c.automaton = ca::make_automaton(word, c.properties, *c.layout);
  return c;
}

std::string message_of(std::string const& word, core::Grid::Shape cells, std::string const& text = "") {
  try {
    make_case(word, cells, text);
  } catch (core::Error const& e) {
    return e.what();
  }
  return "no error";
}

TEST(Rule, IsKnownByEachOfItsSpellings) {
  for (char const* word : {"life", "Life", "B3/S23", "b3s23", "B3S23", "23/3", "S23/B3", "s32b3"}) {
    auto const known = ca::known_rule(word);
    ASSERT_TRUE(known) << word;
    EXPECT_EQ(known->name, "life") << word;
    EXPECT_EQ(known->canonical, "B3/S23") << word;
    EXPECT_EQ(known->dimensions, 2) << word;
  }
  EXPECT_EQ(ca::known_rule("36/23")->canonical, "B23/S36");
  EXPECT_EQ(ca::known_rule("23/3v")->canonical, "B3/S23V");
  EXPECT_EQ(ca::known_rule("b2s34h")->canonical, "B2/S34H");
  EXPECT_FALSE(ca::known_rule("B5/S23V")) << "four neighbours";
  EXPECT_FALSE(ca::known_rule("B7/S23H")) << "six neighbours";
  EXPECT_FALSE(ca::known_rule("H"));
  EXPECT_EQ(ca::known_rule("w030")->canonical, "W30");
  EXPECT_EQ(ca::known_rule("W30")->dimensions, 0) << "a line, or the plane with all generations";
  EXPECT_EQ(ca::known_rule("heat")->dimensions, 0);
  EXPECT_FALSE(ca::known_rule("B3/S23:T20,20"));
  EXPECT_EQ(make_case("wolfram", {9, 1, 1}, "code 30;").automaton->rule(), "W30");
  EXPECT_EQ(make_case("s23/b3", {9, 9, 1}).automaton->states(), 2);
  EXPECT_EQ(make_case("by_hand", {9, 9, 1}).automaton->states(), 0) << "not told";
}

TEST(Life, TurnsABlinkerAndCountsItsChanges) {
  auto c = make_case("life", {5, 5, 1});
  draw(bytes(*c.automaton), {".....", "..#..", "..#..", "..#..", "....."});
  EXPECT_EQ(c.automaton->step(), 4);
  EXPECT_EQ(picture(bytes(*c.automaton)), (Picture{".....", ".....", ".###.", ".....", "....."}));
  EXPECT_EQ(c.automaton->step(), 4);
  EXPECT_EQ(c.automaton->generation(), 2);
}

TEST(Life, CarriesAGliderOverPeriodicEdges) {
  auto c = make_case("B3/S23", {12, 10, 1},
                     "boundary { left periodic; right periodic; bottom periodic; top periodic; }", {5, 4, 1});
  draw(bytes(*c.automaton), {".#.", "..#", "###"}, {3, 4, 0});
  auto const start = picture(bytes(*c.automaton));
  // a glider moves one cell right and down in 4 generations: lcm(12, 10) = 60 such moves bring it back
  for (int n = 0; n < 4 * 60; ++n) {
    EXPECT_GT(c.automaton->step(), 0);
    if (n == 119) {
      EXPECT_NE(picture(bytes(*c.automaton)), start);
    }
  }
  EXPECT_EQ(picture(bytes(*c.automaton)), start);
}

TEST(Life, ReadsRulestringsInAllSpellings) {
  // HighLife: the replicator's first generations differ from Conway's
  Picture const soup{"........", "..###...", ".#..#...", ".#..#...", ".###....", "........", "...##...", "........"};
  auto run = [&](std::string const& word) {
    auto c = make_case(word, {8, 8, 1});
    draw(bytes(*c.automaton), soup);
    for (int n = 0; n < 3; ++n) c.automaton->step();
    return picture(bytes(*c.automaton));
  };
  auto const high = run("B36/S23");
  for (std::string const word : {"b36s23", "23/36", "B36S23", "b63/s32"}) EXPECT_EQ(run(word), high) << word;
  EXPECT_NE(run("life"), high);
}

TEST(Life, CountsFourOrSixNeighboursWhereTheRulestringSaysSo) {
  // B1/S: a cell's neighbours are those that are born beside it
  auto born = [](std::string const& word, std::string const& storage) {
    auto c = make_case(word, {5, 5, 1}, "storage " + storage + ";");
    draw(bytes(*c.automaton), {".....", ".....", "..#..", ".....", "....."});
    EXPECT_EQ(c.automaton->words().size(), storage == "bits");
    c.automaton->step();
    return picture(bytes(*c.automaton));
  };
  for (char const* storage : {"bits", "bytes"}) {
    EXPECT_EQ(born("B1/S", storage), (Picture{".....", ".###.", ".#.#.", ".###.", "....."}));
    EXPECT_EQ(born("B1/SV", storage), (Picture{".....", "..#..", ".#.#.", "..#..", "....."}));
    EXPECT_EQ(born("B1/SH", storage), (Picture{".....", ".##..", ".#.#.", "..##.", "....."}));
  }
}

TEST(Rules, NameTheNearestAndTheValidOnesInErrors) {
  auto const message = message_of("lief", {8, 8, 1});
  EXPECT_NE(message.find("properties:1"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'life'"), std::string::npos) << message;
  EXPECT_NE(message.find("wolfram"), std::string::npos) << message;
  for (std::string const word : {"B9/S23", "B3/S23x", "W256", "W", "W1a", "", "/x"})
    EXPECT_NE(message_of(word, {8, 1, 1}).find("unknown rule"), std::string::npos) << word;
}

TEST(Rules, AreWrittenInTenLines) {
  auto ours = make_case("life", {40, 30, 1}, "", {7, 7, 1}), by_hand = make_case("by_hand", {40, 30, 1});
  for (auto* c : {&ours, &by_hand}) ca::fill_random(bytes(*c->automaton), 0.4, {2, 0});
  for (int n = 0; n < 10; ++n) EXPECT_EQ(ours.automaton->step(), by_hand.automaton->step());
  EXPECT_EQ(core::hash(ours.automaton->state()), core::hash(by_hand.automaton->state()));
}

TEST(Rules, KnowPositionAndStepAndSeeFarNeighbours) {
  auto c = make_case("clock", {6, 5, 1}, "boundary { left fixed 1; right fixed 1; bottom fixed 1; top fixed 1; }",
                     {4, 3, 1});
  auto& state = dynamic_cast<core::Field<double>&>(c.automaton->state());
  c.automaton->set_generation(7);
  EXPECT_EQ(c.automaton->step(), 30);
  // zeros among the 12 cells within two steps: those inside the grid
  auto const zeros = [](core::Index x) {
    int n = 0;
    for (int dj = -2; dj <= 2; ++dj)
      for (int di = -2; di <= 2; ++di)
        if (int const d = std::abs(di) + std::abs(dj); d == 1 || d == 2)
          n += x.i + di >= 0 && x.i + di < 6 && x.j + dj >= 0 && x.j + dj < 5;
    return n;
  };
  for_each_cell(state, [&](core::Index x, double value) {
    EXPECT_EQ(value, 700.0 + static_cast<double>(10 * x.j + x.i) + 1000.0 * zeros(x));
  });
  EXPECT_EQ(c.automaton->generation(), 8);
}

TEST(Rules, RefuseGridsOfOtherDimensions) {
  EXPECT_NE(message_of("life", {8, 1, 1}).find("2-D"), std::string::npos);
  EXPECT_NE(message_of("life", {8, 8, 2}).find("along z"), std::string::npos);
  EXPECT_NE(message_of("W110", {8, 8, 8}).find("2-D"), std::string::npos);
}

TEST(Wolfram, DrawsRule110FromOneCell) {
  auto c = make_case("W110", {8, 1, 1}, "", {3, 1, 1});
  draw(bytes(*c.automaton), {".......#"});
  for (std::string const row : {"......##", ".....###", "....##.#", "...#####", "..##...#", ".###..##"}) {
    c.automaton->step();
    EXPECT_EQ(picture(bytes(*c.automaton)), Picture{row});
  }
}

TEST(Wolfram, KeepsAllGenerationsInThePlane) {
  auto c = make_case("W22", {9, 4, 1});
  draw(bytes(*c.automaton), {"#"}, {4, 3, 0});
  for (int n = 0; n < 3; ++n) c.automaton->step();
  EXPECT_EQ(picture(bytes(*c.automaton)), (Picture{"....#....", "...###...", "..#...#..", ".###.###."}));
}

TEST(Wolfram, TakesTheCodeFromTheDictionary) {
  auto by_name = make_case("wolfram", {16, 1, 1}, "code 90;"), by_word = make_case("w90", {16, 1, 1});
  for (auto* c : {&by_name, &by_word}) {
    draw(bytes(*c->automaton), {".......#........"});
    for (int n = 0; n < 5; ++n) c->automaton->step();
  }
  EXPECT_EQ(picture(bytes(*by_name.automaton)), picture(bytes(*by_word.automaton)));
  EXPECT_NE(message_of("wolfram", {16, 1, 1}, "code 256;"), "no error");
}

TEST(Boundary, ExtendsTheGridAsEachSideSays) {
  // B1/S012345678: a cell is born if just one neighbour lives, so each outside cell that lives shows inside
  auto born = [](std::string const& sides, Picture const& start) {
    auto c = make_case("B1/S012345678", {4, 3, 1}, "boundary { " + sides + " }", {2, 3, 1});
    draw(bytes(*c.automaton), start);
    c.automaton->step();
    return picture(bytes(*c.automaton));
  };
  Picture const corner{"....", "....", "#..."};
  EXPECT_EQ(born("", corner), (Picture{"....", "##..", "##.."}));
  // periodic in x: the living cell is also right of the last column
  EXPECT_EQ(born("left periodic; right periodic;", corner), (Picture{"....", "##.#", "##.#"}));
  // reflecting at the left doubles the cell: its right-hand and upper neighbours see one, or the two copies
  EXPECT_EQ(born("left reflecting;", corner), (Picture{"....", ".#..", "##.."}));
  // open copies the nearest cell; with one cell of depth that is the mirror image too
  EXPECT_EQ(born("bottom open;", corner), (Picture{"....", "##..", "#..."}));
  // corners: mirrored in x and y the cell has four copies, and only the diagonal neighbour sees just one
  EXPECT_EQ(born("left reflecting; bottom reflecting;", corner), (Picture{"....", ".#..", "#..."}));
}

TEST(Boundary, FillsCornersAxisByAxis) {
  // B3/S: under a living wall the top row is born where it sees three cells of it; the y sides are filled last and so
  // own the corners
  auto c = make_case("B3/S", {4, 3, 1}, "boundary { top fixed 1; }");
  c.automaton->step();
  EXPECT_EQ(picture(bytes(*c.automaton)), (Picture{"####", "....", "...."}));
  auto d = make_case("B3/S", {4, 3, 1}, "boundary { right fixed 1; }");
  d.automaton->step();
  EXPECT_EQ(picture(bytes(*d.automaton)), (Picture{"....", "...#", "...."}));
}

TEST(Boundary, RefusesContradictions) {
  EXPECT_NE(message_of("life", {8, 8, 1}, "boundary { left periodic; }").find("right periodic"), std::string::npos);
  EXPECT_NE(message_of("life", {8, 8, 1}, "boundary { left mirror; }").find("unknown condition"), std::string::npos);
  EXPECT_NE(message_of("life", {8, 8, 1}, "boundary { left fixed 256; }").find("0 .. 1"), std::string::npos);
  EXPECT_NE(message_of("life", {8, 8, 1}, "boundary { left fixed; }"), "no error");
  std::string const whole = "expected a whole number -2147483648 .. 2147483647";
  EXPECT_NE(message_of("sandpile", {8, 8, 1}, "boundary { top fixed 0.5; }").find("'top' is fixed at 0.5, " + whole),
            std::string::npos);
  EXPECT_NE(message_of("avalanches", {8, 8, 1}, "boundary { left fixed 1e10; }").find(whole), std::string::npos);
  std::string const formula =
      "rule { fields { u float; v int32; } expressions { u \"u(1, 0)\"; } } boundary { left fixed ";
  EXPECT_NE(message_of("expression", {8, 8, 1}, formula + "-0.5; }").find(whole), std::string::npos) << "of v";
  EXPECT_NE(message_of("expression", {8, 8, 1}, formula + "1e300; }").find("expected a number -3.4028"),
            std::string::npos);
}

TEST(Heat, EqualsTheFormulaByHand) {
  Dictionary properties = Dictionary::parse(
      "rule heat; diffusivity 2; deltaT 0.01; boundary { left fixed 1; right open; bottom reflecting; top open; }",
      "p");
  auto grid = std::make_shared<core::Grid const>(core::Grid(
      {core::Axis::make_uniform(3, 0, 1.5), core::Axis::make_uniform(2, 0, 0.5), core::Axis::make_uniform(1, 0, 1)}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm());
  auto heat = ca::make_automaton("heat", properties, layout);
  auto& T = dynamic_cast<core::Field<double>&>(heat->state());
  T.host()(0, 0, 0, 1) = 10;
  EXPECT_EQ(heat->step(), 5);  // all but the cell right of and above the hot one
  auto const v = T.host();
  double const wx = 2 * 0.01 / 0.25, wy = 2 * 0.01 / 0.0625;      // a dt / dx^2 with dx = 0.5, dy = 0.25
  double const eps = 1e-14;                                       // a few roundings of numbers up to 10
  EXPECT_NEAR(v(0, 0, 0, 1), 10 + wx * (-20) + wy * (-10), eps);  // mirrored below, so only the cell above takes heat
  EXPECT_NEAR(v(0, 0, 0, 0), wx * (1 + 10), eps);
  EXPECT_NEAR(v(0, 0, 0, 2), wx * 10, eps);
  EXPECT_NEAR(v(0, 0, 1, 1), wy * 10, eps);
  EXPECT_NEAR(v(0, 0, 1, 0), wx * 1, eps);
}

TEST(Heat, NamesTheLimitOfStability) {
  EXPECT_NE(message_of("heat", {8, 8, 1}, "diffusivity 1; deltaT 0.26;").find("0.25 s"), std::string::npos);
  EXPECT_EQ(message_of("heat", {8, 8, 1}, "diffusivity 1; deltaT 0.25;"), "no error");
  EXPECT_EQ(message_of("heat", {8, 1, 1}, "diffusivity 1; deltaT 0.5;"), "no error");
  EXPECT_NE(message_of("heat", {8, 8, 8}, "diffusivity 1; deltaT 0.17;").find("0.1666"), std::string::npos);
}

TEST(Heat, KeepsTheSumBetweenReflectingSides) {
  std::string const walls = "boundary { left reflecting; right reflecting; bottom reflecting; top reflecting; back "
                            "reflecting; front reflecting; }";
  for (core::Grid::Shape cells : {core::Grid::Shape{24, 1, 1}, {12, 9, 1}, {6, 5, 4}}) {
    auto c = make_case("heat", cells, "diffusivity 1; deltaT 0.16; " + walls, {5, 4, 3});
    auto& T = dynamic_cast<core::Field<double>&>(c.automaton->state());
    T.host()(0, 0, 0, 0) = 1;
    for (int n = 0; n < 50; ++n) c.automaton->step();
    double sum = 0;
    for_each_cell(T, [&](core::Index, double t) { sum += t; });
    EXPECT_NEAR(sum, 1, 1e-13);  // 50 steps of roundings of 1e-16 in sums of at most 1
    EXPECT_LT(T.host()(0, 0, 0, 0), 0.6);
  }
}

TEST(RandomStart, FillsTheShareAskedForAndTheRegionOnly) {
  auto const layout = make_layout({200, 200, 1}, {64, 16, 1});
  core::Field<std::uint8_t> field("state", *layout, 1, 7);
  ca::fill_random(field, 0.3, {5, 0}, {{10, 10, 0}, {190, 190, 1}});
  std::int64_t ones = 0, others = 0;
  for_each_cell(field, [&](core::Index x, std::uint8_t v) {
    bool const inside = x.i >= 10 && x.i < 190 && x.j >= 10 && x.j < 190;
    ASSERT_EQ(v == 7, !inside);
    ones += inside && v == 1;
    others += inside && v > 1;
  });
  EXPECT_EQ(others, 0);
  EXPECT_NEAR(static_cast<double>(ones) / (180 * 180), 0.3, 0.0102);  // 4 sigma of sqrt(0.3 0.7 / 32400)
  EXPECT_THROW(ca::fill_random(field, 1.5, {}), core::Error);
}

TEST(Stop, EndsOnGenerationsStabilityAndPeriod) {
  auto run = [](Picture const& start, std::string const& text) {
    auto c = make_case("life", {8, 8, 1});
    draw(bytes(*c.automaton), start, {2, 2, 0});
    auto dictionary = Dictionary::parse(text, "stop");
    ca::Stop stop(dictionary);
    std::int64_t changed = -1;
    while (!stop.done(*c.automaton, changed)) changed = c.automaton->step();
    return std::tuple(stop.reason(), stop.period(), c.automaton->generation());
  };
  Picture const blinker{"###"}, block{"##", "##"};
  EXPECT_EQ(run(blinker, "generations 5;"), std::tuple("generations", 0, 5));
  EXPECT_EQ(run(blinker, "period; generations 5;"), std::tuple("period", 2, 2));
  EXPECT_EQ(run(block, "stable;"), std::tuple("stable", 1, 1));
  EXPECT_EQ(run(block, "period;"), std::tuple("period", 1, 1));
  EXPECT_EQ(run(blinker, "generations 0;"), std::tuple("generations", 0, 0));
  EXPECT_THROW(run(blinker, ""), core::Error);
}

}  // namespace tessera::tests
