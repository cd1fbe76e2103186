// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/cell_mail.hpp"

#include <map>

namespace tessera::ca::graph {

CellMail::CellMail(core::Layout const& layout)
    : layout_(layout),
      outbox_(static_cast<std::size_t>(layout.tiles())),
      inbox_(outbox_.size()) {}

void CellMail::post(int from_slot, core::Index cell, std::int32_t value) {
  core::Grid const& grid = layout_.grid();
  auto const n = grid.cells();
  auto const wrap = [&](core::Count x, std::size_t axis) { return (x + n[axis]) % n[axis]; };
  core::Index const x{wrap(cell.i, 0), wrap(cell.j, 1), wrap(cell.k, 2)};
  int const tile = grid.tile_of(x);
  core::Index const local = x - grid.tile_box(tile).lo;
  outbox_[from_slot].push_back(
      {tile, static_cast<int>(local.k), static_cast<int>(local.j), static_cast<int>(local.i), value});
}

bool CellMail::deliver() {
  for (auto& box : inbox_) box.clear();
  core::Comm const& comm = layout_.comm();
  bool any = false;
  std::map<int, core::Bytes> away;
  for (auto& box : outbox_) {
    for (Letter const& letter : box) {
      any = true;
      int const owner = layout_.owner(letter.tile);
      if (owner == comm.rank())
        inbox_[layout_.slot(letter.tile)].push_back(letter);
      else
        core::append(away[owner], letter);
    }
    box.clear();
  }
  if (comm.size() == 1) return any;
  if (!comm.any(any)) return false;
  for (auto const& [from, data] : comm.exchange(away))
    for (core::ByteReader reader(data); !reader.done();) {
      auto const letter = reader.take<Letter>();
      inbox_[layout_.slot(letter.tile)].push_back(letter);
    }
  return true;
}

}  // namespace tessera::ca::graph
