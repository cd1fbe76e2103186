// SPDX-License-Identifier: Apache-2.0
#include "solvers/gamg.hpp"

#include "core/sweep.hpp"
#include "solvers/linear_solver.hpp"

#include <optional>
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

/// `multigrid` with OpenFOAM's keys for GAMG: `nVcycles` cycles, z += M^-1 (r - A z) from z = 0. GamgControls says what
/// the keys mean. `tolerance`, `relTol`, `maxIter` and `minIter`, which OpenFOAM's cases give here, are checked and decide
/// nothing, as there. Symmetric and positive definite for any number of cycles.
class Gamg final : public Preconditioner {
 public:
  static inline std::string const help = std::string(GamgControls::help) + "\nnVcycles 1;   cycles an application";
  Gamg(StencilMatrix const& matrix, core::Dictionary& settings)
      : matrix_(matrix),
        cycles_(settings.get_in<int>("nVcycles", 1, 100, 1)),
        cycle_(GamgControls(settings).make_cycle(matrix)) {
    Controls const checked(settings);
    if (cycles_ > 1) work_.emplace(matrix.layout());
  }

  void apply(core::Field<double>& r, core::Field<double>& z) const override {
    cycle_->apply(r, z);
    auto const& all = matrix_.layout().all();
    for (int n = 1; n < cycles_; ++n) {
      matrix_.apply(z, work_->s);
      core::for_each("remainder", all, detail::Remainder{std::as_const(r).view(), work_->s.view()});
      cycle_->apply(work_->s, work_->e);
      core::for_each("add", all, detail::Add{std::as_const(work_->e).view(), z.view()});
    }
  }

 private:
  struct Work {
    explicit Work(core::Layout const& layout) : s("s", layout, 1), e("e", layout, 1) {}
    core::Field<double> s, e;
  };
  StencilMatrix const& matrix_;
  int cycles_;
  std::unique_ptr<Preconditioner> cycle_;
  mutable std::optional<Work> work_;  // for more than one cycle
};

[[maybe_unused]] static bool const added =
    Preconditioners::add<Gamg>("GAMG", "multigrid with OpenFOAM's keys for GAMG");

}  // namespace tessera::solvers::preconditioners
