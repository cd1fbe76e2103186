// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/stencil_matrix.hpp"

namespace tessera::solvers::detail {

/// (A x) of a cell, for the D axes that have faces: always in the same order, so that all who form it get the same bits.
/// Steps are distances in memory to the upper neighbour. The halo of x must be current.
template <int D>
struct StencilProduct {
  core::FieldView<double const> x, diagonal;
  core::FieldView<double const> face[D > 0 ? D : 1];
  core::Count x_step[D > 0 ? D : 1], face_step[D > 0 ? D : 1];

  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    double const* const xi = x.row(slot, k, j) + i;
    double sum = diagonal(slot, k, j, i) * *xi;
    for (int d = 0; d < D; ++d) {
      double const* const f = face[d].row(slot, k, j) + i;
      sum -= f[0] * xi[-x_step[d]];
      sum -= f[face_step[d]] * xi[x_step[d]];
    }
    return sum;
  }
  /// (A 1) of the cell, in the same order.
  KOKKOS_FUNCTION double row_sum(int slot, int k, int j, int i) const {
    double sum = diagonal(slot, k, j, i);
    for (int d = 0; d < D; ++d) {
      double const* const f = face[d].row(slot, k, j) + i;
      sum -= f[0];
      sum -= f[face_step[d]];
    }
    return sum;
  }
};

inline core::Count step(core::FieldView<double const> const& view, int axis) {
  return axis == 0 ? 1 : axis == 1 ? view.row_stride : view.layer_stride;
}

/// `a`: Coefficients or StencilMatrix, with D axes that have faces.
template <int D>
StencilProduct<D> stencil_product(core::Field<double> const& diagonal, auto const& a, core::Field<double> const& x) {
  StencilProduct<D> product;
  product.x = x.view();
  product.diagonal = diagonal.view();
  for (int axis = 0, d = 0; axis < 3; ++axis)
    if (a.has(axis)) {
      product.face[d] = a.face(axis).view();
      product.x_step[d] = step(product.x, axis);
      product.face_step[d] = step(product.face[d], axis);
      ++d;
    }
  return product;
}

}  // namespace tessera::solvers::detail
