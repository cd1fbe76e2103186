// SPDX-License-Identifier: Apache-2.0
// What a sweep takes for its axes, and what its settings become.
#include "tests/support/made_sweep.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace tessera::run {
namespace {

TEST(Axes, AreCrossedInOrderOrTakenTogether) {
  Made crossed("axes { a (1 2); b (x y z); } settings (\"f:e={a}{b}\");");
  auto const points = crossed.axes.points();
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(points[1], (Point{"1", "y"}));
  EXPECT_EQ(points[3], (Point{"2", "x"}));
  EXPECT_EQ(crossed.axes.settings(points[5]), (std::vector<std::string>{"f:e=2z"}));

  Made zipped("axes { a (1 2); b (x y); c (7 8); } together ((a c)); settings (\"f:e={a}{b}{c}\");");
  EXPECT_EQ(zipped.axes.points(),
            (std::vector<Point>{{"1", "x", "7"}, {"1", "y", "7"}, {"2", "x", "8"}, {"2", "y", "8"}}));
}

TEST(Axes, HaveEvenlySpacedNumbersWithFewDigits) {
  Made const made("axes { a { from 0.5; to 0.6; steps 3; } b { from 1; to 2; step 0.25; } c { samples 3; first 7; } }"
                  "settings (\"f:e={a + b + c}\");");
  EXPECT_EQ(made.axes.at(0).values, (std::vector<std::string>{"0.5", "0.55", "0.6"}));
  EXPECT_EQ(made.axes.at(1).values, (std::vector<std::string>{"1", "1.25", "1.5", "1.75", "2"}));
  EXPECT_EQ(made.axes.at(2).values, (std::vector<std::string>{"7", "8", "9"}));
  EXPECT_EQ(made.axes.samples(), 2);
}

TEST(Axes, OfRangesHaveNoDigitsOfRounding) {
  Made const made("axes { a { from 0; to 1; step 0.1; } b { from -1; to 1; steps 21; } c { from 0; to 1; steps 4; }"
                  "d { from 1e-9; to 4e-9; step 1e-9; } e { from 0.57; to 0.6; step 0.01; } }"
                  "settings (\"f:e={a + b + c + d + e}\");");
  EXPECT_EQ(made.axes.at(0).values,
            (std::vector<std::string>{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"}));
  EXPECT_EQ(made.axes.at(1).values[7], "-0.3");
  EXPECT_EQ(made.axes.at(1).values[10], "0");
  EXPECT_EQ(made.axes.at(2).values[1], "0.3333333333333333");  // all digits of a third
  EXPECT_EQ(made.axes.at(3).values, (std::vector<std::string>{"1e-09", "2e-09", "3e-09", "4e-09"}));
  EXPECT_EQ(made.axes.at(4).values, (std::vector<std::string>{"0.57", "0.58", "0.59", "0.6"}));
  EXPECT_EQ(made.axes.told().front(), "Axis a: 0 0.1 0.2 ... 1 (11 values)");
}

TEST(Axes, GiveEachSettingThePlaceOfItsAxis) {
  Made const made("axes\n{\n  a (1 2);\n  b (7);\n}\nsettings (\"f:e={a}\"\n\"g:h={b * a}\"\n\"g:i=3\");");
  TaskOptions task;
  task.settings = {"of:the=line"};
  made.axes.set({"2", "7"}, task);
  EXPECT_EQ(task.settings, (std::vector<std::string>{"of:the=line", "f:e=2", "g:h=14", "g:i=3"}));
  EXPECT_EQ(task.origins, (std::map<std::string, std::string>{{"f:e=2", "sweepDict:3: a = 2: f:e=2"},
                                                              {"g:h=14", "sweepDict:3: a = 2, b = 7: g:h=14"},
                                                              {"g:i=3", "sweepDict:8: settings: g:i=3"}}));
}

TEST(Axes, TellWordsAndLargeNumbersApart) {
  Made const made("axes { a (9007199254740993 9007199254740992 inf nan x); b { from 0; to 1; step 0.1; } c { from 2; "
                  "to 2; step 1; } }"
                  "settings (\"f:e={a}{b}{c}\");");
  EXPECT_EQ(made.axes.at(0).values.size(), 5u);
  EXPECT_EQ(made.axes.at(1).values.size(), 11u);
  EXPECT_EQ(made.axes.at(2).values, (std::vector<std::string>{"2"}));
}

TEST(Axes, OfFilesAreInTheOrderOfTheirNames) {
  namespace fs = std::filesystem;
  fs::remove_all("volumes");
  fs::create_directories("volumes/b.raw.d");
  for (char const* name : {"b.raw", "a.raw", "c.txt", ".a.raw"}) std::ofstream(std::string("volumes/") + name) << name;
  Made const made("axes { file { files \"volumes/*.raw\"; } } settings (\"f:e={file}\");");
  EXPECT_EQ(made.axes.at(0).values, (std::vector<std::string>{"volumes/a.raw", "volumes/b.raw"}));
  EXPECT_TRUE(made.axes.varies("volumes/c.txt"));
  EXPECT_FALSE(made.axes.varies("system/controlDict"));
  // another file under the same name is told, also of the same length
  auto const before = made.axes.inputs({"volumes/a.raw"});
  EXPECT_EQ(made.axes.inputs({"volumes/a.raw"}), before);
  std::ofstream("volumes/a.raw") << "A.raw";
  EXPECT_NE(made.axes.inputs({"volumes/a.raw"}), before);
  // names that are no words are put into quotes, with what stands at them
  std::ofstream("volumes/a (1).raw") << "x";
  Made const blank(
      "axes { f { files \"volumes/* *.raw\"; } L (2 3); } settings (\"f:e={f}\" \"f:g=( {f}:{2 * L}x1 {L} )\" "
      "\"f:h=\\\"{ f }\\\"\");");
  EXPECT_EQ(blank.axes.settings(blank.axes.points()[1]),
            (std::vector<std::string>{"f:e=\"volumes/a (1).raw\"", "f:g=( \"volumes/a (1).raw:6x1\" 3 )",
                                      "f:h=\"volumes/a (1).raw\""}));
  std::ofstream("volumes/a$b.rle") << "x";
  EXPECT_NE(refused("axes { f { files \"volumes/*.rle\"; } } settings (\"f:e={f}\");").find("'a$b.rle' fits"),
            std::string::npos);
  EXPECT_NE(refused("axes { file { files \"volumes/*.tif\"; } } settings (\"f:e={file}\");").find("no file fits"),
            std::string::npos);
}

TEST(Axes, ThatCannotBeMeantAreRefusedWithTheirPlace) {
  auto const says = [](std::string const& text, std::string const& what) {
    std::string const error = refused(text);
    EXPECT_NE(error.find(what), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find("sweepDict:"), 0u) << error;
  };
  std::string const set = " settings (\"f:e={a}\");";
  says("axes { a (1 1); }" + set, "has a value twice");
  says("axes { a (1e4 3 10000); }" + set, "has a value twice: 1e4 and 10000");
  says("axes { a { from 0; to 1e4; step 3e3; } }" + set, "leads from 0 to 10000: 9000 is the last before it");
  says("axes { a { from 0; to 1; step 0.3; } }" + set, "leads from 0 to 1: 0.9 is the last before it");
  says("axes { a (1 2); } settings (\"f:e={a}\" \"f:e=3\");", "'f:e' is set twice");
  says("axes { a (1 2); } settings (\"system/f:e={a}\" \"f:e=3\");", "'f:e' is set twice, with 'system/f:e'");
  says("axes { a (1 2); } settings (\"f:e.g={a}\" \"f:e=3\");", "'f:e' is set twice, with 'f:e.g'");
  EXPECT_EQ(refused("axes { a (1 2); } settings (\"x/f:e={a}\" \"y/f:e={a}\" \"f:eg={a}\" \"ff:e={a}\");"), "accepted");
  says("axes { a (); }" + set, "has no values");
  says("axes { a { from 0; to 1; } }" + set, "steps");
  says("axes { a { from 0; to 1; step -0.1; } }" + set, "leads from 0 to 1");
  says("axes { a { from 0; to 1; steps 3; samples 4; } }" + set, "expected one of");
  says("axes { a { samples 3; } b { samples 3; } } settings (\"f:e={a}{b}\");", "two axes of samples");
  says("axes { a (1 2); b (1 2 3); } together ((a b)); settings (\"f:e={a}{b}\");", "expected 2 as 'a'");
  says("axes { a (1 2); } together ((a c));" + set, "no axis is called 'c'");
  says("axes { a (1 2); b (1 2); }" + set, "in none of the settings");
  says("axes { a (1 2); } settings (\"e={a}\");", "expected FILE:entry.path=value");
  says("axes { a (1 2); }" + set + "threshold { axis b; of x; tolerance 1; }", "no axis is called 'b'");
  says("axes { a (x y); }" + set + "threshold { axis a; of x; tolerance 1; }", "cannot be divided");
  says("axes { a { samples 4; until { of x; error 0.1; most 3; } } }" + set, "most");
}

TEST(Expression, FillsTextsAndNumbersIn) {
  std::vector<std::pair<std::string, std::string>> const values{{"L", "64"}, {"p", "0.59"}, {"file", "a b.raw"}};
  EXPECT_EQ(fill_in("({L} { L } 1)", values, "here"), "(64 64 1)");
  EXPECT_EQ(fill_in("{2*L+1} {p/2} {1/3}", values, "here"), "129 0.295 0.3333333333333333");
  EXPECT_EQ(fill_in("\"{file}\"", values, "here"), "\"a b.raw\"");
  EXPECT_EQ(fill_in("{L > 32 ? 1e-8 : 0.1}", values, "here"), "1e-08");
  for (char const* wrong :
       {"{L + }", "{L * q}", "{file + 1}", "{1 / 0}", "{L", "{sqrt(-1)}", "{L = 64 ? 1 : 2}", "{L, p}", "{}", "{ }"})
    EXPECT_THROW(fill_in(wrong, values, "here"), core::Error) << wrong;
}

}  // namespace
}  // namespace tessera::run
