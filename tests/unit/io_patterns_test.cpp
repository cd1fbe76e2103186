// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/convert.hpp"
#include "io/files/compressed.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace tessera::io {
namespace {

using tests::Scratch;
using tests::write_bytes;

/// Rows of a pattern from the top, a character a cell: . for 0, then 1 .. 9, A .. for 10 ..
/// Damaged files that claim more than a million cells a row are not read.
std::vector<std::string> rows_of(std::string const& file) {
  auto const source = open_rows(file);
  auto const n = source->cells();
  EXPECT_EQ(source->element(), core::Element::uint8);
  EXPECT_TRUE(source->top_down());
  EXPECT_EQ(n[2], 1);
  if (n[0] > 1000000) throw core::Error(file, 0, "too wide for this test");
  std::vector<std::string> rows;
  std::vector<std::byte> row(n[0]);
  for (core::Count r = 0; r < std::min<core::Count>(n[1], 1000); ++r) {
    source->next(1, row);
    std::string text;
    for (auto const v : row) {
      int const state = static_cast<int>(v);
      text += static_cast<char>(state == 0 ? '.' : state < 10 ? '0' + state : 'A' + state - 10);
    }
    rows.push_back(text);
  }
  return rows;
}
using Rows = std::vector<std::string>;

Rows read(Scratch const& scratch, std::string const& name, std::string const& content) {
  write_bytes(scratch / name, content);
  return rows_of(scratch / name);
}

/// What is said of the file after its name; "" if nothing is wrong.
std::string message_of(Scratch const& scratch, std::string const& name, std::string const& content) {
  try {
    read(scratch, name, content);
  } catch (core::Error const& error) {
    std::string const text = error.what(), file = scratch / name;
    EXPECT_EQ(text.find(file + ":"), 0u) << text;
    return text.substr(file.size());
  }
  return "";
}

void expect_message(Scratch const& scratch, std::string const& name, std::string const& content,
                    std::string const& part) {
  std::string const text = message_of(scratch, name, content);
  EXPECT_NE(text.find(part), std::string::npos) << content << " -> '" << text << "'";
}

/// Changes seeds at random; every file either reads or is refused by a core::Error. Returns how many were refused.
int refused(std::string const& name, std::vector<std::string> const& seeds, std::string const& alphabet, int rounds) {
  Scratch const scratch;
  std::mt19937 random(7);
  int bad = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = seeds[static_cast<std::size_t>(round) % seeds.size()];
    for (unsigned changes = 1 + random() % 3; changes > 0 && !bytes.empty(); --changes) {
      std::size_t const at = random() % bytes.size();
      switch (random() % 4) {
      case 0:
        bytes.erase(at, 1 + random() % 3);
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, random() % 8));
        break;
      case 2:
        bytes[at] = static_cast<char>(random());
        break;
      default:
        bytes[at] = alphabet[random() % alphabet.size()];
      }
    }
    bad += message_of(scratch, name, bytes) != "";
  }
  return bad;
}

std::string const glider_rle = "#N Glider\n#O Richard K. Guy\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";
Rows const glider_rows{".1.", "..1", "111"};

TEST(Rle, ReadsTheGlider) {
  Scratch const scratch;
  EXPECT_EQ(read(scratch, "g.rle", glider_rle), glider_rows);
  EXPECT_EQ(read(scratch, "g.txt", glider_rle), glider_rows) << "known by its content";
  EXPECT_EQ(read(scratch, "g.rle", "x=3,y=3\r\nbo$\r\n2bo$3o$!\r\nthe rest is not read"), glider_rows);
  EXPECT_EQ(read(scratch, "g.rle", "#C old\rx = 3, y = 3\rbo$\r2bo$3o!\r"), glider_rows) << "lines end in CR alone";
  EXPECT_EQ(read(scratch, "g.txt", "#C old\rx = 3, y = 3\rbo$\r2bo$3o!\r"), glider_rows);
  EXPECT_EQ(read(scratch, "g.rle", "#CXRLE Pos= -10, 5\nx = 3, y = 3\nbo$2b\no$3\no!"), glider_rows)
      << "3 of the next line";
  EXPECT_EQ(read(scratch, "g.rle", "x = 3, y = 3\nb\no\n$2b\n#C in between\no$3o\n!"), glider_rows);
}

