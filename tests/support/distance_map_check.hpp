// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/pores/distance_map.hpp"
#include "core/random.hpp"
#include "tests/support/automata.hpp"
#include "tests/support/layouts.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace tessera::tests {

/// 1 but for a cell in `every`, drawn by number and seed.
inline std::uint8_t in_mask(core::Grid const& grid, core::Index const& x, std::uint64_t every, std::uint64_t seed) {
  return core::Random{seed, 0}.uniform(static_cast<std::uint64_t>(grid.number(x))) * static_cast<double>(every) >= 1;
}

inline core::Field<std::uint8_t> drawn_mask(core::Layout const& layout, std::uint64_t every, std::uint64_t seed) {
  core::Field<std::uint8_t> mask("mask", layout, 0);
  core::for_own_cells(layout, [&, to = mask.host()](int s, int k, int j, int i) {
    to(s, k, j, i) = in_mask(layout.grid(), layout.info(s).global(k, j, i), every, seed);
  });
  return mask;
}

/// The least of all distances to cells of mask 0, one after the other.
inline double nearest(core::Grid const& grid, core::Index const& x, std::vector<core::Index> const& zeros) {
  double least = std::numeric_limits<double>::infinity();
  for (core::Index const& z : zeros) {
    double square = 0;
    core::Count const from[3] = {x.i, x.j, x.k}, to[3] = {z.i, z.j, z.k};
    for (int a = 0; a < 3; ++a) {
      double d = std::abs(grid.axis(a).centre(from[a]) - grid.axis(a).centre(to[a]));
      if (grid.periodic(a)) d = std::min(d, grid.axis(a).length() - d);
      square += d * d;
    }
    least = std::min(least, square);
  }
  return std::sqrt(least);
}

/// Compares each own cell with a search through all cells of mask 0.
inline void check_distance_map(core::Layout const& layout, std::uint64_t every, std::uint64_t seed) {
  core::Grid const& grid = layout.grid();
  std::vector<core::Index> zeros;
  auto const n = grid.cells();
  for (core::Count k = 0; k < n[2]; ++k)
    for (core::Count j = 0; j < n[1]; ++j)
      for (core::Count i = 0; i < n[0]; ++i)
        if (core::Index const x{i, j, k}; in_mask(grid, x, every, seed) == 0) zeros.push_back(x);
  auto const found = ca::distance_map(drawn_mask(layout, every, seed));
  core::for_own_cells(layout, [&, values = found.host()](int s, int k, int j, int i) {
    double const expected = nearest(grid, layout.info(s).global(k, j, i), zeros);
    if (std::isinf(expected))
      EXPECT_EQ(values(s, k, j, i), expected);
    else
      EXPECT_NEAR(values(s, k, j, i), expected, 1e-12 * (1 + expected));
  });
}

}  // namespace tessera::tests
