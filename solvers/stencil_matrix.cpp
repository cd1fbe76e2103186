// SPDX-License-Identifier: Apache-2.0
#include "solvers/stencil_matrix.hpp"

#include "core/grid/sweep.hpp"
#include "solvers/algebra/stencil_product.hpp"

#include <utility>

namespace tessera::solvers {
namespace detail {

/// y = A x
template <int D>
struct ApplyStencil {
  StencilProduct<D> product;
  core::FieldView<double> y;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const { y(slot, k, j, i) = product(slot, k, j, i); }
};

template <int D>
ApplyStencil<D> make_stencil(Coefficients const& a, core::Field<double> const& x, core::Field<double>& y) {
  return {stencil_product<D>(a.diagonal, a, x), y.view()};
}

template <int D>
void apply_stencil(Coefficients const& a, core::Halo& halo, core::Field<double>& x, core::Field<double>& y) {
  halo.start(x);
  halo.over_interior([&](core::Tiles const& tiles) {
    core::for_each("matrix, interior", tiles, make_stencil<D>(a, std::as_const(x), y));
  });
  halo.finish(x);
  core::for_each("matrix, edge", halo.edge(), make_stencil<D>(a, std::as_const(x), y));
}

/// A 1
template <int D>
struct RowSums {
  StencilProduct<D> product;
  core::FieldView<double> sums;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    sums(slot, k, j, i) = product.row_sum(slot, k, j, i);
  }
};

template <int D>
void sum_rows(Coefficients const& a, core::Field<double>& sums) {
  core::for_each("row sums", a.layout().all(), RowSums<D>{stencil_product<D>(a.diagonal, a, a.diagonal), sums.view()});
}

struct DiagonalEntry {
  core::FieldView<double const> diagonal;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return diagonal(slot, k, j, i); }
};

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
  for (int axis = 0; axis < 3; ++axis)
    if (has(axis)) halo_->exchange(coefficients_.face(axis));
}

void StencilMatrix::change(std::function<void(Coefficients&, core::Halo&)> const& write) {
  write(coefficients_, *halo_);
  row_sums_formed_ = false;
  trace_.reset();
}

double StencilMatrix::trace() const {
  if (!trace_) trace_ = core::sum("trace", layout(), detail::DiagonalEntry{diagonal().view()});
  return *trace_;
}

core::Field<double> const& StencilMatrix::row_sums() const {
  if (std::exchange(row_sums_formed_, true)) return row_sums_;
  switch (has(0) + has(1) + has(2)) {
  case 1:
    detail::sum_rows<1>(coefficients_, row_sums_);
    break;
  case 2:
    detail::sum_rows<2>(coefficients_, row_sums_);
    break;
  case 3:
    detail::sum_rows<3>(coefficients_, row_sums_);
    break;
  default:
    detail::sum_rows<0>(coefficients_, row_sums_);
  }
  return row_sums_;
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
