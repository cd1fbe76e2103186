// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/sweep.hpp"
#include "solvers/algebra/stencil_product.hpp"
#include "solvers/dic/wave_edges.hpp"
#include "solvers/dic/wavefront.hpp"
#include "solvers/stencil_matrix.hpp"

#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <vector>

namespace tessera::solvers {

/// What the halo of a field holds beyond tiles that nothing comes from.
enum class Beyond { zero, as_it_is };

/// x_i = rest_i + ratio_i x_h, cell after cell, where h is the cell before i on the x axis. `rest` is made of all else: it may read new
/// values of x in the cells before i on other axes, and old ones in i and the cells behind. A functor for kernels.
template <class F>
concept Recurrence = requires(F const f) {
  { f.x } -> std::convertible_to<core::FieldView<double>>;
  { f.rest(0, 0, 0, 0) } -> std::same_as<double>;
  { f.ratio(0, 0, 0, 0) } -> std::same_as<double>;
};

/// The faces of a matrix as a recurrence sees them: those across x, and those of the D other axes that have some. Steps are distances
/// in memory to the upper neighbour.
template <int D>
struct Faces {
  core::FieldView<double const> west;
  core::FieldView<double const> lower[D > 0 ? D : 1];
  core::Count step[D > 0 ? D : 1], x_step[D > 0 ? D : 1];

  Faces(StencilMatrix const& matrix, core::FieldView<double> const& x) {
    if (matrix.has(0)) west = matrix.face(0).view();
    for (int axis = 1, d = 0; axis < 3; ++axis)
      if (matrix.has(axis)) {
        lower[d] = matrix.face(axis).view();
        step[d] = detail::step(lower[d], axis);
        x_step[d] = detail::step(x, axis);
        ++d;
      }
  }
};
/// Calls f.operator()<D>() for these D axes.
template <class F>
void by_axes_but_x(StencilMatrix const& matrix, F const& f) {
  switch (int{matrix.has(1)} + int{matrix.has(2)}) {
  case 0:
    return f.template operator()<0>();
  case 1:
    return f.template operator()<1>();
  default:
    return f.template operator()<2>();
  }
}

namespace detail {

/// Calls f(value in the layer `at` cells from the tile's first on this axis, position in the face) over a face of a tile.
template <class F>
void over_face(core::TileInfo const& t, core::FieldView<double> const& v, int slot, int axis, int at, F const& f) {
  int const n = face_cells(t, axis);
  for (int c = 0; c < n; ++c) {
    TileCell const x = face_cell(t, axis, at, c);
    f(v(slot, x.k, x.j, x.i), static_cast<std::size_t>(c));
  }
}

/// The rows of a tile one after the other: in each what does not hang on the cell before for all cells at once, then along the row.
template <Recurrence F>
void substitute(F const& f, bool up, bool along_x, core::TileInfo const& t, int slot) {
  int const n = t.ni, rows = t.nj * t.nk;
  std::vector<double> scratch(static_cast<std::size_t>(2 * n));
  double *const rest = scratch.data(), *const ratio = rest + n;
  for (int q = 0; q < rows; ++q) {
    int const row = up ? q : rows - 1 - q, j = row % t.nj, k = row / t.nj;
    double* const x = f.x.row(slot, k, j);
    TESSERA_INDEPENDENT
    for (int i = 0; i < n; ++i) rest[i] = f.rest(slot, k, j, i);
    if (!along_x) {
      std::copy(rest, rest + n, x);
      continue;
    }
    TESSERA_INDEPENDENT
    for (int i = 0; i < n; ++i) ratio[i] = f.ratio(slot, k, j, i);
    if (up)
      for (int i = 0; i < n; ++i) x[i] = rest[i] + ratio[i] * x[i - 1];
    else
      for (int i = n - 1; i >= 0; --i) x[i] = rest[i] + ratio[i] * x[i + 1];
  }
}

/// The same by a team of threads a tile: cells with one sum of their places along the axes hang on those of the sum before alone.
template <Recurrence F>
struct SubstituteByTeams {
  F f;
  bool up, along_x, zero;
  core::TileInfo const* info;
  int const* slots;
  WaveEdges::Seen edges;

  static std::size_t scratch() { return 0; }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const slot = slots[team.league_rank()];
    core::TileInfo const& t = info[slot];
    for (int axis = 0; axis < 3; ++axis)
      if (edges.has[axis]) take(team, t, slot, axis);
    team.team_barrier();
    for (int sum = 0; sum <= t.ni + t.nj + t.nk - 3; ++sum) {
      core::over_team(team, t.nj * t.nk, [&](int row) {
        int const b = row % t.nj, c = row / t.nj, a = sum - b - c;
        if (a < 0 || a >= t.ni) return;
        if (up)
          put(slot, c, b, a, a - 1);
        else
          put(slot, t.nk - 1 - c, t.nj - 1 - b, t.ni - 1 - a, t.ni - a);
      });
      team.team_barrier();
    }
    for (int axis = 0; axis < 3; ++axis)
      if (edges.has[axis]) hand_on(team, t, slot, axis);
  }

