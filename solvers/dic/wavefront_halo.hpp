// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/sweep.hpp"
#include "solvers/dic/wavefront.hpp"
#include "solvers/stencil_matrix.hpp"

#include <span>

namespace tessera::solvers {

inline int cells_along(core::TileInfo const& t, int axis) { return axis == 0 ? t.ni : axis == 1 ? t.nj : t.nk; }

/// Calls f(value in the layer `at` cells from the tile's first on this axis, position in the face) over a face of a tile.
template <class F>
void over_face(core::TileInfo const& t, core::FieldView<double> const& v, int slot, int axis, int at, F const& f) {
  std::size_t c = 0;
  int const n1 = axis == 0 ? t.nj : t.ni, n2 = axis == 2 ? t.nj : t.nk;
  for (int b = 0; b < n2; ++b)
    for (int a = 0; a < n1; ++a) {
      int const i = axis == 0 ? at : a, j = axis == 1 ? at : axis == 0 ? a : b, k = axis == 2 ? at : b;
      f(v(slot, k, j, i), c++);
    }
}

/// What the halo of a field holds beyond tiles that nothing comes from.
enum class Beyond { zero, as_it_is };

/// Calls work(slot) tile after tile; before it the halo of `field` on the sides work depends on is filled from the tiles
/// before, and after it the field's edge goes to the tiles behind. Without a wavefront each tile is alone.
template <class Work>
void run_with_halo(Wavefront* wave, Wavefront::Direction direction, Beyond beyond, StencilMatrix const& matrix,
                   core::FieldView<double> const& field, Work const& work) {
  auto const& layout = matrix.layout();
  bool const is_up = direction == Wavefront::Direction::up;
  auto const on_tile = [&](int slot) {
    auto const& t = layout.info(slot);
    for (int a = 0; a < 3; ++a)
      if (matrix.has(a)) {
        std::span<double const> const in = wave ? wave->in(slot, a) : std::span<double const>();
        if (in.empty() && beyond == Beyond::as_it_is) continue;
        over_face(t, field, slot, a, is_up ? -1 : cells_along(t, a),
                  [&](double& x, std::size_t c) { x = in.empty() ? 0 : in[c]; });
      }
    work(slot);
    for (int a = 0; a < 3; ++a)
      if (matrix.has(a) && wave && !wave->out(slot, a).empty()) {
        std::span<double> const out = wave->out(slot, a);
        over_face(t, field, slot, a, is_up ? cells_along(t, a) - 1 : 0, [&](double& x, std::size_t c) { out[c] = x; });
      }
  };
  if (wave)
    wave->run_on_threads("tile by tile", on_tile);
  else
    core::for_each_tile_on_host("tile by tile", layout, on_tile);
}

}  // namespace tessera::solvers
