// SPDX-License-Identifier: Apache-2.0
#include "solvers/methods/defect.hpp"

#include "core/grid/sweep.hpp"
#include "solvers/algebra/stencil_product.hpp"

#include <array>
#include <utility>

namespace tessera::solvers::methods {
namespace detail {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;

struct Value {
  ConstView x;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return x(slot, k, j, i); }
};

/// r = b - A x; |r|.
template <int D>
struct Difference {
  solvers::detail::StencilProduct<D> product;
  ConstView b;
  View r;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    double const ri = b(slot, k, j, i) - product(slot, k, j, i);
    r(slot, k, j, i) = ri;
    return ri < 0 ? -ri : ri;
  }
};

/// The same, and the term of OpenFOAM's norm.
template <int D>
struct NormedDifference {
  Difference<D> difference;
  double mean;
  KOKKOS_FUNCTION static double magnitude(double y) { return y < 0 ? -y : y; }
  KOKKOS_FUNCTION core::Values<2> operator()(int slot, int k, int j, int i) const {
    double const ax = difference.product(slot, k, j, i), bi = difference.b(slot, k, j, i),
                 reference = mean * difference.product.row_sum(slot, k, j, i), ri = bi - ax;
    difference.r(slot, k, j, i) = ri;
    return {{magnitude(ax - reference) + magnitude(bi - reference), magnitude(ri)}};
  }
};

template <int D>
Difference<D> make_difference(StencilMatrix const& matrix, core::Field<double> const& b, core::Field<double> const& x,
                              core::Field<double>& r) {
  return {solvers::detail::stencil_product<D>(matrix.diagonal(), matrix, x), b.view(), r.view()};
}

}  // namespace detail

namespace {

/// Calls f(difference) with the number of axes of the matrix.
template <class F>
auto with_difference(StencilMatrix const& matrix, core::Field<double> const& b, core::Field<double> const& x,
                     core::Field<double>& r, F const& f) {
  switch (matrix.has(0) + matrix.has(1) + matrix.has(2)) {
  case 0:
    return f(detail::make_difference<0>(matrix, b, x, r));
  case 1:
    return f(detail::make_difference<1>(matrix, b, x, r));
  case 2:
    return f(detail::make_difference<2>(matrix, b, x, r));
  default:
    return f(detail::make_difference<3>(matrix, b, x, r));
  }
}

}  // namespace

Defect::Defect(StencilMatrix const& matrix) : matrix_(matrix), halo_(matrix.layout(), 1, core::Reach::faces) {}

Residual Defect::normalised(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r) {
  auto const& layout = matrix_.layout();
  halo_.exchange(x);
  double const mean =
      core::sum("mean", layout, detail::Value{std::as_const(x).view()}) / static_cast<double>(matrix_.unknowns());
  auto const sums =
      with_difference(matrix_, b, std::as_const(x), r, [&]<int D>(detail::Difference<D> const& difference) {
        return core::sums<2>("residual", layout, layout.all(), detail::NormedDifference<D>{difference, mean});
      });
  double const norm = sums[0] + 1e-20;
  return {norm, sums[1] / norm, mean};
}

double Defect::operator()(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r) {
  halo_.exchange(x);
  return with_difference(matrix_, b, std::as_const(x), r, [&](auto const& difference) {
    return core::sum("true residual", matrix_.layout(), difference);
  });
}

}  // namespace tessera::solvers::methods