std::string rule_of(Scratch const& scratch, std::string const& name, std::string const& content) {
  write_bytes(scratch / name, content);
  return open_rows(scratch / name)->rule();
}

TEST(Pattern, HandsOnTheRuleOfItsFile) {
  Scratch const scratch;
  EXPECT_EQ(rule_of(scratch, "g.rle", glider_rle), "B3/S23");
  EXPECT_EQ(rule_of(scratch, "g.rle", "x=1,y=1,rule=23/36 \no!"), "23/36");
  EXPECT_EQ(rule_of(scratch, "g.rle", "#r 1/2\nx=1,y=1\no!"), "1/2");
  EXPECT_EQ(rule_of(scratch, "g.rle", "x=1,y=1\n#r 1/2\no!"), "");
  EXPECT_EQ(rule_of(scratch, "g.rle", "x=1,y=1,rule=B3/S23:T20,20\no!"), "B3/S23:T20,20");
  EXPECT_EQ(rule_of(scratch, "g.lif", "#Life 1.05\n#R 23/36\n#P 0 0\n*\n"), "23/36");
  EXPECT_EQ(rule_of(scratch, "g.lif", "#Life 1.05\n#N\n#P 0 0\n*\n"), "B3/S23");
  EXPECT_EQ(rule_of(scratch, "g.lif", "#Life 1.06\n0 0\n"), "");
  EXPECT_EQ(rule_of(scratch, "g.mc", "[M2] (golly 3.3)\n#R B36/S23\n*$\n"), "B36/S23");
  EXPECT_EQ(rule_of(scratch, "g.mcl", "#MCell 4.00\n#GAME Generations\n#RULE 345/2/4\n#L A\n"), "345/2/4");
  EXPECT_EQ(rule_of(scratch, "g.mcl", "#MCell 4.00\n#GAME Rules table\n#RULE 1,0,\n#RULE 2\n#L A\n"),
            "Rules table 1,0,2");
  EXPECT_EQ(rule_of(scratch, "g.mcl",
                    "#MCell 4.00\n#GAME Rules table\n#GOLLY WireWorld\n#RULE 1,0,\n#BOARD 9x8\n#WRAP 0\n#L A\n"),
            "WireWorld:P9,8");
}

TEST(Pattern, CarriesItsRuleToAnotherFile) {
  Scratch const scratch;
  write_bytes(scratch / "g.mc", "[M2] (golly 3.3)\n#R B36/S23\n*$\n");
  convert(scratch / "g.mc", scratch / "g.rle", {});
  EXPECT_EQ(open_rows(scratch / "g.rle")->rule(), "B36/S23");
  write_bytes(scratch / "g.cells", "O\n");
  convert(scratch / "g.cells", scratch / "h.rle", {});
  EXPECT_EQ(tests::bytes_of(scratch / "h.rle"), "x = 1, y = 1\no!\n");
}

TEST(Pattern, IsReadFromAFilePackedByGzip) {
  if (!Compressions::contains("gzip")) GTEST_SKIP() << "built without zlib";
  Scratch const scratch;
  auto const packed = [](std::string const& text) {
    return std::string(Compressions::make("gzip")->packer()->pack(text, true));
  };
  EXPECT_EQ(read(scratch, "g.rle.gz", packed(glider_rle)), glider_rows);
  EXPECT_EQ(read(scratch, "g.rle", packed(glider_rle)), glider_rows) << "known by its content";
  EXPECT_EQ(read(scratch, "g.cells.gz", packed(".O\n..O\nOOO\n")), glider_rows) << "read twice";
  EXPECT_EQ(read(scratch, "g.mc.gz", packed("[M2] (golly 3.3)\n.*$..*$***$\n")), glider_rows);
  EXPECT_EQ(read(scratch, "g.lif.gz", packed("#Life 1.06\n1 0\n2 1\n0 2\n1 2\n2 2\n")), glider_rows);
  EXPECT_EQ(read(scratch, "g.mcl.gz", packed("#MCell 4.00\n#L .A$..A$3A\n")), glider_rows);
  expect_message(scratch, "g.rle.gz", packed("x = 3, y = 3\nbq$!"), ":2: found");
  std::string noise = "x = 3000, y = 1\n";
  std::mt19937 random(1);
  for (int n = 0; n < 3000; ++n) noise += random() % 2 ? 'b' : 'o';
  expect_message(scratch, "g.rle.gz", packed(noise + "!").substr(0, 200), "the packed file is truncated");
  auto damaged = packed(noise + "!");
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  expect_message(scratch, "g.rle.gz", damaged, "");
  EXPECT_NE(message_of(scratch, "g.rle.gz", damaged), "");
  expect_message(scratch, "g.pbm.gz", packed("P1 1 1 1\n"), "is packed by gzip, which only patterns may be");
}

