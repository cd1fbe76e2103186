// SPDX-License-Identifier: Apache-2.0
#include "core/grid/sweep.hpp"
#include "solvers/methods/iterative_solver.hpp"
#include "solvers/methods/vectors.hpp"
#include "solvers/preconditioner.hpp"

#include <optional>
#include <utility>

namespace tessera::solvers::methods {
namespace detail {

KOKKOS_INLINE_FUNCTION double absolute(double x) { return x < 0 ? -x : x; }

/// (t, t), (t, s)
struct TwoProducts {
  ConstView t, s;
  KOKKOS_FUNCTION core::Values<2> operator()(int slot, int k, int j, int i) const {
    double const x = t(slot, k, j, i);
    return {{x * x, x * s(slot, k, j, i)}};
  }
};

/// p = r + beta (p - omega v)
struct BiDirection {
  ConstView r, v;
  View p;
  double beta, omega;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    p(slot, k, j, i) = r(slot, k, j, i) + beta * (p(slot, k, j, i) - omega * v(slot, k, j, i));
  }
};

/// r -= factor v; |r|
struct Reduce {
  ConstView v;
  View r;
  double factor;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    double const x = r(slot, k, j, i) - factor * v(slot, k, j, i);
    r(slot, k, j, i) = x;
    return absolute(x);
  }
};

/// x += factor z
struct AddTo {
  ConstView z;
  View x;
  double factor;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    x(slot, k, j, i) += factor * z(slot, k, j, i);
  }
};

struct CopyOf {
  ConstView from;
  View to;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const { to(slot, k, j, i) = from(slot, k, j, i); }
};

}  // namespace detail

/// Stabilised bi-conjugate gradients, for OpenFOAM's cases that name it. Made for matrices that are not symmetric; ours
/// are, and PCG takes about as many products in all and half the memory.
///
/// Keys: those of Controls and `preconditioner` (required). The order of operations and the test after half an iteration
/// are OpenFOAM's. Cost: two products, two applications of the preconditioner, eight passes of vectors an iteration.
///
/// Source: van der Vorst 1992, SIAM J. Sci. Stat. Comput. 13:631; OpenFOAM's PBiCGStab.
class PBiCGStab final : public IterativeSolver {
 public:
  static constexpr char const* help =
      "tolerance 1e-6; relTol 0; maxIter 1000; minIter 0; preconditioner NAME | { preconditioner NAME; ... };";
  PBiCGStab(StencilMatrix const& matrix, core::Dictionary& dictionary)
      : IterativeSolver(matrix, dictionary, "PBiCGStab"),
        preconditioning_(make_preconditioner(matrix, dictionary)) {
    preconditioner_ = preconditioning_.name;
    preconditioning_.operation->set_up();
  }

 private:
  struct Work {
    explicit Work(core::Layout const& layout)
        : r0("r0", layout, 1),
          p("p", layout, 1),
          y("y", layout, 1),
          v("v", layout, 1),
          t("t", layout, 1) {}
    core::Field<double> r0, p, y, v, t;
  };

  void iterate(Residual const& residual, core::Field<double> const&, core::Field<double>& x, core::Field<double>& r,
               Performance& result) override {
    auto const& layout = matrix_.layout();
    if (!work_) work_.emplace(layout);
    auto& [r0, p, y, v, t] = *work_;
    p.fill(0);
    v.fill(0);
    core::for_each("copy", layout.all(), detail::CopyOf{std::as_const(r).view(), r0.view()});
    double r0r_old = 0, alpha = 0, omega = 0;
    do {
      // beta = (r0, r) / (r0, r)_old alpha / omega,  p = r + beta (p - omega v)
      double const r0r = dot(r0, r);
      if (singular(r0r, residual) || (result.iterations > 0 && singular(omega, {1, 0}))) break;
      double const beta = result.iterations == 0 ? 0 : r0r / r0r_old * (alpha / omega);
      core::for_each("direction", layout.all(),
                     detail::BiDirection{std::as_const(r).view(), std::as_const(v).view(), p.view(), beta, omega});
      r0r_old = r0r;
      // y = M^-1 p, v = A y, alpha = (r0, r) / (r0, v),  s = r - alpha v (in r)
      preconditioning_.operation->apply(p, y);
      matrix_.apply(y, v);
      alpha = r0r / dot(r0, v);
      result.final = reduce(v, alpha, r) / residual.norm;
      add(alpha, y, x);
      if (controls_.converged(result.initial, result.final) && result.iterations + 1 >= controls_.least) {
        ++result.iterations;
        return;
      }
      // z = M^-1 s (in y), t = A z, omega = (t, s) / (t, t),  r = s - omega t
      preconditioning_.operation->apply(r, y);
      matrix_.apply(y, t);
      auto const products = core::sums<2>("t.t, t.s", layout, layout.all(),
                                          detail::TwoProducts{std::as_const(t).view(), std::as_const(r).view()});
      omega = products[1] / products[0];
      add(omega, y, x);
      result.final = reduce(t, omega, r) / residual.norm;
    } while (controls_.go_on(++result.iterations, result.initial, result.final));
  }

  double reduce(core::Field<double> const& v, double factor, core::Field<double>& r) const {
    return core::sum("reduce", matrix_.layout(), detail::Reduce{v.view(), r.view(), factor});
  }
  void add(double factor, core::Field<double> const& z, core::Field<double>& x) const {
    core::for_each("add", matrix_.layout().all(), detail::AddTo{z.view(), x.view(), factor});
  }

  NamedPreconditioner preconditioning_;
  std::optional<Work> work_;
};

[[maybe_unused]] static bool const added =
    Methods::add<PBiCGStab>("PBiCGStab", "stabilised bi-conjugate gradients; PCG is better for our matrices");

}  // namespace tessera::solvers::methods
