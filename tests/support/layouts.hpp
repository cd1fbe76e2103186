// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "core/grid/loops.hpp"

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

/// Calls f(cell of the grid, value) for each own cell.
template <class Field, class F>
void for_each_cell(Field& field, F&& f) {
  auto const v = field.host();
  core::for_own_cells(field.layout(),
                      [&](int s, int k, int j, int i) { f(field.layout().info(s).global(k, j, i), v(s, k, j, i)); });
}

/// Grid numbers of every cell, by position: what a field should hold after it was filled by number.
template <class T>
void fill_by_number(core::Field<T>& field) {
  for_each_cell(field, [&](core::Index x, T& v) { v = static_cast<T>(field.layout().grid().number(x)); });
}

}  // namespace tessera::tests
