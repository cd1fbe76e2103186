// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"

#include <gtest/gtest.h>

namespace tessera::core {

TEST(Error, PutsFileAndLineInFront) {
  EXPECT_STREQ(Error("system/controlDict", 12, "no number").what(), "system/controlDict:12: no number");
  EXPECT_STREQ(Error("command line", 0, "no number").what(), "command line: no number");
}

TEST(Expect, NamesTheSourceOfABrokenPromise) {
  EXPECT_NO_THROW(expect(true, "never"));
  try {
    expect(false, "halo deeper than the tile");
    FAIL() << "expect(false) must throw";
  } catch (BrokenPromise const& broken) {
    std::string const text = broken.what();
    EXPECT_NE(text.find("core_error_test.cpp:"), text.npos) << text;
    EXPECT_NE(text.find("halo deeper than the tile"), text.npos) << text;
  }
}

TEST(Nearest, FindsSwappedMissingAndChangedLetters) {
  std::vector<std::string> const names{"DIC", "diagonal", "none", "tolerance"};
  EXPECT_EQ(nearest("DCI", names), "DIC");
  EXPECT_EQ(nearest("tolerence", names), "tolerance");
  EXPECT_EQ(nearest("tolerace", names), "tolerance");
  EXPECT_EQ(nearest("Diagonal", names), "diagonal");
}

TEST(Nearest, IsSilentWhereNothingIsClose) {
  EXPECT_EQ(nearest("multigrid", {"DIC", "none"}), "");
  EXPECT_EQ(nearest("", {"DIC"}), "");
  EXPECT_EQ(nearest("x", {"y", "z"}), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), {std::string(100000, 'a')}), "");
}

TEST(UnknownName, ListsTheValidOnes) {
  EXPECT_EQ(unknown_name("preconditioner", "DCI", {"DIC", "diagonal", "none"}),
            "unknown preconditioner 'DCI'; did you mean 'DIC'? valid: DIC diagonal none");
  EXPECT_EQ(unknown_name("rule", "qqqqq", {"life"}), "unknown rule 'qqqqq'; valid: life");
}

}  // namespace tessera::core
