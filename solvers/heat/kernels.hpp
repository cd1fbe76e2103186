// SPDX-License-Identifier: Apache-2.0
#pragma once
// The passes over a body's cells.
#include "solvers/heat.hpp"
#include "solvers/heat/geometry.hpp"

namespace tessera::solvers::heat::detail {

/// What kernels need to know of where a cell lies.
struct Place {
  core::TileInfo const* info;
  Geometry::View geometry;
  KOKKOS_FUNCTION double volume(int slot, int k, int j, int i) const { return geometry.volume(info[slot], k, j, i); }
};

/// Conductance of the lower face of each cell on an axis: f = lambda_f area / distance of centres; 0 at the grid's border.
template <int axis, bool harmonic>
struct LowerFaces {
  Place place;
  core::FieldView<double const> lambda;  ///< halos filled
  core::Count step;                      ///< in memory, to the cell above
  bool periodic;                         ///< along the axis
  core::FieldView<double> face;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::TileInfo const& t = place.info[slot];
    core::Count const x[3] = {t.i0 + i, t.j0 + j, t.k0 + k};
    auto const& width = place.geometry.width;
    double const below = place.geometry.below[axis][x[axis]], here = place.geometry.above[axis][x[axis]];
    double const* const l = lambda.row(slot, k, j) + i;
    double const w = here / (below + here), lower = l[-step], upper = l[0];
    double const lambda_f = harmonic ? 1 / ((1 - w) / lower + w / upper) : w * lower + (1 - w) * upper;
    constexpr int b = (axis + 1) % 3, c = (axis + 2) % 3;
    double const f = lambda_f * (width[b][x[b]] * width[c][x[c]]) / (0.5 * (below + here));
    face(slot, k, j, i) = periodic || x[axis] != 0 ? f : 0;
  }
};

/// diagonal = now rho c V + sum of the cell's faces
template <int axes>  // that have faces
struct Diagonal {
  Place place;
  Property::View rho_c;
  double now;
  core::FieldView<double const> face[axes + 1];
  core::Count step[axes + 1];
  core::FieldView<double> diagonal;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    double d = now > 0 ? now * rho_c(slot, k, j, i) * place.volume(slot, k, j, i) : 0;
    for (int a = 0; a < axes; ++a) {
      double const* const f = face[a].row(slot, k, j) + i;
      d += f[0] + f[step[a]];
    }
    diagonal(slot, k, j, i) = d;
  }
};

/// b = (rho c (old T_old - past H) + q) V
template <bool with_history, bool with_q>
struct RightSide {
  Place place;
  Property::View rho_c, q;
  core::FieldView<double const> t_old, history;
  double old, past;
  core::FieldView<double> b;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    double rate = old * t_old(slot, k, j, i);
    if (with_history) rate -= past * history(slot, k, j, i);
    double s = rho_c(slot, k, j, i) * rate;
    if (with_q) s += q(slot, k, j, i);
    b(slot, k, j, i) = s * place.volume(slot, k, j, i);
  }
};

/// The part of a cell's volume that a source has [m^3].
KOKKOS_INLINE_FUNCTION double part_of(Place const& place, core::FieldView<double const> const& share,
                                      core::BoxCopy const& box, int k, int j, int i) {
  double const volume = place.volume(box.from_slot, box.from[2] + k, box.from[1] + j, box.from[0] + i);
  return share.first ? volume * cell(share, box, k, j, i) : volume;
}

/// y += (c + factor T) V in the cells of a source; without T c V alone.
struct AddSource {
  Place place;
  double constant, factor;
  core::FieldView<double const> t;  // or none
  core::FieldView<double> y;
  core::FieldView<double const> share;  // or none
  KOKKOS_FUNCTION void operator()(core::BoxCopy const& box, int k, int j, int i, core::Count) const {
    double const rate = t.first ? constant + factor * cell(t, box, k, j, i) : constant;
    cell(y, box, k, j, i) += rate * part_of(place, share, box, k, j, i);
  }
};

