// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"

namespace tessera::core {

/// Offset of a neighbour within a stencil.
struct Offset {
  int i = 0, j = 0, k = 0;
};

/// Fixed set of N neighbour offsets, the centre left out, in raster order (k, then j, then i).
/// `radius` is the largest offset on any axis, `dimensions` the axes it spans (1: x; 2: x, y; 3: x, y, z).
template <int N>
struct Stencil {
  Offset offsets[N > 0 ? N : 1] = {};
  int radius = 1;
  int dimensions = 2;
  KOKKOS_FUNCTION static constexpr int size() { return N; }
};

namespace detail {
constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }
constexpr int magnitude(int x) { return x < 0 ? -x : x; }
constexpr int von_neumann_size(int d, int r) {
  int n = -1;
  for (int k = d > 2 ? -r : 0; k <= (d > 2 ? r : 0); ++k)
    for (int j = d > 1 ? -r : 0; j <= (d > 1 ? r : 0); ++j)
      for (int i = -r; i <= r; ++i)
        if (magnitude(i) + magnitude(j) + magnitude(k) <= r) ++n;
  return n;
}
template <int N, bool diamond>
constexpr Stencil<N> make_stencil(int d, int r) {
  Stencil<N> s;
  s.radius = r;
  s.dimensions = d;
  int n = 0;
  for (int k = d > 2 ? -r : 0; k <= (d > 2 ? r : 0); ++k)
    for (int j = d > 1 ? -r : 0; j <= (d > 1 ? r : 0); ++j)
      for (int i = -r; i <= r; ++i) {
        bool const centre = i == 0 && j == 0 && k == 0;
        bool const inside = !diamond || magnitude(i) + magnitude(j) + magnitude(k) <= r;
        if (!centre && inside) s.offsets[n++] = {i, j, k};
      }
  return s;
}
}  // namespace detail

/// Moore neighbourhood: all cells within `r` on every axis of D dimensions, (2r+1)^D - 1 neighbours.
template <int D, int R = 1>
constexpr auto moore() {
  return detail::make_stencil<detail::power(2 * R + 1, D) - 1, false>(D, R);
}

/// No neighbours: what becomes of a cell of a D-dimensional grid by itself.
template <int D>
constexpr Stencil<0> alone() {
  return {{}, 0, D};
}

/// Von Neumann neighbourhood: all cells at Manhattan distance at most `R`, 2D neighbours for R = 1.
template <int D, int R = 1>
constexpr auto von_neumann() {
  return detail::make_stencil<detail::von_neumann_size(D, R), true>(D, R);
}

}  // namespace tessera::core
