// SPDX-License-Identifier: Apache-2.0
// What a run needs, without its fields: a body of some tiles like the grid's takes two steps with the case's scheme and
// solver, and is measured. So the estimate follows every solver and preconditioner, those of plugins too.
#include "run/models/heat/heat_model.hpp"

#include <algorithm>

namespace tessera::run::heat {
namespace {

constexpr core::Count sample_cells = core::Count{1} << 18;

core::Count product(std::array<core::Count, 3> const& n) { return n[0] * n[1] * n[2]; }

/// Some whole tiles of the grid, as cubic as may be; a tile that is larger itself is cut.
std::shared_ptr<core::Grid const> sample_grid(core::Grid const& grid) {
  auto tile = grid.tile();
  auto const widest = [](core::Grid::Shape& n) { return std::max_element(n.begin(), n.end()); };
  while (product(tile) > sample_cells) *widest(tile) = (*widest(tile) + 1) / 2;
  auto const all = grid.cells();
  core::Grid::Shape cells{};
  for (std::size_t a = 0; a < 3; ++a) cells[a] = std::min(tile[a], all[a]);
  for (bool grows = true; grows;) {
    std::size_t axis = 3;
    for (std::size_t a = 0; a < 3; ++a)
      if (cells[a] < all[a] && (axis == 3 || cells[a] < cells[axis])) axis = a;
    grows = axis < 3 && product(cells) / cells[axis] * std::min(cells[axis] + tile[axis], all[axis]) <= sample_cells;
    if (grows) cells[axis] = std::min(cells[axis] + tile[axis], all[axis]);
  }
  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) axes[a] = core::Axis::make_uniform(cells[a], 0, static_cast<double>(cells[a]));
  return std::make_shared<core::Grid const>(std::move(axes), tile);
}

}  // namespace

Memory HeatModel::memory() const {
  auto const grid = sample_grid(case_->mesh.mesh->grid);
  core::Dictionary entry = case_->solver;
  entry.set("maxIter", "8");  // enough for all that a solver makes when it needs it first
  entry.set("minIter", "0");
  auto const& materials = case_->fields->materials;
  auto const& sets = case_->fields->sets;
  auto const& rates = case_->sources.rates;
  auto const cuts =
      static_cast<std::size_t>(std::count_if(rates.begin(), rates.end(), [](auto const& s) { return bool(s.share); }));
  std::size_t const masks = cuts + sets.sets.size() + sets.zones.size() + (materials.depends_on_temperature() ? 1 : 0);
  double const bytes = measure_memory([&] {
    core::Layout const layout(grid, std::vector<int>(grid->tiles(), 0), core::Comm(MPI_COMM_SELF));
    core::Field<double> const conductivity(names_.conductivity, layout, materials.depends_on_temperature() ? 1 : 0,
                                           1.0);
    std::optional<core::Field<double>> capacity;
    if (materials.has_capacity_field()) capacity.emplace("capacity", layout, 0, 1.0);
    std::vector<core::Field<std::uint8_t>> sets;
    for (std::size_t n = 0; n < masks; ++n) sets.emplace_back("set", layout, 0);
    std::vector<core::Field<double>> shares;
    for (std::size_t n = 0; n < cuts; ++n) shares.emplace_back("share", layout, 0);
    for (std::size_t n = 0; functions_ && n < functions_->list.kept().size(); ++n)
      shares.emplace_back("kept", layout, 0);
    core::Field<double> t("T", layout, 1, 300.0);
    solvers::HeatProperties properties{
        conductivity, capacity ? solvers::Property(*capacity) : 1.0, 1.0, {}, case_->interpolation};
    properties.lambda_has_halo = materials.depends_on_temperature();
    properties.sides[0] = {solvers::Boundary::Type::fixed_value, 310.0};
    bool const steady = case_->steady();
    solvers::Heat heat(properties, steady ? 0.0 : 1.0);
    auto settings = case_->solution.settings;
    settings.mean.reset();
    solvers::HeatStepper::Renew renew;
    if (settings.renews) renew.fit = [&](core::Field<double> const&) { return heat.lambda_changed(); };
    solvers::HeatStepper stepper(
        heat, t, [&](solvers::StencilMatrix const& matrix) { return solvers::make_solver(matrix, entry); }, settings,
        renew);
    for (int step = 0; step < (steady ? 1 : 2); ++step) {
      stepper.step(1.0);
      stepper.accept();
    }
  });
  Memory memory = memory_of(bytes / static_cast<double>(grid->total()), case_->mesh.mesh->grid, parts().largest_share,
                            session_.comm.size());
  // pictures and snapshots at the end, with their libraries, as measured on the root rank
  double const cells = static_cast<double>(case_->mesh.mesh->grid.total());
  double const output = 22e6 + (case_->mesh.mesh->grid.thin(2) ? 0 : std::min(40e6, 40 * cells));
  memory.all += output;
  memory.largest += output;
  return memory;
}

}  // namespace tessera::run::heat
