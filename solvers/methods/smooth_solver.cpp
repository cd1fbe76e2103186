// SPDX-License-Identifier: Apache-2.0
#include "core/grid/sweep.hpp"
#include "solvers/methods/iterative_solver.hpp"
#include "solvers/smoother.hpp"

#include <limits>
#include <utility>

namespace tessera::solvers::methods {
namespace detail {

/// |b - A x|, given A x
struct Defect1 {
  core::FieldView<double const> b, ax;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    double const r = b(slot, k, j, i) - ax(slot, k, j, i);
    return r < 0 ? -r : r;
  }
};

}  // namespace detail

/// Repeats a smoother, OpenFOAM's smoothSolver. The residual is formed after every `nSweeps` sweeps, which count as so
/// many iterations. For matrices with a strong diagonal (small time steps); else iterations grow with the square of the
/// cells a side.
///
/// Keys: those of Controls, `smoother` (required), `nSweeps` (default 1).
class SmoothSolver final : public IterativeSolver {
 public:
  static constexpr char const* help =
      "smoother NAME | { smoother NAME; ... }; nSweeps 1;\ntolerance 1e-6; relTol 0; maxIter 1000; minIter 0;";
  SmoothSolver(StencilMatrix const& matrix, core::Dictionary& dictionary)
      : IterativeSolver(matrix, dictionary, "smoothSolver"),
        smoother_(make_smoother(matrix, dictionary)),
        sweeps_(dictionary.get_in<int>("nSweeps", {1, std::numeric_limits<int>::max()}, 1)) {}

 private:
  void iterate(Residual const& residual, core::Field<double> const& b, core::Field<double>& x, core::Field<double>& ax,
               Performance& p) override {
    do {
      smoother_->smooth(sweeps_, b, x);
      matrix_.apply(x, ax);
      p.final =
          core::sum("residual", matrix_.layout(), detail::Defect1{b.view(), std::as_const(ax).view()}) / residual.norm;
    } while (controls_.go_on(p.iterations += sweeps_, p.initial, p.final));
  }

  std::unique_ptr<Smoother> smoother_;
  int sweeps_;
};

[[maybe_unused]] static bool const added = Methods::add<SmoothSolver>("smoothSolver", "a smoother, repeated");

}  // namespace tessera::solvers::methods
