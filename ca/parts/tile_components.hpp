// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/seams.hpp"

namespace tessera::ca::components {

/// The components of one tile, and of its ring where it has one: of each run, and what is known of each component.
struct TileComponents {
  Runs runs;
  std::vector<Id> of;                 ///< component of each run, numbered from 0 in raster order of their first cells
  std::vector<std::uint32_t> column;  ///< of each component: first bit, where measured
  std::vector<Id> up_to_row;          ///< number of components up to and with each row, where measured
  std::vector<std::uint32_t> cells;   ///< of each component, where measured
  std::vector<std::uint8_t> flags;    ///< of each component: 0, set by others
  std::vector<Id> border;             ///< of each component: number of the border component + 1, 0 if it stays here
  Id borders = 0;                     ///< number of border components

  Id count() const { return static_cast<Id>(border.size()); }
};

/// What find_components finds out about each component besides which it is: the time of `none`, `first`,
/// `first_and_cells` is about as 1 to 1.2 to 1.6.
enum class Measure { none, first, first_and_cells };

/// Components of the set bits of a tile, with 4 or 8 neighbours. Cells are counted on tiles without a ring.
/// Memory: 4 B a run and 5 (none), 9 (first) or 13 B a component: near the percolation threshold 1.1 to 1.4 B a cell.
void find_components(BitTile const& bits, bool eight, Measure measure, TileComponents& result);

/// Numbers the components that touch the tile's edge, or its ring, and fills what the seams need of them, with the
/// flags as they are now. Without a ring the strips `halo` stay empty.
void list_borders(BitTile const& bits, core::TileInfo const& info, core::Grid const& grid, TileComponents& tile,
                  SeamTile& seam);

/// 1 + the number in the grid of the first cell of each component, of the whole of it after the seams are joined.
/// Of tiles without a ring, where measured. Label: int32 or int64.
template <class Label>
void first_cells(TileComponents const& tile, core::TileInfo const& info, core::Grid const& grid, Seams const& seams,
                 int slot, std::vector<Label>& first);

/// The same number for components of a tile that are one over the seams, by component: own ones below count(),
/// joined ones above.
void codes(TileComponents const& tile, Seams const& seams, int slot, std::vector<Id>& code);

/// The flags of each component of a tile, over all ranks.
void whole_flags(TileComponents const& tile, Seams const& seams, int slot, std::vector<std::uint8_t>& flags);

/// Number of components over all ranks; a component cut by seams counts once. Collective.
std::int64_t count_components(std::vector<TileComponents> const& tiles, Seams const& seams, core::Comm const& comm);

}  // namespace tessera::ca::components
