// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/reader.hpp"
#include "tests/support/png_bytes.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tessera::io {
namespace {

using tests::PngBytes;
using tests::Scratch;
using tests::write_bytes;

/// All values of a picture, in the order of the file.
std::vector<int> values_of(std::string const& file) {
  auto const source = open_rows(file);
  auto const n = source->cells();
  EXPECT_EQ(source->element(), core::Element::uint8);
  EXPECT_TRUE(source->top_down());
  std::vector<int> values;
  std::vector<std::byte> row(n[0]);
  for (core::Count r = 0; r < n[1]; ++r) {
    source->next(1, row);
    for (auto const v : row) values.push_back(static_cast<int>(v));
  }
  return values;
}

std::string message_of(std::string const& file) {
  try {
    values_of(file);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "";
}

/// A picture of 5 x 3 grey pixels of 8 bits.
std::string small_picture() {
  return PngBytes{5, 3}.picture({{0, 1, 2, 3, 4}, {10, 11, 12, 13, 14}, {255, 254, 253, 252, 251}});
}

TEST(Png, GivesGreyOfUpTo8BitsAsItIsAnd16BitsAsZeroTo255) {
  Scratch const scratch;
  std::string const file = scratch / "p.png";
  for (auto const& [depth, interlaced] :
       {std::pair{1, false}, {2, false}, {4, true}, {4, false}, {8, false}, {16, false}}) {
    int const top = (1 << depth) - 1, most = depth == 16 ? 255 : top;
    PngBytes png{3, 2, depth};
    png.interlaced = interlaced;
    write_bytes(file, png.picture({{0, top, top}, {top, 0, top / 3}}));
    EXPECT_EQ(values_of(file), (std::vector<int>{0, most, most, most, 0, most / 3})) << depth << " bits";
    auto const stored = open_rows(file)->stored();
    EXPECT_EQ(stored.name, "uint" + std::to_string(std::min(depth, 8)));
    EXPECT_EQ(stored.range, (std::array{0.0, 1.0 * most}));
    EXPECT_EQ(open_rows(file)->note().find("16 bits of this picture are scaled to 8") != std::string::npos,
              depth == 16);
  }
}

TEST(Png, TurnsColoursIntoLuminance) {
  Scratch const scratch;
  std::string const file = scratch / "p.png";
  PngBytes png{6, 1, 8, 2};
  write_bytes(file, png.picture({{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 10, 100, 200}}));
  // 255 x (0.2126, 0.7152, 0.0722) = 54.2, 182.4, 18.4; 2.126 + 71.52 + 14.44 = 88.1
  EXPECT_EQ(values_of(file), (std::vector<int>{54, 182, 18, 255, 0, 88}));
  png = {2, 1, 16, 2};
  write_bytes(file, png.picture({{65535, 0, 0, 65535, 65535, 65535}}));
  EXPECT_EQ(values_of(file), (std::vector<int>{54, 255}));
}

TEST(Png, ReadsPalettes) {
  Scratch const scratch;
  std::string const file = scratch / "p.png";
  PngBytes png{4, 1, 2, 3};
  png.palette = {'\0', '\0', '\0', '\xff', '\xff', '\xff', '\xff', '\0', '\0'};
  write_bytes(file, png.picture({{2, 1, 0, 1}}));
  EXPECT_EQ(values_of(file), (std::vector<int>{54, 255, 0, 255}));
}

TEST(Png, LaysTransparentPixelsOverWhite) {
  Scratch const scratch;
  std::string const file = scratch / "p.png";
  write_bytes(file, PngBytes{3, 1, 8, 4}.picture({{0, 255, 0, 0, 100, 51}}));
  // 100 at 51 / 255 = 0.2: 20 + 204
  EXPECT_EQ(values_of(file), (std::vector<int>{0, 255, 224}));
  EXPECT_EQ(open_rows(file)->note(), "pixels of this picture may be transparent: they are laid over white");
  write_bytes(file, small_picture());
  EXPECT_EQ(open_rows(file)->note(), "");
  write_bytes(file, PngBytes{2, 1, 8, 6}.picture({{0, 0, 0, 0, 255, 0, 0, 255}}));
  EXPECT_EQ(values_of(file), (std::vector<int>{255, 54}));
}

TEST(Png, ReadsInterlacedPictures) {
  Scratch const scratch;
  std::vector<std::vector<int>> rows(11, std::vector<int>(13));
  std::vector<int> expected;
  for (int y = 0; y < 11; ++y)
    for (int x = 0; x < 13; ++x) expected.push_back(rows[y][x] = 13 * y + x);
  PngBytes png{13, 11};
  png.interlaced = true;
  write_bytes(scratch / "p.png", png.picture(rows));
  EXPECT_EQ(values_of(scratch / "p.png"), expected);
}

TEST(Png, GivesRowsInAnyPortions) {
  Scratch const scratch;
  write_bytes(scratch / "p.png", small_picture());
  auto const source = open_rows(scratch / "p.png");
  std::vector<std::byte> values(15);
  source->next(2, std::span(values).first(10));
  source->next(1, std::span(values).last(5));
  EXPECT_EQ(static_cast<int>(values[5]), 10);
  EXPECT_EQ(static_cast<int>(values[14]), 251);
}

TEST(Png, IsRecognisedByContentWhateverItIsCalled) {
  Scratch const scratch;
  write_bytes(scratch / "picture.dat", small_picture());
  EXPECT_EQ(values_of(scratch / "picture.dat").size(), 15u);
}

TEST(Png, TruncatedAtAnyLengthIsAnErrorThatNamesTheFile) {
  Scratch const scratch;
  std::string const whole = small_picture(), file = scratch / "cut.png";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(file, whole.substr(0, length));
    EXPECT_EQ(message_of(file).find(file + ": "), 0u) << length << " bytes: " << message_of(file);
  }
  PngBytes interlaced{20, 20};
  interlaced.interlaced = true;
  std::string const other = interlaced.picture(std::vector(20, std::vector(20, 7)));
  for (std::size_t length = 0; length < other.size(); length += 7) {
    write_bytes(file, other.substr(0, length));
    EXPECT_NE(message_of(file), "") << length << " bytes, interlaced";
  }
}

TEST(Png, RefusesWhatIsNoPictureMissingOrAFolder) {
  Scratch const scratch;
  write_bytes(scratch / "text.png", "this is no picture, only a text");
  EXPECT_NE(message_of(scratch / "text.png").find("is not a PNG picture"), std::string::npos);
  EXPECT_NE(message_of(scratch / "missing.png").find("No such file"), std::string::npos);
  EXPECT_NE(message_of(scratch.path()).find("is a folder"), std::string::npos);
  write_bytes(scratch / "notes.txt", "text");
  std::string const known = message_of(scratch / "notes.txt");
  EXPECT_NE(known.find("png (.png)"), std::string::npos) << known;
  EXPECT_NE(known.find("hdf5 (.h5)"), std::string::npos) << known;
  write_bytes(scratch / "p.png", small_picture());
  EXPECT_NE(message_of(scratch / "p.png:part").find("no item 'part'"), std::string::npos);
}

TEST(Png, RefusesSizesThatTheFileCannotHold) {
  Scratch const scratch;
  for (auto const& [width, height] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{900000, 900000},
                                                                                          {2000000000, 1},
                                                                                          {1, 2000000000},
                                                                                          {0x7fffffff, 0x7fffffff},
                                                                                          {0, 5},
                                                                                          {5, 0},
                                                                                          {0xffffffff, 1}}) {
    PngBytes png{width, height};
    write_bytes(scratch / "p.png", png.file(std::string(100, '\0')));
    EXPECT_NE(message_of(scratch / "p.png"), "") << width << " x " << height;
    png.interlaced = true;
    write_bytes(scratch / "p.png", png.file(std::string(100, '\0')));
    EXPECT_NE(message_of(scratch / "p.png"), "") << width << " x " << height << ", interlaced";
  }
}

