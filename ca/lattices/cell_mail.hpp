// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"

#include <cstdint>
#include <vector>

namespace tessera::ca::graph {

/// Numbers sent to single cells of other tiles, for work lists that cross tiles: what is sent grows with what happens at
/// the tiles' edges, not with the edges.
///
/// Tiles post while they are worked on (in parallel: each has an outbox of its own); `deliver` brings the letters of all
/// ranks to the tiles that own the cells. 20 B a letter.
class CellMail {
 public:
  struct Letter {
    int tile;
    int k, j, i;  ///< local position of the cell in that tile
    std::int32_t value;
  };

  explicit CellMail(core::Layout const& layout);

  /// To a cell given by its position in the grid; on a periodic axis it may lie outside.
  void post(int from_slot, core::Index cell, std::int32_t value);
  /// Collective. Returns whether any letter was delivered on any rank; inboxes hold those of this time only.
  bool deliver();
  std::vector<Letter> const& inbox(int slot) const { return inbox_[slot]; }

 private:
  core::Layout const& layout_;
  std::vector<std::vector<Letter>> outbox_, inbox_;
};

}  // namespace tessera::ca::graph
