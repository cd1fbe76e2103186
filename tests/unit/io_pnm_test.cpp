// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/convert.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace tessera::io {
namespace {

using tests::Scratch;
using tests::write_bytes;

/// All values, in the order of the file. Damaged files that still claim many pixels are not read to their end.
std::vector<int> pixels_of(std::string const& file) {
  auto const source = open_rows(file);
  auto const n = source->cells();
  EXPECT_TRUE(source->top_down());
  bool const bytes = source->element() == core::Element::uint8;
  EXPECT_TRUE(bytes || source->element() == core::Element::int32);
  std::vector<int> values;
  std::vector<std::byte> row(static_cast<std::size_t>(n[0]) * size_of(source->element()));
  for (core::Count r = 0; r < n[1]; ++r) {
    source->next(1, row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n[0]); ++i) {
      std::int32_t value = bytes ? static_cast<std::int32_t>(row[i]) : 0;
      if (!bytes) std::memcpy(&value, row.data() + 4 * i, 4);
      values.push_back(value);
    }
  }
  return values;
}

std::string message_of(Scratch const& scratch, std::string const& content) {
  std::string const file = scratch / "p.pgm";
  write_bytes(file, content);
  try {
    pixels_of(file);
  } catch (core::Error const& error) {
    std::string const text = error.what();
    EXPECT_EQ(text.find(file + ":"), 0u) << text;
    return text.substr(file.size());
  }
  return "";
}

std::vector<int> read_pnm(Scratch const& scratch, std::string const& content) {
  write_bytes(scratch / "picture", content);
  return pixels_of(scratch / "picture");
}

using Values = std::vector<int>;

TEST(Pnm, ReadsAllFourSorts) {
  Scratch const scratch;
  // a bit 1 is black
  Values const bits{255, 0, 255, 0, 0, 255};
  EXPECT_EQ(read_pnm(scratch, "P1\n3 2\n0 1 0\n1 1 0\n"), bits);
  EXPECT_EQ(read_pnm(scratch, "P1 3 2 010110"), bits);
  EXPECT_EQ(read_pnm(scratch, "P4\n3 2\n\x40\xc0"), bits);
  EXPECT_EQ(read_pnm(scratch, std::string("P4\n9 2\n\x00\x80\xff\x00", 11)),
            (Values{255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255}));
  Values const grey{0, 7, 255, 13, 10, 32};
  EXPECT_EQ(read_pnm(scratch, "P2\n3 2\n255\n0 7 255\n13\n10 32"), grey);
  EXPECT_EQ(read_pnm(scratch, std::string("P5\n3 2\n255\n\x00\x07\xff\x0d\x0a ", 17)), grey);
}

TEST(Pnm, KeepsValuesOfAnyDepth) {
  Scratch const scratch;
  EXPECT_EQ(read_pnm(scratch, "P2 4 1 3 0 1 2 3"), (Values{0, 1, 2, 3}));
  EXPECT_EQ(open_rows(scratch / "picture")->stored().range, (std::array{0.0, 3.0}));
  EXPECT_EQ(read_pnm(scratch, "P2 3 1 15 0 7 15"), (Values{0, 7, 15}));
  EXPECT_EQ(read_pnm(scratch, "P2 3 1 100 50 1 99"), (Values{50, 1, 99}));
  EXPECT_EQ(read_pnm(scratch, std::string("P5 3 1 5 \x05\x00\x02", 12)), (Values{5, 0, 2}));
  EXPECT_EQ(read_pnm(scratch, "P2 3 1 65535 0 256 65535"), (Values{0, 256, 65535}));
  EXPECT_EQ(read_pnm(scratch, std::string("P5 2 1 1000 \x03\xe8\x00\x01", 16)), (Values{1000, 1}));
}

