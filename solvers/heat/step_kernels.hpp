// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a step in time does to temperatures, cell by cell: HeatStepper's kernels.
#include "core/grid/sweep.hpp"

namespace tessera::solvers {
namespace heat::detail {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;

struct CopyValues {
  ConstView from;
  View to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { to(s, k, j, i) = from(s, k, j, i); }
};

/// What T_before and T_before2 weigh in a polynomial through the last temperatures, at dt after them:
/// T + a (T - T_before) + b (T_before - T_before2).
struct Ahead {
  double a = 0, b = 0;
};
inline Ahead ahead(double dt, double dt0) { return {dt0 > 0 ? dt / dt0 : 0, 0}; }
inline Ahead ahead(double dt, double dt0, double dt00) {
  double const second = dt * (dt + dt0) / (dt0 + dt00);
  return {(dt + second) / dt0, -second / dt00};
}

/// T_old = T, T = T + a (T - T_before) + b (T_before - T_before2)
struct Extrapolate {
  View t, t_old;
  ConstView before, before2;  // the last: or none
  Ahead w;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    double const now = t(s, k, j, i), last = before(s, k, j, i);
    double change = w.a * (now - last);
    if (before2.first) change += w.b * (last - before2(s, k, j, i));
    t(s, k, j, i) = now + change;
    t_old(s, k, j, i) = now;
  }
};

/// H = now (T - T_old) + past H: the derivative of Crank-Nicolson at the new time
struct Rate {
  ConstView t, t_old;
  View history;
  double now, past;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    double const change = now * (t(s, k, j, i) - t_old(s, k, j, i));
    history(s, k, j, i) = past == 0 ? change : change + past * history(s, k, j, i);
  }
};

/// (H - now (T - T_old)) / past: the derivative at the old time, from that at the new one
struct OldRate {
  ConstView t, t_old, history;
  View rate;
  double now, past;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    rate(s, k, j, i) = past == 0 ? 0 : (history(s, k, j, i) - now * (t(s, k, j, i) - t_old(s, k, j, i))) / past;
  }
};

/// |T - (T_old + a (T_old - T_before) + b (T_before - T_before2))|
struct Deviation {
  ConstView t, t_old, before, before2;  // the last two: or none
  Ahead w;
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const {
    double const old = t_old(s, k, j, i);
    double d = t(s, k, j, i) - old;
    if (before.first) d -= w.a * (old - before(s, k, j, i));
    if (before2.first) d -= w.b * (before(s, k, j, i) - before2(s, k, j, i));
    return d < 0 ? -d : d;
  }
};

struct Shift {
  View t;
  double by;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { t(s, k, j, i) += by; }
};

inline void copy(core::Field<double> const& from, core::Field<double>& to) {
  core::for_each("copy T", from.layout().all(), CopyValues{from.view(), to.view()});
}

}  // namespace heat::detail

}  // namespace tessera::solvers
