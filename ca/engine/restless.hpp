// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/state.hpp"
#include "core/grid/sweep.hpp"

#include <array>
#include <vector>

namespace tessera::ca::detail {

/// Whether a tile must be computed: a cell of it changed in the last step, or one of its halo. Halos are compared with
/// those of the other buffer, which were exchanged a step ago.
template <class S>
struct IsRestless {
  ViewOf<S, false> now, before;
  core::TileInfo const* info;
  std::int64_t const* changed;  ///< by slot
  int depth[3];                 ///< of the halo, along x, y, z
  int* restless;                ///< by slot

  KOKKOS_FUNCTION void operator()(int slot) const {
    core::TileInfo const& t = info[slot];
    bool found = changed[slot] > 0;
    for (int k = -depth[2]; k < t.nk + depth[2] && !found; ++k)
      for (int j = -depth[1]; j < t.nj + depth[1] && !found; ++j) {
        auto const row = now.row(slot, k, j), old = before.row(slot, k, j);
        bool const own = j >= 0 && j < t.nj && k >= 0 && k < t.nk;
        for (int i = -depth[0]; i < t.ni + depth[0] && !found; ++i) {
          if (own && i == 0) i = t.ni;  // what changed in there is counted
          if (i == t.ni + depth[0]) break;
          S const a = *(row + i), b = *(old + i);
          found = differ(a, b);
        }
      }
    restless[slot] = found;
  }
};

/// Which tiles a rule need not compute when it is taken on and on: those at rest hold the same in both buffers.
class RestlessTiles {
 public:
  explicit RestlessTiles(core::Layout const& layout)
      : layout_(layout),
        restless_("tiles at work", static_cast<std::size_t>(layout.tiles())) {}

  /// Slots of those that must be computed: `now` has current halos `halo` deep, `before` those of the step before, and changed[slot] cells are
  /// not the same in both.
  template <class S>
  std::vector<int> find(ViewOf<S, false> const& now, ViewOf<S, false> const& before, std::int64_t const* changed,
                        int halo) {
    core::Tiles const& all = layout_.all();
    auto const depth = [&](int axis) { return layout_.grid().thin(axis) ? 0 : halo; };
    core::for_each_tile(
        "tiles at work", all,
        IsRestless<S>{now, before, all.info.data(), changed, {depth(0), depth(1), depth(2)}, restless_.data()});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), restless_);
    std::vector<int> slots;
    for (int slot = 0; slot < layout_.tiles(); ++slot)
      if (host(static_cast<std::size_t>(slot)) != 0) slots.push_back(slot);
    return slots;
  }

 private:
  core::Layout const& layout_;
  Kokkos::View<int*> restless_;
};

}  // namespace tessera::ca::detail
