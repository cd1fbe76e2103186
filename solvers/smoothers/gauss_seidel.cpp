// SPDX-License-Identifier: Apache-2.0
#include "solvers/smoothers/gauss_seidel.hpp"

#include "core/error.hpp"
#include "core/grid/computed.hpp"
#include "solvers/dic/wavefront_halo.hpp"

namespace tessera::solvers::smoothers {

GaussSeidel::GaussSeidel(StencilMatrix const& matrix, core::Dictionary&)
    : matrix_(matrix),
      halo_(matrix.layout(), 1, core::Reach::faces),
      up_(matrix.layout(), Wavefront::Direction::up, 1),
      down_(matrix.layout(), Wavefront::Direction::down, 1) {
  core::note_computed("GaussSeidel", matrix.layout().comm().size() > 1 ? core::By::one_thread : core::By::host_threads);
}

void GaussSeidel::smooth(int sweeps, core::Field<double> const& b, core::Field<double>& x) {
  for (int n = 0; n < sweeps; ++n) {
    exchange(x);
    sweep_up(b, x);
  }
}

void GaussSeidel::sweep_row(int slot, int k, int j, bool up, core::FieldView<double const> const& b,
                            core::FieldView<double> const& x, std::vector<double>& scratch) const {
  int const n = matrix_.layout().info(slot).ni;
  double* const xi = x.row(slot, k, j);
  double const *const bi = b.row(slot, k, j), *const diagonal = matrix_.diagonal().host().row(slot, k, j);
  scratch.resize(static_cast<std::size_t>(2 * n));
  double *const rest = scratch.data(), *const ratio = rest + n;
  // all but the neighbour that this sweep has just changed: (b + sum f x_j) / a_ii
  TESSERA_INDEPENDENT
  for (int i = 0; i < n; ++i) rest[i] = bi[i];
  for (int a = 1; a < 3; ++a)
    if (matrix_.has(a)) {
      int const dk = a == 2, dj = a == 1;
      auto const face = matrix_.face(a).host();
      double const *const f = face.row(slot, k, j), *const g = face.row(slot, k + dk, j + dj);
      double const *const lower = x.row(slot, k - dk, j - dj), *const upper = x.row(slot, k + dk, j + dj);
      TESSERA_INDEPENDENT
      for (int i = 0; i < n; ++i) rest[i] += f[i] * lower[i] + g[i] * upper[i];
    }
  if (!matrix_.has(0)) {
    for (int i = 0; i < n; ++i) xi[i] = rest[i] / diagonal[i];
    return;
  }
  double const* const w = matrix_.face(0).host().row(slot, k, j);
  int const ahead = up ? 1 : 0;
  // west and east exchange their roles in the sweep down
  TESSERA_INDEPENDENT
  for (int i = 0; i < n; ++i) {
    rest[i] = (rest[i] + w[i + ahead] * xi[up ? i + 1 : i - 1]) / diagonal[i];
    ratio[i] = w[i + 1 - ahead] / diagonal[i];
  }
  if (up)
    for (int i = 0; i < n; ++i) xi[i] = rest[i] + ratio[i] * xi[i - 1];
  else
    for (int i = n - 1; i >= 0; --i) xi[i] = rest[i] + ratio[i] * xi[i + 1];
}

void GaussSeidel::sweep_up(core::Field<double> const& b, core::Field<double>& x) {
  core::expect(&b != &x && x.halo() >= 1, "x of a smoother must be a field of its own with a halo");
  auto const bv = b.host();
  auto const xv = x.host();
  run_with_halo(&up_, Wavefront::Direction::up, Beyond::as_it_is, matrix_, xv, [&](int slot) {
    std::vector<double> scratch;
    core::for_rows(matrix_.layout().info(slot), [&](int k, int j) { sweep_row(slot, k, j, true, bv, xv, scratch); });
  });
}

void GaussSeidel::sweep_down(core::Field<double> const& b, core::Field<double>& x) {
  auto const bv = b.host();
  auto const xv = x.host();
  run_with_halo(&down_, Wavefront::Direction::down, Beyond::as_it_is, matrix_, xv, [&](int slot) {
    std::vector<double> scratch;
    auto const& t = matrix_.layout().info(slot);
    for (int k = t.nk - 1; k >= 0; --k)
      for (int j = t.nj - 1; j >= 0; --j) sweep_row(slot, k, j, false, bv, xv, scratch);
  });
}

/// A sweep up and a sweep down: symmetric. One exchange for both, as in OpenFOAM.
class SymGaussSeidel final : public GaussSeidel {
 public:
  using GaussSeidel::GaussSeidel;
  void smooth(int sweeps, core::Field<double> const& b, core::Field<double>& x) override {
    for (int n = 0; n < sweeps; ++n) {
      exchange(x);
      sweep_up(b, x);
      sweep_down(b, x);
    }
  }
};

[[maybe_unused]] static bool const added =
    Smoothers::add<GaussSeidel>("GaussSeidel", "in natural order over the whole grid, on any number of ranks") &&
    Smoothers::add<GaussSeidel>("nonBlockingGaussSeidel", "the same as GaussSeidel, for OpenFOAM's cases") &&
    Smoothers::add<SymGaussSeidel>("symGaussSeidel", "Gauss-Seidel up and down");

}  // namespace tessera::solvers::smoothers