TEST(Pnm, AllowsCommentsInTheHeader) {
  Scratch const scratch;
  EXPECT_EQ(read_pnm(scratch, "P2 # grey\n# made by hand 9 9\n2 # width\n1#height\n255\n1 2\n"), (Values{1, 2}));
  EXPECT_EQ(read_pnm(scratch, "P5\n# 9 9\n2 1\n# top\n255\n#!"), (Values{'#', '!'}));
  EXPECT_EQ(read_pnm(scratch, "P1\n2 1\n1 # black\n0"), (Values{0, 255}));
  EXPECT_EQ(read_pnm(scratch, "P2\r\n2 1\r\n255\r\n1 2\r\n"), (Values{1, 2}));
}

TEST(Pnm, RefusesWhatIsWrongByName) {
  Scratch const scratch;
  auto const expect = [&](std::string const& content, std::string const& part) {
    std::string const text = message_of(scratch, content);
    EXPECT_NE(text.find(part), std::string::npos) << content << " -> " << text;
  };
  expect("P6\n1 1\n255\nabc", "in colours");
  expect("P3\n1 1\n255\n1 2 3", "in colours");
  expect("GIF89a", "is not a PBM or PGM picture");
  expect("P2\n\n2 x\n", ":3: found 'x', expected the height");
  expect("P2 0 5 255 ", "found 0, expected the width");
  expect("P2 5 0 255 ", "found 0, expected the height");
  expect("P2 1 1 0 0", "found 0, expected the largest value");
  expect("P2 1 1 65536 0", "is 65536, expected 1 .. 65535");
  expect("P2 -1 1 255 0", "found '-', expected the width");
  expect("P2 2 1\n255 1\n256 ", ":3: found the value 256, expected 0 .. 255");
  expect("P2 2 1 255 1 1x", "found 'x', expected a space after a value");
  expect("P1 2 1 1 2", "found '2', expected a pixel");
  expect("P5 2 1 100 \x65 ", "found the value 101, expected 0 .. 100");
  expect("P5 2 1 255 ab P5 2 1 255 ab", "expected one picture");
  expect("P2 1 1 255 1 2", "expected one picture");
  expect("P5", "expected a space");
}

TEST(Pnm, RefusesSizesThatTheFileCannotHold) {
  Scratch const scratch;
  for (std::string const kind : {"P1", "P2", "P4", "P5"})
    for (std::string const size :
         {"2000000000 2000000000", "2147483647 2147483647", "99999999999999999999 1", "1 4294967297", "1000 1000"})
      EXPECT_NE(message_of(scratch, kind + " " + size + " 255 " + std::string(100, '1')), "") << kind << " " << size;
}

TEST(Pnm, TruncatedAtAnyLengthIsAnErrorThatNamesTheFile) {
  Scratch const scratch;
  for (std::string const& whole :
       {std::string("P1\n# c\n3 2\n0 1 0\n1 1 0"), std::string("P2\n3 2\n255\n1 2 3\n4 5 6"),
        std::string("P4\n9 2\nabcd"), std::string("P5\n3 2\n255\nabcdef"), std::string("P5\n3 1\n65535\nabcdef")}) {
    EXPECT_EQ(message_of(scratch, whole), "");
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_NE(message_of(scratch, whole.substr(0, length)), "") << whole << " cut at " << length;
  }
}

TEST(Pnm, SurvivesDamageOfAnySort) {
  Scratch const scratch;
  std::vector<std::string> const seeds{"P1\n# c\n3 2\n0 1 0\n1 1 0\n", "P2\n3 2\n255\n1 2 3\n4 5 6\n", "P4\n9 2\nabcd",
                                       "P5\n3 2\n255\nabcdef", "P5\n3 1\n65535\nabcdef"};
  std::mt19937 random(1);
  int bad = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = seeds[static_cast<std::size_t>(round) % seeds.size()];
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      std::size_t const at = random() % bytes.size();
      if (random() % 3 == 0)
        bytes.insert(at, bytes.substr(at, random() % 8));
      else
        bytes[at] = random() % 2 ? static_cast<char>(random()) : "019 \n#P"[random() % 7];
    }
    bad += message_of(scratch, bytes) != "";  // fails by itself for any other exception
  }
  EXPECT_GT(bad, 300);
  EXPECT_LT(bad, 1000);  // a changed pixel is no damage that can be seen
}

