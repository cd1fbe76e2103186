// SPDX-License-Identifier: Apache-2.0
#include "core/grid/sweep.hpp"
#include "solvers/preconditioner.hpp"

#include <utility>

namespace tessera::solvers::preconditioners {
namespace detail {
struct Divide {
  core::FieldView<double const> r, diagonal;
  core::FieldView<double> z;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    z(slot, k, j, i) = r(slot, k, j, i) / diagonal(slot, k, j, i);
  }
};
}  // namespace detail

/// Jacobi: z_i = r_i / a_ii. Keys: none. Cost: one pass, 24 B a cell.
class Diagonal final : public Preconditioner {
 public:
  Diagonal(StencilMatrix const& matrix, core::Dictionary&) : matrix_(matrix) {}
  void apply(core::Field<double>& r, core::Field<double>& z) const override {
    core::for_each("diagonal", matrix_.layout().all(),
                   detail::Divide{std::as_const(r).view(), matrix_.diagonal().view(), z.view()});
  }

 private:
  StencilMatrix const& matrix_;
};

[[maybe_unused]] static bool const added =
    Preconditioners::add<Diagonal>("diagonal", "Jacobi: division by the diagonal");

}  // namespace tessera::solvers::preconditioners
