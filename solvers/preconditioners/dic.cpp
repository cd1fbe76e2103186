// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/dic.hpp"

#include "core/grid/computed.hpp"
#include "solvers/methods/pcg_dic.hpp"

#include "core/grid/sweep.hpp"
#include "solvers/algebra/require.hpp"
#include "solvers/dic/wavefront_halo.hpp"

#include <array>
#include <utility>
#include <vector>

namespace tessera::solvers::preconditioners {
namespace {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;

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
    : Dic(matrix, settings.get_choice("scope", {"global", "tile"}, "global") == "global", {}, "DIC") {}

Dic::Dic(StencilMatrix const& matrix, bool global, Pivots const& pivots, std::string const& name)
    : matrix_(matrix),
      global_(global),
      reciprocal_("reciprocal pivots", matrix.layout(), 1) {
  // ranks wait for each other's tiles, one tile after the other
  core::note_computed(name,
                      global_ && matrix.layout().comm().size() > 1 ? core::By::one_thread : core::By::host_threads);
  if (global_) {
    up_ = std::make_unique<Wavefront>(matrix.layout(), Wavefront::Direction::up, 1);
    down_ = std::make_unique<Wavefront>(matrix.layout(), Wavefront::Direction::down, 1);
  }
  factor(pivots);
  require_positive(reciprocal_, name + "'s pivot", "the matrix must be an M-matrix", [](double x) { return 1 / x; });
}

void Dic::factor(Pivots const& pivots) {
  Rows const rows(matrix_);
  ConstView const diagonal = matrix_.diagonal().host();
  View const rd = reciprocal_.host();
  auto const& layout = matrix_.layout();
  auto const on_tile = [&](int slot) {
    auto const& t = layout.info(slot);
    std::array<bool, 3> open{};  // whether the couplings to the tile behind belong to M
    for (int a = 0; a < 3; ++a) open[a] = up_ && !up_->out(slot, a).empty();
    // what cell j takes from the pivot of its upper neighbour i on axis a: f (f + fill times its other upper faces) / d*_j
    auto const taken = [&](std::size_t a, int k, int j, int i) {
      double f = 0, others = 0;
      for (std::size_t b = 0; b < 3; ++b) {
        int const at = b == 0 ? i : b == 1 ? j : k;
        if (!rows.has[b] || (at + 1 == cells_along(t, static_cast<int>(b)) && !open[b])) continue;
        double const upper = rows.face[b](slot, k + (b == 2), j + (b == 1), i + (b == 0));
        if (b == a)
          f = upper;
        else
          others += upper;
      }
      return f * (f + pivots.fill * others) * rd(slot, k, j, i);
    };
    core::for_cells(t, [&](int k, int j, int i) {
      double d = (1 + pivots.perturbation) * diagonal(slot, k, j, i);
      for (std::size_t a = 0; a < 3; ++a) {
        if (!rows.has[a]) continue;
        if ((a == 0 ? i : a == 1 ? j : k) > 0) {
          d -= taken(a, k - (a == 2), j - (a == 1), i - (a == 0));
        } else if (up_) {
          auto const in = up_->in(slot, static_cast<int>(a));
          std::size_t const c = static_cast<std::size_t>(a == 0 ? j + t.nj * k : a == 1 ? i + t.ni * k : i + t.ni * j);
          d -= in.empty() ? 0 : in[c];
        }
      }
      rd(slot, k, j, i) = 1 / d;
    });
    for (std::size_t a = 0; a < 3; ++a) {
      if (!rows.has[a] || !open[a]) continue;
      auto const out = up_->out(slot, static_cast<int>(a));
      int const last = cells_along(t, static_cast<int>(a)) - 1, n1 = a == 0 ? t.nj : t.ni, n2 = a == 2 ? t.nj : t.nk;
      for (int q = 0; q < n2; ++q)
        for (int p = 0; p < n1; ++p)
          out[p + n1 * q] = a == 0 ? taken(a, q, p, last) : a == 1 ? taken(a, q, last, p) : taken(a, last, q, p);
    }
  };
  if (up_)
    up_->run_on_threads("pivots", on_tile);
  else
    core::for_each_tile_on_host("pivots", layout, on_tile);
}

std::unique_ptr<FusedPcg> Dic::fused() const {
  return methods::PcgDic::can(matrix_, *this) ? std::make_unique<methods::PcgDic>(matrix_, *this) : nullptr;
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
  run_with_halo(up_.get(), Wavefront::Direction::up, Beyond::zero, matrix_, zv, [&](int slot) {
    auto const& t = layout.info(slot);
    std::vector<double> ratio(longest);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j) {
        double* const zi = zv.row(slot, k, j);
        double const *const ri = rv.row(slot, k, j), *const di = rd.row(slot, k, j);
        TESSERA_INDEPENDENT
        for (int i = 0; i < t.ni; ++i) zi[i] = ri[i];
        for (int a = 1; a < 3; ++a)
          if (rows.has[a]) {
            double const* const f = rows.face[a].row(slot, k, j);
            double const* const lower = zv.row(slot, k - (a == 2), j - (a == 1));
            TESSERA_INDEPENDENT
            for (int i = 0; i < t.ni; ++i) zi[i] += f[i] * lower[i];
          }
        TESSERA_INDEPENDENT
        for (int i = 0; i < t.ni; ++i) zi[i] *= di[i];
        if (!rows.has[0]) continue;
        double const* const w = west.row(slot, k, j);
        for (int i = 0; i < t.ni; ++i) ratio[i] = di[i] * w[i];
        for (int i = 0; i < t.ni; ++i) zi[i] += ratio[i] * zi[i - 1];
      }
  });

  // z_i += sum over upper neighbours f z_j / d*_i
  run_with_halo(down_.get(), Wavefront::Direction::down, Beyond::zero, matrix_, zv, [&](int slot) {
    auto const& t = layout.info(slot);
    std::vector<double> ratio(longest);
    for (int k = t.nk - 1; k >= 0; --k)
      for (int j = t.nj - 1; j >= 0; --j) {
        double* const zi = zv.row(slot, k, j);
        double const* const di = rd.row(slot, k, j);
        for (int a = 1; a < 3; ++a)
          if (rows.has[a]) {
            double const* const f = rows.face[a].row(slot, k + (a == 2), j + (a == 1));
            double const* const upper = zv.row(slot, k + (a == 2), j + (a == 1));
            TESSERA_INDEPENDENT
            for (int i = 0; i < t.ni; ++i) zi[i] += di[i] * (f[i] * upper[i]);
          }
        if (!rows.has[0]) continue;
        double const* const w = west.row(slot, k, j);
        for (int i = 0; i < t.ni; ++i) ratio[i] = di[i] * w[i + 1];
        for (int i = t.ni - 1; i >= 0; --i) zi[i] += ratio[i] * zi[i + 1];
      }
  });
}

[[maybe_unused]] static bool const added =
    Preconditioners::add<Dic>("DIC", "diagonal incomplete Cholesky; the same on any number of ranks");

}  // namespace tessera::solvers::preconditioners
