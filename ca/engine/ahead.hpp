// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/phases.hpp"
#include "ca/engine/several_cells.hpp"
#include "core/grid/field.hpp"
#include "core/grid/sweep.hpp"

#include <array>

namespace tessera::ca::detail {

/// Several generations of a tile from one halo exchange: the halo is `steps` radii deep, and each generation computes a
/// region that ends one radius further in than that of the generation before, own cells last. What lies outside the grid
/// does not change. Two buffers in turns: the result is in `b` after an odd number of steps, in `a` after an even one.
/// Of a rule in phases a step is a phase, and each has its own radius.
///
/// Along the outermost axis the generations follow each other as waves, each a radius behind the one before it, so that
/// only some rows of both buffers are at work at a time: they stay in the cache, and memory is read and written once for
/// all generations. A row of generation q overwrites that of q - 2, which nobody needs any more.
template <class R>
struct StepsAhead {
  using Value = StateOf<R>;
  using Stages = PhasesOf<R>;
  ViewOf<Value, true> a, b;
  core::TileInfo const* info;
  R rule;
  Scene scene;           ///< of the states in `a`
  int steps;             ///< generations times phases
  core::Count cells[3];  ///< of the grid, x first
  bool periodic[3];
  bool several;  ///< cells at once, where the rule can

  /// Half-open range of cells, counted from the tile's first one.
  struct Range {
    int first, last;
    KOKKOS_FUNCTION bool contains(int x) const { return first <= x && x < last; }
  };

  KOKKOS_FUNCTION void operator()(int slot) const {
    core::TileInfo const tile = info[slot];
    constexpr int outer = dimensions_of<R> - 1, lag = farthest<R>();
    if constexpr (outer == 0) {
      for (int q = 1; q <= steps; ++q) row(tile, slot, 0, 0, q);
    } else {
      Range const widest = range(tile, outer, 1);
      for (int wave = widest.first; wave < widest.last + (steps - 1) * lag; ++wave)
        for (int q = 1; q <= steps; ++q) rows(tile, slot, wave - (q - 1) * lag, q);
    }
  }

 private:
  /// How far the steps after the q-th look.
  KOKKOS_FUNCTION int beyond(int q) const { return beyond(q, std::make_integer_sequence<int, Stages::count>()); }
  template <int... p>
  KOKKOS_FUNCTION int beyond(int q, std::integer_sequence<int, p...>) const {
    constexpr int all = reach_from<R>(0);
    int const phase = (q - 1) % Stages::count;
    return (steps - q) / Stages::count * all + ((p > phase ? Stages::template at<p>::stencil.radius : 0) + ...);
  }

  /// The rows of generation q at a place along the outermost axis, if it reaches there.
  KOKKOS_FUNCTION void rows(core::TileInfo const& tile, int slot, int at, int q) const {
    constexpr int outer = dimensions_of<R> - 1;
    if (!range(tile, outer, q).contains(at)) return;
    if constexpr (outer == 2) {
      Range const beside = range(tile, 1, q);
      for (int j = beside.first; j < beside.last; ++j) row(tile, slot, at, j, q);
    } else {
      row(tile, slot, 0, at, q);
    }
  }

  /// Cells of generation q along an axis: own ones and what later generations need, as far as the grid goes.
  KOKKOS_FUNCTION Range range(core::TileInfo const& tile, int axis, int q) const {
    int const own = axis == 0 ? tile.ni : axis == 1 ? tile.nj : tile.nk;
    if (cells[axis] == 1) return {0, own};
    core::Count const origin = axis == 0 ? tile.i0 : axis == 1 ? tile.j0 : tile.k0;
    int const more = beyond(q);
    Range result{-more, own + more};
    if (periodic[axis]) return result;
    if (result.first < -origin) result.first = static_cast<int>(-origin);
    if (result.last > cells[axis] - origin) result.last = static_cast<int>(cells[axis] - origin);
    return result;
  }

