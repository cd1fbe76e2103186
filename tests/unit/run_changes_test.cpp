// SPDX-License-Identifier: Apache-2.0
#include "run/restart/changes.hpp"

#include "core/case/dictionary.hpp"

#include <gtest/gtest.h>

namespace tessera::run {
namespace {

std::string written(std::string const& text) { return core::Dictionary::parse(text, "file").text(); }

TEST(Changes, FindEntriesByTheirPath) {
  auto const entries = entries_of(written("a 1; b { c (1 2 3); d { e word; } } \".*\" { type empty; } f;"));
  EXPECT_EQ(entries.at("a"), "1");
  EXPECT_EQ(entries.at("b.c"), "(1 2 3)");
  EXPECT_EQ(entries.at("b.d.e"), "word");
  EXPECT_EQ(entries.at("\".*\".type"), "empty");
  EXPECT_EQ(entries.size(), 5u);
}

TEST(Changes, NameWhatMakesOtherResultsAndNothingElse) {
  auto const found = [](std::string const& file, std::string const& before, std::string const& now) {
    return changes({{file, written(before)}}, {{file, written(now)}});
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(found("constant/transportProperties", "lambda 1; regions { a { rhoC 2; } }",
                  "lambda 2; regions { a { rhoC 2; } b { rhoC 3; } }"),
            (Lines{"constant/transportProperties: lambda 1 -> 2",
                   "constant/transportProperties: regions.b.rhoC absent -> 3"}));
  EXPECT_EQ(found("system/controlDict", "deltaT 1; endTime 5; functions { a { type b; } }", "deltaT 2; endTime 9;"),
            Lines{"system/controlDict: deltaT 1 -> 2"});
  EXPECT_EQ(found("system/gridDict", "cells (2 2 1); tile (1 1 1);", "cells (2 2 1);"), Lines{});
  EXPECT_EQ(
      found("constant/automatonProperties", "rule life; stop { generations 5; }", "rule life; stop { generations 9; }"),
      Lines{});
  EXPECT_EQ(found("system/decomposeParDict", "method simple;", "method scotch;"), Lines{});
  EXPECT_EQ(changes({{"a", "x 1;\n"}}, {{"b", "x 2;\n"}}), Lines{}) << "files that only one side has";
  // long lists of blocks keep to one line
  auto const long_ones = found("system/setFieldsDict", "regions ( box { v 1; } );", "regions ( box { v 2; } );");
  ASSERT_EQ(long_ones.size(), 1u);
  EXPECT_NE(long_ones[0].find(" 1 -> 2"), std::string::npos) << long_ones[0];
}

}  // namespace
}  // namespace tessera::run