TEST(MCell, ReadsItsLinesAsOneText) {
  Scratch const scratch;
  std::string const head = "#MCell 4.00\n#GAME Life\n#RULE 23/3\n#BOARD 80x80\n#WRAP 1\n#D a comment\n";
  EXPECT_EQ(read(scratch, "p.mcl", head + "#L .A$..A$3A\n"), glider_rows);
  EXPECT_EQ(read(scratch, "p.txt", head + "#L .A$.\n#L .A\n#D in between\n#L $3A\n"), glider_rows)
      << "known by its content";
  EXPECT_EQ(read(scratch, "p.mcl", head + "#L A3$.B2$$\n"), (Rows{"1.", "..", "..", ".2"}));
  EXPECT_EQ(rule_of(scratch, "p.mcl", head + "#L A\n"), "23/3:T80,80");
  EXPECT_EQ(rule_of(scratch, "p.mcl", "#MCell 4.00\n#RULE 23/3\n#BOARD 80x60\n#WRAP 0\n#L A\n"), "23/3:P80,60");
  write_bytes(scratch / "p.mcl", head + "#L .AXaAaXjO\n");
  std::vector<std::byte> row(6);
  open_rows(scratch / "p.mcl")->next(1, row);
  std::vector<int> values;
  for (auto const v : row) values.push_back(static_cast<int>(v));
  EXPECT_EQ(values, (std::vector<int>{0, 1, 24, 25, 48, 255}));
  expect_message(scratch, "p.mcl", head, "has no cells");
  expect_message(scratch, "p.mcl", head + "#L kA\n", ":7: found 'k', expected a state");
  expect_message(scratch, "p.mcl", head + "#L 0A\n", "found a run of 0 cells");
  expect_message(scratch, "p.mcl", head + "A\n", "expected a line that begins with #");
  EXPECT_GT(refused("p.mcl", {head + "#L .A$..A$3A\n", head + "#L A3$.B2$$\n"}, "#L$.ABa0129 \n", 2000), 100);
}

TEST(Rle, ReadsEmptyRowsAndRowsThatEndEarly) {
  Scratch const scratch;
  EXPECT_EQ(read(scratch, "p.rle", "x = 4, y = 6\no3$.oo2$o!"), (Rows{"1...", "....", "....", ".11.", "....", "1..."}));
  EXPECT_EQ(read(scratch, "p.rle", "x = 2, y = 3\n2$o!"), (Rows{"..", "..", "1."}));
  EXPECT_EQ(read(scratch, "p.rle", "x = 2, y = 2\n!"), (Rows{"..", ".."}));
}

TEST(Rle, ReadsStatesUpTo255) {
  Scratch const scratch;
  write_bytes(scratch / "p.rle", "x = 9, y = 1, rule = Many\n.ABXpApXqAxXyO!");
  std::vector<std::byte> row(9);
  open_rows(scratch / "p.rle")->next(1, row);
  std::vector<int> values;
  for (auto const v : row) values.push_back(static_cast<int>(v));
  EXPECT_EQ(values, (std::vector<int>{0, 1, 2, 24, 25, 48, 49, 240, 255}));
}

