// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops of one thread of the host over cells, in raster order: along x, then along y, then along z. Those of all threads
// and of devices are in sweep.hpp.
#include "core/grid/layout.hpp"

namespace tessera::core {

/// Calls f(k, j) for the rows of a tile.
template <class F>
void for_rows(TileInfo const& t, F&& f) {
  for (int k = 0; k < t.nk; ++k)
    for (int j = 0; j < t.nj; ++j) f(k, j);
}

/// Calls f(k, j, i) for the cells of a tile.
template <class F>
void for_cells(TileInfo const& t, F&& f) {
  for (int k = 0; k < t.nk; ++k)
    for (int j = 0; j < t.nj; ++j)
      for (int i = 0; i < t.ni; ++i) f(k, j, i);
}

/// The same for the cells of a tile that lie in `box`, a box of the grid.
template <class F>
void for_cells(TileInfo const& t, Box const& box, F&& f) {
  Box const part = intersect(shifted(box, {-t.i0, -t.j0, -t.k0}), {{0, 0, 0}, {t.ni, t.nj, t.nk}});
  for (int k = static_cast<int>(part.lo.k); k < part.hi.k; ++k)
    for (int j = static_cast<int>(part.lo.j); j < part.hi.j; ++j)
      for (int i = static_cast<int>(part.lo.i); i < part.hi.i; ++i) f(k, j, i);
}

/// Calls f(slot, k, j) for the rows of this rank's tiles, tile after tile by slot.
template <class F>
void for_own_rows(Layout const& layout, F&& f) {
  for (int slot = 0; slot < layout.tiles(); ++slot) for_rows(layout.info(slot), [&](int k, int j) { f(slot, k, j); });
}

/// Calls f(slot, k, j, i) for the cells of this rank's tiles, tile after tile by slot.
template <class F>
void for_own_cells(Layout const& layout, F&& f) {
  for (int slot = 0; slot < layout.tiles(); ++slot)
    for_cells(layout.info(slot), [&](int k, int j, int i) { f(slot, k, j, i); });
}

/// The same for those that lie in `box`, a box of the grid.
template <class F>
void for_own_cells(Layout const& layout, Box const& box, F&& f) {
  for (int slot = 0; slot < layout.tiles(); ++slot)
    for_cells(layout.info(slot), box, [&](int k, int j, int i) { f(slot, k, j, i); });
}

}  // namespace tessera::core
