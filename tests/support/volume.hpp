// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"
#include "core/random.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>

namespace tessera::tests {

/// Bytes of a volume, cell by cell.
struct Volume {
  core::Grid::Shape n;
  std::string cells;
  Volume(core::Grid::Shape const& shape, std::function<int(int, int, int)> const& value) : n(shape) {
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) cells.push_back(static_cast<char>(value(i, j, k)));
  }
  std::uint8_t at(int i, int j, int k) const {
    return static_cast<std::uint8_t>(cells[static_cast<std::size_t>((k * n[1] + j) * n[0] + i)]);
  }
  std::string file(std::string const& name) const {
    return fmt::format("file \"constant/{}.raw:{}x{}x{}:uint8\";", name, n[0], n[1], n[2]);
  }
};

/// Random values 0 .. 3; 2 and 3, about half of the cells, are solid.
inline Volume random_volume(core::Grid::Shape const& n, std::uint64_t seed) {
  core::Random const random{seed, 0};
  std::uint64_t number = 0;
  return {n, [&](int, int, int) { return static_cast<int>(4 * random.uniform(number++)); }};
}

}  // namespace tessera::tests
