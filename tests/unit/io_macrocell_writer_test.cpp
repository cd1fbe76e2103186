// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/version.hpp"
#include "io/convert.hpp"
#include "io/reader.hpp"
#include "io/readers/live_cells.hpp"
#include "io/readers/square_tree.hpp"
#include "io/writer.hpp"
#include "io/writers/square_sink.hpp"
#include "tests/support/scratch.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tessera::io {
namespace {

using tests::bytes_of;
using tests::Scratch;
using tests::write_bytes;
using Cells = std::map<std::pair<core::Count, core::Count>, int>;
using Rows = std::vector<std::string>;

/// Writes rows from the top, a character a state: . 1 2 ...; `at`: the place of the lower left cell.
void write(std::string const& file, Rows const& rows, RowFormat format,
           std::optional<std::array<double, 2>> at = std::nullopt) {
  format.cells = {static_cast<core::Count>(rows[0].size()), static_cast<core::Count>(rows.size()), 1};
  if (at) format.placement = Placement{.origin = {(*at)[0], (*at)[1], 0}};
  auto const sink = writer_for(file)->create(file, format);
  ASSERT_TRUE(sink->top_down());
  for (auto const& row : rows) {
    std::vector<std::uint8_t> states;
    for (char const c : row) states.push_back(c == '.' ? std::uint8_t{0} : static_cast<std::uint8_t>(c - '0'));
    sink->next(1, std::as_bytes(std::span(states)));
  }
  sink->finish();
}

Cells read(std::string const& file) {
  auto const source = open_cells(file);
  auto const& live = dynamic_cast<LiveCells const&>(*source);
  auto const [i0, j0] = live.corner();
  Cells cells;
  live.for_live_cells([&, i0 = i0, j0 = j0](core::Count i, core::Count j, std::uint8_t state) {
    cells[{i0 + i, j0 + j}] = state;
  });
  return cells;
}

std::string const head = fmt::format("[M2] (tessera {})\n", core::version);

TEST(MacrocellWriter, TwoStatesAreLeavesOfEight) {
  Scratch const scratch;
  std::string const file = scratch / "p.mc";
  write(file, {".1.", "..1", "111"}, {.rule = "B3/S23", .generation = 12});
  EXPECT_EQ(bytes_of(file), head + "#R B3/S23\n#G 12\n.*$..*$***$\n4 0 0 0 1\n");
  // round the corner: a row above and two below, a column on the left and two on the right
  write(file, {".1.", "..1", "111"}, {}, {{-1, -2}});
  EXPECT_EQ(bytes_of(file), head + "$$$$$$$*$\n$.......*$\n.*$**$\n4 0 1 2 3\n");
}

TEST(MacrocellWriter, EqualSquaresAreOne) {
  Scratch const scratch;
  std::string const row = "1.......1.......1.......1......."
                          "1.......1.......1.......1.......";
  Rows rows(16, std::string(row.size(), '.'));
  rows[0] = rows[8] = row;
  write(scratch / "p.mc", rows, {});
  EXPECT_EQ(bytes_of(scratch / "p.mc"), head + "*$\n4 1 1 1 1\n5 2 2 0 0\n6 3 3 0 0\n7 0 0 0 4\n");
}

TEST(MacrocellWriter, MoreStatesOrARuleOfMoreAreLeavesOfTwo) {
  Scratch const scratch;
  std::string const tail = "2 1 0 0 0\n3 2 0 0 0\n4 0 0 0 3\n";
  write(scratch / "p.mc", {"12", "3."}, {});
  EXPECT_EQ(bytes_of(scratch / "p.mc"), head + "1 1 2 3 0\n" + tail);
  write(scratch / "p.mc", {"11"}, {.rule = "345/2/4", .states = 4});
  EXPECT_EQ(bytes_of(scratch / "p.mc"), head + "#R 345/2/4\n1 1 1 0 0\n" + tail);
}

TEST(MacrocellWriter, CellsComeBackWhereverTheyLie) {
  Scratch const scratch;
  std::mt19937 random(4);
  for (int n = 0; n < 60; ++n) {
    int const states = n % 2 == 0 ? 2 : 10;
    core::Count const nx = 1 + random() % 70, ny = 1 + random() % 70;
    auto const somewhere = [&] {
      double const reach = std::ldexp(1.0, static_cast<int>(random() % 50));
      return std::floor((static_cast<double>(random() % 2001) / 1000 - 1) * reach);
    };
    std::array<double, 2> const at{somewhere(), somewhere()};
    Rows rows(static_cast<std::size_t>(ny));
    Cells cells;
    for (core::Count r = 0; r < ny; ++r)
      for (core::Count i = 0; i < nx; ++i) {
        bool const lives = random() % 5 == 0 || (r == 0 && i == 0);
        int const state = lives ? 1 + static_cast<int>(random() % static_cast<unsigned>(states - 1)) : 0;
        rows[static_cast<std::size_t>(r)] += state == 0 ? '.' : static_cast<char>('0' + state);
        if (state != 0)
          cells[{static_cast<core::Count>(at[0]) + i, static_cast<core::Count>(at[1]) + ny - 1 - r}] = state;
      }
    write(scratch / "p.mc", rows, {}, at);
    EXPECT_EQ(read(scratch / "p.mc"), cells) << n << ": " << nx << " x " << ny << " at " << at[0] << " " << at[1];
  }
}

TEST(MacrocellWriter, TakesSquares) {
  Scratch const scratch;
  std::string const file = scratch / "p.mc";
  RowFormat format;
  format.cells = {1, 1, 1};
  std::string many;
  for (int n = 0; n < 1000; ++n) many += (n > 0 ? " " : "") + std::to_string(n) + "89abcdef";
  format.notes = {{"hash", "0123456789abcdef"}, {"history", many}};
  auto const sink = writer_for(file)->create(file, format);
  auto& squares = dynamic_cast<SquareSink&>(*sink);
  auto number = squares.leaf(std::uint64_t{1} << 10 | 1);  // cells (2 1) and (0 0), y upwards
  number = squares.square(4, {number, 0, 0, number});
  for (int level = 5; level < 62; ++level) number = squares.square(level, {0, 0, 0, number});
  squares.square(62, {number, 0, 0, 0});
  EXPECT_FALSE(std::filesystem::exists(file));
  sink->finish();
  core::Count const corner = -32 + 16;
  EXPECT_EQ(read(file), (Cells{{{corner, corner}, 1},
                               {{corner + 2, corner + 1}, 1},
                               {{corner + 8, corner + 8}, 1},
                               {{corner + 10, corner + 9}, 1}}));
  EXPECT_EQ(dynamic_cast<SquareTree const&>(*open_cells(file)).notes(), format.notes);
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 1000u) << "bgolly ends at longer lines";
}

