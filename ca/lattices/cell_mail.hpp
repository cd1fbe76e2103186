// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"

#include <map>
#include <vector>

namespace tessera::ca::graph {

/// Numbers sent to single cells of other tiles, for work lists that cross tiles: what is sent grows with what happens at
/// the tiles' edges, not with the edges.
///
/// Tiles post while they are worked on (in parallel: each has an outbox of its own); `deliver` brings the letters of all
/// ranks to the tiles that own the cells. 16 B a letter and its value.
template <core::Copyable Value>
class CellMail {
 public:
  struct Letter {
    int tile;
    int k, j, i;  ///< local position of the cell in that tile
    Value value;
  };

  explicit CellMail(core::Layout const& layout)
      : layout_(layout),
        outbox_(static_cast<std::size_t>(layout.tiles())),
        inbox_(outbox_.size()) {}

  /// To a cell given by its position in the grid; on a periodic axis it may lie outside.
  void post(int from_slot, core::Index cell, Value value);
  /// Collective. Returns whether any letter was delivered on any rank; inboxes hold those of this time only.
  bool deliver();
  std::vector<Letter> const& inbox(int slot) const { return inbox_[slot]; }

 private:
  core::Layout const& layout_;
  std::vector<std::vector<Letter>> outbox_, inbox_;
};

template <core::Copyable Value>
void CellMail<Value>::post(int from_slot, core::Index cell, Value value) {
  core::Grid const& grid = layout_.grid();
  auto const n = grid.cells();
  auto const wrap = [&](core::Count x, std::size_t axis) { return (x % n[axis] + n[axis]) % n[axis]; };
  core::Index const x{wrap(cell.i, 0), wrap(cell.j, 1), wrap(cell.k, 2)};
  int const tile = grid.tile_of(x);
  core::Index const local = x - grid.tile_box(tile).lo;
  outbox_[from_slot].push_back(
      {tile, static_cast<int>(local.k), static_cast<int>(local.j), static_cast<int>(local.i), value});
}

template <core::Copyable Value>
bool CellMail<Value>::deliver() {
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
