// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/shell.hpp"

#include "ca/parts/tile_parts.hpp"

#include <algorithm>

namespace tessera::ca::parts {

core::Box Shell::box(int side) const {
  core::Box slab{{}, cells};
  core::Count const n = along(cells, side / 2), deep = std::min(n, along(reach, side / 2));
  if (side % 2 == 0)
    along(slab.hi, side / 2) = deep;
  else
    along(slab.lo, side / 2) = n - deep;
  return slab;
}

Shell::Row Shell::row(core::Count j, core::Count k) const {
  auto const in_slab = [&](int side) -> Id const* {
    auto const& numbers = slab[static_cast<std::size_t>(side)];
    core::Box const where = box(side);
    if (numbers.empty() || !where.contains({where.lo.i, j, k})) return nullptr;
    core::Index const n = where.shape();
    return numbers.data() + ((k - where.lo.k) * n.j + j - where.lo.j) * n.i;
  };
  Row row{nullptr, in_slab(0), in_slab(1), box(0).hi.i, box(1).lo.i};
  for (int side = 2; side < 6 && row.whole == nullptr; ++side) row.whole = in_slab(side);
  return row;
}

std::size_t Shell::bytes() const {
  std::size_t sum = 0;
  for (auto const& numbers : slab) sum += numbers.capacity() * sizeof(Id);
  return sum;
}

void fill_shell(TileParts& tile, core::Grid const& grid, core::TileInfo const& info, core::Index const& reach) {
  Shell& shell = tile.shell;
  shell.cells = {info.ni, info.nj, info.nk};
  shell.reach = reach;
  core::Index const position = grid.tile_position(info.tile);
  for (int side = 0; side < 6; ++side) {
    auto& numbers = shell.slab[static_cast<std::size_t>(side)];
    numbers.clear();
    int const axis = side / 2;
    bool const round = grid.periodic(axis) && !grid.thin(axis);
    if (!round && (side % 2 == 1 ? along(position, axis) + 1 == grid.tile_lattice()[axis] : along(position, axis) == 0))
      continue;
    core::Box const box = shell.box(side);
    numbers.reserve(static_cast<std::size_t>(box.cells()));
    for (core::Count k = box.lo.k; k < box.hi.k; ++k)
      for (core::Count j = box.lo.j; j < box.hi.j; ++j) {
        int const r = static_cast<int>(k * info.nj + j);
        for (int i = static_cast<int>(box.lo.i); i < static_cast<int>(box.hi.i); ++i)
          numbers.push_back(tile.bits.test(r, i) ? border_of(tile, tile.of[tile.runs.at(r, i)]) : 0);
      }
  }
}

}  // namespace tessera::ca::parts