  /// The same along a row, and as many cells more on both sides, as far as the grid goes, that it begins and ends with a
  /// line of the cache: loops that do not take a tenth longer. The cells more lie in the padding of the rows; their
  /// neighbours are not all of their generation, and nobody asks for them. Not on a line of cells: there is no row before
  /// the first one, which they would look at.
  KOKKOS_FUNCTION Range whole_lines(core::TileInfo const& tile, int q) const {
    Range const exact = range(tile, 0, q);
    if constexpr (dimensions_of<R> == 1) return exact;
    constexpr int line = static_cast<int>(64 / largest_member<Value>());
    Range result{-((line - 1 - exact.first) / line * line), (exact.last + line - 1) / line * line};
    if (periodic[0]) return result;
    if (result.first < -tile.i0) result.first = static_cast<int>(-tile.i0);
    if (result.last > cells[0] - tile.i0) result.last = static_cast<int>(cells[0] - tile.i0);
    return result;
  }

  KOKKOS_FUNCTION core::Count in_grid(core::Count x, int axis) const {
    core::Count const n = cells[axis];
    return x >= 0 && x < n ? x : (x % n + n) % n;
  }

  KOKKOS_FUNCTION void row(core::TileInfo const& tile, int slot, int k, int j, int q) const {
    row_of_phase(tile, slot, k, j, q, std::make_integer_sequence<int, Stages::count>());
  }
  template <int... p>
  KOKKOS_FUNCTION void row_of_phase(core::TileInfo const& tile, int slot, int k, int j, int q,
                                    std::integer_sequence<int, p...>) const {
    if constexpr (Stages::count == 1)
      row<0>(tile, slot, k, j, q);
    else
      (((q - 1) % Stages::count == p ? row<p>(tile, slot, k, j, q) : void()), ...);
  }
  template <int phase>
  KOKKOS_FUNCTION void row(core::TileInfo const& tile, int slot, int k, int j, int q) const {
    using Stage = typename Stages::template at<phase>;
    Stage const rule_here = Stages::template get<phase>(rule);
    ViewOf<Value, true> const to = q % 2 == 1 ? b : a;
    ViewOf<Value, false> const from = q % 2 == 1 ? a : b;
    auto const old = from.row(slot, k, j);
    auto const fresh = to.row(slot, k, j);
    auto const strides = strides_of(from);
    core::Count const gj = in_grid(tile.j0 + j, 1), gk = in_grid(tile.k0 + k, 2);
    Scene now = scene;
    now.step += (q - 1) / Stages::count;
    now.phase = phase;
    Range const part = whole_lines(tile, q);
    for (int first = part.first; first < part.last;) {
      // cells that follow each other in the grid, too: the halo may wrap round it
      core::Count const start = in_grid(tile.i0 + first, 0), there = start - first;
      core::Count const end = first + (cells[0] - start);
      int const last = end < part.last ? static_cast<int>(end) : part.last;
      int done = first;
      if constexpr (BySeveral<Stage>)
        if (several)
          done =
              for_several(rule_here, old, strides, now, false, first, last, [&](int i, auto const&, auto const& next) {
                put_several<false>(fresh, i, next, Sequence<Value>());
              });
      TESSERA_INDEPENDENT
      for (int i = done; i < last; ++i)
        put(fresh, i,
            static_cast<Value>(rule_here(old[i], Near<Stage>(old + i, strides, core::Index{there + i, gj, gk}, now))));
      first = last;
    }
  }
};

/// Generations at once that pay, for a rule of this radius and states of so many bytes, while the halo stays thin beside
/// the tiles. Measured by bench/halo, on one core: of double precision 16 are 2.2 times as fast as one at a time where the
/// grid leaves the cache (4096 x 4096), 1.2 times within it; of bytes 4 are 1.2 times as fast, 16 no longer. `bytes` of a
/// field, `of_cell` of all fields: in space, layers of cells of many fields do not stay in the cache, and one at a time is faster.
int automatic_depth(core::Grid const& grid, int radius, std::size_t bytes, std::size_t of_cell);

}  // namespace tessera::ca::detail
