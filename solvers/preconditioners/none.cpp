// SPDX-License-Identifier: Apache-2.0
#include "core/grid/sweep.hpp"
#include "solvers/preconditioner.hpp"

#include <utility>

namespace tessera::solvers::preconditioners {
namespace detail {
struct Copy {
  core::FieldView<double const> r;
  core::FieldView<double> z;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const { z(slot, k, j, i) = r(slot, k, j, i); }
};
}  // namespace detail

/// z = r: plain conjugate gradients. Keys: none.
class None final : public Preconditioner {
 public:
  None(StencilMatrix const& matrix, core::Dictionary&) : layout_(matrix.layout()) {}
  void apply(core::Field<double>& r, core::Field<double>& z) const override {
    core::for_each("none", layout_.all(), detail::Copy{std::as_const(r).view(), z.view()});
  }

 private:
  core::Layout const& layout_;
};

[[maybe_unused]] static bool const added = Preconditioners::add<None>("none", "no preconditioner: z = r");

}  // namespace tessera::solvers::preconditioners
