// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/comm/slowdown.hpp"
#include "core/grid/layout.hpp"
#include "core/grid/pipeline.hpp"
#include "core/times.hpp"
#include "solvers/dic/wavefront_window.hpp"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace tessera::solvers {

/// A cell's place in a tile.
struct TileCell {
  int k, j, i;
};
KOKKOS_INLINE_FUNCTION int cells_along(core::TileInfo const& t, int axis) {
  return axis == 0 ? t.ni : axis == 1 ? t.nj : t.nk;
}
KOKKOS_INLINE_FUNCTION int face_cells(core::TileInfo const& t, int axis) {
  return axis == 0 ? t.nj * t.nk : axis == 1 ? t.ni * t.nk : t.ni * t.nj;
}
/// TileCell c, in raster order, of the layer across an axis that lies `at` cells from the tile's first.
KOKKOS_INLINE_FUNCTION TileCell face_cell(core::TileInfo const& t, int axis, int at, int c) {
  int const n = axis == 0 ? t.nj : t.ni, a = c % n, b = c / n;
  return axis == 0 ? TileCell{b, a, at} : axis == 1 ? TileCell{b, at, a} : TileCell{at, b, a};
}

/// Runs work over tiles in natural order: a tile starts when its neighbours on the west, south and down side (`up`), or
/// on the east, north and up side (`down`) are finished and their edge values have come. Work that is sequential from
/// cell to cell in row order so gives the same result as one sweep over the whole grid, whatever the tiles, ranks and
/// owners are.
///
/// Values pass from tile to tile through buffers of `values` doubles a cell of the common face: value v of face cell c at
/// [v * cells + c]; c counts in raster order over the other two axes (x face: j + nj k; y face: i + ni k; z face:
/// i + ni j). Between tiles of one rank nothing is copied: the `out` buffer of a tile is the `in` buffer of the next. To
/// other ranks goes one message a face, sent as soon as its tile is finished. Periodic axes are cut at the border of the
/// grid.
///
/// The order of the own tiles is fixed once: all ranks work out the same turns (wavefront_order.hpp), so no rank can wait for
/// ever. A rank that computes on a device takes all ready tiles in one. Building: about 1 us a tile of the grid; collective.
class Wavefront {
 public:
  enum class Direction { up, down };
  Wavefront(core::Layout const& layout, Direction direction, int values);

  /// Calls work(slot) once for each own tile; collective. Before the call in(slot, axis) is filled, and work fills
  /// out(slot, axis).
  template <class F>
  void run(F const& work) {
    begin();
    for (int slot : order_) {
      wait_for(slot);
      {
        core::Sweep const sweep;
        work(slot);
      }
      send(slot);
    }
    finish_sends();
  }

  /// The same for work on a tile that touches nothing else but `out` of the tile, so that threads share the tiles: those
  /// of a single rank. Several ranks, whose tiles wait for messages, have one thread each here.
  template <class F>
  void run_on_threads(char const* label, F const& work) {
    if (layout_.comm().size() > 1 || core::host_threads() == 1) return run(work);
    core::Sweep const sweep;
    std::vector<int> turn(order_.size());
    for (int n = 0; n < layout_.tiles(); ++n) turn[order_[n]] = n;
    threads_.run(label, layout_.tiles(), layout_.cells(), [&](int n) {
      int const slot = order_[n];
      for (int axis = 0; axis < 3; ++axis)
        if (int const before = neighbour(layout_.info(slot).tile, axis, -ahead_); before >= 0)
          threads_.wait_for(turn[layout_.slot(before)], core::Pipeline::done);
      work(slot);
    });
  }

  /// For work on several tiles at once: calls work(turn) for each turn of the own tiles, in order; those of one turn need nothing of
  /// each other. On a device all tiles that may begin are one turn; on a host each tile is. Collective.
  template <class F>
  void run_by_turns(F const& work) {
    begin();
    for (int turn = 0; turn < turns(); ++turn) {
      for (int slot : this->turn(turn)) wait_for(slot);
      work(turn);
      for (int slot : this->turn(turn)) send(slot);
    }
    finish_sends();
  }
  int turns() const { return static_cast<int>(turn_ends_.size()); }
  /// The slots of a turn.
  std::span<int const> turn(int turn) const {
    std::size_t const first = turn == 0 ? 0 : turn_ends_[turn - 1];
    return {order_.data() + first, turn_ends_[turn] - first};
  }
  /// The rank of the tile before, or behind, on this axis; -1: this rank, or none.
  int rank_before(int slot, int axis) const { return at(slot).in_rank[axis]; }
  int rank_behind(int slot, int axis) const { return at(slot).out_rank[axis]; }
  /// The slot of the tile behind; -1: another rank has it, or there is none.
  int slot_behind(int slot, int axis) const {
    int const tile = neighbour(layout_.info(slot).tile, axis, ahead_);
    return tile < 0 ? -1 : layout_.slot(tile);
  }

  /// What the tile before on this axis sent, valid until the next run; empty at the border of the grid.
  std::span<double const> in(int slot, int axis) const { return at(slot).in[axis]; }
  /// What goes to the tile behind on this axis; empty at the border of the grid.
  std::span<double> out(int slot, int axis) { return at(slot).out[axis]; }

  /// Own slots in the order they run.
  std::vector<int> const& order() const { return order_; }

 private:
  struct Edges {
    std::array<std::span<double const>, 3> in;
    std::array<std::span<double>, 3> out;
    std::array<int, 3> in_rank{-1, -1, -1}, out_rank{-1, -1, -1};  // -1: border, or a tile of this rank
    std::array<int, 3> out_tag{};
    bool remote = false;
    std::array<int, 3> in_shared{-1, -1, -1}, out_shared{-1, -1, -1};  // -1: by message; number in the window
    std::array<std::span<double>, 3> received;                         // where messages go
    core::Requests receives;
  };
  Edges& at(int slot) { return edges_[slot]; }
  Edges const& at(int slot) const { return edges_[slot]; }
  int neighbour(int tile, int axis, int towards) const;
  std::size_t edge_values(int slot, int axis) const;
  void make_edges();
  void open_window();
  void make_buffers();
  void make_order();
  void begin();
  void wait_for(int slot);
  void send(int slot);
  void finish_sends();

  core::Layout const& layout_;
  int ahead_;  // +1: up, -1: down
  int values_;
  std::vector<Edges> edges_;
  std::unique_ptr<WavefrontWindow> window_;  // none if no edge leads to a rank of this node
  std::vector<double> buffers_;
  std::vector<int> order_;
  std::vector<std::size_t> turn_ends_;  // in order_
  core::Requests sends_;
  core::Pipeline threads_;
};

}  // namespace tessera::solvers
