// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/hash_plane.hpp"
#include "ca/unbounded/place_hash.hpp"
#include "ca/unbounded/tiled.hpp"
#include "core/error.hpp"
#include "tests/support/life_reference.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tessera::tests {
namespace {

using ca::unbounded::Cell;
using ca::unbounded::decimal;
using ca::unbounded::HashPlane;
using ca::unbounded::PlaceHash;
using ca::unbounded::Plane;
using ca::unbounded::Population;
using ca::unbounded::TiledPlane;

constexpr double enough = 1e9;

/// Each rank gives some.
void put(Plane& plane, std::vector<Cell> const& cells) {
  core::Comm const world;
  std::vector<Cell> mine;
  for (std::size_t n = 0; n < cells.size(); ++n)
    if (static_cast<int>(n) % world.size() == world.rank()) mine.push_back(cells[n]);
  plane.put(mine);
}

std::vector<Cell> drawn(std::vector<std::string> const& rows, core::Count i0, core::Count j0) {
  std::vector<Cell> cells;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < rows[r].size(); ++i)
      if (rows[r][i] == 'o')
        cells.push_back(
            {i0 + static_cast<core::Count>(i), j0 + static_cast<core::Count>(rows.size() - 1 - r), std::uint8_t{1}});
  return cells;
}

std::vector<Cell> soup(unsigned seed, core::Count side, core::Count i0, core::Count j0, int states) {
  std::mt19937 random(seed);
  std::vector<Cell> cells;
  for (core::Count j = 0; j < side; ++j)
    for (core::Count i = 0; i < side; ++i)
      if (random() % 3 == 0)
        cells.push_back({i0 + i, j0 + j, static_cast<std::uint8_t>(1 + random() % static_cast<unsigned>(states - 1))});
  return cells;
}

void expect_same(Plane const& hash, Plane const& tiles, std::string const& what) {
  EXPECT_TRUE(hash.population() == tiles.population()) << what;
  EXPECT_TRUE(hash.census() == tiles.census()) << what;
  EXPECT_EQ(hash.box(), tiles.box()) << what;
  EXPECT_EQ(hash.hash(), tiles.hash()) << what;
}

/// Both algorithms have the same cells after each number of generations.
void check(std::string const& rule, std::vector<Cell> const& cells, std::vector<int> const& parts,
           double memory = enough) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("rule \"" + rule + "\";", "properties");
  HashPlane hash(rule, properties, memory, world);
  TiledPlane tiles(rule, properties, world);
  for (Plane* plane : {static_cast<Plane*>(&hash), static_cast<Plane*>(&tiles)}) put(*plane, cells);
  int done = 0;
  expect_same(hash, tiles, rule + " at the start");
  for (int const generations : parts) {
    hash.advance(generations);
    tiles.advance(generations);
    done += generations;
    expect_same(hash, tiles, fmt::format("{}, generation {}", rule, done));
  }
}

TEST(PlaceHash, IsTheSumOverPlacesAndTakesNumbersBeforeNought) {
  EXPECT_EQ(PlaceHash::times(PlaceHash::power(PlaceHash::across, -7), PlaceHash::power(PlaceHash::across, 9)),
            PlaceHash::times(PlaceHash::across, PlaceHash::across));
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  TiledPlane plane("345/2/4", properties, world);
  auto const cells = soup(3, 30, -70, 50, 4);
  put(plane, cells);
  PlaceHash::Value sum = 0;
  for (Cell const& cell : cells)
    sum = PlaceHash::add(sum, PlaceHash::times(PlaceHash::weight(cell.state),
                                               PlaceHash::times(PlaceHash::power(PlaceHash::across, cell.i),
                                                                PlaceHash::power(PlaceHash::upward, cell.j))));
  EXPECT_EQ(plane.hash(), PlaceHash::text(sum));
}

