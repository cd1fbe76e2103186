// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/reader.hpp"
#include "io/readers/live_cells.hpp"
#include "io/readers/square_tree.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>
#include <map>

namespace tessera::io {
namespace {

using tests::Scratch;
using tests::write_bytes;
using Rows = std::vector<std::string>;

/// Rows from the top, a character a state: . 1 2 ...
Rows read(Scratch const& scratch, std::string const& content, core::Count at_once = 1) {
  write_bytes(scratch / "p.mc", content);
  auto const source = open_rows(scratch / "p.mc");
  auto const [nx, ny, nz] = source->cells();
  EXPECT_TRUE(source->top_down());
  Rows rows;
  std::vector<std::uint8_t> values(nx * at_once);
  for (core::Count r = 0; r < ny; r += at_once) {
    core::Count const n = std::min(at_once, ny - r);
    source->next(n, std::as_writable_bytes(std::span(values).first(nx * n)));
    for (core::Count q = 0; q < n; ++q) {
      rows.emplace_back();
      for (core::Count i = 0; i < nx; ++i) {
        int const state = values[q * nx + i];
        rows.back() += state == 0 ? '.' : static_cast<char>('0' + state);
      }
    }
  }
  return rows;
}

void expect_message(Scratch const& scratch, std::string const& content, std::string const& part) {
  try {
    read(scratch, content);
    ADD_FAILURE() << content << " was read";
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

std::string const glider = "[M2] (golly 2.0)\n#R B3/S23\n#C from (0 0)\n.*$..*$***$$$$$\n";

TEST(Macrocell, ReadsOneLeafCutToItsLiveCells) {
  Scratch const scratch;
  EXPECT_EQ(read(scratch, glider), (Rows{".1.", "..1", "111"}));
}

TEST(Macrocell, ReadsTreesOfLeavesWithSharedParts) {
  Scratch const scratch;
  // the leaf of one cell in its lower right corner, in three quarters of 16 x 16, and that twice side by side
  std::string const text = "[M2] (golly 3.3)\n$$$$$$$.......*$\n4 1 0 1 1\n5 2 2 0 0\n";
  for (core::Count const at_once : {1, 3, 100}) {
    Rows const rows = read(scratch, text, at_once);
    ASSERT_EQ(rows.size(), 9u);
    EXPECT_EQ(rows[0], "1...............1........");
    EXPECT_EQ(rows[8], "1.......1.......1.......1");
    for (std::size_t r = 1; r < 8; ++r) EXPECT_EQ(rows[r], std::string(25, '.'));
  }
}

TEST(Macrocell, ReadsManyStates) {
  Scratch const scratch;
  EXPECT_EQ(read(scratch, "[M2] (golly 2.0)\n#R Generations\n1 0 2 3 0\n1 1 0 0 4\n2 1 2 0 1\n"),
            (Rows{".21.", "3..4", "...2", "..3."}));
}

TEST(Macrocell, KeepsVeryLargePatternsAsATree) {
  Scratch const scratch;
  // two cells, far apart at the ends of a diagonal of 2^30
  std::string text = "[M2] (golly 2.0)\n*$$$$$$$$\n$$$$$$$.......*$\n";
  int nw = 1, se = 2, number = 2;
  for (int level = 4; level < 30; ++level) {
    text += std::to_string(level) + " " + std::to_string(nw) + " 0 0 0\n";
    nw = ++number;
    text += std::to_string(level) + " 0 0 0 " + std::to_string(se) + "\n";
    se = ++number;
  }
  text += "30 " + std::to_string(nw) + " 0 0 " + std::to_string(se) + "\n";
  write_bytes(scratch / "p.mc", text);
  auto const source = open_rows(scratch / "p.mc");
  EXPECT_EQ(source->cells(), (core::Grid::Shape{1 << 30, 1 << 30, 1}));
}

/// Live cells of a tree made square by square: i, j from its middle, y upwards.
std::map<std::pair<core::Count, core::Count>, int> cells_of_squares(RowSource const& source) {
  struct Square {
    core::Count side;
    std::map<std::pair<core::Count, core::Count>, int> cells;
  };
  std::vector<Square> made;
  auto const root = dynamic_cast<SquareTree const&>(source).make_squares(
      {[&](std::array<std::uint8_t, 64> const& states) {
         Square square{8, {}};
         for (int n = 0; n < 64; ++n)
           if (states[static_cast<std::size_t>(n)] != 0)
             square.cells[{n % 8, n / 8}] = states[static_cast<std::size_t>(n)];
         made.push_back(square);
         return static_cast<std::uint32_t>(made.size() - 1);
       },
       [&](std::array<std::uint32_t, 4> const& parts) {
         core::Count const side = made[parts[0]].side;
         Square square{2 * side, {}};
         for (std::size_t p = 0; p < 4; ++p) {
           EXPECT_EQ(made[parts[p]].side, side);
           for (auto const& [x, state] : made[parts[p]].cells)
             square.cells[{x.first + (p % 2 == 1 ? side : 0), x.second + (p > 1 ? side : 0)}] = state;
         }
         made.push_back(square);
         return static_cast<std::uint32_t>(made.size() - 1);
       }});
  std::map<std::pair<core::Count, core::Count>, int> cells;
  if (!root) return cells;
  for (auto const& [x, state] : made[*root].cells)
    cells[{x.first - made[*root].side / 2, x.second - made[*root].side / 2}] = state;
  return cells;
}

TEST(Macrocell, HandsItsSquaresOverOneByOne) {
  Scratch const scratch;
  for (std::string const text :
       {"[M2] (golly 3.3)\n.*$..*$***$$$$$\n$$$$$$$.......*$\n4 1 0 2 1\n5 3 3 0 3\n6 4 0 4 0\n",
        "[M2] (golly 2.0)\n#R Generations\n1 0 2 3 0\n2 1 0 0 1\n3 2 0 0 0\n4 0 3 3 0\n"}) {
    write_bytes(scratch / "p.mc", text);
    auto const source = open_rows(scratch / "p.mc");
    auto const& live = dynamic_cast<LiveCells const&>(*source);
    std::map<std::pair<core::Count, core::Count>, int> expected;
    live.for_live_cells([&](core::Count i, core::Count j, std::uint8_t state) {
      expected[{live.corner()[0] + i, live.corner()[1] + j}] = state;
    });
    EXPECT_GE(expected.size(), 4u);
    EXPECT_EQ(cells_of_squares(*source), expected);
  }
  // one square of 8 x 8 is no tree
  write_bytes(scratch / "p.mc", glider);
  auto const source = open_rows(scratch / "p.mc");
  EXPECT_TRUE(cells_of_squares(*source).empty());
}

TEST(Macrocell, RefusesDamagedTrees) {
  Scratch const scratch;
  std::string const head = "[M2] (golly 2.0)\n";
  expect_message(scratch, head, "has no nodes");
  expect_message(scratch, head + "$$$$$$$$\n", "no live cells");
  expect_message(scratch, head + ".........*$\n", "8 x 8");
  expect_message(scratch, head + "$$$$$$$$*\n", "8 x 8");
  expect_message(scratch, head + "*$\n4 1 0 2 0\n", ":3: found the node 2, expected one of those above, 0 .. 1");
  expect_message(scratch, head + "*$\n5 1 0 0 0\n", "node 1 is of level 3, expected 4");
  expect_message(scratch, head + "1 0 0 256 0\n", "expected 0 .. 255");
  expect_message(scratch, head + "63 0 0 0 0\n", "expected 1 .. 62");
  expect_message(scratch, head + "4 0 0 0\n", "expected the number of a node");
  expect_message(scratch, head + "*$ x\n", "expected the end of the line");
  expect_message(scratch, head + "?\n", "expected a node");
  expect_message(scratch, head + "#G ten\n*$\n", ":2: found the generation 'ten', expected a number");
  std::string far = head + "*$\n";
  std::string const one = far;
  int n = 1;
  for (int level = 4; level < 40; ++level, ++n)
    far += std::to_string(level) + " " + std::to_string(n) + " 0 0 " + std::to_string(n) + "\n";
  expect_message(scratch, far, "expected sides of 1 ..");
}

}  // namespace
}  // namespace tessera::io
