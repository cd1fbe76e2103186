// SPDX-License-Identifier: Apache-2.0
#include "solvers/wavefront.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace tessera::solvers {

namespace {

/// Cells of the face of a tile across an axis.
std::size_t face_cells(core::Grid const& grid, int tile, int axis) {
  core::Index const n = grid.tile_box(tile).shape();
  return static_cast<std::size_t>(axis == 0 ? n.j * n.k : axis == 1 ? n.i * n.k : n.i * n.j);
}

}  // namespace

Wavefront::Wavefront(core::Layout const& layout, Direction direction, int values)
    : layout_(layout),
      ahead_(direction == Direction::up ? 1 : -1),
      values_(values) {
  make_edges();
  make_order();
}

int Wavefront::neighbour(int tile, int axis, int towards) const {
  auto const& grid = layout_.grid();
  core::Index p = grid.tile_position(tile);
  core::Count& x = axis == 0 ? p.i : axis == 1 ? p.j : p.k;
  x += towards;
  return x < 0 || x >= grid.tile_lattice()[static_cast<std::size_t>(axis)] ? -1 : grid.tile_number(p);
}

void Wavefront::make_edges() {
  auto const& grid = layout_.grid();
  int const me = layout_.comm().rank();
  // the slot of every tile on its owner: it makes the tag that owner expects
  std::vector<int> slot_there(static_cast<std::size_t>(grid.tiles()));
  std::vector<int> tiles_of(static_cast<std::size_t>(layout_.comm().size()));
  for (int t = 0; t < grid.tiles(); ++t)
    slot_there[static_cast<std::size_t>(t)] = tiles_of[static_cast<std::size_t>(layout_.owner(t))]++;

  edges_.resize(static_cast<std::size_t>(layout_.tiles()));
  auto const length = [&](int tile, int axis) {
    return static_cast<std::size_t>(values_) * face_cells(grid, tile, axis);
  };
  std::size_t total = 0;
  std::vector<std::tuple<int, int, bool, std::size_t>> places;  // slot, axis, in, first
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int axis = 0; axis < 3; ++axis) {
      int const tile = layout_.info(slot).tile;
      int const before = neighbour(tile, axis, -ahead_), behind = neighbour(tile, axis, ahead_);
      bool const remote = behind >= 0 && layout_.owner(behind) != me;
      if (before >= 0) {
        places.emplace_back(slot, axis, true, total);
        total += length(tile, axis);
        if (layout_.owner(before) != me) at(slot).in_rank[static_cast<std::size_t>(axis)] = layout_.owner(before);
      }
      if (remote) {
        places.emplace_back(slot, axis, false, total);
        total += length(tile, axis);
        at(slot).out_rank[static_cast<std::size_t>(axis)] = layout_.owner(behind);
        at(slot).out_tag[static_cast<std::size_t>(axis)] = 3 * slot_there[static_cast<std::size_t>(behind)] + axis;
      }
    }
  buffers_.assign(total, 0.0);
  for (auto const& [slot, axis, is_in, first] : places) {
    std::span<double> const buffer(buffers_.data() + first, length(layout_.info(slot).tile, axis));
    (is_in ? at(slot).in : at(slot).out)[static_cast<std::size_t>(axis)] = buffer;
  }
  // between own tiles, out of the one is in of the other
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int axis = 0; axis < 3; ++axis) {
      int const behind = neighbour(layout_.info(slot).tile, axis, ahead_);
      if (behind >= 0 && layout_.owner(behind) == me)
        at(slot).out[static_cast<std::size_t>(axis)] = at(layout_.slot(behind)).in[static_cast<std::size_t>(axis)];
    }
}

void Wavefront::make_order() {
  auto const& grid = layout_.grid();
  auto const index = [](int n) { return static_cast<std::size_t>(n); };
  int const tiles = grid.tiles(), first = ahead_ > 0 ? 0 : tiles - 1;
  // steps to the nearest tile of another rank that waits for this one; tile numbers are a topological order
  constexpr int far = std::numeric_limits<int>::max();
  std::vector<int> distance(index(tiles), far), missing(index(tiles), 0);
  for (int n = 0; n < tiles; ++n) {
    int const tile = ahead_ > 0 ? tiles - 1 - n : n;
    for (int axis = 0; axis < 3; ++axis) {
      if (neighbour(tile, axis, -ahead_) >= 0) ++missing[index(tile)];
      int const behind = neighbour(tile, axis, ahead_);
      if (behind < 0) continue;
      int const d = layout_.owner(behind) != layout_.owner(tile) ? 0 : distance[index(behind)];
      distance[index(tile)] = std::min(distance[index(tile)], d == far ? far : d + 1);
    }
  }
  using Ready = std::tuple<int, int, int>;          // distance, order, tile
  using Event = std::tuple<core::Count, int, int>;  // time, order, tile
  std::vector<std::priority_queue<Ready, std::vector<Ready>, std::greater<>>> ready(index(layout_.comm().size()));
  std::vector<bool> busy(ready.size(), false);
  std::priority_queue<Event, std::vector<Event>, std::greater<>> finishing;
  auto const order = [&](int tile) { return ahead_ * (tile - first); };
  auto const start = [&](int rank, core::Count now) {
    if (busy[index(rank)] || ready[index(rank)].empty()) return;
    int const tile = std::get<2>(ready[index(rank)].top());
    ready[index(rank)].pop();
    busy[index(rank)] = true;
    finishing.emplace(now + grid.tile_box(tile).cells(), order(tile), tile);
    if (rank == layout_.comm().rank()) order_.push_back(layout_.slot(tile));
  };
  auto const make_ready = [&](int tile) {
    ready[index(layout_.owner(tile))].emplace(distance[index(tile)], order(tile), tile);
  };
  make_ready(first);
  start(layout_.owner(first), 0);
  while (!finishing.empty()) {
    auto const [now, position, tile] = finishing.top();
    finishing.pop();
    busy[index(layout_.owner(tile))] = false;
    for (int axis = 0; axis < 3; ++axis) {
      int const behind = neighbour(tile, axis, ahead_);
      if (behind >= 0 && --missing[index(behind)] == 0) make_ready(behind);
    }
    start(layout_.owner(tile), now);
    for (int axis = 0; axis < 3; ++axis) {
      int const behind = neighbour(tile, axis, ahead_);
      if (behind >= 0) start(layout_.owner(behind), now);
    }
  }
  core::expect(static_cast<int>(order_.size()) == layout_.tiles(), "the wavefront does not reach every tile");
}

void Wavefront::post_receives() {
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (int const from = at(slot).in_rank[axis]; from >= 0)
        layout_.comm().start_receive(from, std::as_writable_bytes(at(slot).in[axis]), 3 * slot + static_cast<int>(axis),
                                     at(slot).receives);
}

void Wavefront::wait_for(int slot) {
  if (at(slot).receives.empty()) return;
  core::Timed const timed(core::Part::halo);
  core::Comm::wait_all(at(slot).receives);
}

void Wavefront::send(int slot) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (int const to = at(slot).out_rank[axis]; to >= 0)
      layout_.comm().start_send(to, std::as_bytes(at(slot).out[axis]), at(slot).out_tag[axis], sends_);
}

void Wavefront::finish_sends() {
  if (sends_.empty()) return;
  core::Timed const timed(core::Part::halo);
  core::Comm::wait_all(sends_);
}

}  // namespace tessera::solvers