/// (c + factor T) V, 0 in cells that are held
struct SourceHeat {
  Place place;
  double constant, factor;
  core::FieldView<double const> t;
  core::FieldView<std::uint8_t const> held;  // or none
  core::FieldView<double const> share;       // or none
  KOKKOS_FUNCTION double operator()(core::BoxCopy const& box, int k, int j, int i, core::Count) const {
    if (held.first && cell(held, box, k, j, i) != 0) return 0;
    return (constant + factor * cell(t, box, k, j, i)) * part_of(place, share, box, k, j, i);
  }
};

/// factor V (T - T_before)^2, 0 in cells that are held
struct FeedbackSquare {
  Place place;
  double factor;
  core::FieldView<double const> t, before;
  core::FieldView<std::uint8_t const> held;  // or none
  core::FieldView<double const> share;       // or none
  KOKKOS_FUNCTION double operator()(core::BoxCopy const& box, int k, int j, int i, core::Count) const {
    if (held.first && cell(held, box, k, j, i) != 0) return 0;
    double const d = cell(t, box, k, j, i) - cell(before, box, k, j, i);
    return factor * d * d * part_of(place, share, box, k, j, i);
  }
};

/// rho c V (T - T_old)^2, 0 in cells that are held
struct StoredSquare {
  Place place;
  Property::View rho_c;
  core::FieldView<double const> t, t_old;
  core::FieldView<std::uint8_t const> held;  // or none
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const {
    if (held.first && held(s, k, j, i) != 0) return 0;
    double const d = t(s, k, j, i) - t_old(s, k, j, i);
    return rho_c(s, k, j, i) * place.volume(s, k, j, i) * d * d;
  }
};

/// rho c V dT/dt and q V, 0 in cells that are held
struct StoredHeat {
  Place place;
  Property::View rho_c, q;
  core::FieldView<double const> t, t_old, history;  // history: or none
  core::FieldView<std::uint8_t const> held;         // or none
  TimeWeights w;
  KOKKOS_FUNCTION core::Values<2> operator()(int slot, int k, int j, int i) const {
    if (held.first && held(slot, k, j, i) != 0) return {{0, 0}};
    // differences, so that nothing is lost where T changes little: with backward old = now + past
    double const t0 = t_old(slot, k, j, i);
    double rate = w.now * (t(slot, k, j, i) - t0);
    if (history.first) rate += w.past * (w.now == w.old ? history(slot, k, j, i) : history(slot, k, j, i) - t0);
    double const v = place.volume(slot, k, j, i);
    return {{rho_c(slot, k, j, i) * rate * v, q(slot, k, j, i) * v}};
  }
};

/// |q| V
struct SizeOfHeat {
  Place place;
  Property::View q;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    double const heat = q(slot, k, j, i) * place.volume(slot, k, j, i);
    return heat < 0 ? -heat : heat;
  }
};

struct TimesVolume {
  Place place;
  core::FieldView<double const> x;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    return x(slot, k, j, i) * place.volume(slot, k, j, i);
  }
};

/// x V and V, 0 in cells that do not exist
struct ExistingVolume {
  Place place;
  core::FieldView<double const> x;
  core::FieldView<std::uint8_t const> mask;
  std::uint8_t absent;
  KOKKOS_FUNCTION core::Values<2> operator()(int slot, int k, int j, int i) const {
    if (mask(slot, k, j, i) == absent) return {{0, 0}};
    double const v = place.volume(slot, k, j, i);
    return {{x(slot, k, j, i) * v, v}};
  }
};

/// x, another value in cells that do not exist
struct ExistingValue {
  core::FieldView<double const> x;
  core::FieldView<std::uint8_t const> mask;
  std::uint8_t absent;
  double instead;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    return mask(slot, k, j, i) == absent ? instead : x(slot, k, j, i);
  }
};

struct Value {
  core::FieldView<double const> x;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return x(slot, k, j, i); }
};

struct Copy {
  core::FieldView<double const> from;
  core::FieldView<double> to;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const { to(slot, k, j, i) = from(slot, k, j, i); }
};

inline Place place(core::Layout const& layout, Geometry const& geometry) {
  return {layout.all().info.data(), geometry.view()};
}

}  // namespace tessera::solvers::heat::detail