TEST(Png, SurvivesDamageOfAnySort) {
  Scratch const scratch;
  PngBytes interlaced{9, 9};
  interlaced.interlaced = true;
  PngBytes colours{4, 2, 2, 3};
  colours.palette = std::string(12, 'x');
  colours.transparency = "ab";
  std::vector<std::string> const seeds{
      small_picture(), interlaced.picture(std::vector(9, std::vector(9, 3))),
      colours.picture({{0, 1, 2, 3}, {3, 2, 1, 0}}),
      PngBytes{2, 2, 16, 6}.picture({{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}})};
  std::mt19937 random(1);
  int good = 0, bad = 0;
  for (int round = 0; round < 800; ++round) {
    std::string bytes = seeds[static_cast<std::size_t>(round) % seeds.size()];
    // one to three changes: a byte replaced, a byte taken out, or a piece doubled
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      std::size_t const at = random() % bytes.size();
      switch (random() % 4) {
      case 0:
        bytes.erase(at, 1);
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, random() % 8));
        break;
      default:
        bytes[at] = static_cast<char>(random());
      }
    }
    // half of the time the header gets its checksum right again, so that damage reaches further in
    if (round % 2 == 0 && bytes.size() > 33)
      bytes.replace(29, 4, PngBytes::big_endian(PngBytes::crc(bytes.substr(12, 17))));
    write_bytes(scratch / "p.png", bytes);
    try {
      values_of(scratch / "p.png");
      ++good;
    } catch (core::Error const&) {
      ++bad;
    }
  }
  EXPECT_EQ(good + bad, 800);
  EXPECT_GT(bad, 300);  // most damage is found: pixels and header carry checksums
}

}  // namespace
}  // namespace tessera::io
