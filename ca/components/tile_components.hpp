// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/components/seams.hpp"

namespace tessera::ca::components {

/// The components of one tile and its ring: of each run, and what is known of each.
struct TileComponents {
  Runs runs;
  std::vector<Id> of;          ///< component of each run, numbered from 0 in raster order of their first cells
  std::vector<Record> record;  ///< of each component; `first` and `cells` where `measured`
  std::vector<Id> border;      ///< of each component: number of the border component + 1, 0 if it stays in the tile
  Id borders = 0;              ///< number of border components

  Id count() const { return static_cast<Id>(border.size()); }
};

/// What find_components finds out about each component besides which it is: the time of `none`, `first`,
/// `first_and_cells` is about as 1 to 1.2 to 1.6.
enum class Measure { none, first, first_and_cells };

/// Components of the set bits of a tile and its ring, with 4 or 8 neighbours.
/// `info` and `grid` number the cells for Record::first; Record::cells counts cells of the tile without the ring.
/// Memory: 4 B a run and 48 B a component, near the percolation threshold about 3 B a cell.
void find_components(BitTile const& bits, bool eight, Measure measure, core::TileInfo const& info,
                     core::Grid const& grid, TileComponents& result);

/// Numbers the components that touch the tile's edge or its ring, and fills what the seams need of them, with the
/// records as they are now.
void list_borders(BitTile const& bits, TileComponents& tile, SeamTile& seam);

/// The same number for components of a tile that are one over the seams, by component: own ones below count(),
/// joined ones above.
std::vector<Id> codes(TileComponents const& tile, Seams const& seams, int slot);

/// Number of components over all ranks, and the largest Record::cells; a component cut by seams counts once.
/// Collective.
std::int64_t count_components(std::vector<TileComponents> const& tiles, Seams const& seams, core::Comm const& comm);
std::int64_t largest_component(std::vector<TileComponents> const& tiles, Seams const& seams, core::Comm const& comm);

}  // namespace tessera::ca::components
