// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"

#include <array>
#include <vector>

namespace tessera::solvers::heat {

/// Widths, areas and volumes of cells [m, m^2, m^3], in kernels and on the host. On a uniform axis all widths are the same
/// number, not differences of coordinates, which differ in the last bits: equal materials then have equal coefficients,
/// which SkewedTiles need not read from memory.
class Geometry {
 public:
  explicit Geometry(core::Grid const& grid);

  /// For kernels: cell by its global position.
  struct View {
    double const* width[3];
    double const* below[3];  ///< of the cell below on this axis, across a periodic side too
    KOKKOS_FUNCTION double volume(core::TileInfo const& t, int k, int j, int i) const {
      return width[0][t.i0 + i] * width[1][t.j0 + j] * width[2][t.k0 + k];
    }
  };
  View view() const {
    return {{widths_[0].data(), widths_[1].data(), widths_[2].data()},
            {below_[0].data(), below_[1].data(), below_[2].data()}};
  }

  static core::Count along(core::Index const& x, int a) { return a == 0 ? x.i : a == 1 ? x.j : x.k; }
  double width(core::Index const& x, int a) const { return of(a, along(x, a)); }
  /// Of the cell below on this axis, across a periodic side too.
  double lower_width(core::Index const& x, int a) const {
    core::Count const n = along(x, a);
    return of(a, n > 0 ? n - 1 : static_cast<core::Count>(host_[a].size()) - 1);
  }
  /// Of the cell's faces across the axis.
  double area(core::Index const& x, int a) const { return width(x, (a + 1) % 3) * width(x, (a + 2) % 3); }
  double volume(core::Index const& x) const { return width(x, 0) * width(x, 1) * width(x, 2); }
  /// Of the whole grid.
  double total_volume() const { return total_volume_; }

 private:
  double of(int a, core::Count n) const { return host_[a][n]; }
  std::array<Kokkos::View<double const*>, 3> widths_, below_;
  std::array<std::vector<double>, 3> host_;
  double total_volume_ = 1;
};

}  // namespace tessera::solvers::heat
