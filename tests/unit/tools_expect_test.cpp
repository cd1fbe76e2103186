// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "tools/expect.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using tools::check_expectations;
using tools::parse_expectations;

namespace tessera::tests {

std::vector<std::string> failures(std::string const& expectations) {
  auto const report = core::Report::Json::parse(
      R"({"steps": 3, "results": {"max": 349.87, "spans": true, "name": "x"}, "list": [1, 2],
          "all": [{"circuits.line": {"mean": 5}, "circuits": 7, "a": {"b": 1}, "a.b": {"c": 2}}]})");
  return check_expectations(parse_expectations(expectations, "expect"), report);
}

}  // namespace tessera::tests

using tessera::tests::failures;

TEST(Expect, AcceptsWhatHolds) {
  EXPECT_TRUE(
      failures("# a comment\n\nsteps 3 exact # why\nresults.max 349.8 +- 0.1 # why\nresults.spans true exact # why\n"
               "results.name x exact # why\nlist.1 2 exact # why\n")
          .empty());
}

TEST(Expect, FindsNamesThatHaveDots) {
  EXPECT_TRUE(failures("all.0.circuits.line.mean 5 exact # why\nall.0.circuits 7 exact # why\n"
                       "all.0.a.b 1 exact # why\nall.0.a.b.c 2 exact # why\n")
                  .empty());
  EXPECT_EQ(failures("all.0.circuits.line.median 5 exact # why").size(), 1u);
  EXPECT_EQ(failures("all.0.circuits.lin 5 exact # why").size(), 1u);
}

TEST(Expect, NamesFileLineAndBothValuesOfWhatDoesNotHold) {
  EXPECT_EQ(failures("\nresults.max 349.8 +- 0.01 # OpenFOAM"),
            (std::vector<std::string>{"expect:2: results.max is 349.87, expected 349.8 +- 0.01 (OpenFOAM)"}));
  EXPECT_EQ(failures("steps 4 exact # why").size(), 1u);
  EXPECT_EQ(failures("results.spans false exact # why").size(), 1u);
  EXPECT_EQ(failures("results.min 3 exact # why"),
            (std::vector<std::string>{"expect:1: results.min is not in the report"}));
  EXPECT_EQ(failures("list.2 2 exact # why").size(), 1u);
  EXPECT_EQ(failures("results 2 exact # why").size(), 1u);
}

TEST(Expect, RefusesALineWithoutToleranceOrReason) {
  for (std::string const line :
       {"steps 3", "steps 3 exact", "steps 3 exact #", "steps 3 +- # why", "steps 3 +- -1 # why",
        "steps three +- 1 # why", "steps 3 +- inf # why", "steps 0x3 +- 1 # why", "steps nan +- 1 # why",
        "steps 3 exact 4 # why", "steps 3 about # why", ""})
    EXPECT_THROW(parse_expectations(line, "expect"), core::Error) << line;
}
