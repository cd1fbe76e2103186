// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/record.hpp"
#include "core/grid/layout.hpp"

#include <array>
#include <vector>

namespace tessera::ca::parts {

struct TileParts;

/// The cells of a tile from which steps of some length may leave it: a slab at each face where there is another tile, as deep
/// as the steps reach. A number a cell: border part + 1, or 0.
struct Shell {
  core::Index cells, reach;             ///< of the tile; of the steps
  std::array<std::vector<Id>, 6> slab;  ///< by core::Side, in raster order; empty: nothing beyond that face

  /// The cells of a slab, counted from the tile's first one.
  core::Box box(int side) const;
  /// A row of the tile, as far as slabs hold it.
  struct Row {
    Id const *whole, *low, *high;  ///< the whole row, or its first and its last cells; nullptr: not there
    core::Count deep, last;        ///< cells of `low`; the first cell of `high`
    Id operator[](core::Count i) const {
      if (whole != nullptr) return whole[i];
      if (low != nullptr && i < deep) return low[i];
      return high != nullptr && i >= last ? high[i - last] : 0;
    }
  };
  Row row(core::Count j, core::Count k) const;
  std::size_t bytes() const;
};

/// Fills the shell of a tile and numbers its border parts.
void fill_shell(TileParts& tile, core::Grid const& grid, core::TileInfo const& info, core::Index const& reach);

}  // namespace tessera::ca::parts
