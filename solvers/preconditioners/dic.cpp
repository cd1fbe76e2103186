// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/dic.hpp"

#include "core/sweep.hpp"
#include "solvers/require.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace tessera::solvers::preconditioners {
namespace {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;

/// Calls f(value in the layer `at` cells from the tile's first on this axis, position in the face) over a face of a tile.
template <class F>
void over_face(core::TileInfo const& t, View const& v, int slot, int axis, int at, F const& f) {
  std::size_t c = 0;
  int const n1 = axis == 0 ? t.nj : t.ni, n2 = axis == 2 ? t.nj : t.nk;
  for (int b = 0; b < n2; ++b)
    for (int a = 0; a < n1; ++a) {
      int const i = axis == 0 ? at : a, j = axis == 1 ? at : axis == 0 ? a : b, k = axis == 2 ? at : b;
      f(v(slot, k, j, i), c++);
    }
}

int cells_along(core::TileInfo const& t, int axis) { return axis == 0 ? t.ni : axis == 1 ? t.nj : t.nk; }

/// The faces of a matrix on one tile, as seen by the row kernels: null where the grid has no such axis.
struct Rows {
  std::array<ConstView, 3> face;
  std::array<bool, 3> has;

  explicit Rows(StencilMatrix const& matrix) {
    for (int a = 0; a < 3; ++a) {
      std::size_t const n = static_cast<std::size_t>(a);
      has[n] = matrix.has(a);
      if (has[n]) face[n] = matrix.face(a).host();
    }
  }
};

}  // namespace

Dic::Dic(StencilMatrix const& matrix, core::Dictionary& settings)
    : matrix_(matrix),
      global_(settings.get_choice("scope", {"global", "tile"}, "global") == "global"),
      reciprocal_("reciprocal pivots", matrix.layout(), 1) {
  if (global_) {
    up_ = std::make_unique<Wavefront>(matrix.layout(), Wavefront::Direction::up, 1);
    down_ = std::make_unique<Wavefront>(matrix.layout(), Wavefront::Direction::down, 1);
  }
  factor();
  require_positive_pivots();
}

/// Calls work(slot) tile after tile; before it the halo of `field` on the sides work depends on is filled from the
/// tiles before, with zero where there is none.
template <class Work>
void Dic::run(Wavefront::Direction direction, View const& field, Work const& work) const {
  auto const& layout = matrix_.layout();
  bool const is_up = direction == Wavefront::Direction::up;
  Wavefront* const wave = is_up ? up_.get() : down_.get();
  auto const on_tile = [&](int slot) {
    auto const& t = layout.info(slot);
    for (int a = 0; a < 3; ++a)
      if (matrix_.has(a)) {
        std::span<double const> const in = wave ? wave->in(slot, a) : std::span<double const>();
        over_face(t, field, slot, a, is_up ? -1 : cells_along(t, a),
                  [&](double& x, std::size_t c) { x = in.empty() ? 0 : in[c]; });
      }
    work(slot);
    for (int a = 0; a < 3; ++a)
      if (matrix_.has(a) && wave && !wave->out(slot, a).empty()) {
        std::span<double> const out = wave->out(slot, a);
        over_face(t, field, slot, a, is_up ? cells_along(t, a) - 1 : 0, [&](double& x, std::size_t c) { out[c] = x; });
      }
  };
  if (wave)
    wave->run(on_tile);
  else
    core::for_each_tile_on_host("DIC", layout, on_tile);
}

void Dic::factor() {
  Rows const rows(matrix_);
  ConstView const diagonal = matrix_.diagonal().host();
  View const rd = reciprocal_.host();
  auto const& layout = matrix_.layout();
  run(Wavefront::Direction::up, rd, [&](int slot) {
    auto const& t = layout.info(slot);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i) {
          // d*_i = a_ii - sum over lower neighbours f^2 / d*_j
          double d = diagonal(slot, k, j, i);
          for (std::size_t a = 0; a < 3; ++a)
            if (rows.has[a]) {
              double const f = rows.face[a](slot, k, j, i);
              d -= f * f * rd(slot, k - (a == 2), j - (a == 1), i - (a == 0));
            }
          rd(slot, k, j, i) = 1 / d;
        }
  });
}