TEST(HashPlane, SoupsHaveTheCellsOfTheTiledPlane) {
  std::mt19937 random(5);
  for (unsigned seed = 0; seed < 12; ++seed) {
    char const shape = "MVHM"[seed % 4];
    std::string rule = "B", survives = "/S";
    for (int n = 1; n <= (shape == 'M' ? 8 : shape == 'V' ? 4 : 6); ++n) {
      if (random() % 2 == 0) rule += std::to_string(n);
      if (random() % 2 == 0) survives += std::to_string(n);
    }
    rule += survives + (shape == 'M' ? "" : std::string(1, shape));
    check(rule, soup(seed, 20 + random() % 20, static_cast<core::Count>(random() % 300) - 150, -17, 2),
          {1, 2, 61, 4, 19});
  }
}

TEST(HashPlane, RulesOfManyStatesAndOfArrangements) {
  check("345/2/4", soup(1, 24, -9, 30, 4), {1, 2, 29, 32});
  check("/2/3", soup(2, 20, -30, -30, 3), {5, 40});
  check("B2-a/S12", soup(3, 16, 3, -40, 2), {1, 30});
  check("2/13/5V", soup(4, 16, -8, -8, 5), {33});
  check("JvN29", soup(5, 12, -5, -6, 29), {7, 32});
}

TEST(HashPlane, AcornHas633CellsInTheEnd) {
  auto const acorn = drawn({"bobbbbb", "bbbobbb", "oobbooo"}, -3, 2);
  check("B3/S23", acorn, {5206});
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  HashPlane plane("B3/S23", properties, enough, world);
  put(plane, acorn);
  plane.advance(5206);
  EXPECT_TRUE(plane.population() == 633);
}

TEST(Plane, LosesTheCellsOfABoxByAnyAlgorithm) {
  core::Comm const world;
  constexpr core::Count far = core::Count{1} << 40, end = std::numeric_limits<core::Count>::max();
  for (auto const& [rule, states] : {std::pair{"B3/S23", 2}, {"345/2/4", 4}})
    for (core::Box const box : {core::Box{{-3, 5, 0}, {30, 6, 1}}, core::Box{{-64, -64, 0}, {64, 0, 1}},
                                core::Box{{10, -far, 0}, {far, far, 1}}, core::Box{{-end, -end, 0}, {end, end, 1}},
                                core::Box{{far, far, 0}, {2 * far, 2 * far, 1}}}) {
      auto properties = core::Dictionary::parse(fmt::format("rule \"{}\";", rule), "properties");
      HashPlane hash(rule, properties, enough, world);
      TiledPlane tiles(rule, properties, world), expected(rule, properties, world);
      auto cells = soup(11, 70, -40, -35, states);
      cells.push_back({far, -far + 3, 1});
      std::vector<Cell> left;
      for (Cell const& cell : cells)
        if (!box.contains({cell.i, cell.j, 0})) left.push_back(cell);
      put(expected, left);
      for (Plane* plane : {static_cast<Plane*>(&hash), static_cast<Plane*>(&tiles)}) {
        put(*plane, cells);
        plane->advance(0);
        plane->erase(box);
      }
      expect_same(hash, expected, rule);
      expect_same(tiles, expected, rule);
      // those that other ranks have copies of, too
      for (Plane* plane : {static_cast<Plane*>(&hash), static_cast<Plane*>(&tiles), static_cast<Plane*>(&expected)})
        plane->advance(9);
      expect_same(hash, expected, rule);
      expect_same(tiles, expected, rule);
    }
}

TEST(HashPlane, LosesBoxesThatNobodyCanGoThrough) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  HashPlane plane("B12345678/S012345678", properties, enough, world);
  put(plane, {{0, 0, 1}});
  std::int64_t const n = std::int64_t{1} << 40;
  plane.advance(n);
  plane.erase({{-n + 1, -n + 1, 0}, {n, n, 1}});
  EXPECT_EQ(decimal(plane.population()), std::to_string(8 * n)) << "a frame is left";
}

