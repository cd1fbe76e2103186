// SPDX-License-Identifier: Apache-2.0
#include "solvers/smoothers/gauss_seidel.hpp"

#include "core/error.hpp"
#include "core/grid/computed.hpp"

namespace tessera::solvers::smoothers {
namespace detail {

/// x_i = (b_i + sum over neighbours f x_j) / a_ii, upwards or downwards: the neighbour before on x is the one that is new.
template <int D, bool along_x, bool up>
struct Relax {
  Faces<D> face;
  core::FieldView<double> x;
  core::FieldView<double const> b, diagonal;
  KOKKOS_FUNCTION double rest(int slot, int k, int j, int i) const {
    double const* const own = x.row(slot, k, j) + i;
    double sum = b(slot, k, j, i);
    for (int d = 0; d < D; ++d) {
      double const* const f = face.lower[d].row(slot, k, j) + i;
      sum += f[0] * own[-face.x_step[d]] + f[face.step[d]] * own[face.x_step[d]];
    }
    if constexpr (along_x) sum += up ? face.west(slot, k, j, i + 1) * own[1] : face.west(slot, k, j, i) * own[-1];
    return sum / diagonal(slot, k, j, i);
  }
  KOKKOS_FUNCTION double ratio(int slot, int k, int j, int i) const {
    return face.west(slot, k, j, up ? i : i + 1) / diagonal(slot, k, j, i);
  }
};

}  // namespace detail

namespace {

template <bool up>
void relax(StencilMatrix const& matrix, Substitution const& way, core::Field<double> const& b, core::Field<double>& x) {
  core::FieldView<double> const values = x.view();
  by_axes_but_x(matrix, [&]<int D>() {
    Faces<D> const faces(matrix, values);
    auto const run = [&]<bool along_x>() {
      way.run("Gauss-Seidel", detail::Relax<D, along_x, up>{faces, values, b.view(), matrix.diagonal().view()},
              Beyond::as_it_is);
    };
    if (matrix.has(0))
      run.template operator()<true>();
    else
      run.template operator()<false>();
  });
}

}  // namespace

GaussSeidel::GaussSeidel(StencilMatrix const& matrix, core::Dictionary&)
    : matrix_(matrix),
      halo_(matrix.layout(), 1, core::Reach::faces),
      up_(matrix, Substitution::Direction::up, true),
      down_(matrix, Substitution::Direction::down, true) {
  core::note_computed("GaussSeidel", !core::on_host                      ? core::By::sweeps
                                     : matrix.layout().comm().size() > 1 ? core::By::one_thread
                                                                         : core::By::host_threads);
}

void GaussSeidel::smooth(int sweeps, core::Field<double> const& b, core::Field<double>& x) {
  for (int n = 0; n < sweeps; ++n) {
    exchange(x);
    sweep_up(b, x);
  }
}

void GaussSeidel::sweep_up(core::Field<double> const& b, core::Field<double>& x) {
  core::expect(&b != &x && x.halo() >= 1, "x of a smoother must be a field of its own with a halo");
  relax<true>(matrix_, up_, b, x);
}

void GaussSeidel::sweep_down(core::Field<double> const& b, core::Field<double>& x) {
  relax<false>(matrix_, down_, b, x);
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