TEST(Rle, TellsWhereItLies) {
  Scratch const scratch;
  write_bytes(scratch / "p.rle", "#CXRLE Pos=-13,4 Gen=7\nx = 3, y = 2\n3o$3o!");
  EXPECT_EQ(open_rows(scratch / "p.rle")->placement()->origin, (std::array<double, 3>{-13, -6, 0}));
  write_bytes(scratch / "p.rle", "#CXRLE Gen=7\nx = 3, y = 2\n3o$3o!");
  EXPECT_FALSE(open_rows(scratch / "p.rle")->placement());
  expect_message(scratch, "p.rle", "#CXRLE Pos=1\nx = 3, y = 2\n3o$3o!", "expected Pos=X,Y");
  expect_message(scratch, "p.rle", "#CXRLE Pos=1,99999999999999999\nx = 3, y = 2\n3o$3o!", "expected Pos=X,Y");
}

TEST(Rle, RefusesWhatIsWrongByNameAndLine) {
  Scratch const scratch;
  auto const expect = [&](std::string const& content, std::string const& part) {
    expect_message(scratch, "p.rle", content, part);
  };
  expect("x = 3, y = 3\n\n4o!", ":3: 4 cells in row 1, expected 3");
  expect("x = 3, y = 1\no$o!", "a cell in row 2, expected 1 rows");
  expect("x = 3, y = 1\no99$b!", "a cell in row 100, expected 1 rows");
  expect("x = 3, y = 1\n0o!", "a run of 0 cells");
  expect("x = 3, y = 1\n99999999999999999999999o!", "a number is too large");
  expect("x = 3, y = 1\n2 o!", "found the character 32, expected a state");
  expect("x = 3, y = 1\nz!", "found 'z', expected a state");
  expect("x = 3, y = 1\nyP!", "found 'P' behind 'y', expected a state");
  expect("x = 3, y = 1\npa!", "found 'a' behind 'p', expected a state");
  expect("x = 3, y = 1\nooo", "found the end of the file, expected a state");
  expect("x = 3, y = 1\nooo$", "found the end of the file, expected a state");
  expect("x = 0, y = 3\n!", "the size x is 0");
  expect("x = 3, y = -1\n!", "found '-', expected the size y");
  expect("x = 3000000000, y = 1\n!", "a number is too large");
  expect("x = 3\n!", "expected the header");
  expect("x = 3, y = 3, role = B3\n!", "expected the header");
  expect("bo$2bo$3o!", "expected the header");
  write_bytes(scratch / "p.rle", glider_rle);
  EXPECT_THROW(open_rows(scratch / "p.rle:part"), core::Error);
}

TEST(Rle, NeedsNoMemoryForWhatTheHeaderClaims) {
  Scratch const scratch;
  write_bytes(scratch / "p.rle", "x = 3, y = 2147483647\nobo$o!");
  auto const source = open_rows(scratch / "p.rle");
  EXPECT_EQ(source->cells()[1], 2147483647);
  std::vector<std::byte> row(9);
  source->next(3, row);
  EXPECT_EQ(row, (std::vector<std::byte>{std::byte{1}, {}, std::byte{1}, std::byte{1}, {}, {}, {}, {}, {}}));
}

TEST(Rle, TruncatedAtAnyLengthIsAnErrorThatNamesTheFile) {
  Scratch const scratch;
  std::size_t const end = glider_rle.find('!');
  for (std::size_t length = 0; length <= end; ++length)
    EXPECT_NE(message_of(scratch, "cut.rle", glider_rle.substr(0, length)), "") << length;
}

TEST(Rle, SurvivesDamageOfAnySort) {
  int const bad =
      refused("p.rle", {glider_rle, "x = 4, y = 6\no3$.oo2$o!", "x = 9, y = 1, rule = Many\n.ABXpApXqAxXyO!"},
              "0123456789bo$!pyAX#\n=,xy", 1000);
  EXPECT_GT(bad, 300);
  EXPECT_LT(bad, 1000);
}

