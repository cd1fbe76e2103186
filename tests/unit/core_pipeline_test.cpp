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
  table[row][column] = at(row, column - 1) * 6364136223846793005u + at(row - 1, column + 3) * 31u +
                       at(row - 1, column) + static_cast<std::uint64_t>(row);
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
