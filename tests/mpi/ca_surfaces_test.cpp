// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/boundary.hpp"
#include "tests/support/automata.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {

using Rows = std::vector<std::string>;

struct Sample {
  core::Grid::Shape cells;
  std::string boundary;
  Rows seen = {};
};

ca::Surface surface_of(Sample const& sample) {
  auto properties = core::Dictionary::parse("boundary { " + sample.boundary + " }", "properties");
  return ca::Boundaries::read(properties, core::Grid::unit(sample.cells)).surface;
}

/// The pictures of Golly's help, Bounded Grids: the cells are A, B, C ... from the upper left on, one cell beyond each side is shown.
TEST(Surface, ShowsBeyondItsSidesWhatGollysHelpDraws) {
  for (auto const& sample : {
           Sample{{4, 3, 1}, "surface torus;", {"LIJKLI", "DABCDA", "HEFGHE", "LIJKLI", "DABCDA"}},
           Sample{{4, 3, 1}, "surface torus; shift (1 0);", {"KLIJKL", "DABCDA", "HEFGHE", "LIJKLI", "ABCDAB"}},
           Sample{{4, 3, 1}, "surface torus; shift (0 1);", {"HIJKLA", "LABCDE", "DEFGHI", "HIJKLA", "LABCDE"}},
           Sample{{4, 3, 1}, "surface kleinBottle; mirrored x;", {"ILKJIL", "DABCDA", "HEFGHE", "LIJKLI", "ADCBAD"}},
           Sample{{4, 3, 1}, "surface kleinBottle; mirrored y;", {"DIJKLA", "LABCDI", "HEFGHE", "DIJKLA", "LABCDI"}},
           Sample{{4, 3, 1},
                  "surface kleinBottle; mirrored x; shift (1 0);",
                  {"JILKJI", "DABCDA", "HEFGHE", "LIJKLI", "BADCBA"}},
           Sample{{3, 4, 1},
                  "surface kleinBottle; mirrored y; shift (0 -1);",
                  {"FJKLD", "CABCA", "LDEFJ", "IGHIG", "FJKLD", "CABCA"}},
           Sample{{4, 3, 1}, "surface crossSurface;", {"ALKJID", "LABCDI", "HEFGHE", "DIJKLA", "IDCBAL"}},
           Sample{{3, 3, 1}, "surface sphere;", {"AADGC", "AABCG", "BDEFH", "CGHII", "GCFII"}},
       }) {
    auto const surface = surface_of(sample);
    auto const [nx, ny, nz] = sample.cells;
    Rows seen;
    for (core::Count j = ny; j >= -1; --j) {
      seen.emplace_back();
      for (core::Count i = -1; i <= nx; ++i) {
        auto const cell = surface.inside({i, j, 0});
        seen.back() += static_cast<char>('A' + (ny - 1 - cell.j) * nx + cell.i);
      }
    }
    EXPECT_EQ(seen, sample.seen) << sample.boundary;
  }
}

/// B3/S23 or, of a range, the count of the square between some limits; cell by cell on the surface.
std::vector<std::uint8_t> next_of(std::vector<std::uint8_t> const& cells, ca::Surface const& surface, int range) {
  auto const [nx, ny] = surface.cells;
  auto after = cells;
  for (core::Count j = 0; j < ny; ++j)
    for (core::Count i = 0; i < nx; ++i) {
      int alive = 0;
      for (int dj = -range; dj <= range; ++dj)
        for (int di = -range; di <= range; ++di) {
          auto const x = surface.inside({i + di, j + dj, 0});
          if (di != 0 || dj != 0) alive += cells[static_cast<std::size_t>(x.j * nx + x.i)];
        }
      auto& cell = after[static_cast<std::size_t>(j * nx + i)];
      if (range == 1)
        cell = alive == 3 || (cell == 1 && alive == 2);
      else
        cell = cell == 1 ? alive >= 6 && alive <= 14 : alive >= 7 && alive <= 11;
    }
  return after;
}

