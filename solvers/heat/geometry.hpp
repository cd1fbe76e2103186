// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"
#include "core/grid/wedge.hpp"

#include <array>
#include <optional>
#include <vector>

namespace tessera::solvers::heat {

/// Measures of cells [m, m^2, m^3], in kernels and on the host. On a uniform axis all widths are the same number, not
/// differences of coordinates, which differ in the last bits: equal materials then have equal coefficients, which
/// SkewedTiles need not read from memory.
///
/// Volumes, and areas of faces across one axis, are products of a number for each axis: its widths. In a wedge that of
/// the radius is width times thickness, and across is 1; distances along the radius are those from centres of gravity,
/// divided by the thickness at the face, so that conductances there are right, too.
class Geometry {
 public:
  explicit Geometry(core::Grid const& grid, std::optional<core::Wedge> const& wedge = {});

  /// For kernels: cell by its global position.
  struct View {
    double const* width[3];
    /// Twice the distances from a cell's lower face on this axis to the centres of the cell below (across a periodic
    /// side too) and of the cell itself.
    double const *below[3], *above[3];
    KOKKOS_FUNCTION double volume(core::TileInfo const& t, int k, int j, int i) const {
      return width[0][t.i0 + i] * width[1][t.j0 + j] * width[2][t.k0 + k];
    }
  };
  View view() const {
    return {{widths_[0].data(), widths_[1].data(), widths_[2].data()},
            {below_[0].data(), below_[1].data(), below_[2].data()},
            {above_[0].data(), above_[1].data(), above_[2].data()}};
  }

  static core::Count along(core::Index const& x, int a) { return a == 0 ? x.i : a == 1 ? x.j : x.k; }
  /// From the centre of a cell to that of the cell below on this axis, across a periodic side too; no wedge.
  double lower_distance(core::Index const& x, int a) const {
    core::Count const n = along(x, a);
    return 0.5 * (of(a, n > 0 ? n - 1 : static_cast<core::Count>(host_[a].size()) - 1) + of(a, n));
  }
  /// Of the cell's face on a side, and how far its centre is from there.
  double area(core::Index const& x, core::Side side) const;
  double distance(core::Index const& x, core::Side side) const;
  /// Of the whole grid.
  double total_volume() const { return total_volume_; }

 private:
  double of(int a, core::Count n) const { return host_[a][n]; }
  std::array<Kokkos::View<double const*>, 3> widths_, below_, above_;
  std::array<std::vector<double>, 3> host_;
  std::optional<core::Wedge> wedge_;
  std::optional<core::Axis> radius_;  // of the wedge
  double total_volume_ = 1;
};

}  // namespace tessera::solvers::heat
