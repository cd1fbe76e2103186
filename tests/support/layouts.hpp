// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::tests {

/// Owner tables to try: blocks, round robin, and tiles dealt at random (seeded, alike on all ranks).
inline std::vector<std::vector<int>> owner_tables(core::Grid const& grid, int ranks) {
  std::vector<int> blocks = core::block_owners(grid.tiles(), ranks), robin(blocks.size()), shuffled = blocks;
  for (std::size_t t = 0; t < robin.size(); ++t) robin[t] = static_cast<int>(t) % ranks;
  std::mt19937 random(7);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  return {blocks, robin, shuffled};
}

/// A grid of unit cells on a layout with shuffled owners.
inline std::unique_ptr<core::Layout> shuffled_layout(core::Grid::Shape cells, core::Grid::Shape tile,
                                                     std::array<bool, 3> periodic = {}) {
  auto grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, periodic));
  core::Comm const world;
  return std::make_unique<core::Layout>(grid, owner_tables(*grid, world.size())[2], world);
}

/// Grid numbers of every cell, by position: what a field should hold after it was filled by number.
template <class T>
void fill_by_number(core::Field<T>& field) {
  auto const v = field.host();
  auto const& layout = field.layout();
  for (int s = 0; s < layout.tiles(); ++s) {
    auto const& t = layout.info(s);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i) v(s, k, j, i) = static_cast<T>(layout.grid().number(t.global(k, j, i)));
  }
}

}  // namespace tessera::tests
