// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/face_products.hpp"

#include "core/grid/exact_sum.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

namespace tessera::run::rating {
namespace {

core::FieldView<double const> with_halo(core::Field<double>& field) {
  core::Halo halo(field.layout(), 1, core::Reach::faces);
  halo.exchange(field);
  return std::as_const(field).host();
}

}  // namespace

FaceProducts::FaceProducts(solvers::StencilMatrix const& matrix, core::Field<double>& t, core::Field<double>& a)
    : layout_(matrix.layout()),
      t_(with_halo(t)),
      a_(with_halo(a)),
      sums_(matrix.row_sums().host()),
      face_{matrix.face(0).host(), matrix.face(1).host()} {}

double FaceProducts::lower(int axis, int s, int k, int j, int i) const {
  if (along(layout_.info(s).global(k, j, i), axis) == 0) return 0;
  int const jn = j - (axis == 1), in = i - (axis == 0);
  return face_[static_cast<std::size_t>(axis)](s, k, j, i) * (t_(s, k, j, i) - t_(s, k, jn, in)) *
         (a_(s, k, j, i) - a_(s, k, jn, in));
}

/// What a row sums to away from the boundary is rounding.
double FaceProducts::outside(int s, int k, int j, int i) const {
  auto const& cells = layout_.grid().cells();
  auto const at = layout_.info(s).global(k, j, i);
  if (at.i > 0 && at.i + 1 < cells[0] && at.j > 0 && at.j + 1 < cells[1]) return 0;
  return sums_(s, k, j, i) * t_(s, k, j, i) * a_(s, k, j, i);
}

double FaceProducts::sum() const {
  std::array<core::ExactSum, 1> total;
  core::for_own_cells(layout_, [&](int s, int k, int j, int i) {
    for (int axis = 0; axis < 2; ++axis) total[0].add(lower(axis, s, k, j, i));
    total[0].add(outside(s, k, j, i));
  });
  core::ExactSum::all_reduce(layout_.comm(), total);
  return total[0].round();
}

FaceProducts::Parts FaceProducts::by_cell(core::Field<double> const& lambda) const {
  Parts result{{core::Field<double>("x", layout_, 0), core::Field<double>("y", layout_, 0)}, {"film", layout_, 0, 0.0}};
  std::array const out{result.axis[0].host(), result.axis[1].host()};
  auto const film = result.film.host();
  auto const conductivity = lambda.host();
  core::Grid const& grid = layout_.grid();
  core::for_each_on_host("face products", layout_, [&](int s, int k, int j, int i) {
    auto const at = layout_.info(s).global(k, j, i);
    for (int axis = 0; axis < 2; ++axis) {
      auto const& x = grid.axis(axis);
      core::Count const n = along(at, axis);
      auto const resistance = [&](int step) {
        return x.width(n + step) / conductivity(s, k, j + (axis == 1 ? step : 0), i + (axis == 0 ? step : 0));
      };
      double const own = resistance(0);
      double sum = 0;
      if (n > 0) sum += lower(axis, s, k, j, i) * own / (own + resistance(-1));
      if (n + 1 < x.cells()) sum += lower(axis, s, k, j + (axis == 1), i + (axis == 0)) * own / (own + resistance(+1));
      // a corner's two sides are told as one
      bool const side = n == 0 || n + 1 == x.cells(),
                 other = axis == 1 && (at.i == 0 || at.i + 1 == grid.axis(0).cells());
      if (side && !other) {
        double const across = grid.axis(1 - axis).width(along(at, 1 - axis));
        double const within = 0.5 * own / across;  // [K/W] for 1 m
        double const share = std::min(1.0, within * sums_(s, k, j, i));
        sum += share * outside(s, k, j, i);
        film(s, k, j, i) = (1 - share) * outside(s, k, j, i);
      }
      out[static_cast<std::size_t>(axis)](s, k, j, i) = sum;
    }
  });
  return result;
}

}  // namespace tessera::run::rating
