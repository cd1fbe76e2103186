// SPDX-License-Identifier: Apache-2.0
#include "solvers/dic/wavefront.hpp"

#include "core/comm/node.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "solvers/dic/wavefront_order.hpp"

#include <tuple>
#include <utility>

namespace tessera::solvers {

Wavefront::Wavefront(core::Layout const& layout, Direction direction, int values)
    : layout_(layout),
      ahead_(direction == Direction::up ? 1 : -1),
      values_(values) {
  make_edges();
  open_window();
  make_buffers();
  make_order();
}

int Wavefront::neighbour(int tile, int axis, int towards) const {
  return tile_beside(layout_.grid(), tile, axis, towards);
}

void Wavefront::make_edges() {
  auto const& grid = layout_.grid();
  int const me = layout_.comm().rank();
  // the slot of every tile on its owner: it makes the tag that owner expects
  std::vector<int> slot_there(grid.tiles());
  std::vector<int> tiles_of(layout_.comm().size());
  for (int t = 0; t < grid.tiles(); ++t) slot_there[t] = tiles_of[layout_.owner(t)]++;

  edges_.resize(layout_.tiles());
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int axis = 0; axis < 3; ++axis) {
      std::size_t const a = static_cast<std::size_t>(axis);
      int const tile = layout_.info(slot).tile;
      int const before = neighbour(tile, axis, -ahead_), behind = neighbour(tile, axis, ahead_);
      if (before >= 0 && layout_.owner(before) != me) at(slot).in_rank[a] = layout_.owner(before);
      if (behind >= 0 && layout_.owner(behind) != me) {
        at(slot).out_rank[a] = layout_.owner(behind);
        at(slot).out_tag[a] = 3 * slot_there[behind] + axis;
      }
      at(slot).remote = at(slot).remote || at(slot).in_rank[a] >= 0 || at(slot).out_rank[a] >= 0;
    }
}

std::size_t Wavefront::edge_values(int slot, int axis) const {
  return static_cast<std::size_t>(values_ * face_cells(layout_.info(slot), axis));
}

void Wavefront::open_window() {
  core::Node* const node = core::node_of(layout_.comm());
  if (node == nullptr || core::messages_alone()) return;
  std::vector<WavefrontWindow::Out> outs;
  std::vector<WavefrontWindow::In> ins;
  auto const shared = [&](int rank) { return rank >= 0 && node->shares_halos(rank); };
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int axis = 0; axis < 3; ++axis) {
      std::size_t const a = static_cast<std::size_t>(axis);
      Edges& edges = at(slot);
      if (shared(edges.in_rank[a])) {
        edges.in_shared[a] = static_cast<int>(ins.size());
        ins.push_back({edges.in_rank[a], 3 * slot + axis});
      }
      if (shared(edges.out_rank[a])) {
        edges.out_shared[a] = static_cast<int>(outs.size());
        outs.push_back({edges.out_rank[a], edges.out_tag[a], edge_values(slot, axis)});
      }
    }
  window_ = WavefrontWindow::open(*node, outs, ins);
  if (window_) return;
  if (core::transport() == core::Transport::shared_memory)
    throw core::RunError("no room in /dev/shm for what tiles of ranks of a node hand on; leave it to 'transport auto'");
  for (Edges& edges : edges_) edges.in_shared = edges.out_shared = {-1, -1, -1};
}

void Wavefront::make_buffers() {
  std::size_t total = 0;
  std::vector<std::tuple<int, int, bool, std::size_t>> places;  // slot, axis, in, first
  auto const reserve = [&](int slot, int axis, bool in) {
    places.emplace_back(slot, axis, in, total);
    total += edge_values(slot, axis);
  };
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int axis = 0; axis < 3; ++axis) {
      std::size_t const a = static_cast<std::size_t>(axis);
      if (neighbour(layout_.info(slot).tile, axis, -ahead_) >= 0 && at(slot).in_shared[a] < 0)
        reserve(slot, axis, true);
      if (at(slot).out_rank[a] >= 0 && at(slot).out_shared[a] < 0) reserve(slot, axis, false);
    }
  buffers_.assign(total, 0.0);
  for (auto const& [slot, axis, is_in, first] : places) {
    std::span<double> const buffer(buffers_.data() + first, edge_values(slot, axis));
    (is_in ? at(slot).received : at(slot).out)[axis] = buffer;
  }
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int axis = 0; axis < 3; ++axis) {
      std::size_t const a = static_cast<std::size_t>(axis);
      int const from = at(slot).in_shared[a];
      at(slot).in[a] = from >= 0 ? window_->latest(static_cast<std::size_t>(from)) : at(slot).received[a];
      // between own tiles the `out` buffer of one is the `in` buffer of the next
      int const behind = neighbour(layout_.info(slot).tile, axis, ahead_);
      if (behind >= 0 && at(slot).out_rank[a] < 0) at(slot).out[a] = at(layout_.slot(behind)).received[a];
    }
}

void Wavefront::make_order() {
  std::vector<int> const takes_all = layout_.comm().gather(core::on_host ? 0 : 1);
  for (auto const& turn : wavefront_turns(layout_.grid(), layout_.owners(), ahead_, takes_all)) {
    if (turn.rank != layout_.comm().rank()) continue;
    for (int const tile : turn.tiles) order_.push_back(layout_.slot(tile));
    turn_ends_.push_back(order_.size());
  }
}

void Wavefront::begin() {
  if (window_) window_->begin();
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (int const from = at(slot).in_rank[axis]; from >= 0 && at(slot).in_shared[axis] < 0)
        layout_.comm().start_receive(from, std::as_writable_bytes(at(slot).received[axis]),
                                     core::Tag::wavefront + (3 * slot + static_cast<int>(axis)), at(slot).receives);
}

void Wavefront::wait_for(int slot) {
  Edges& edges = at(slot);
  if (!edges.remote) return;
  if (!edges.receives.empty()) {
    core::Timed const timed(core::Part::halo);
    core::Comm::wait_all(edges.receives);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (int const n = edges.in_shared[axis]; n >= 0) edges.in[axis] = window_->read(static_cast<std::size_t>(n));
    if (int const n = edges.out_shared[axis]; n >= 0) edges.out[axis] = window_->write(static_cast<std::size_t>(n));
  }
}

void Wavefront::send(int slot) {
  Edges const& edges = at(slot);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (int const n = edges.out_shared[axis]; n >= 0)
      window_->publish(static_cast<std::size_t>(n));
    else if (int const to = edges.out_rank[axis]; to >= 0)
      layout_.comm().start_send(to, std::as_bytes(edges.out[axis]), core::Tag::wavefront + edges.out_tag[axis], sends_);
}

void Wavefront::finish_sends() {
  if (sends_.empty()) return;
  core::Timed const timed(core::Part::halo);
  core::Comm::wait_all(sends_);
}

}  // namespace tessera::solvers
