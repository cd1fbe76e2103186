// SPDX-License-Identifier: Apache-2.0
#include "solvers/algebra/residual.hpp"

#include "core/grid/sweep.hpp"

#include <utility>

namespace tessera::solvers {
namespace detail {

KOKKOS_INLINE_FUNCTION double magnitude(double x) { return x < 0 ? -x : x; }

struct Value {
  core::FieldView<double const> x;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return x(slot, k, j, i); }
};

/// r holds A x and gets b - A x.
struct NormAndResidual {
  core::FieldView<double const> b, row_sums;
  core::FieldView<double> r;
  double mean;
  KOKKOS_FUNCTION core::Values<2> operator()(int slot, int k, int j, int i) const {
    double const ax = r(slot, k, j, i), bi = b(slot, k, j, i), reference = mean * row_sums(slot, k, j, i);
    double const ri = bi - ax;
    r(slot, k, j, i) = ri;
    return {{magnitude(ax - reference) + magnitude(bi - reference), magnitude(ri)}};
  }
};

}  // namespace detail

Residual residual(StencilMatrix const& matrix, core::Field<double> const& b, core::Field<double>& x,
                  core::Field<double>& r) {
  auto const& layout = matrix.layout();
  matrix.apply(x, r);
  double const mean =
      core::sum("mean", layout, detail::Value{std::as_const(x).view()}) / static_cast<double>(matrix.unknowns());
  auto const sums = core::sums<2>("residual", layout, layout.all(),
                                  detail::NormAndResidual{b.view(), matrix.row_sums().view(), r.view(), mean});
  double const norm = sums[0] + 1e-20;
  return {norm, sums[1] / norm, mean};
}

}  // namespace tessera::solvers
