// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/gamg.hpp"

#include "core/grid/sweep.hpp"
#include "solvers/methods/iterative_solver.hpp"
#include "solvers/methods/vectors.hpp"

#include <utility>

namespace tessera::solvers::methods {
namespace detail {

/// (e, r), (e, A e)
struct Energy {
  ConstView e, r, ae;
  KOKKOS_FUNCTION core::Values<2> operator()(int slot, int k, int j, int i) const {
    double const x = e(slot, k, j, i);
    return {{x * r(slot, k, j, i), x * ae(slot, k, j, i)}};
  }
};

}  // namespace detail

/// Multigrid as a solver, with OpenFOAM's keys for GAMG: x += alpha e, e = one cycle for A e = b - A x from zero, with
/// alpha = (e, r) / (e, A e), which takes the most energy out of the error, or alpha = 1 with `scaleCorrection no`.
///
/// The levels are those of the preconditioner `multigrid` (GamgControls says what the keys mean to them), not OpenFOAM's
/// agglomerations: iterations are fewer than OpenFOAM's and do not depend on the number of ranks. PCG with multigrid takes
/// fewer still for the same work in each.
/// Keys: those of Controls and of GamgControls, and `scaleCorrection` (default yes).
/// Cost of an iteration: one cycle, one product and three passes.
class Gamg final : public IterativeSolver {
 public:
  static inline std::string const help = std::string("tolerance 1e-6; relTol 0; maxIter 1000; minIter 0;\n") +
                                         GamgControls::help +
                                         "\nscaleCorrection yes;   scale corrections to the least energy";
  Gamg(StencilMatrix const& matrix, core::Dictionary& dictionary)
      : IterativeSolver(matrix, dictionary, "GAMG"),
        scale_(dictionary.get_or<bool>("scaleCorrection", true)),
        cycle_(GamgControls(dictionary).make_cycle(matrix)),
        e_("e", matrix.layout(), 1),
        ae_("A e", matrix.layout(), 1) {
    cycle_->set_up();
  }

 private:
  void iterate(Residual const& residual, core::Field<double> const&, core::Field<double>& x, core::Field<double>& r,
               Performance& p) override {
    auto const& layout = matrix_.layout();
    do {
      // e = M^-1 r, alpha = (e, r) / (e, A e)
      cycle_->apply(r, e_);
      matrix_.apply(e_, ae_);
      auto const e = std::as_const(e_).view(), ae = std::as_const(ae_).view();
      double alpha = 1;
      if (scale_) {
        auto const products =
            core::sums<2>("energy", layout, layout.all(), detail::Energy{e, std::as_const(r).view(), ae});
        if (singular(products[1], residual)) break;
        alpha = products[0] / products[1];
      }
      // x += alpha e, r -= alpha A e
      p.final = core::sum("advance", layout, detail::Advance{e, ae, x.view(), r.view(), alpha}) / residual.norm;
    } while (controls_.go_on(++p.iterations, p.initial, p.final));
  }

  bool scale_;
  std::unique_ptr<Preconditioner> cycle_;
  core::Field<double> e_, ae_;
};

[[maybe_unused]] static bool const added =
    Methods::add<Gamg>("GAMG", "multigrid as a solver, with OpenFOAM's keys; iterations do not depend on ranks");

}  // namespace tessera::solvers::methods