 private:
  KOKKOS_FUNCTION void put(int slot, int k, int j, int i, int before) const {
    double const rest = f.rest(slot, k, j, i);
    f.x(slot, k, j, i) = along_x ? rest + f.ratio(slot, k, j, i) * f.x(slot, k, j, before) : rest;
  }
  /// The halo on a side that values come from.
  template <class Member>
  KOKKOS_FUNCTION void take(Member const& team, core::TileInfo const& t, int slot, int axis) const {
    TileEdge const edge = edges.of[3 * slot + axis];
    if (edge.comes == TileEdge::From::tile || (edge.comes == TileEdge::From::nowhere && !zero)) return;
    core::over_team(team, face_cells(t, axis), [&](int c) {
      TileCell const at = face_cell(t, axis, up ? -1 : cells_along(t, axis), c);
      f.x(slot, at.k, at.j, at.i) = edge.comes == TileEdge::From::nowhere ? 0 : edges.values[edge.in + c];
    });
  }
  /// The edge of the tile, to the halo of the tile behind, or to where other ranks are sent it from.
  template <class Member>
  KOKKOS_FUNCTION void hand_on(Member const& team, core::TileInfo const& t, int slot, int axis) const {
    TileEdge const edge = edges.of[3 * slot + axis];
    if (edge.slot < 0 && edge.out < 0) return;
    core::over_team(team, face_cells(t, axis), [&](int c) {
      TileCell const last = face_cell(t, axis, up ? cells_along(t, axis) - 1 : 0, c);
      double const x = f.x(slot, last.k, last.j, last.i);
      if (edge.slot < 0) {
        edges.values[edge.out + c] = x;
      } else {
        TileCell const at = face_cell(t, axis, up ? -1 : cells_along(info[edge.slot], axis), c);
        f.x(edge.slot, at.k, at.j, at.i) = x;
      }
    });
  }
};

}  // namespace detail

/// Substitutes in natural (row) order over the whole grid, upwards or downwards, by a wavefront over tiles: the bits do not depend
/// on tiles, ranks and owners. Or in each tile alone.
///
/// On a host a tile goes row by row, and threads of a single rank share the tiles. On a device a team of threads has a tile and goes
/// through it in planes across its diagonal; all tiles that may begin at one time are one kernel.
class Substitution {
 public:
  using Direction = Wavefront::Direction;
  /// Collective where it is `global`: over all tiles.
  Substitution(StencilMatrix const& matrix, Direction direction, bool global);

  /// The order of the tiles; nullptr where each is alone.
  Wavefront* order() const { return order_.get(); }

  /// Collective. The halo of x takes what tiles hand on.
  template <Recurrence F>
  void run(char const* label, F const& f, Beyond beyond) const {
    if constexpr (core::on_host)
      run_on_host(label, f, beyond);
    else
      run_on_device(label, f, beyond);
  }

 private:
  template <Recurrence F>
  void run_on_host(char const* label, F const& f, Beyond beyond) const {
    core::Layout const& layout = matrix_.layout();
    auto const on_tile = [&](int slot) {
      core::TileInfo const& t = layout.info(slot);
      for (int a = 0; a < 3; ++a)
        if (matrix_.has(a)) {
          std::span<double const> const in = order_ ? order_->in(slot, a) : std::span<double const>();
          if (in.empty() && beyond == Beyond::as_it_is) continue;
          detail::over_face(t, f.x, slot, a, up_ ? -1 : cells_along(t, a),
                            [&](double& x, std::size_t c) { x = in.empty() ? 0 : in[c]; });
        }
      detail::substitute(f, up_, matrix_.has(0), t, slot);
      for (int a = 0; a < 3; ++a)
        if (matrix_.has(a) && order_ && !order_->out(slot, a).empty()) {
          std::span<double> const out = order_->out(slot, a);
          detail::over_face(t, f.x, slot, a, up_ ? cells_along(t, a) - 1 : 0,
                            [&](double& x, std::size_t c) { out[c] = x; });
        }
    };
    if (order_)
      order_->run_on_threads(label, on_tile);
    else
      core::for_each_tile_on_host(label, layout, on_tile);
  }

  template <Recurrence F>
  void run_on_device(char const* label, F const& f, Beyond beyond) const {
    auto const substitute = [&](core::Tiles const& tiles) {
      core::for_each_team(label, tiles.count(),
                          detail::SubstituteByTeams<F>{f, up_, matrix_.has(0), beyond == Beyond::zero,
                                                       tiles.info.data(), tiles.slots.data(), edges_->seen()});
    };
    if (!order_) return substitute(matrix_.layout().all());
    order_->run_by_turns([&](int turn) {
      edges_->receive(turn);
      substitute(edges_->tiles(turn));
      edges_->send(turn);
    });
  }

  StencilMatrix const& matrix_;
  bool up_;
  std::unique_ptr<Wavefront> order_;
  std::unique_ptr<WaveEdges> edges_;  // none where a program computes on the host
};

}  // namespace tessera::solvers
