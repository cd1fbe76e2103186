// SPDX-License-Identifier: Apache-2.0
#include "core/grid/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace tessera;

namespace {

constexpr int rows = 57, columns = 90;
constexpr core::Count many = 1 << 20;  // cells, as far as the choice of threads goes
using Table = std::vector<std::vector<std::uint64_t>>;

/// A cell needs the one before it and two of the row below, up to three columns further on.
void compute(Table& table, int row, int column) {
  auto const at = [&](int r, int c) { return r < 0 || c < 0 ? 7u : table[r][std::min(c, columns - 1)]; };
  table[row][column] = at(row, column - 1) * 6364136223846793005u + at(row - 1, column + 3) * 31u + at(row - 1, column) +
                       static_cast<std::uint64_t>(row);
}

Table one_row_after_the_other() {
  Table table(rows, std::vector<std::uint64_t>(columns));
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) compute(table, row, column);
  return table;
}

}  // namespace

TEST(Pipeline, HasTheValuesOfOneRowAfterTheOther) {
  core::Pipeline pipeline;
  Table table(rows, std::vector<std::uint64_t>(columns));
  pipeline.run("rows", rows, many, [&](int row) {
    for (int column = 0; column < columns; ++column) {
      pipeline.wait_for(row - 1, std::min(columns, column + 4));
      compute(table, row, column);
      pipeline.reach(row, column + 1);
    }
  });
  EXPECT_EQ(table, one_row_after_the_other());
}

// With one thread, as in builds of Serial, parts that have none are run where others wait for them.
TEST(Pipeline, OfPartsHasThemOnAnyNumberOfThreads) {
  core::Pipeline pipeline;
  for (int const parts : {3, 1, 2, 7}) {
    Table table(rows, std::vector<std::uint64_t>(columns));
    std::vector<int> times(rows * parts);
    auto const begin = [&](int row, int part) {  // parts of unlike length, which varies from row to row
      return part == 0 ? 0 : part == parts ? columns : columns * part / parts - row % 4;
    };
    pipeline.run_in_parts("parts", rows, parts, many, [&](int row, int part) {
      ++times[row * parts + part];
      for (int column = begin(row, part); column < begin(row, part + 1); ++column) {
        pipeline.wait_for(row - 1, std::min(columns, column + 4));
        compute(table, row, column);
        pipeline.reach(row, column + 1);
      }
    });
    EXPECT_EQ(table, one_row_after_the_other()) << parts << " parts";
    EXPECT_EQ(times, std::vector<int>(rows * parts, 1)) << parts << " parts";
  }
}
