// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pores between overlapping spheres, and any medium as the bytes that peers read.
#include "core/grid/field.hpp"
#include "core/grid/sweep.hpp"
#include "core/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

namespace tessera::bench {

using Bytes = core::Field<std::uint8_t>;

/// All outside of spheres whose centres are uniform in the cube and a radius round it: porosity exp(-density volume).
inline void fill_spheres(Bytes& field, double porosity) {
  constexpr double radius = 10;
  auto const n = static_cast<double>(field.layout().grid().cells()[0]);
  double const edge = n + 2 * radius;
  auto const spheres = static_cast<std::uint64_t>(-std::log(porosity) * edge * edge * edge /
                                                  (4.0 / 3 * std::numbers::pi * radius * radius * radius));
  core::Random const random{7, 0};
  auto const cells = field.host();
  core::for_each_tile_on_host("spheres", field.layout(), [&](int slot) {
    core::TileInfo const& t = field.layout().info(slot);
    core::for_cells(t, [&](int k, int j, int i) { cells(slot, k, j, i) = 1; });
    for (std::uint64_t s = 0; s < spheres; ++s) {
      double const x = random.uniform(3 * s) * edge - radius, y = random.uniform(3 * s + 1) * edge - radius,
                   z = random.uniform(3 * s + 2) * edge - radius;
      auto const lowest = [&](double c, core::Count first) {
        return static_cast<int>(std::max<core::Count>(0, static_cast<core::Count>(std::ceil(c - radius)) - first));
      };
      auto const end = [&](double c, core::Count first, int cells_there) {
        return static_cast<int>(
            std::min<core::Count>(cells_there, static_cast<core::Count>(std::floor(c + radius)) + 1 - first));
      };
      for (int k = lowest(z, t.k0); k < end(z, t.k0, t.nk); ++k)
        for (int j = lowest(y, t.j0); j < end(y, t.j0, t.nj); ++j)
          for (int i = lowest(x, t.i0); i < end(x, t.i0, t.ni); ++i) {
            double const dx = static_cast<double>(t.i0 + i) - x, dy = static_cast<double>(t.j0 + j) - y,
                         dz = static_cast<double>(t.k0 + k) - z;
            if (dx * dx + dy * dy + dz * dz <= radius * radius) cells(slot, k, j, i) = 0;
          }
    }
  });
}

/// A byte a cell, in raster order; on one rank.
inline std::vector<std::uint8_t> bytes_of(Bytes const& field) {
  core::Layout const& layout = field.layout();
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(layout.grid().total()));
  auto const cells = field.host();
  core::for_own_rows(layout, [&](int slot, int k, int j) {
    core::TileInfo const& t = layout.info(slot);
    std::memcpy(bytes.data() + layout.grid().number(t.global(k, j, 0)), cells.row(slot, k, j),
                static_cast<std::size_t>(t.ni));
  });
  return bytes;
}

}  // namespace tessera::bench
