// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/multigrid.hpp"

#include "solvers/methods/pcg_multigrid.hpp"

#include "core/error.hpp"
#include "solvers/algebra/require.hpp"

#include <type_traits>

namespace tessera::solvers::preconditioners {

using multigrid::Cycle;
using multigrid::Hierarchy;

Multigrid::Multigrid(StencilMatrix const& matrix, core::Dictionary& settings)
    : matrix_(matrix),
      shelves_(matrix.layout()),
      sweeps_(settings.get_in<int>("sweeps", {1, 3}, 2)),
      single_(settings.get_choice("precision", {"single", "double"}, "single") == "single") {
  require_positive(matrix.diagonal(), "the diagonal of multigrid's matrix", "");
  auto const cycle = settings.get_choice("cycle", {"auto", "V", "W"}, "auto");
  automatic_ = cycle == "auto";
  auto const cells = matrix.layout().grid().cells();
  bool const solid = cells[0] > 1 && cells[1] > 1 && cells[2] > 1;
  cycle_ = cycle == "W" || (automatic_ && solid) ? Cycle::w : Cycle::v;
}

template <class T>
std::unique_ptr<Hierarchy<T>> Multigrid::build() const {
  auto const& grid = matrix_.layout().grid();
  multigrid::Widths widths;
  for (int a = 0; a < 3; ++a)
    for (core::Count n = 0; n < grid.axis(a).cells(); ++n) widths[a].push_back(grid.axis(a).width(n));
  multigrid::ZeroedMemory::From const here(memory_);
  return std::make_unique<Hierarchy<T>>(shelves_.matrix(matrix_), std::move(widths), sweeps_);
}

template <>
Hierarchy<float>& Multigrid::hierarchy() const {
  if (!in_single_) in_single_ = build<float>();
  return *in_single_;
}
template <>
Hierarchy<double>& Multigrid::hierarchy() const {
  if (!in_double_) in_double_ = build<double>();
  return *in_double_;
}

std::size_t Multigrid::bytes() const {
  return (in_single_ ? in_single_->bytes() : 0) + (in_double_ ? in_double_->bytes() : 0);
}

std::unique_ptr<FusedPcg> Multigrid::fused() const { return std::make_unique<methods::PcgMultigrid>(*this); }

void Multigrid::apply(core::Field<double>& r, core::Field<double>& z) const {
  core::expect(&r != &z, "z of multigrid must be a field of its own");
  auto& levels = hierarchy<double>();
  levels.allocate_finest(true);
  shelves_.load(r, levels.level(0).r);
  levels.cycle(0, cycle_);
  shelves_.store(levels.level(0).z, z);
}

[[maybe_unused]] static bool const added = Preconditioners::add<Multigrid>(
    "multigrid", "black-box multigrid: iterations hardly depend on mesh, grading, ranks, tiles and jumps");

}  // namespace tessera::solvers::preconditioners