TEST(Rle, WritesWhatItReads) {
  Scratch const scratch;
  std::string const file = scratch / "p.rle";
  std::mt19937 random(3);
  for (int const states : {2, 3, 256}) {
    for (auto const element : {core::Element::uint8, core::Element::int32}) {
      RowFormat format;
      format.cells = {61, 23, 1};
      format.element = element;
      std::vector<std::uint8_t> values(61 * 23);
      // runs, empty rows, and empty rows at both ends
      for (std::size_t n = 3 * 61; n < 20 * 61; ++n)
        values[n] = n / 61 % 4 == 0 ? 0
                    : random() % 3  ? values[n - 1]
                                    : static_cast<std::uint8_t>(random() % static_cast<unsigned>(states));
      std::vector<std::int32_t> const wide(values.begin(), values.end());
      auto const sink = writer_for(file)->create(file, format);
      sink->next(23,
                 element == core::Element::uint8 ? std::as_bytes(std::span(values)) : std::as_bytes(std::span(wide)));
      sink->finish();
      std::vector<std::uint8_t> back(values.size());
      open_rows(file)->next(23, std::as_writable_bytes(std::span(back)));
      EXPECT_EQ(back, values) << states;
      std::string const text = tests::bytes_of(file);
      for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) EXPECT_LE(text.find('\n', at) - at, 70u);
    }
  }
  RowFormat format;
  format.cells = {3, 3, 1};
  auto const sink = writer_for(file)->create(file, format);
  sink->next(3, std::as_bytes(std::span<std::uint8_t const>(std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 1, 1, 1})));
  sink->finish();
  EXPECT_EQ(tests::bytes_of(file), "x = 3, y = 3\nbo$2bo$3o!\n");
}

