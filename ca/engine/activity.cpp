// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/activity.hpp"

#include <algorithm>

namespace tessera::ca {
namespace {

using core::Count;

std::shared_ptr<core::Grid const> grid_of_tiles(core::Grid const& grid) {
  return std::make_shared<core::Grid const>(
      core::Grid::unit(grid.tile_lattice(), {1, 1, 1}, {grid.periodic(0), grid.periodic(1), grid.periodic(2)}));
}

/// Tiles that lie within `reach` cells of one; those at the end of an axis may be narrow.
int tiles_seen(core::Grid const& grid, Count reach) {
  Count most = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    Count const width = grid.tile()[a], last = (grid.cells()[a] - 1) % width + 1;
    if (grid.tile_lattice()[a] > 1) most = std::max(most, 1 + (std::max<Count>(reach - last, 0) + width - 1) / width);
  }
  return static_cast<int>(most);
}

}  // namespace

Activity::Activity(core::Layout const& layout, int reach)
    : layout_(grid_of_tiles(layout.grid()), layout.owners(), layout.comm()),
      moved_("tiles that moved", layout_, tiles_seen(layout.grid(), reach)),
      halo_(layout_, moved_.halo()) {}

void Activity::wake() { generations_ = 0; }

void Activity::begin(int generations) {
  if (generations_ == 0 || generations % generations_ != 0)
    for (int slot = 0; slot < layout_.tiles(); ++slot) moved(slot, true);
  generations_ = generations;
  halo_.exchange(moved_);
}

bool Activity::rests(int slot) const {
  auto const moved = moved_.host();
  auto const& grid = layout_.grid();
  int const di = grid.thin(0) ? 0 : moved_.halo(), dj = grid.thin(1) ? 0 : moved_.halo();
  for (int j = -dj; j <= dj; ++j)
    for (int i = -di; i <= di; ++i)
      if (moved(slot, 0, j, i) != 0) return false;
  return true;
}

}  // namespace tessera::ca
