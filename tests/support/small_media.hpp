// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/percolation.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/paper_reference.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

/// One of the media below on one of its layouts; `layout` is that of the transposed mask for direction x.
struct SmallMedium {
  std::uint64_t number;
  Mask const& mask;
  PaperReference const& expected;
  ca::Direction direction;
  std::size_t table;  ///< which of the owner tables
  core::Layout const& layout;
};

/// Calls visit(SmallMedium) for `count` random media of 13 to 52 cells a side near the threshold, in both directions, on
/// tiles of many sizes and all owner tables; until a test fails.
template <class Visit>
void for_small_media(std::uint64_t count, Visit visit) {
  core::Comm const world;
  std::array<double, 4> const densities{0.55, 0.592746, 0.62, 0.70};
  for (std::uint64_t n = 0; n < count; ++n) {
    int const nx = 13 + static_cast<int>(n * 7 % 40), ny = 13 + static_cast<int>(n * 11 % 40),
              side = n % 8 == 7 ? 1 : 2 + static_cast<int>(n * 5 % 23);
    Mask const mask = random_framed(nx, ny, densities[n % 4], n);
    PaperReference const expected(mask);
    for (auto direction : {ca::Direction::y, ca::Direction::x}) {
      bool const across = direction == ca::Direction::x;
      auto const grid = std::make_shared<core::Grid const>(
          core::Grid::unit({across ? ny : nx, across ? nx : ny, 1}, {side, side, 1}));
      auto const tables = owner_tables(*grid, world.size());
      for (std::size_t table = across ? 2 : 0; table < tables.size(); ++table) {
        core::Layout const layout(grid, tables[table], world);
        visit(SmallMedium{n, mask, expected, direction, table, layout});
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace tessera::tests
