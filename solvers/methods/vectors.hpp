// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/sweep.hpp"

#include <utility>

/// Passes over vectors that several methods make.
namespace tessera::solvers::methods {
namespace detail {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;

struct Product {
  ConstView a, b;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return a(slot, k, j, i) * b(slot, k, j, i); }
};

/// x += alpha p, r -= alpha w; |r|
struct Advance {
  ConstView p, w;
  View x, r;
  double alpha;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    x(slot, k, j, i) += alpha * p(slot, k, j, i);
    double const ri = r(slot, k, j, i) - alpha * w(slot, k, j, i);
    r(slot, k, j, i) = ri;
    return ri < 0 ? -ri : ri;
  }
};

}  // namespace detail

/// (a, b). Collective.
inline double dot(core::Field<double> const& a, core::Field<double> const& b) {
  return core::sum("dot", a.layout(), detail::Product{a.view(), b.view()});
}

}  // namespace tessera::solvers::methods