TEST(Surface, GivesTheCellsOfASerialReferenceOnAnyTilesAndRanks) {
  std::mt19937 random(5);
  core::Comm const world;
  for (auto const& sample :
       {Sample{{23, 17, 1}, "surface torus; shift (5 0);"}, Sample{{23, 17, 1}, "surface torus; shift (0 -4);"},
        Sample{{22, 17, 1}, "surface kleinBottle; mirrored x; shift (-1 0);"},
        Sample{{23, 17, 1}, "surface kleinBottle; mirrored y;"}, Sample{{23, 17, 1}, "surface crossSurface;"},
        Sample{{19, 19, 1}, "surface sphere;"}}) {
    auto const& cells = sample.cells;
    auto const& boundary = sample.boundary;
    auto const surface = surface_of(sample);
    bool const corners = boundary.find("cross") != boundary.npos || boundary.find("sphere") != boundary.npos;
    for (std::string const rule : {"B3/S23", "R3,C0,M0,S6..14,B7..11,NM"}) {
      if (corners && rule[0] == 'R') continue;
      std::vector<std::uint8_t> start(static_cast<std::size_t>(cells[0] * cells[1]));
      for (auto& cell : start) cell = random() % 3 == 0;
      auto expected = start;
      for (int n = 0; n < 12; ++n) expected = next_of(expected, surface, rule[0] == 'R' ? 3 : 1);
      for (core::Grid::Shape const tile : {core::Grid::Shape{0, 0, 0}, {7, 5, 1}}) {
        auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile));
        for (auto const& owners : owner_tables(*grid, world.size())) {
          core::Layout const layout(grid, owners, world);
          auto properties = core::Dictionary::parse("boundary { " + boundary + " }", "properties");
          auto const automaton = ca::make_automaton(rule, properties, layout);
          EXPECT_EQ(automaton->work_ahead(4), 1) << "each generation needs what is beyond the sides";
          for_each_cell(bytes(*automaton), [&](core::Index x, std::uint8_t& value) {
            value = start[static_cast<std::size_t>(x.j * cells[0] + x.i)];
          });
          for (int n = 0; n < 12; ++n) automaton->step();
          ASSERT_EQ(collect(bytes(*automaton)), expected) << rule << ", " << boundary << ", tile " << tile[0];
        }
      }
    }
  }
}

TEST(Surface, IsRefusedWhereItIsNone) {
  auto const message = [](core::Grid::Shape cells, std::string const& text, std::string const& rule = "B3/S23") {
    try {
      auto properties = core::Dictionary::parse(text, "properties");
      auto const layout = make_layout(cells, {0, 0, 0}, ca::periodic_axes(properties));
      ca::make_automaton(rule, properties, *layout);
    } catch (core::Error const& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (auto const& [cells, text, says] :
       {std::tuple{core::Grid::Shape{8, 8, 1}, "boundary { surface ball; }", "torus"},
        {core::Grid::Shape{8, 7, 1}, "boundary { surface sphere; }", "as many cells along x as along y"},
        {core::Grid::Shape{8, 8, 2}, "boundary { surface torus; }", "is for 2-D grids"},
        {core::Grid::Shape{8, 8, 1}, "boundary { surface torus; left fixed 0; }", "joins all sides"},
        {core::Grid::Shape{8, 8, 1}, "boundary { surface torus; shift (1 1); }", "one of them 0"},
        {core::Grid::Shape{8, 8, 1}, "boundary { surface kleinBottle; }", "mirrored"},
        {core::Grid::Shape{8, 8, 1}, "boundary { surface kleinBottle; mirrored x; shift (0 1); }", "not mirrored"},
        {core::Grid::Shape{8, 8, 1}, "boundary { surface sphere; shift (1 0); }", "expected none"},
        {core::Grid::Shape{8, 8, 1}, "storage bits; boundary { surface torus; }", "joined to a surface"}})
    EXPECT_NE(message(cells, text).find(says), std::string::npos) << message(cells, text);
  EXPECT_EQ(
      message({8, 8, 1}, "rule R2;\nboundary { surface sphere; }", "R2,C0,M0,S3..5,B3..4,NM"),
      "properties:2: entry 'surface': a cross-surface or a sphere is for rules that look one cell far, but this one "
      "looks 2; expected torus or kleinBottle");
}

}  // namespace tessera::tests
