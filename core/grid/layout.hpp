// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/grid/grid.hpp"

#include <Kokkos_Core.hpp>
#include <memory>
#include <vector>

namespace tessera::core {

/// Where a tile lies: number in the grid, first cell, and cells per axis (edge tiles have fewer than the tile shape).
struct TileInfo {
  int tile;
  int ni, nj, nk;
  Count i0, j0, k0;
  KOKKOS_FUNCTION Index global(int k, int j, int i) const { return {i0 + i, j0 + j, k0 + k}; }
};

/// A list of tiles of this rank to loop over, by slot; readable on the device.
struct Tiles {
  Kokkos::View<TileInfo const*> info;  ///< of all slots
  Kokkos::View<int const*> slots;
  int rows_y = 0, rows = 0;  ///< rows of the tile shape: along y, and in all
  int row_cells = 0;         ///< of the tile shape
  int count() const { return static_cast<int>(slots.extent(0)); }
};

/// Which rank owns which tile, as seen by one rank. Owners are arbitrary (any tile to any rank).
/// The rank's own tiles have slots 0 .. tiles() - 1 in the order of their numbers; fields are stored by slot.
class Layout {
 public:
  /// `owners`: a rank for each tile, equal on all ranks; or none: fields then have no cells. Throws Error if wrong.
  Layout(std::shared_ptr<Grid const> grid, std::vector<int> owners, Comm comm);
  Layout(Layout const&) = delete;
  Layout& operator=(Layout const&) = delete;

  Grid const& grid() const { return *grid_; }
  std::shared_ptr<Grid const> shared_grid() const { return grid_; }
  Comm const& comm() const { return comm_; }
  std::vector<int> const& owners() const { return owners_; }
  int owner(int tile) const { return owners_[tile]; }

  int tiles() const { return static_cast<int>(info_.size()); }
  TileInfo const& info(int slot) const { return info_[slot]; }
  /// Slot of a tile, -1 if another rank owns it.
  int slot(int tile) const;
  Count cells() const { return cells_; }  ///< owned by this rank

  Tiles const& all() const { return all_; }
  Tiles select(std::vector<int> const& slots) const;

 private:
  std::shared_ptr<Grid const> grid_;
  std::vector<int> owners_;
  Comm comm_;
  std::vector<TileInfo> info_;
  std::vector<int> slot_of_;
  Count cells_ = 0;
  Kokkos::View<TileInfo const*> device_info_;
  Tiles all_;
};

/// Owners in contiguous blocks of tile numbers with nearly equal numbers of tiles: the simplest partition.
std::vector<int> block_owners(int tiles, int ranks);

}  // namespace tessera::core