TEST(Rle, RefusesToWriteWhatItCannotHold) {
  Scratch const scratch;
  std::string const file = scratch / "p.rle";
  RowFormat format;
  format.cells = {2, 1, 2};
  EXPECT_THROW(writer_for(file)->create(file, format), core::Error);
  format.cells = {2, 1, 1};
  format.element = core::Element::int32;
  {
    auto const sink = writer_for(file)->create(file, format);
    EXPECT_THROW(sink->next(1, std::as_bytes(std::span<std::int32_t const>(std::vector<std::int32_t>{0, 256}))),
                 core::Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << "what is not finished goes away";
}

TEST(Life, ReadsVersion105) {
  Scratch const scratch;
  std::string const file = "#Life 1.05\n#D Glider\n#N\n#P -1 -1\n.*\n..*\n***\n";
  EXPECT_EQ(read(scratch, "g.lif", file), glider_rows);
  EXPECT_EQ(read(scratch, "g.txt", file), glider_rows) << "known by its content";
  // the second block lies north-west of the first, an empty line is a row
  EXPECT_EQ(read(scratch, "g.lif", "#Life 1.05\n#P\n.*\n..*\n***\n"), glider_rows) << "a corner at 0 0";
  EXPECT_EQ(read(scratch, "g.lif", "#Life 1.05\r\n#P 1 1\r\n*.*\r\n\r\n*\r\n#P -1 0\r\n*\r\n"),
            (Rows{"1....", "..1.1", ".....", "..1.."}));
}

TEST(Life, ReadsVersion106InAnyOrder) {
  Scratch const scratch;
  EXPECT_EQ(read(scratch, "g.lif", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n"), glider_rows);
  EXPECT_EQ(read(scratch, "g.lif", "#Life 1.06\r\n1 1\r\n0 1\r\n# a comment\r\n-1 1\r\n1 0\r\n1 1\r\n0 -1"),
            glider_rows);
}

TEST(Life, GivesRowsInAnyPortions) {
  Scratch const scratch;
  write_bytes(scratch / "g.lif", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n");
  auto const source = open_rows(scratch / "g.lif");
  std::vector<std::byte> values(9, std::byte{9});
  source->next(2, std::span(values).first(6));
  source->next(1, std::span(values).last(3));
  std::vector<int> numbers;
  for (auto const v : values) numbers.push_back(static_cast<int>(v));
  EXPECT_EQ(numbers, (std::vector<int>{0, 1, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Life, RefusesWhatIsWrongByNameAndLine) {
  Scratch const scratch;
  auto const expect = [&](std::string const& content, std::string const& part) {
    expect_message(scratch, "p.lif", content, part);
  };
  expect("#Life 2.00\n1 1\n", "expected '#Life 1.05' or '#Life 1.06'");
  expect("#Life 1.06\n", "has no live cells");
  expect("#Life 1.06\n1 1\n1\n", ":3: found the character 10, expected a live cell");
  expect("#Life 1.06\n1 1 1\n", ":2: found '1', expected the end of the line");
  expect("#Life 1.06\n1 a\n", "found 'a', expected the y");
  expect("#Life 1.06\n1 99999999999999999999\n", "a number is too large");
  expect("#Life 1.06\n1 2000000000\n", "a coordinate is too large");
  expect("#Life 1.05\n*\n", ":2: a cell in front of the first block");
  expect("#Life 1.05\n#P 0 0\n...\n", "has no live cells");
  expect("#Life 1.05\n#P 0 0\n.o.\n", ":3: found 'o', expected a cell");
  expect("#Life 1.05\n#P 0\n*\n", ":2: found the character 10, expected the y");
}

TEST(Life, SurvivesDamageOfAnySort) {
  int const bad =
      refused("p.lif", {"#Life 1.05\n#D x\n#N\n#P -1 -1\n.*\n..*\n***\n", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n"},
              "0123456789-. *\n#P", 1500);
  EXPECT_GT(bad, 300);
  EXPECT_LT(bad, 1500);
}

TEST(Cells, ReadsRowsOfAnyLength) {
  Scratch const scratch;
  EXPECT_EQ(read(scratch, "g.cells", "!Name: Glider\n!\n.O\n..O\nOOO\n"), glider_rows);
  EXPECT_EQ(read(scratch, "g.txt", "!Name: Glider\n.O.\n..O\nOOO"), glider_rows) << "known by its content";
  EXPECT_EQ(read(scratch, "g.cells", ".*\r\n..*  \r\n! a comment\r\n***\r\n\r\n"), (Rows{".1.", "..1", "111", "..."}));
}

TEST(Cells, RefusesWhatIsWrongByNameAndLine) {
  Scratch const scratch;
  expect_message(scratch, "p.cells", "!Name: x\n.O\n.o\n", ":3: found 'o', expected a cell");
  expect_message(scratch, "p.cells", ". O\n", ":1: found the character 32, expected a cell");
  expect_message(scratch, "p.cells", "!Name: x\n", "has no cells");
  expect_message(scratch, "p.cells", "\n\n", "has no cells");
}

TEST(Cells, SurvivesDamageOfAnySort) {
  int const bad =
      refused("p.cells", {"!Name: Glider\n!\n.O\n..O\nOOO\n", ".*\r\n..*  \r\n! c\r\n***\r\n"}, ".O*! \n", 1000);
  EXPECT_GT(bad, 200);
  EXPECT_LT(bad, 1000);
}

TEST(Cells, WritesWhatItReadsAndRefusesOtherStates) {
  Scratch const scratch;
  std::string const file = scratch / "p.cells";
  RowFormat format;
  format.cells = {3, 3, 1};
  format.name = "two\nlines";
  auto const sink = writer_for(file)->create(file, format);
  sink->next(3, std::as_bytes(std::span<std::uint8_t const>(std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 1, 1, 1})));
  sink->finish();
  EXPECT_EQ(tests::bytes_of(file), "!Name: two lines\n.O.\n..O\nOOO\n");
  EXPECT_EQ(rows_of(file), glider_rows);
  auto const other = writer_for(file)->create(file, format);
  EXPECT_THROW(other->next(1, std::as_bytes(std::span<std::uint8_t const>(std::vector<std::uint8_t>{0, 1, 2}))),
               core::Error);
}

template <class T>
std::string raw(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
std::vector<T> read_raw(std::string const& path, core::Element element, core::Grid::Shape cells) {
  auto const source = open_rows(path);
  EXPECT_EQ(source->element(), element);
  EXPECT_EQ(source->cells(), cells);
  EXPECT_FALSE(source->top_down());
  std::vector<T> values(cells[0] * cells[1] * cells[2]);
  auto const bytes = std::as_writable_bytes(std::span(values));
  std::size_t const row = static_cast<std::size_t>(cells[0]) * sizeof(T);
  source->next(1, bytes.first(row));
  source->next(cells[1] * cells[2] - 1, bytes.subspan(row));
  return values;
}

TEST(Raw, ReadsVolumesOfAllTypes) {
  Scratch const scratch;
  std::string const file = scratch / "v.raw";
  std::vector<std::int32_t> const expected{0, 1, 2, 3, 4, 5, 255, 7, 8, 9, 10, 11};
  auto const as = [&]<class T>(T) { return std::vector<T>(expected.begin(), expected.end()); };
  write_bytes(file, raw(as(std::uint8_t{})));
  EXPECT_EQ(read_raw<std::uint8_t>(file + ":2x3x2:uint8", core::Element::uint8, {2, 3, 2}), as(std::uint8_t{}));
  EXPECT_EQ(read_raw<std::uint8_t>(file + ":4x3:uint8", core::Element::uint8, {4, 3, 1}), as(std::uint8_t{}));
  write_bytes(file, raw(as(std::int16_t{})));
  EXPECT_EQ(read_raw<std::int32_t>(file + ":2x3x2:int16", core::Element::int32, {2, 3, 2}), expected);
  EXPECT_EQ(read_raw<std::int32_t>(file + ":2x3x2:uint16:little", core::Element::int32, {2, 3, 2}), expected);
  write_bytes(file, raw(expected));
  EXPECT_EQ(read_raw<std::int32_t>(file + ":2x3x2:int32", core::Element::int32, {2, 3, 2}), expected);
  EXPECT_EQ(read_raw<std::int64_t>(file + ":2x3x2:uint32", core::Element::int64, {2, 3, 2}), as(std::int64_t{}));
  write_bytes(file, raw(as(std::int64_t{})));
  EXPECT_EQ(read_raw<std::int64_t>(file + ":2x3x2:int64", core::Element::int64, {2, 3, 2}), as(std::int64_t{}));
  write_bytes(file, raw(as(float{})));
  EXPECT_EQ(read_raw<float>(file + ":2x3x2:float32", core::Element::float32, {2, 3, 2}), as(float{}));
  write_bytes(file, raw(as(double{})));
  EXPECT_EQ(read_raw<double>(file + ":2x3x2:float64", core::Element::float64, {2, 3, 2}), as(double{}));
}

TEST(Raw, KeepsSignsAndTurnsBigEndianRound) {
  Scratch const scratch;
  std::string const file = scratch / "v.raw";
  write_bytes(file, std::string("\x01\x02\xff\xfe", 4));
  EXPECT_EQ(read_raw<std::int32_t>(file + ":1x2:uint16:big", core::Element::int32, {1, 2, 1}),
            (std::vector<std::int32_t>{0x102, 0xfffe}));
  EXPECT_EQ(read_raw<std::int32_t>(file + ":1x2:int16:big", core::Element::int32, {1, 2, 1}),
            (std::vector<std::int32_t>{0x102, -2}));
  EXPECT_EQ(read_raw<std::int32_t>(file + ":1x2:int16", core::Element::int32, {1, 2, 1}),
            (std::vector<std::int32_t>{0x201, -257}));
}

TEST(Raw, RefusesWhatIsWrongByName) {
  Scratch const scratch;
  std::string const file = scratch / "v.raw";
  write_bytes(file, std::string(12, 'x'));
  auto const expect = [&](std::string const& item, std::string const& part) {
    try {
      open_rows(file + item);
      ADD_FAILURE() << item;
    } catch (core::Error const& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find(file + ": "), 0u) << error.what();
    }
  };
  expect("", "expected size and type as in FILE.raw:512x512x512:uint8");
  expect(":12", "expected size and type");
  expect(":12:uint8", "expected size and type");
  expect(":2x3x2x1:uint8", "expected size and type");
  expect(":2x3x2:uint8:big:x", "expected size and type");
  expect(":2x3x2:int9", "unknown type 'int9'");
  expect(":2x3:uint16:middle", "unknown byte order 'middle'");
  expect(":2x-3x2:uint8", "found the size '-3'");
  expect(":2x0x2:uint8", "found the size '0'");
  expect(":2xx2:uint8", "found the size ''");
  expect(":2x3a:uint8", "found the size '3a'");
  expect(":9999999999x3:uint8", "found the size '9999999999'");
  expect(":2x3x2:int32", "has 12 bytes, expected 48");
  expect(":2x3:uint8", "has 12 bytes, expected 6");
  expect(":2147483647x2147483647x2147483647:float64", "expected far more");
}

}  // namespace
}  // namespace tessera::io
