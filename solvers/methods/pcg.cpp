// SPDX-License-Identifier: Apache-2.0
#include "core/sweep.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/methods/pcg_dic.hpp"
#include "solvers/methods/pcg_multigrid.hpp"
#include "solvers/preconditioner.hpp"
#include "solvers/preconditioners/dic.hpp"
#include "solvers/residual.hpp"

#include <chrono>
#include <utility>

namespace tessera::solvers::methods {
namespace detail {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;

struct Product {
  ConstView a, b;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return a(slot, k, j, i) * b(slot, k, j, i); }
};

/// p = z + beta p
struct Direction {
  ConstView z;
  View p;
  double beta;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    p(slot, k, j, i) = z(slot, k, j, i) + beta * p(slot, k, j, i);
  }
};

/// x += alpha p, r -= alpha w; |r|
struct Update {
  ConstView p, w;
  View x, r;
  double alpha;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    x(slot, k, j, i) += alpha * p(slot, k, j, i);
    double const ri = r(slot, k, j, i) - alpha * w(slot, k, j, i);
    r(slot, k, j, i) = ri;
    return ri < 0 ? -ri : ri;
  }
};

}  // namespace detail

/// Preconditioned conjugate gradients, in OpenFOAM's order of operations, so that iteration counts agree with it.
///
/// Keys: those of Controls, `preconditioner` (required), and `fused` (default yes): with DIC of global scope on a 2-D
/// grid whose axes are not periodic, take the same algebra in two passes an iteration (PcgDic), two to four times faster
/// than the passes here, iterations agreeing to rounding; with multigrid, in single precision with corrections in double
/// (PcgMultigrid).
/// Cost without it: one product, one application of the preconditioner and four passes of vectors an iteration.
///
/// Source: Hestenes & Stiefel 1952; OpenFOAM's PCG.
class Pcg final : public LinearSolver {
 public:
  static constexpr char const* help =
      "tolerance 1e-6; relTol 0; maxIter 1000; minIter 0; preconditioner NAME | { preconditioner NAME; ... };\n"
      "fused yes;   fewer passes an iteration where there is such a form (DIC in 2-D, multigrid)";

  Pcg(StencilMatrix const& matrix, core::Dictionary& dictionary)
      : matrix_(matrix),
        controls_(dictionary),
        preconditioner_(make_preconditioner(matrix, dictionary)),
        r_("r", matrix.layout(), 1) {
    auto const* const dic = dynamic_cast<preconditioners::Dic const*>(preconditioner_.operation.get());
    if (dictionary.get_or<bool>("fused", true) && dic && PcgDic::can(matrix, *dic))
      fused_ = std::make_unique<PcgDic>(matrix, *dic);
    if (auto const* const multigrid = dynamic_cast<preconditioners::Multigrid const*>(preconditioner_.operation.get());
        multigrid && dictionary.get_or<bool>("fused", true))
      multigrid_ = std::make_unique<PcgMultigrid>(*multigrid);
  }

  Controls& controls() override { return controls_; }

  Performance solve(core::Field<double> const& b, core::Field<double>& x) override {
    core::expect(&b.layout() == &matrix_.layout() && &x.layout() == &matrix_.layout(),
                 "b and x are not on the matrix's layout");
    auto const start = std::chrono::steady_clock::now();
    Performance p{"PCG", preconditioner_.name, x.name()};
    Residual const residual = multigrid_ ? multigrid_->residual(b, x, r_) : solvers::residual(matrix_, b, x, r_);
    p.initial = p.final = residual.initial;
    if (controls_.least > 0 || !controls_.converged(p.initial, p.final)) {
      if (fused_)
        fused_->iterate(controls_, residual, x, r_, p);
      else if (multigrid_)
        multigrid_->iterate(controls_, residual, b, x, r_, p);
      else
        iterate(residual, x, p);
    }
    p.converged = p.converged || controls_.converged(p.initial, p.final);
    p.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return p;
  }

 private:
  void iterate(Residual const& residual, core::Field<double>& x, Performance& p) {
    auto const& layout = matrix_.layout();
    if (!work_) work_ = std::make_unique<Work>(layout);
    auto& [direction, w] = *work_;
    direction.fill(0);
    double rz_old = 0;
    do {
      // z = M^-1 r (in w), rz = (r, z)
      preconditioner_.operation->apply(r_, w);
      double const rz = dot(r_, w);
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
          detail::Update{std::as_const(direction).view(), std::as_const(w).view(), x.view(), r_.view(), rz / pw});
      p.final = sum / residual.norm;
    } while (controls_.go_on(++p.iterations, p.initial, p.final));
  }

  double dot(core::Field<double> const& a, core::Field<double> const& b) const {
    return core::sum("dot", matrix_.layout(), detail::Product{a.view(), b.view()});
  }

  struct Work {
    explicit Work(core::Layout const& layout) : direction("p", layout, 1), w("w", layout, 1) {}
    core::Field<double> direction, w;
  };

  StencilMatrix const& matrix_;
  Controls controls_;
  NamedPreconditioner preconditioner_;
  core::Field<double> r_;
  std::unique_ptr<Work> work_;
  std::unique_ptr<PcgDic> fused_;
  std::unique_ptr<PcgMultigrid> multigrid_;
};

[[maybe_unused]] static bool const added = Methods::add<Pcg>("PCG", "preconditioned conjugate gradients");

}  // namespace tessera::solvers::methods
