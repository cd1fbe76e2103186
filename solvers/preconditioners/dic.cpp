// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/dic.hpp"

#include "core/grid/computed.hpp"
#include "solvers/methods/pcg_dic.hpp"

#include "core/grid/sweep.hpp"
#include "solvers/algebra/require.hpp"
#include "solvers/dic/substitution.hpp"

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

namespace detail {

/// z_i = (r_i + sum over lower neighbours f z_j) / d*_i
template <int D>
struct Up {
  Faces<D> face;
  core::FieldView<double> x;
  ConstView r, reciprocal;
  KOKKOS_FUNCTION double rest(int slot, int k, int j, int i) const {
    double const* const lower = x.row(slot, k, j) + i;
    double z = r(slot, k, j, i);
    for (int d = 0; d < D; ++d) z += face.lower[d](slot, k, j, i) * lower[-face.x_step[d]];
    return z * reciprocal(slot, k, j, i);
  }
  KOKKOS_FUNCTION double ratio(int slot, int k, int j, int i) const {
    return reciprocal(slot, k, j, i) * face.west(slot, k, j, i);
  }
};

/// z_i += sum over upper neighbours f z_j / d*_i
template <int D>
struct Down {
  Faces<D> face;
  core::FieldView<double> x;
  ConstView reciprocal;
  KOKKOS_FUNCTION double rest(int slot, int k, int j, int i) const {
    double const* const own = x.row(slot, k, j) + i;
    double const rd = reciprocal(slot, k, j, i);
    double z = *own;
    for (int d = 0; d < D; ++d) z += rd * ((face.lower[d].row(slot, k, j) + i)[face.step[d]] * own[face.x_step[d]]);
    return z;
  }
  KOKKOS_FUNCTION double ratio(int slot, int k, int j, int i) const {
    return reciprocal(slot, k, j, i) * face.west(slot, k, j, i + 1);
  }
};

}  // namespace detail

Dic::Dic(StencilMatrix const& matrix, core::Dictionary& settings)
    : Dic(matrix, settings.get_choice("scope", {"global", "tile"}, "global") == "global", {}, "DIC") {}

Dic::Dic(StencilMatrix const& matrix, bool global, Pivots const& pivots, std::string const& name)
    : matrix_(matrix),
      name_(name),
      up_(matrix, Wavefront::Direction::up, global),
      down_(matrix, Wavefront::Direction::down, global),
      reciprocal_("reciprocal pivots", matrix.layout(), 1) {
  // on hosts ranks wait for each other's tiles, one tile after the other
  core::note_computed(name, !core::on_host                                ? core::By::sweeps
                            : global && matrix.layout().comm().size() > 1 ? core::By::one_thread
                                                                          : core::By::host_threads);
  factor(pivots);
  require_positive(reciprocal_, name + "'s pivot", "the matrix must be an M-matrix", [](double x) { return 1 / x; });
}

void Dic::factor(Pivots const& pivots) {
  Rows const rows(matrix_);
  ConstView const diagonal = matrix_.diagonal().host();
  View const rd = reciprocal_.host();
  auto const& layout = matrix_.layout();
  Wavefront* const order = up_.order();
  auto const on_tile = [&](int slot) {
    auto const& t = layout.info(slot);
    std::array<bool, 3> open{};  // whether the couplings to the tile behind belong to M
    for (int a = 0; a < 3; ++a) open[a] = order != nullptr && !order->out(slot, a).empty();
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
        } else if (order != nullptr) {
          auto const in = order->in(slot, static_cast<int>(a));
          std::size_t const c = static_cast<std::size_t>(a == 0 ? j + t.nj * k : a == 1 ? i + t.ni * k : i + t.ni * j);
          d -= in.empty() ? 0 : in[c];
        }
      }
      rd(slot, k, j, i) = 1 / d;
    });
    for (std::size_t a = 0; a < 3; ++a) {
      if (!rows.has[a] || !open[a]) continue;
      auto const out = order->out(slot, static_cast<int>(a));
      int const axis = static_cast<int>(a), last = cells_along(t, axis) - 1;
      for (int c = 0; c < face_cells(t, axis); ++c) {
        TileCell const x = face_cell(t, axis, last, c);
        out[c] = taken(a, x.k, x.j, x.i);
      }
    }
  };
  if (order != nullptr)
    order->run_on_threads("pivots", on_tile);
  else
    core::for_each_tile_on_host("pivots", layout, on_tile);
}

std::unique_ptr<FusedPcg> Dic::fused() const {
  if (!methods::PcgDic::can(matrix_, *this)) return nullptr;
  core::note_computed(name_, matrix_.layout().comm().size() > 1 ? core::By::one_thread : core::By::host_threads);
  return std::make_unique<methods::PcgDic>(matrix_, *this);
}

void Dic::apply(core::Field<double>& r, core::Field<double>& z) const {
  core::expect(&r != &z && z.halo() >= 1, "z of DIC must be a field of its own with a halo");
  by_axes_but_x(matrix_, [&]<int D>() {
    View const x = z.view();
    Faces<D> const faces(matrix_, x);
    ConstView const reciprocal = reciprocal_.view();
    up_.run("DIC up", detail::Up<D>{faces, x, std::as_const(r).view(), reciprocal}, Beyond::zero);
    down_.run("DIC down", detail::Down<D>{faces, x, reciprocal}, Beyond::zero);
  });
}

[[maybe_unused]] static bool const added =
    Preconditioners::add<Dic>("DIC", "diagonal incomplete Cholesky; the same on any number of ranks");

}  // namespace tessera::solvers::preconditioners
