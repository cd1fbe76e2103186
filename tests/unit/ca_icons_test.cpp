// SPDX-License-Identifier: Apache-2.0
#include "ca/table/rule_file.hpp"

#include <gtest/gtest.h>

namespace tessera::ca::table {
namespace {

constexpr char const* table = "@RULE Foo\n@TABLE\nn_states:4\nneighborhood:vonNeumann\nsymmetries:none\n0,1,0,0,0,1\n";
/// A bitmap of one row of icons, 7 pixels wide, all rows alike.
std::string bitmap(std::string const& header, std::string const& colours, std::string const& row, int rows) {
  std::string text = "XPM\n/* a comment */\n\"" + header + "\"\n" + colours;
  for (int n = 0; n < rows; ++n) text += '"' + row + "\" and what follows\n\n";
  return text;
}
std::vector<Icons> icons_of(std::string const& section) {
  return read_rule_file(std::string(table) + "@ICONS\n" + section, "Foo.rule").icons;
}
std::string error_of(std::string const& section) {
  try {
    icons_of(section);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "no error";
}

TEST(Icons, AreReadInAllSizesThatAreKnown) {
  auto const all =
      icons_of("# icons\n" + bitmap("7 14 2 1", "\". c #000000\"\n\"A c #FFFFFF\"\n", "A.....A", 14) +
               bitmap("9 9 1 1", "\". c #000000\"\n", ".........", 9) +
               bitmap("15 15 2 2", "\"aa c #FF8000\"\n\"#. c #000000000000\"\n", "aa#.aa#.aa#.aa#.aa#.aa#.aa#.aa", 15) +
               "squares\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].size, 7);
  EXPECT_TRUE(all[0].grey);
  ASSERT_EQ(all[0].of.size(), 2u);
  EXPECT_EQ(all[0].of[1].size(), 49u);
  EXPECT_EQ(all[0].of[0][6], (Pixel{255, 255, 255}));
  EXPECT_EQ(all[0].of[0][8], (Pixel{0, 0, 0}));
  EXPECT_FALSE(all[1].grey);
  EXPECT_EQ(all[1].of[0][0], (Pixel{255, 128, 0}));
  EXPECT_EQ(all[1].of[0][1], (Pixel{0, 0, 0}));
}

TEST(Icons, ThatAreGreyShadeTheColourOfTheState) {
  auto const grey = icons_of(bitmap("7 7 3 1", "\". c #000000\"\n\"b c #808080\"\n\"A c #FFFFFF\"\n", ".bA....", 7))[0];
  Pixel const background{10, 20, 30}, colour{110, 220, 30};
  auto const pixels = drawn(grey, 1, background, colour);
  EXPECT_EQ(pixels[0], background);
  EXPECT_EQ(pixels[1], (Pixel{60, 120, 30}));
  EXPECT_EQ(pixels[2], colour);
  EXPECT_EQ(drawn(grey, 3, background, colour), pixels);  // the last icon is that of all states behind it
  auto const many = icons_of(bitmap("7 7 2 1", "\". c #000000\"\n\"A c #FF0000\"\n", ".A.....", 7))[0];
  EXPECT_EQ(drawn(many, 1, background, colour)[0], background);
  EXPECT_EQ(drawn(many, 1, background, colour)[1], (Pixel{255, 0, 0}));
}

TEST(Icons, ByNameAreFiguresOfTheirOwnKind) {
  for (char const* name : {"circles", "diamonds", "hexagons"}) {
    auto const all = icons_of(std::string(name) + "\n");
    ASSERT_EQ(all.size(), 3u) << name;
    auto const& figure = all[1].of.at(0);  // 15 pixels
    EXPECT_EQ(figure[7 * 15 + 7], (Pixel{255, 255, 255})) << name;
    for (std::size_t n = 0; n < figure.size(); ++n) EXPECT_EQ(figure[n], figure[figure.size() - 1 - n]) << name << n;
  }
  auto const corner = [](char const* name, std::size_t x, std::size_t y) {
    return int{icons_of(std::string(name) + "\n")[1].of[0][15 * y + x][0]};
  };
  EXPECT_EQ(corner("circles", 0, 0), 0);
  EXPECT_EQ(corner("circles", 3, 3), 255);
  EXPECT_EQ(corner("diamonds", 2, 2), 0);
  // north-west of a cell lies no neighbour's corner: hexagons reach from north-east to south-west
  EXPECT_EQ(corner("hexagons", 0, 0), 0);
  EXPECT_EQ(corner("hexagons", 14, 0), 255);
}

TEST(Icons, ThatAreWrongAreToldWithTheirLine) {
  EXPECT_NE(error_of("XPM\n7 7 1 1\n").find("Foo.rule:9: expected width"), std::string::npos)
      << error_of("XPM\n7 7 1 1\n");
  auto const fails = [&](std::string const& section, char const* expected) {
    EXPECT_NE(error_of(section).find(expected), std::string::npos) << error_of(section);
  };
  std::string const black = "\". c #000000\"\n";
  fails("XPM\n\"7 7 1\"\n", "characters a pixel");
  fails("XPM\n\"7 8 1 1\"\n", "height of 8");
  fails("XPM\n\"7 7 1 3\"\n", "1 or 2 characters");
  fails("XPM\n\"7 7 1 1\"\n\". c black\"\n", "expected a colour such as");
  fails(bitmap("7 7 1 1", black, "......", 7), "expected 7 pixels");
  fails(bitmap("7 7 1 1", black, "...A...", 7), "'A' is none of the colours");
  fails(bitmap("7 7 1 1", black, ".......", 6), "expected a row of pixels");
}

TEST(Icons, AndColoursOfARelativeStandWhereARuleHasNone) {
  add_rule_file("Foo-1", table, "Foo-1.rule");
  std::string const shared = "@COLORS\n1 255 0 0\n@ICONS\ncircles\n";
  share_looks("Foo-1", shared, "Foo-shared.rule");
  EXPECT_EQ(rule_file("Foo-1")->colours.at(1), (Pixel{255, 0, 0}));
  EXPECT_EQ(rule_file("Foo-1")->icons.size(), 3u);
  add_rule_file("Foo-2", std::string(table) + "@COLORS\n1 0 255 0\n", "Foo-2.rule");
  share_looks("Foo-2", shared, "Foo-shared.rule");
  EXPECT_EQ(rule_file("Foo-2")->colours.at(1), (Pixel{0, 255, 0}));
  EXPECT_EQ(rule_file("Foo-2")->icons.size(), 3u);
}

}  // namespace
}  // namespace tessera::ca::table
