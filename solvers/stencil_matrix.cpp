// SPDX-License-Identifier: Apache-2.0
#include "solvers/stencil_matrix.hpp"

#include "core/sweep.hpp"

#include <utility>

namespace tessera::solvers {
namespace detail {

/// y = A x for the D axes that have faces; `step` is the distance in memory to the upper neighbour.
template <int D>
struct ApplyStencil {
  core::FieldView<double const> x, diagonal;
  core::FieldView<double> y;
  core::FieldView<double const> face[D > 0 ? D : 1];
  core::Count x_step[D > 0 ? D : 1], face_step[D > 0 ? D : 1];

  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    double const* const xi = x.row(slot, k, j) + i;
    double sum = diagonal(slot, k, j, i) * *xi;
    for (int d = 0; d < D; ++d) {
      double const* const f = face[d].row(slot, k, j) + i;
      sum -= f[0] * xi[-x_step[d]];
      sum -= f[face_step[d]] * xi[x_step[d]];
    }
    y(slot, k, j, i) = sum;
  }
};

core::Count step(core::FieldView<double const> const& view, int axis) {
  return axis == 0 ? 1 : axis == 1 ? view.row_stride : view.layer_stride;
}

template <int D>
ApplyStencil<D> make_stencil(Coefficients const& a, core::Field<double> const& x, core::Field<double>& y) {
  ApplyStencil<D> s;
  s.x = x.view();
  s.y = y.view();
  s.diagonal = a.diagonal.view();
  for (int axis = 0, d = 0; axis < 3; ++axis)
    if (a.has(axis)) {
      s.face[d] = a.face(axis).view();
      s.x_step[d] = step(s.x, axis);
      s.face_step[d] = step(s.face[d], axis);
      ++d;
    }
  return s;
}

template <int D>
void apply_stencil(Coefficients const& a, core::Halo& halo, core::Field<double>& x, core::Field<double>& y) {
  halo.start(x);
  core::for_each("matrix, interior", halo.interior(), make_stencil<D>(a, std::as_const(x), y));
  halo.finish(x);
  core::for_each("matrix, edge", halo.edge(), make_stencil<D>(a, std::as_const(x), y));
}

}  // namespace detail

Coefficients::Coefficients(core::Layout const& layout) : diagonal("diagonal", layout, 1) {
  constexpr std::array<char const*, 3> names{"west", "south", "down"};
  for (std::size_t a = 0; a < 3; ++a)
    if (!layout.grid().thin(static_cast<int>(a))) faces_[a].emplace(names[a], layout, 1);
}

StencilMatrix::StencilMatrix(Coefficients coefficients)
    : coefficients_(std::move(coefficients)),
      halo_(std::make_unique<core::Halo>(layout(), 1, core::Reach::faces)),
      row_sums_("row sums", layout(), 1) {
  complete();
}

void StencilMatrix::change(std::function<void(Coefficients&)> const& write) {
  write(coefficients_);
  complete();
}

void StencilMatrix::complete() {
  for (int axis = 0; axis < 3; ++axis)
    if (has(axis)) halo_->exchange(coefficients_.face(axis));
  core::Field<double> ones("ones", layout(), 1, 1.0);
  apply(ones, row_sums_);
}

void StencilMatrix::apply(core::Field<double>& x, core::Field<double>& y) const {
  core::expect(&x != &y, "x and y of a matrix product are one field");
  core::expect(x.halo() >= 1, "x of a matrix product needs a halo");
  switch (has(0) + has(1) + has(2)) {
  case 1:
    return detail::apply_stencil<1>(coefficients_, *halo_, x, y);
  case 2:
    return detail::apply_stencil<2>(coefficients_, *halo_, x, y);
  case 3:
    return detail::apply_stencil<3>(coefficients_, *halo_, x, y);
  default:
    return detail::apply_stencil<0>(coefficients_, *halo_, x, y);
  }
}

}  // namespace tessera::solvers
