// SPDX-License-Identifier: Apache-2.0
#include "core/grid/sweep.hpp"
#include "solvers/algebra/fused_pcg.hpp"
#include "solvers/methods/iterative_solver.hpp"
#include "solvers/methods/vectors.hpp"
#include "solvers/preconditioner.hpp"

#include <utility>

namespace tessera::solvers::methods {
namespace detail {

/// p = z + beta p
struct Direction {
  ConstView z;
  View p;
  double beta;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    p(slot, k, j, i) = z(slot, k, j, i) + beta * p(slot, k, j, i);
  }
};

}  // namespace detail

/// Preconditioned conjugate gradients, in OpenFOAM's order of operations, so that iteration counts agree with it.
///
/// Keys: those of Controls, `preconditioner` (required), and `fused` (default yes): with DIC of global scope on a 2-D
/// grid whose axes are not periodic, take the same algebra in two passes an iteration (PcgDic), two to four times faster
/// than the passes here, iterations agreeing to rounding; with multigrid, in single precision with corrections in double
/// (PcgMultigrid); with others as they offer (Preconditioner::fused).
/// Cost without it: one product, one application of the preconditioner and four passes of vectors an iteration.
///
/// Source: Hestenes & Stiefel 1952; OpenFOAM's PCG.
class Pcg final : public IterativeSolver {
 public:
  static constexpr char const* help =
      "tolerance 1e-6; relTol 0; maxIter 1000; minIter 0; preconditioner NAME | { preconditioner NAME; ... };\n"
      "fused yes;   fewer passes an iteration where there is such a form (DIC in 2-D, multigrid)";

  Pcg(StencilMatrix const& matrix, core::Dictionary& dictionary)
      : IterativeSolver(matrix, dictionary, "PCG"),
        preconditioning_(make_preconditioner(matrix, dictionary)) {
    preconditioner_ = preconditioning_.name;
    if (dictionary.get_or<bool>("fused", true)) fused_ = preconditioning_.operation->fused();
    if (!fused_) preconditioning_.operation->set_up();
  }

  std::string learned() const override { return fused_ ? fused_->learned() : ""; }
  void learn(std::string const& words) override {
    if (fused_) fused_->learn(words);
  }
  bool follow(Follow how) override { return fused_ && fused_->follow(how); }
  bool outdated() const override { return fused_ && fused_->outdated(); }

 private:
  Residual first_residual(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r) override {
    return fused_ ? fused_->residual(b, x, r) : IterativeSolver::first_residual(b, x, r);
  }

  void iterate(Residual const& residual, core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r,
               Performance& p) override {
    if (fused_)
      fused_->iterate(controls_, residual, b, x, r, p);
    else
      iterate_plainly(residual, x, r, p);
  }

  void iterate_plainly(Residual const& residual, core::Field<double>& x, core::Field<double>& r, Performance& p) {
    auto const& layout = matrix_.layout();
    if (!work_) work_ = std::make_unique<Work>(layout);
    auto& [direction, w] = *work_;
    direction.fill(0);
    double rz_old = 0;
    do {
      // z = M^-1 r (in w), rz = (r, z)
      preconditioning_.operation->apply(r, w);
      double const rz = dot(r, w);
      // p = z + (rz / rz_old) p
      double const beta = p.iterations == 0 ? 0 : rz / rz_old;
      core::for_each("direction", layout.all(), detail::Direction{std::as_const(w).view(), direction.view(), beta});
      rz_old = rz;
      // w = A p, alpha = rz / (p, w)
      matrix_.apply(direction, w);
      double const pw = dot(direction, w);
      if (singular(pw, residual)) break;
      // x += alpha p, r -= alpha w
      double const sum = core::sum(
          "update", layout,
          detail::Advance{std::as_const(direction).view(), std::as_const(w).view(), x.view(), r.view(), rz / pw});
      p.final = sum / residual.norm;
    } while (controls_.go_on(++p.iterations, p.initial, p.final));
  }

  struct Work {
    explicit Work(core::Layout const& layout) : direction("p", layout, 1), w("w", layout, 1) {}
    core::Field<double> direction, w;
  };

  NamedPreconditioner preconditioning_;
  std::unique_ptr<Work> work_;
  std::unique_ptr<FusedPcg> fused_;
};

[[maybe_unused]] static bool const added = Methods::add<Pcg>("PCG", "preconditioned conjugate gradients");

}  // namespace tessera::solvers::methods
