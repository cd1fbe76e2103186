// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera::core {

/// Number of cells along an axis, and cell numbers: 64 bit, so that a grid may hold more than 2^31 cells.
using Count = std::int64_t;

/// Global position of a cell: i along x (fastest in memory), j along y (upwards), k along z. A 2-D grid has k = 0.
struct Index {
  Count i = 0, j = 0, k = 0;
  KOKKOS_FUNCTION friend bool operator==(Index const& a, Index const& b) {
    return a.i == b.i && a.j == b.j && a.k == b.k;
  }
  KOKKOS_FUNCTION friend Index operator+(Index const& a, Index const& b) { return {a.i + b.i, a.j + b.j, a.k + b.k}; }
  KOKKOS_FUNCTION friend Index operator-(Index const& a, Index const& b) { return {a.i - b.i, a.j - b.j, a.k - b.k}; }
};

/// The position along an axis: 0 is x, 1 y, 2 z.
template <class Axis>
KOKKOS_FUNCTION Count& along(Index& x, Axis axis) {
  return axis == 0 ? x.i : axis == 1 ? x.j : x.k;
}
template <class Axis>
KOKKOS_FUNCTION Count along(Index const& x, Axis axis) {
  return axis == 0 ? x.i : axis == 1 ? x.j : x.k;
}

/// Half-open box of cells: lo <= index < hi on every axis. Empty when some hi <= lo.
struct Box {
  Index lo, hi;
  KOKKOS_FUNCTION Index shape() const { return hi - lo; }
  KOKKOS_FUNCTION bool empty() const { return hi.i <= lo.i || hi.j <= lo.j || hi.k <= lo.k; }
  KOKKOS_FUNCTION Count cells() const { return empty() ? 0 : (hi.i - lo.i) * (hi.j - lo.j) * (hi.k - lo.k); }
  KOKKOS_FUNCTION bool contains(Index const& x) const {
    return lo.i <= x.i && x.i < hi.i && lo.j <= x.j && x.j < hi.j && lo.k <= x.k && x.k < hi.k;
  }
  KOKKOS_FUNCTION friend bool operator==(Box const& a, Box const& b) { return a.lo == b.lo && a.hi == b.hi; }
};

inline Box intersect(Box const& a, Box const& b) {
  return {{std::max(a.lo.i, b.lo.i), std::max(a.lo.j, b.lo.j), std::max(a.lo.k, b.lo.k)},
          {std::min(a.hi.i, b.hi.i), std::min(a.hi.j, b.hi.j), std::min(a.hi.k, b.hi.k)}};
}

inline Box shifted(Box const& a, Index const& by) { return {a.lo + by, a.hi + by}; }

}  // namespace tessera::core
