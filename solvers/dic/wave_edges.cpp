// SPDX-License-Identifier: Apache-2.0
#include "solvers/dic/wave_edges.hpp"

#include "core/times.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers {

WaveEdges::WaveEdges(core::Layout const& layout, std::array<bool, 3> const& has, Wavefront* order)
    : has_(has),
      order_(order),
      edges_(static_cast<std::size_t>(3 * layout.tiles())) {
  core::Count values = 0;
  for (int turn = 0; order_ != nullptr && turn < order_->turns(); ++turn) {
    std::span<int const> const slots = order_->turn(turn);
    Turn& made = turns_.emplace_back();
    made.tiles = layout.select({slots.begin(), slots.end()});
    auto const reserve = [&](int slot, int axis) {
      return std::exchange(values, values + face_cells(layout.info(slot), axis));
    };
    auto const for_edges = [&](auto const& f) {
      for (int const slot : slots)
        for (int axis = 0; axis < 3; ++axis)
          if (has_[axis]) f(slot, axis, edges_[3 * slot + axis]);
    };
    made.first = values;
    for_edges([&](int slot, int axis, TileEdge& edge) {
      int const from = order_->rank_before(slot, axis);
      if (from >= 0) edge.in = reserve(slot, axis);
      edge.comes = from >= 0                        ? TileEdge::From::rank
                   : order_->in(slot, axis).empty() ? TileEdge::From::nowhere
                                                    : TileEdge::From::tile;
    });
    made.middle = values;
    for_edges([&](int slot, int axis, TileEdge& edge) {
      if (order_->rank_behind(slot, axis) >= 0) edge.out = reserve(slot, axis);
      edge.slot = order_->slot_behind(slot, axis);
    });
    made.last = values;
  }
  device_ = Kokkos::View<double*>("edges of tiles", static_cast<std::size_t>(values));
  host_ = core::pinned_mirror(device_);
  of_ = Kokkos::View<TileEdge*>("tiles behind", edges_.size());
  auto const of = Kokkos::create_mirror_view(of_);
  for (std::size_t n = 0; n < edges_.size(); ++n) of(n) = edges_[n];
  Kokkos::deep_copy(of_, of);
}

void WaveEdges::copy(core::Count first, core::Count last, bool to_device) {
  core::Timed const timed(core::Part::halo);
  auto const range = std::pair(first, last);
  auto const here = Kokkos::subview(host_, range);
  auto const there = Kokkos::subview(device_, range);
  if (to_device)
    Kokkos::deep_copy(there, here);
  else
    Kokkos::deep_copy(here, there);
}

void WaveEdges::receive(int turn) {
  Turn const& now = turns_[turn];
  if (now.first == now.middle) return;
  for (int const slot : order_->turn(turn))
    for (int axis = 0; axis < 3; ++axis)
      if (TileEdge const& edge = edges_[3 * slot + axis]; edge.in >= 0) {
        std::span<double const> const in = order_->in(slot, axis);
        std::copy(in.begin(), in.end(), host_.data() + edge.in);
      }
  copy(now.first, now.middle, true);
}

void WaveEdges::send(int turn) {
  Turn const& now = turns_[turn];
  if (now.middle == now.last) return;
  copy(now.middle, now.last, false);
  for (int const slot : order_->turn(turn))
    for (int axis = 0; axis < 3; ++axis)
      if (TileEdge const& edge = edges_[3 * slot + axis]; edge.out >= 0) {
        std::span<double> const out = order_->out(slot, axis);
        std::copy_n(host_.data() + edge.out, out.size(), out.begin());
      }
}

}  // namespace tessera::solvers
