// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/multigrid.hpp"

#include "core/grid/computed.hpp"
#include "solvers/methods/pcg_multigrid.hpp"

#include "core/error.hpp"
#include "solvers/algebra/require.hpp"

#include <type_traits>

namespace tessera::solvers::preconditioners {

using multigrid::Cycle;
using multigrid::Hierarchy;

namespace {

Multigrid::Settings read(core::Dictionary& dictionary) {
  Multigrid::Settings settings;
  settings.sweeps = dictionary.get_in<int>("sweeps", {1, 3}, settings.sweeps);
  settings.single = dictionary.get_choice("precision", {"single", "double"}, "single") == "single";
  auto const cycle = dictionary.get_choice("cycle", {"auto", "V", "W"}, "auto");
  if (cycle != "auto") settings.cycle = cycle == "W" ? Cycle::w : Cycle::v;
  return settings;
}

}  // namespace

Multigrid::Multigrid(StencilMatrix const& matrix, Settings const& settings)
    : matrix_(matrix),
      redistribution_(matrix.layout(), std::make_shared<multigrid::MemoryPool>()),
      settings_(settings) {
  core::note_computed("multigrid", redistribution_.slab().fits_device() ? core::By::sweeps : core::By::host_threads);
  require_positive(matrix.diagonal(), "the diagonal of multigrid's matrix", "");
  auto const cells = matrix.layout().grid().cells();
  bool const solid = cells[0] > 1 && cells[1] > 1 && cells[2] > 1;
  cycle_ = settings.cycle.value_or(solid ? Cycle::w : Cycle::v);
}

Multigrid::Multigrid(StencilMatrix const& matrix, core::Dictionary& settings) : Multigrid(matrix, read(settings)) {}

template <class T>
std::unique_ptr<Hierarchy<T>> Multigrid::make_levels(bool device) const {
  auto const& grid = matrix_.layout().grid();
  multigrid::Widths widths;
  for (int a = 0; a < 3; ++a)
    for (core::Count n = 0; n < grid.axis(a).cells(); ++n) widths[a].push_back(grid.axis(a).width(n));
  return std::make_unique<Hierarchy<T>>(redistribution_.matrix(matrix_, device), std::move(widths), settings_.sweeps);
}
template std::unique_ptr<Hierarchy<float>> Multigrid::make_levels(bool) const;
template std::unique_ptr<Hierarchy<double>> Multigrid::make_levels(bool) const;

std::unique_ptr<FusedPcg> Multigrid::fused() const { return std::make_unique<methods::PcgMultigrid>(*this); }

void Multigrid::set_up() {
  levels_ = make_levels<double>();
  levels_->allocate_finest(true);
}

void Multigrid::apply(core::Field<double>& r, core::Field<double>& z) const {
  core::expect(&r != &z, "z of multigrid must be a field of its own");
  core::expect(levels_ != nullptr, "multigrid must be set up before it is applied");
  redistribution_.load(r, levels_->level(0).r);
  levels_->cycle(0, cycle_);
  redistribution_.store(levels_->level(0).z, z);
}

[[maybe_unused]] static bool const added = Preconditioners::add<Multigrid>(
    "multigrid", "black-box multigrid: iterations hardly depend on mesh, grading, ranks, tiles and jumps");

}  // namespace tessera::solvers::preconditioners