void Dic::require_positive_pivots() const {
  require_positive(reciprocal_, "DIC's pivot", "the matrix must be an M-matrix", [](double x) { return 1 / x; });
}

void Dic::apply(core::Field<double>& r, core::Field<double>& z) const {
  core::expect(&r != &z && z.halo() >= 1, "z of DIC must be a field of its own with a halo");
  Rows const rows(matrix_);
  auto const& layout = matrix_.layout();
  ConstView const rv = std::as_const(r).host(), rd = reciprocal_.host();
  View const zv = z.host();
  int const longest = static_cast<int>(layout.grid().tile()[0]);
  auto const& west = rows.face[0];

  // z_i = (r_i + sum over lower neighbours f z_j) / d*_i: all but the west one at once, then along the row
  run(Wavefront::Direction::up, zv, [&](int slot) {
    auto const& t = layout.info(slot);
    std::vector<double> ratio(static_cast<std::size_t>(longest));
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j) {
        double* const zi = zv.row(slot, k, j);
        double const *const ri = rv.row(slot, k, j), *const di = rd.row(slot, k, j);
        TESSERA_INDEPENDENT
        for (int i = 0; i < t.ni; ++i) zi[i] = ri[i];
        for (int a = 1; a < 3; ++a)
          if (rows.has[static_cast<std::size_t>(a)]) {
            double const* const f = rows.face[static_cast<std::size_t>(a)].row(slot, k, j);
            double const* const lower = zv.row(slot, k - (a == 2), j - (a == 1));
            TESSERA_INDEPENDENT
            for (int i = 0; i < t.ni; ++i) zi[i] += f[i] * lower[i];
          }
        TESSERA_INDEPENDENT
        for (int i = 0; i < t.ni; ++i) zi[i] *= di[i];
        if (!rows.has[0]) continue;
        double const* const w = west.row(slot, k, j);
        for (int i = 0; i < t.ni; ++i) ratio[static_cast<std::size_t>(i)] = di[i] * w[i];
        for (int i = 0; i < t.ni; ++i) zi[i] += ratio[static_cast<std::size_t>(i)] * zi[i - 1];
      }
  });

  // z_i += sum over upper neighbours f z_j / d*_i
  run(Wavefront::Direction::down, zv, [&](int slot) {
    auto const& t = layout.info(slot);
    std::vector<double> ratio(static_cast<std::size_t>(longest));
    for (int k = t.nk - 1; k >= 0; --k)
      for (int j = t.nj - 1; j >= 0; --j) {
        double* const zi = zv.row(slot, k, j);
        double const* const di = rd.row(slot, k, j);
        for (int a = 1; a < 3; ++a)
          if (rows.has[static_cast<std::size_t>(a)]) {
            double const* const f = rows.face[static_cast<std::size_t>(a)].row(slot, k + (a == 2), j + (a == 1));
            double const* const upper = zv.row(slot, k + (a == 2), j + (a == 1));
            TESSERA_INDEPENDENT
            for (int i = 0; i < t.ni; ++i) zi[i] += di[i] * (f[i] * upper[i]);
          }
        if (!rows.has[0]) continue;
        double const* const w = west.row(slot, k, j);
        for (int i = 0; i < t.ni; ++i) ratio[static_cast<std::size_t>(i)] = di[i] * w[i + 1];
        for (int i = t.ni - 1; i >= 0; --i) zi[i] += ratio[static_cast<std::size_t>(i)] * zi[i + 1];
      }
  });
}

[[maybe_unused]] static bool const added =
    Preconditioners::add<Dic>("DIC", "diagonal incomplete Cholesky; the same on any number of ranks");

}  // namespace tessera::solvers::preconditioners
