// SPDX-License-Identifier: Apache-2.0
#include "core/grid/layout.hpp"

#include "core/error.hpp"
#include "core/grid/upload.hpp"

#include <fmt/format.h>
#include <numeric>

namespace tessera::core {

Layout::Layout(std::shared_ptr<Grid const> grid, std::vector<int> owners, Comm comm)
    : grid_(std::move(grid)),
      owners_(std::move(owners)),
      comm_(comm) {
  // without owners nothing is laid out here
  if (!owners_.empty() && owners_.size() != static_cast<std::size_t>(grid_->tiles()))
    throw Error(fmt::format("the owner table has {} entries, expected one for each of {} tiles", owners_.size(),
                            grid_->tiles()));
  slot_of_.assign(owners_.size(), -1);
  for (int tile = 0; tile < static_cast<int>(owners_.size()); ++tile) {
    int const rank = owner(tile);
    if (rank < 0 || rank >= comm_.size())
      throw Error(fmt::format("tile {} is given to rank {}, expected 0 .. {}", tile, rank, comm_.size() - 1));
    if (rank != comm_.rank()) continue;
    Box const box = grid_->tile_box(tile);
    Index const n = box.shape();
    slot_of_[tile] = tiles();
    info_.push_back(
        {tile, static_cast<int>(n.i), static_cast<int>(n.j), static_cast<int>(n.k), box.lo.i, box.lo.j, box.lo.k});
    cells_ += box.cells();
  }
  device_info_ = upload("tile info", info_);
  std::vector<int> every(info_.size());
  std::iota(every.begin(), every.end(), 0);
  all_ = select(every);
}

int Layout::slot(int tile) const { return slot_of_.empty() ? -1 : slot_of_[tile]; }

Tiles Layout::select(std::vector<int> const& slots) const {
  auto const shape = grid_->tile();
  return {device_info_, upload("tile slots", slots), static_cast<int>(shape[1]), static_cast<int>(shape[1] * shape[2]),
          static_cast<int>(shape[0])};
}

std::vector<int> block_owners(int tiles, int ranks) {
  std::vector<int> owners(tiles);
  for (int t = 0; t < tiles; ++t) owners[t] = static_cast<int>(static_cast<std::int64_t>(t) * ranks / tiles);
  return owners;
}

}  // namespace tessera::core