TEST(MacrocellWriter, RefusesWhatAPatternCannotHold) {
  Scratch const scratch;
  std::string const file = scratch / "p.mc";
  try {
    write(file, {"...", "..."}, {});
    ADD_FAILURE();
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("no cell is other than 0"), std::string::npos) << error.what();
  }
  RowFormat format;
  format.cells = {2, 2, 2};
  EXPECT_THROW(writer_for(file)->create(file, format), core::Error);
  EXPECT_FALSE(std::filesystem::exists(file) || std::filesystem::exists(file + ".part"));
}

TEST(MacrocellWriter, ConversionsKeepPlaceRuleAndGeneration) {
  Scratch const scratch;
  std::string const rle = scratch / "p.rle", mc = scratch / "p.mc", again = scratch / "q.mc", back = scratch / "q.rle";
  write_bytes(rle, "#CXRLE Pos=100,-200\nx = 3, y = 2, rule = 345/2/4\nA.A$.A!\n");
  convert(rle, mc, {.states_of = [](std::string const& rule) { return rule == "345/2/4" ? 4 : 0; }});
  Cells const cells{{{100, 199}, 1}, {{102, 199}, 1}, {{101, 198}, 1}};
  EXPECT_EQ(read(mc), cells);
  EXPECT_EQ(bytes_of(mc).find('*'), std::string::npos) << "a leaf of two states";
  write_bytes(mc, "[M2]\n#R B3/S23\n#G 77\n*$\n4 0 0 1 1\n");
  convert(mc, again);
  EXPECT_EQ(read(again), read(mc));
  EXPECT_EQ(open_rows(again)->generation(), 77);
  EXPECT_EQ(open_rows(again)->rule(), "B3/S23");
  convert(mc, back);
  EXPECT_NE(bytes_of(back).find("Pos=-8,0"), std::string::npos) << bytes_of(back);
}

TEST(MacrocellWriter, WhatIsWiderThanMemoryIsNotGoneThroughByRows) {
  Scratch const scratch;
  std::string text = "[M2]\n*$\n";
  for (int level = 4; level < 50; ++level) text += fmt::format("{} {} 0 0 {}\n", level, level - 3, level - 3);
  write_bytes(scratch / "p.mc", text);
  EXPECT_EQ(open_cells(scratch / "p.mc")->cells()[0], (core::Count{1} << 49) - 7);
  EXPECT_THROW(open_rows(scratch / "p.mc"), core::Error);
}

}  // namespace
}  // namespace tessera::io
