// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/near.hpp"
#include "ca/engine/several_cells.hpp"
#include "core/grid/sweep.hpp"

namespace tessera::ca::detail {

/// The next state of every cell of a tile and the number of cells that change, in one pass over rows.
template <class R>
struct StepTile {
  using Value = StateOf<R>;
  ViewOf<Value, false> from;
  ViewOf<Value, true> to;
  core::TileInfo const* info;
  R rule;
  Scene scene;
  std::int64_t* changed;  ///< by slot, added to
  bool several = false;   ///< cells at once, where the rule can
  bool past = false;      ///< then new states go past the caches
  bool held = false;      ///< `to` has the states of cells that stay as they are already

  KOKKOS_FUNCTION void operator()(int slot) const {
    core::TileInfo const tile = info[slot];
    std::int64_t n = 0;
    for (int k = 0; k < tile.nk; ++k)
      for (int j = 0; j < tile.nj; ++j) n += row(tile, slot, k, j);
    changed[slot] += n;
    if constexpr (BySeveral<R>)
      if (past) end_stores_past();
  }

  KOKKOS_FUNCTION std::int64_t row(core::TileInfo const& tile, int slot, int k, int j) const {
    using Small = std::conditional_t<sizeof(Value) == 1, std::uint8_t, std::int64_t>;
    constexpr int chunk = 128;  // at most 255 changes, which a byte can count
    R const rule_here = rule;
    Scene const now = scene;
    auto const old = from.row(slot, k, j);
    auto const fresh = to.row(slot, k, j);
    auto const strides = strides_of(from);
    std::int64_t n = 0;
    int done = 0;
    if constexpr (BySeveral<R>)
      if (several) {
        auto const advance = [&]<bool p>(std::bool_constant<p>) {
          return for_several(rule_here, old, strides, now, held, 0, tile.ni,
                             [&](int i, auto const& near, auto const& next) {
                               n += count_changed(next, near, Sequence<Value>());
                               put_several<p>(fresh, i, next, Sequence<Value>());
                             });
        };
        done = past ? advance(std::true_type()) : advance(std::false_type());
      }
    for (int first = done; first < tile.ni; first += chunk) {
      int const last = first + chunk < tile.ni ? first + chunk : tile.ni;
      Small different = 0;
      TESSERA_INDEPENDENT
      for (int i = first; i < last; ++i) {
        Value const centre = old[i];
        Value const next = rule_here(centre, Near<R>(old + i, strides, tile.global(k, j, i), now));
        different = static_cast<Small>(different + differ(next, centre));
        put(fresh, i, next);
      }
      n += different;
    }
    return n;
  }
};

/// The same cell by cell, for devices. Returns whether it changes.
template <class R>
struct StepCell {
  StepTile<R> tile;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const {
    using Value = StateOf<R>;
    auto const old = tile.from.row(slot, k, j) + i;
    Value const centre = *old;
    Scene const now = tile.scene;
    auto const next = static_cast<Value>(
        tile.rule(centre, Near<R>(old, strides_of(tile.from), tile.info[slot].global(k, j, i), now)));
    put(tile.to.row(slot, k, j), i, next);
    return differ(next, centre);
  }
};

}  // namespace tessera::ca::detail
