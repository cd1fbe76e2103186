// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/heat_body.hpp"

#include "core/grid/migrate.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace tessera::run::heat {

namespace foam = io::foam;

Body::Body(HeatCase& c) : case_(c) { build(case_.steady() ? 0 : 1 / *case_.in.control.delta_t); }

void Body::build(double time_weight) {
  auto const begin = core::RunClock::now();
  auto const& materials = case_.fields->materials;
  auto const& sets = case_.fields->sets;
  double const first = case_.begin.time + case_.begin.dt;
  core::Layout const& layout = case_.mesh.layout();
  auto const cells = [&layout](foam::HeatSource const& s) {
    return s.mask ? solvers::heat::Cells(*s.mask) : solvers::heat::Cells(layout);
  };
  solvers::HeatProperties properties{materials.conductivity(), materials.capacity(), 0.0, {}, case_.interpolation};
  for (std::size_t s = 0; s < 6; ++s) properties.sides[s] = case_.boundaries.sides[s].at(first);
  for (auto const& [part, condition] : case_.boundaries.parts) {
    properties.parts.push_back(part);
    properties.parts.back().boundary = condition.at(first);
  }
  for (auto const& s : case_.sources.rates) {
    properties.sources.push_back({cells(s), s.active(first) ? s.Su(first) : 0, s.active(first) ? s.Sp(first) : 0,
                                  takes_implicitly(s, first), s.share.get()});
  }
  for (auto const& s : case_.sources.held) properties.held.push_back({cells(s), s.value(first)});
  properties.cut_faces = materials.cut_faces();
  for (auto const& face : joint_faces(case_.boundaries.joints, layout)) properties.cut_faces.push_back(face);
  properties.resistive_faces = contact_faces(case_.fields->contacts, sets, layout, materials.exact());
  properties.wedge = case_.mesh.mesh->wedge;
  if (sets.existing) {
    foam::CellSets::Mask absent("absent", layout, 0, std::uint8_t{0});
    core::for_own_cells(layout, [to = absent.host(), from = std::as_const(*sets.existing).host()](
                                    int s, int k, int j, int i) { to(s, k, j, i) = from(s, k, j, i) == 0; });
    properties.absent.emplace(absent);
  }
  properties.lambda_has_halo = materials.depends_on_temperature();
  properties.may_be_singular = case_.solution.settings.mean.has_value();
  try {
    heat_.emplace(properties, time_weight > 0 ? *case_.in.control.delta_t : 0.0);
    heat_->set_time_weight(time_weight);
  } catch (core::Error const& error) {
    throw core::Error(fmt::format("{}: {}", case_.in.session.files.path(case_.begin.directory + "/T"), error.what()));
  }
  if (auto const& solution = case_.solution; solution.settings.mean && heat_->tied())
    throw core::Error(
        fmt::format("{}: TMean is there, expected no such entry: sides, sources or held cells give the temperature",
                    solution.mean_place));
  assembly_seconds_ += std::chrono::duration<double>(core::RunClock::now() - begin).count();
  auto const make = [this](solvers::StencilMatrix const& matrix) { return make_solver(matrix); };
  solvers::HeatStepper::Renew renew;
  if (materials.depends_on_temperature())
    renew = {.fit =
                 [this](core::Field<double> const& t) {
                   case_.fields->materials.fit(t);
                   return heat_->lambda_changed();
                 },
             .apart = [this](core::Field<double> const& t) { return case_.fields->materials.apart(t); }};
  stepper_ =
      std::make_unique<solvers::HeatStepper>(*heat_, case_.fields->temperature, make, case_.solution.settings, renew);
}

bool Body::takes_implicitly(foam::HeatSource const& source, double time) const {
  return case_.in.names.capacity ? source.kind == foam::HeatSource::Kind::rates && source.Sp(time) <= 0
                                 : source.Sp(time) > 0;
}

/// Whether a message begins with the place of an entry of the solver's, which may have come by a setting.
static bool is_of_entry(core::Dictionary const& solver, std::string_view message) {
  if (message.starts_with(solver.name())) return true;
  return std::ranges::any_of(solver.keys(), [&](std::string const& key) {
    return message.starts_with(solver.location(key)) ||
           (solver.is_dictionary(key) && is_of_entry(solver.sub(key), message));
  });
}

std::unique_ptr<solvers::LinearSolver> Body::make_solver(solvers::StencilMatrix const& matrix) const {
  try {
    return solvers::make_solver(matrix, case_.solver);
  } catch (core::Error const& error) {
    std::string const message = error.what();
    if (is_of_entry(case_.solver, message)) throw;
    std::string sources;
    for (auto const& s : case_.sources.rates)
      if (!case_.in.names.capacity && (!s.Sp.constant() || s.Sp(0) > 0))
        sources += fmt::format("; source '{}' ({}) has Sp > 0, which OpenFOAM and laplacianFoam take implicitly: it "
                               "outweighs what leads heat away, or deltaT is too long",
                               s.name, s.where);
    throw core::Error(fmt::format("{}: {}{}", case_.solver.location(), message, sources));
  }
}

void Body::set_time(double time, double sum) {
  auto const& sides = case_.boundaries.sides;
  auto const& parts = case_.boundaries.parts;
  auto const& [rates, held] = case_.sources;
  bool changed = false;
  for (std::size_t s = 0; s < 6; ++s)
    if (sides[s].varies) changed |= heat_->set_side(static_cast<core::Side>(s), sides[s].at(sum));
  for (std::size_t n = 0; n < parts.size(); ++n)
    if (parts[n].condition.varies) changed |= heat_->set_part(n, parts[n].condition.at(sum));
  for (std::size_t n = 0; n < rates.size(); ++n)
    if (auto const& s = rates[n]; !s.constant())
      changed |= heat_->set_source(n, s.active(time) ? s.Su(sum) : 0, s.active(time) ? s.Sp(sum) : 0,
                                   takes_implicitly(s, sum));
  for (std::size_t n = 0; n < held.size(); ++n)
    if (!held[n].value.constant()) heat_->set_held(n, held[n].value(sum));
  if (changed) stepper_->matrix_changed();
}

void Body::move_to(std::unique_ptr<core::Layout> layout) {
  core::Timed const timed(core::Part::rebalance);
  auto& fields = *case_.fields;
  fields.materials.move_to(*layout);
  core::migrate_to(*layout, fields.temperature);
  if (fields.region) core::migrate_to(*layout, *fields.region);
  std::vector<foam::CellSets*> all{&fields.sets};
  for (auto& sets : fields.sets_of_regions) all.push_back(&sets);
  for (auto* sets : all) {
    for (auto* kind : {&sets->sets, &sets->zones})
      for (auto& [name, mask] : *kind) core::migrate_to(*layout, mask);
    if (sets->existing) core::migrate_to(*layout, *sets->existing);
  }
  for (auto& source : case_.sources.rates)
    if (source.share) {
      core::migrate_to(*layout, *source.share);
      core::migrate_to(*layout, *source.cut_mask);
    }
  auto const before = std::move(stepper_);
  before->release_solver();  // its solver goes before another is made
  std::swap(case_.mesh.parts.layout, layout);
  build(before->time_weight());
  stepper_->go_on_from(*before);
}

}  // namespace tessera::run::heat