TEST(Population, HasMoreDigitsThanSixtyFourBits) {
  EXPECT_EQ(decimal(0), "0");
  EXPECT_EQ(decimal(Population{1} << 100), "1267650600228229401496703205376");
}

TEST(HashPlane, AGunAndAGliderAfterAVeryLongTime) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  check("B3/S23", drawn(gun, -10, -5), {300, 1, 29, 700});
  HashPlane plane("B3/S23", properties, enough, world);
  put(plane, drawn(gun, -10, -5));
  std::int64_t const n = std::int64_t{1} << 40;
  plane.advance(30 * n);
  EXPECT_EQ(decimal(plane.population()), std::to_string(36 + 5 * n));
  plane.clear();
  EXPECT_TRUE(plane.population() == 0);
  EXPECT_FALSE(plane.box());
  put(plane, drawn({"bob", "bbo", "ooo"}, 0, 0));
  plane.advance(4 * n);
  EXPECT_EQ(plane.moved(), 1);
  EXPECT_EQ(*plane.box(), (core::Box{{n, -n, 0}, {n + 3, -n + 3, 1}}));
}

TEST(HashPlane, CountsMoreThan64BitsHold) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  // each generation all that touches what lives is alive
  HashPlane plane("B12345678/S012345678", properties, enough, world);
  put(plane, {{5, -7, 1}});
  std::int64_t const n = std::int64_t{1} << 40;
  plane.advance(n);
  Population const side = static_cast<Population>(2 * n + 1);
  EXPECT_TRUE(plane.population() == side * side);
  EXPECT_EQ(*plane.box(), (core::Box{{5 - n, -7 - n, 0}, {6 + n, -6 + n, 1}}));
  if (world.size() > 1) return;  // others would wait for the root
  EXPECT_THROW(plane.advance(std::int64_t{1} << 62), core::RunError);
}

TEST(HashPlane, LittleMemoryIsCollectedAndTooLittleIsRefused) {
  core::Comm const world;
  auto const cells = soup(8, 64, -32, -32, 2);
  check("B3/S23", cells, {100, 300, 111}, 4e5);
  auto properties = core::Dictionary::parse("", "properties");
  HashPlane plane("B3/S23", properties, 4e5, world), wide("B3/S23", properties, 3e4, world);
  put(plane, cells);
  plane.advance(511);
  auto const figures = plane.figures();
  EXPECT_EQ(figures[2].first, "collections");
  EXPECT_GT(figures[2].second, 0);
  EXPECT_LT(figures[1].second, 500'000);
  if (world.size() > 1) return;  // others would wait for the root
  EXPECT_THROW(put(wide, soup(9, 256, -128, -128, 2)), core::RunError);
}

TEST(HashPlane, WhatRestsDoesNotMove) {
  core::Comm const world;
  auto properties = core::Dictionary::parse("", "properties");
  HashPlane plane("B3/S23", properties, enough, world);
  put(plane, drawn({"ooo", "bbb", "bbb", "bbb", "oo", "oo"}, 62, -2));  // blinker and block
  plane.advance(2);
  EXPECT_EQ(plane.moved(), 0);
  plane.advance(1);
  EXPECT_EQ(plane.moved(), 1);
}

TEST(HashPlane, RefusesRulesThatItIsNotFor) {
  for (auto const& [rule, what] : {std::pair{"B03/S23", "an empty plane blinks"},
                                   {"R2,C0,M1,S3..8,B5..7,NM", "looks 2 cells far"},
                                   {"ising", "random numbers"},
                                   {"W110", "which an unbounded plane does not take"}}) {
    auto properties = core::Dictionary::parse(fmt::format("rule \"{}\";", rule), "properties");
    try {
      HashPlane const plane(rule, properties, enough, core::Comm());
      ADD_FAILURE() << rule;
    } catch (core::Error const& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace tessera::tests