TEST(Pgm, WritesBytesAs8BitsAndTheRestAs16) {
  Scratch const scratch;
  std::string const file = scratch / "p.pgm";
  RowFormat format;
  format.cells = {3, 2, 1};
  std::vector<std::uint8_t> const bytes{0, 1, 2, 253, 254, 255};
  auto sink = writer_for(file)->create(file, format);
  EXPECT_TRUE(sink->top_down());
  sink->next(2, std::as_bytes(std::span(bytes)));
  sink->finish();
  EXPECT_EQ(pixels_of(file), (Values{0, 1, 2, 253, 254, 255}));
  EXPECT_EQ(tests::bytes_of(file), std::string("P5\n3 2\n255\n\x00\x01\x02\xfd\xfe\xff", 17));

  format.element = core::Element::int32;
  format.lo = 0;
  format.hi = 65535;
  std::vector<std::int32_t> const wide{0, 1, 256, 65535, 70000, -1};
  sink = writer_for(file)->create(file, format);
  sink->next(2, std::as_bytes(std::span(wide)));
  sink->finish();
  EXPECT_EQ(pixels_of(file), (Values{0, 1, 256, 65535, 65535, 0}));
}

// Masks, labels and grey of few bits are looked at as pictures, and read again with the values that they had.
TEST(Pgm, OfWholeNumbersKeepsThem) {
  Scratch const scratch;
  auto const converted = [&](std::string const& type, std::string const& bytes) {
    write_bytes(scratch / "a.raw", bytes);
    convert(scratch / "a.raw" + ":3x1x1:" + type, scratch / "a.pgm");
    return tests::bytes_of(scratch / "a.pgm");
  };
  EXPECT_EQ(converted("bool", std::string("\1\0\1", 3)), std::string("P5\n3 1\n1\n\1\0\1", 12));
  EXPECT_EQ(converted("uint8", std::string("\0\5\2", 3)), std::string("P5\n3 1\n255\n\0\5\2", 14));
  EXPECT_EQ(converted("uint16", std::string("\4\0\5\0\2\0", 6)), std::string("P5\n3 1\n5\n\4\5\2", 12));
  EXPECT_EQ(converted("int16", std::string("\0\1\1\1\2\0", 6)), std::string("P5\n3 1\n257\n\1\0\1\1\0\2", 17));
  // what a PGM has no values for is drawn from black to white where that is asked for
  try {
    converted("int8", "\xff\1\3");
    FAIL() << "no error";
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what())
                  .find("a.raw:3x1x1:int8: holds whole numbers from -1 to 3, of which pgm keeps 0 "
                        ".. 65535"),
              std::string::npos)
        << error.what();
  }
  Conversion how;
  how.range = {-1, 3};
  EXPECT_EQ(convert(scratch / "a.raw:3x1x1:int8", scratch / "a.pgm", how), "");
  EXPECT_EQ(tests::bytes_of(scratch / "a.pgm"), std::string("P5\n3 1\n65535\n\0\0\x80\0\xff\xff", 19));
  EXPECT_EQ(convert(scratch / "a.raw:3x1x1:int8", scratch / "a.png"), "colours from -1 to 3");
  write_bytes(scratch / "four.pgm", "P2 3 1 15 0 7 2");
  convert(scratch / "four.pgm", scratch / "again.pgm");
  EXPECT_EQ(tests::bytes_of(scratch / "again.pgm"), std::string("P5\n3 1\n15\n\0\7\2", 13));
  convert(scratch / "four.pgm", scratch / "four.png");
  EXPECT_EQ(pixels_of(scratch / "four.png"), (Values{0, 119, 34}));
}

TEST(Pgm, RefusesLayersAndColours) {
  Scratch const scratch;
  std::string const file = scratch / "p.pgm";
  RowFormat format;
  format.cells = {3, 2, 2};
  EXPECT_THROW(writer_for(file)->create(file, format), core::Error);
  format.cells = {3, 2, 1};
  format.palette = "viridis";
  EXPECT_THROW(writer_for(file)->create(file, format), core::Error);
  format.palette = "grey";
  writer_for(file)->create(file, format);  // not finished
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}  // namespace
}  // namespace tessera::io
