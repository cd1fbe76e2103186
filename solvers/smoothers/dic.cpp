// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/dic.hpp"

#include "core/grid/sweep.hpp"
#include "solvers/smoothers/gauss_seidel.hpp"

#include <utility>

namespace tessera::solvers::smoothers {
namespace detail {

/// r = b - r
struct Defect {
  core::FieldView<double const> b;
  core::FieldView<double> r;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    r(slot, k, j, i) = b(slot, k, j, i) - r(slot, k, j, i);
  }
};

/// x += z
struct Correct {
  core::FieldView<double const> z;
  core::FieldView<double> x;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const { x(slot, k, j, i) += z(slot, k, j, i); }
};

}  // namespace detail

/// Richardson's iteration with DIC, x += M^-1 (b - A x), as OpenFOAM's smoother of this name.
/// Cost of a sweep: a product, an application of DIC and two passes. Keys: those of the preconditioner DIC.
class DicSmoother : public Smoother {
 public:
  static constexpr char const* help = preconditioners::Dic::help;
  DicSmoother(StencilMatrix const& matrix, core::Dictionary& settings)
      : matrix_(matrix),
        dic_(matrix, settings),
        r_("r", matrix.layout(), 1),
        z_("z", matrix.layout(), 1) {}

  void smooth(int sweeps, core::Field<double> const& b, core::Field<double>& x) override {
    auto const& all = matrix_.layout().all();
    for (int n = 0; n < sweeps; ++n) {
      matrix_.apply(x, r_);
      core::for_each("defect", all, detail::Defect{b.view(), r_.view()});
      dic_.apply(r_, z_);
      core::for_each("correct", all, detail::Correct{std::as_const(z_).view(), x.view()});
    }
  }

 private:
  StencilMatrix const& matrix_;
  preconditioners::Dic dic_;
  core::Field<double> r_, z_;
};

/// Sweeps of DIC, then as many of Gauss and Seidel, as OpenFOAM's smoother of this name.
class DicGaussSeidel final : public Smoother {
 public:
  static constexpr char const* help = preconditioners::Dic::help;
  DicGaussSeidel(StencilMatrix const& matrix, core::Dictionary& settings)
      : dic_(matrix, settings),
        gauss_seidel_(matrix, settings) {}
  void smooth(int sweeps, core::Field<double> const& b, core::Field<double>& x) override {
    dic_.smooth(sweeps, b, x);
    gauss_seidel_.smooth(sweeps, b, x);
  }

 private:
  DicSmoother dic_;
  GaussSeidel gauss_seidel_;
};

[[maybe_unused]] static bool const added =
    Smoothers::add<DicSmoother>("DIC", "Richardson's iteration with DIC") &&
    Smoothers::add<DicSmoother>("FDIC", "the same as DIC, for OpenFOAM's cases") &&
    Smoothers::add<DicGaussSeidel>("DICGaussSeidel", "sweeps of DIC, then of Gauss-Seidel");

}  // namespace tessera::solvers::smoothers
