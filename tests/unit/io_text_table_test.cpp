// SPDX-License-Identifier: Apache-2.0
#include "io/files/text_table.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

TEST(TextTable, QuotesWhatWouldBeReadAsSomethingElse) {
  TextTable const table{"t", {"a", "b"}, {{"1", "x, \"y\""}, {"", "two\nlines"}}};
  EXPECT_EQ(table.csv(), "a,b\n1,\"x, \"\"y\"\"\"\n,\"two lines\"\n");
}

TEST(TextTable, IsTheSameBytesInHdf5EveryTime) {
  std::vector<TextTable> const tables{{"t", {"a", "b/c", "none"}, {{"1.5", "x", ""}, {"", "longer", ""}}},
                                      {"empty", {"a"}, {}}};
  tests::Scratch const scratch;
  std::string const first = scratch / "first.h5", second = scratch / "second.h5";
  write_tables(first, tables);
  write_tables(second, tables);
  EXPECT_GT(tests::bytes_of(first).size(), 100u);
  EXPECT_EQ(tests::bytes_of(first), tests::bytes_of(second));
}

}  // namespace
}  // namespace tessera::io
