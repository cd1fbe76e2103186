// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/gamg.hpp"

#include "core/grid/sweep.hpp"
#include "solvers/linear_solver.hpp"

#include <memory>
#include <utility>

namespace tessera::solvers::preconditioners {
namespace detail {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;

/// s = r - s
struct Remainder {
  ConstView r;
  View s;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    s(slot, k, j, i) = r(slot, k, j, i) - s(slot, k, j, i);
  }
};

/// z += e
struct Add {
  ConstView e;
  View z;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const { z(slot, k, j, i) += e(slot, k, j, i); }
};

}  // namespace detail

/// More than one cycle of multigrid: z += M^-1 (r - A z), from z = 0. Symmetric and positive definite for any number.
class Cycles final : public Preconditioner {
 public:
  Cycles(StencilMatrix const& matrix, int cycles, std::unique_ptr<Preconditioner> cycle)
      : matrix_(matrix),
        cycles_(cycles),
        cycle_(std::move(cycle)),
        s_("s", matrix.layout(), 1),
        e_("e", matrix.layout(), 1) {}

  void set_up() override { cycle_->set_up(); }

  void apply(core::Field<double>& r, core::Field<double>& z) const override {
    cycle_->apply(r, z);
    auto const& all = matrix_.layout().all();
    for (int n = 1; n < cycles_; ++n) {
      matrix_.apply(z, s_);
      core::for_each("remainder", all, detail::Remainder{std::as_const(r).view(), s_.view()});
      cycle_->apply(s_, e_);
      core::for_each("add", all, detail::Add{std::as_const(e_).view(), z.view()});
    }
  }

 private:
  StencilMatrix const& matrix_;
  int cycles_;
  std::unique_ptr<Preconditioner> cycle_;
  mutable core::Field<double> s_, e_;
};

/// `multigrid` with OpenFOAM's keys for GAMG; GamgControls says what they mean. `tolerance`, `relTol`, `maxIter` and
/// `minIter`, which OpenFOAM's cases give here, are checked and decide nothing, as there. With one cycle (the default) it is
/// the preconditioner `multigrid` itself, so that PCG has its fused form.
std::unique_ptr<Preconditioner> make_gamg(StencilMatrix const& matrix, core::Dictionary& settings) {
  int const cycles = settings.get_in<int>("nVcycles", {1, 100}, 1);
  Controls const checked(settings);
  auto cycle = GamgControls(settings).make_cycle(matrix);
  if (cycles == 1) return cycle;
  return std::make_unique<Cycles>(matrix, cycles, std::move(cycle));
}

[[maybe_unused]] static bool const added =
    Preconditioners::add("GAMG", "multigrid with OpenFOAM's keys for GAMG", make_gamg,
                         std::string(GamgControls::help) + "\nnVcycles 1;   cycles an application");

}  // namespace tessera::solvers::preconditioners
