// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/boundary.hpp"
#include "tests/support/automata.hpp"

#include <gtest/gtest.h>
#include <map>

namespace tessera::tests {

constexpr int size = 31, middle = 15;

/// A plane of ground with some cells, by their places from its middle.
struct Plane {
  core::Dictionary properties;
  std::unique_ptr<core::Layout> layout = make_layout({size, size, 1}, {size, size, 1});
  std::unique_ptr<ca::Automaton> automaton;

  explicit Plane(std::string const& rule) : automaton(ca::make_automaton(rule, properties, *layout)) {}
  std::uint8_t& at(int i, int j) { return bytes(*automaton).host()(0, 0, middle + j, middle + i); }
  void step(int generations) {
    for (int n = 0; n < generations; ++n) automaton->step();
  }
  std::int64_t population() {
    std::int64_t cells = 0;
    for (auto const value : collect(bytes(*automaton))) cells += value != 0;
    return cells;
  }
};

/// How a line of arrows of one kind ends that carries a train of signals, the first in front, up to the ground in the middle: the
/// states of the cell in the middle and of the line's last cell.
std::pair<int, int> written(std::string const& rule, std::string const& train, int kind, int direction) {
  Plane plane(rule);
  int const dx = (direction == 0) - (direction == 2), dy = (direction == 1) - (direction == 3);
  for (int n = 0; n < 12; ++n) {
    bool const one = n < static_cast<int>(train.size()) && train[static_cast<std::size_t>(n)] == '1';
    plane.at(-(n + 1) * dx, -(n + 1) * dy) = static_cast<std::uint8_t>(kind + direction + (one ? 4 : 0));
  }
  plane.step(static_cast<int>(train.size()));
  return {plane.at(0, 0), plane.at(-dx, -dy)};
}

TEST(VonNeumann, GroundBecomesWhatATrainOfSignalsSays) {
  std::map<std::string, int> const codes{{"10000", 9}, {"10001", 10}, {"1001", 11}, {"1010", 12}, {"1011", 17},
                                         {"1100", 18}, {"1101", 19},  {"1110", 20}, {"1111", 25}};
  for (char const* rule : {"JvN29", "Nobili32"})
    for (int const kind : {9, 17})
      for (int direction = 0; direction < 4; ++direction)
        for (auto const& [train, state] : codes)
          EXPECT_EQ(written(rule, train, kind, direction), (std::pair{state, kind + direction}))
              << rule << " " << train << " by " << kind + direction;
}

TEST(VonNeumann, HuttonsLinesBuildForwardLeftAndRightAndDrawBack) {
  struct Code {
    char const* train;
    int kind, turns;
    bool draws_back;
  };
  for (auto const& [train, kind, turns, draws_back] : {Code{"100000", 9, 0, false},
                                                       {"100010", 9, 1, false},
                                                       {"10100", 9, 3, false},
                                                       {"100001", 9, 0, true},
                                                       {"100011", 9, 1, true},
                                                       {"10011", 9, 2, true},
                                                       {"10101", 9, 3, true},
                                                       {"101101", 17, 0, true},
                                                       {"110001", 17, 1, true},
                                                       {"110101", 17, 2, true},
                                                       {"111001", 17, 3, true}})
    for (int d = 0; d < 4; ++d)
      EXPECT_EQ(written("Hutton32", train, 9, d), (std::pair{kind + (d + turns) % 4, draws_back ? 0 : 9 + d}))
          << train << " by " << d;
}

TEST(VonNeumann, SignalsRunAlongALineOneCellAGeneration) {
  for (char const* rule : {"JvN29", "Nobili32", "Hutton32"}) {
    Plane plane(rule);
    for (int i = -5; i < 5; ++i) plane.at(i, 0) = 9;
    plane.at(5, 0) = 25;
    plane.at(-5, 0) = 13;
    plane.step(9);
    EXPECT_EQ(plane.at(4, 0), 13) << rule;
    plane.step(2);
    // Nobili's keeps it where no line goes on
    EXPECT_EQ(plane.at(5, 0), rule == std::string("Nobili32") ? 26 : 27) << rule;
    EXPECT_EQ(plane.population(), 11) << rule;
  }
}

TEST(VonNeumann, SpecialSignalsMakeOrdinaryAndConfluentStatesGround) {
  for (auto const& [state, after] : {std::pair{9, 0}, {14, 0}, {25, 0}, {28, 0}, {18, 22}, {17, 21}}) {
    Plane plane("JvN29");
    plane.at(0, 0) = static_cast<std::uint8_t>(state);
    plane.at(-1, 0) = 21;
    plane.step(1);
    EXPECT_EQ(plane.at(0, 0), after) << state;
  }
}

/// A line from the left that goes on to the right, one from below that goes on upwards, a junction in the middle.
void draw_cross(Plane& plane, bool from_left, bool from_below) {
  plane.at(0, 0) = 25;
  plane.at(1, 0) = 9;
  plane.at(0, 1) = 10;
  plane.at(-1, 0) = from_left ? 13 : 9;
  plane.at(0, -1) = from_below ? 14 : 10;
}

TEST(VonNeumann, NobilisSignalsCrossWhereTheOriginalsAreJoined) {
  for (bool const left : {false, true})
    for (bool const below : {false, true})
      for (std::string const rule : {"JvN29", "Nobili32", "Hutton32"}) {
        Plane plane(rule);
        draw_cross(plane, left, below);
        plane.step(rule == "JvN29" ? 3 : 2);  // an original junction takes a generation more
        bool const both = left && below, crosses = rule != "JvN29";
        EXPECT_EQ(plane.at(1, 0), (crosses ? left : both) ? 13 : 9) << rule << left << below;
        // the line's end writes into the ground: the next cell tells of it, too
        EXPECT_EQ(plane.at(0, 1), (crosses ? below : both) ? 14 : 10) << rule << left << below;
      }
}

TEST(VonNeumann, NobilisJunctionsRememberUntilTheyAreAsked) {
  for (char const* rule : {"Nobili32", "JvN29"}) {
    Plane plane(rule);
    plane.at(-1, 0) = 13;
    plane.at(0, 0) = 25;
    plane.step(10);
    EXPECT_EQ(plane.at(0, 0), rule == std::string("Nobili32") ? 26 : 25) << rule;
    plane.at(1, 0) = 9;
    plane.step(2);
    EXPECT_EQ(plane.at(1, 0), rule == std::string("Nobili32") ? 13 : 9) << rule;
  }
}

TEST(VonNeumann, IsKnownByItsNamesInAnyCase) {
  EXPECT_EQ(ca::known_rule("jvn29")->canonical, "JvN29");
  EXPECT_EQ(ca::known_rule("NOBILI32")->canonical, "Nobili32");
  EXPECT_EQ(ca::known_rule("Hutton32")->colours.size(), 31U);
  EXPECT_FALSE(ca::known_rule("JvN32"));
  EXPECT_EQ(Plane("JvN29").automaton->states(), 29);
}

}  // namespace tessera::tests
