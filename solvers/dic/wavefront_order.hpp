// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who goes through which tile of a wavefront when: pure arithmetic on a grid and its owners.
#include "core/grid/grid.hpp"

#include <functional>
#include <span>
#include <vector>

namespace tessera::solvers {

/// The tile before (towards -1) or behind (1) on an axis; -1 at the border of the grid.
int tile_beside(core::Grid const& grid, int tile, int axis, int towards);

/// Tiles that a rank begins together: one on a host, all that may begin on a device.
struct WavefrontTurn {
  int rank;
  std::vector<int> tiles;
};

/// The turns of all ranks in which tiles are gone through so that each comes after its neighbours on the west, south and down
/// side (`ahead` 1), or on the east, north and up side (-1). A rank takes of its ready tiles the one nearest to a tile of
/// another rank that waits for it, as in a schedule in which all cells take the same time.
/// owners: a rank for each tile; takes_all[rank]: not 0 for a rank that takes all ready tiles at once.
/// Turns are told as they begin, so no tile comes before one that it waits for. Such an order exists for every owner table.
/// Cost: about 1 us a tile.
std::vector<WavefrontTurn> wavefront_turns(core::Grid const& grid, std::span<int const> owners, int ahead,
                                           std::span<int const> takes_all);

/// Seconds until the last tile is done, where tile t takes tile_seconds(t) and what it hands on from rank a to another rank b
/// is on its way for latency(a, b). A turn takes as long as its tiles one after the other.
double wavefront_seconds(core::Grid const& grid, std::span<int const> owners, int ahead,
                         std::vector<WavefrontTurn> const& turns, std::function<double(int)> const& tile_seconds,
                         std::function<double(int, int)> const& latency);

}  // namespace tessera::solvers
