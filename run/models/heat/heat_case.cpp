// SPDX-License-Identifier: Apache-2.0
// Where a run begins is read in heat_restart.cpp.
#include "run/models/heat/heat_case.hpp"

#include "core/case/digest.hpp"
#include "core/case/error_list.hpp"
#include "core/grid/loops.hpp"
#include "io/foam/cell_selection.hpp"
#include "io/foam/poly_mesh_reader.hpp"
#include "io/foam/schemes.hpp"

#include <algorithm>

namespace tessera::run::heat {

namespace foam = io::foam;

namespace {

/// A case that is only checked is looked at cell by cell (materials above 0, sets that hold cells ...) up to this size;
/// fields of larger ones are not laid out.
constexpr core::Count most_cells_checked = 1 << 16;

}  // namespace

MeshPart read_mesh(Session& session) {
  Case& files = session.files;
  auto* const grid_dict = files.find("system/gridDict");
  auto const& control = files.open("system/controlDict");
  if (grid_dict && foam::asks_for_poly_mesh(control))
    control.fail("readMesh", "readMesh is yes, and there is system/gridDict: expected one mesh");
  auto mesh = std::make_unique<foam::Mesh const>(grid_dict ? foam::read_grid_dict(*grid_dict) : mesh_of(session));
  if (mesh->of_poly_mesh && control.get_or<bool>("writeMesh", false))
    control.fail("writeMesh", "writeMesh is yes, but the mesh is read from constant/polyMesh: expected 'no'");
  for (auto const& patch : mesh->patches)
    for (auto const& plane : patch.planes())
      if (int const axis = static_cast<int>(plane.side) / 2;
          patch.type == "empty" && !mesh->grid.thin(axis) && !(mesh->wedge && mesh->wedge->radial == axis)) {
        session.log.line("Patch '{}' is empty, but there are {} cells along {}: no heat passes it, as in OpenFOAM",
                         patch.name, mesh->grid.cells()[static_cast<std::size_t>(axis)], "xyz"[axis]);
        break;
      }
  bool const looks_at_cells = !session.checks || mesh->grid.total() <= most_cells_checked;
  auto parts = decompose(session, std::make_shared<core::Grid const>(mesh->grid),
                         rank_rates(session, session.comm.size()), looks_at_cells);
  return {std::move(mesh), std::move(parts), looks_at_cells};
}

Schemes read_schemes(Reading const& in) {
  auto const schemes = foam::read_schemes(in.session.files.open("system/fvSchemes"), "T", in.names.conductivity);
  using Type = solvers::TimeScheme::Type;
  Schemes result;
  result.settings.scheme.type = schemes.ddt == "steadyState"     ? Type::steady
                                : schemes.ddt == "backward"      ? Type::backward
                                : schemes.ddt == "CrankNicolson" ? Type::crank_nicolson
                                                                 : Type::euler;
  result.settings.scheme.psi = schemes.psi;
  if (schemes.interpolation == "linear") result.interpolation = solvers::Interpolation::linear;
  result.settings.extrapolate = in.session.files.open("system/fvSolution").get_or<bool>("extrapolate", false);
  result.settings.estimate_error = in.control.adjust_time_step;
  return result;
}

std::unique_ptr<Fields> read_fields(Reading const& in, MeshPart const& mesh, Begin const& begin) {
  core::Layout const& layout = mesh.layout();
  // what a run does not write lies where the case began
  bool const written = in.session.files.exists(begin.directory + "/" + in.names.conductivity);
  Materials materials(in.session, in.names, *mesh.mesh, layout, written ? begin.directory : begin.first);
  core::Field<double> temperature(core::FieldInfo{.name = "T",
                                                  .description = "temperature",
                                                  .units = "K",
                                                  .dimensions = foam::dimensions_of_temperature,
                                                  .restart = true},
                                  layout, 1);
  return std::make_unique<Fields>(
      Fields{std::move(materials), std::move(temperature), foam::block_zones(*mesh.mesh, layout)});
}

foam::FieldFile read_temperature(Reading const& in, MeshPart const& mesh, Begin const& begin) {
  auto file = foam::read_field(in.session.files.path(begin.directory + "/T"), in.session.comm, in.reader());
  foam::check_dimensions(file.dimensions, foam::dimensions_of_temperature, file.location("dimensions"));
  for (auto const& line : foam::check_patches(file, *mesh.mesh, in.names.strange_patches()))
    in.session.log.line("{}", line);
  return file;
}

void set_cells_and_fields(Reading const& in, MeshPart const& mesh, Begin const& begin, Fields& fields) {
  Case& files = in.session.files;
  auto known = fields.materials.fields();
  known["T"] = &fields.temperature;
  std::map<std::string, core::Field<double>> others;  // of the case, that only sources of cells ask for
  foam::SourceContext const context{mesh.mesh.get(),
                                    [&](std::string const& name) -> core::Field<double> const* {
                                      if (auto const found = known.find(name); found != known.end())
                                        return found->second;
                                      if (auto const read = others.find(name); read != others.end())
                                        return &read->second;
                                      std::string const path = begin.directory + "/" + name;
                                      if (!files.exists(path)) return nullptr;
                                      auto const file =
                                          foam::read_field(files.path(path), in.session.comm, in.reader());
                                      auto& field = others.try_emplace(name, name, mesh.layout()).first->second;
                                      foam::set_cells(file, field, mesh.mesh->blocks);
                                      return &field;
                                    },
                                    [&](foam::Stroke const& stroke) { fields.materials.drawn(stroke); }};
  auto* const topo = files.find("system/topoSetDict");
  auto* const set = files.find("system/setFieldsDict");
  auto const make_sets = [&] {
    if (topo) fields.sets = foam::topo_set(*topo, mesh.layout(), std::move(fields.sets), context);
  };
  // sets that ask for fields want those that setFields gives, as far as these do not ask for sets
  bool const fields_first = topo && set && foam::asks_for_fields(*topo) && !foam::asks_for_sets(*set);
  if (!fields_first) make_sets();
  if (set && foam::set_fields(*set, known, fields.sets, context).contains(in.names.conductivity))
    fields.materials.follow_cells();
  if (fields_first) make_sets();
  // shapes may hold cells that do not exist
  for (auto* kind : {&fields.sets.sets, &fields.sets.zones})
    for (auto& [name, mask] : *kind)
      for (auto const& box : mesh.mesh->absent)
        core::for_own_cells(mesh.layout(), box,
                            [cell = mask.host()](int s, int k, int j, int i) { cell(s, k, j, i) = 0; });
}

Boundaries read_boundaries(Reading const& in, MeshPart const& mesh, foam::FieldFile& temperature) {
  foam::Mesh const& m = *mesh.mesh;
  Boundaries result;
  result.sides.fill(SideCondition::constant({}));
  bool all = true;
  for (auto const& patch : m.patches)
    for (auto const& plane : patch.planes())
      all &= core::attempt([&] {
        auto condition = read_side_condition(temperature, m, patch, plane, in.names.capacity != nullptr, in.reader());
        // several cyclic patches may make up a side
        if (m.whole(patch, plane) || patch.type == "cyclic")
          result.sides[static_cast<std::size_t>(plane.side)] = std::move(condition);
        else if (!patch.unsolved())
          result.parts.push_back({{plane.side, patch.cells(plane), {}, patch.name}, std::move(condition)});
      });
  temperature.dictionary.check_all_read();  // before all of it is read to be written again
  in.session.log.lines(temperature.dictionary.unused_variables());
  core::rely_on(all);
  result.text = foam::boundary_text(temperature, m, in.format());
  result.kind = core::Digest::of(foam::boundary_text(temperature, m, {false, 17}));
  return result;
}

bool Boundaries::vary() const {
  return std::any_of(sides.begin(), sides.end(), [](auto const& side) { return side.varies; }) ||
         std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.condition.varies; });
}

std::vector<std::string> Boundaries::open_patches(foam::Mesh const& mesh, double time) const {
  std::vector<std::string> patches(6);
  for (std::size_t s = 0; s < 6; ++s)
    if (sides[s].at(time).open()) patches[s] = mesh.patch(static_cast<core::Side>(s)).name;
  for (auto const& [part, condition] : parts) patches.push_back(condition.at(time).open() ? part.name : "");
  return patches;
}

void Boundaries::take_conductivity(Materials& materials, foam::Mesh const& mesh, double time) {
  auto const take = [&](foam::Patch const& patch, foam::Patch::Plane const& plane, SideCondition& condition) {
    auto const lambda = materials.at_faces(patch, plane, condition.at(time).open());
    if (lambda)
      condition.at = [lambda, at = std::move(condition.at)](double t) {
        auto boundary = at(t);
        boundary.lambda = lambda;
        return boundary;
      };
  };
  for (std::size_t s = 0; s < 6; ++s) {
    auto const side = static_cast<core::Side>(s);
    auto const& patch = mesh.patch(side);
    for (auto const& plane : patch.planes())
      if (plane.side == side && mesh.whole(patch, plane)) take(patch, plane, sides[s]);
  }
  for (auto& [part, condition] : parts)
    take(*mesh.find(part.name), {part.side, foam::Patch::Piece{part.side, part.cells.front()}.layer()}, condition);
}

Sources read_sources(Reading const& in, MeshPart const& mesh, foam::CellSets& sets, double start, bool cut) {
  auto* options = in.session.files.find("system/fvOptions");
  if (!options) options = in.session.files.find("constant/fvOptions");
  if (!options) return {};
  bool const counted = !mesh.layout().owners().empty();
  Sources sources;
  for (auto& source : foam::read_sources(*options, "T", sets, mesh.layout(), in.reader(), cut, mesh.mesh.get())) {
    std::string const where =
        !counted ? fmt::format("{} in {}", source.name, source.cells)
        : source.share
            ? fmt::format("{} in {}: {:.6g} m3", source.name, source.cells, source.volume)
            : fmt::format("{} in {}: {} cells, {:.6g} m3", source.name, source.cells, source.count, source.volume);
    if (source.kind == foam::HeatSource::Kind::held) {
      in.session.log.line("Held at T = {:.6g} K: {}", source.value(start), where);
      sources.held.push_back(std::move(source));
      continue;
    }
    if (source.kind == foam::HeatSource::Kind::losses && !in.names.capacity)
      throw core::Error(fmt::format("{}: conductorLosses is heat in W/m3, and laplacianFoam's equation has no heat "
                                    "capacity: use application heatConduction, or scalarSemiImplicitSource with Su and "
                                    "Sp in K/s and 1/s",
                                    source.where));
    in.session.log.line("Source {}, Su = {:.6g}{}", where, source.Su(start),
                        source.Sp.constant() && source.Sp(start) == 0 ? ""
                                                                      : fmt::format(", Sp = {:.6g}", source.Sp(start)));
    sources.rates.push_back(std::move(source));
  }
  return sources;
}

core::Dictionary& read_solver(Session& session) {
  auto& entry = session.files.open("system/fvSolution").sub("solvers").sub("T");
  solvers::require_solver(entry);
  return entry;
}

Solution read_solution(Reading const& in, Schemes const& schemes, Materials const* materials,
                       Boundaries const& boundaries, Sources const& sources) {
  auto& solution = in.session.files.open("system/fvSolution");
  // sums always keep their bits; there is no other way
  solution.get_choice("deterministic", {"yes", "on", "true"}, "yes");
  Solution result{schemes.settings, solution.get_or<bool>("mustConverge", false)};
  auto& settings = result.settings;

  // rising losses and lambda(T) want to be consistent with the temperature they give
  bool const fitted = materials && materials->depends_on_temperature();
  bool iterate = fitted;
  for (auto const& s : sources.rates) iterate = iterate || (in.names.capacity && (!s.Sp.constant() || s.Sp(0) > 0));
  if (iterate) settings.outer_most = 50;
  settings.renews = fitted;
  settings.outer_tolerance = 1e-5;
  settings.watch_acceleration = iterate && !fitted && !boundaries.vary();
  for (auto const* list : {&sources.rates, &sources.held})
    for (auto const& s : *list) settings.watch_acceleration &= s.constant();
  for (char const* algorithm : {"SIMPLE", "PISO", "PIMPLE"})
    if (auto* entry = solution.find_sub(algorithm)) {
      settings.correctors = entry->get_in<int>("nNonOrthogonalCorrectors", {0, 100}, 0);
      int const most = entry->get_in<int>("nOuterCorrectors", {1, 10'000}, settings.outer_most);
      if (iterate) settings.outer_most = most;
      settings.outer_tolerance = entry->get_positive<double>("outerTolerance", settings.outer_tolerance);
      if (entry->contains("TMean")) settings.mean = entry->get<double>("TMean");
    }
  bool const steady = settings.scheme.type == solvers::TimeScheme::Type::steady;
  if (settings.mean && !steady)
    throw core::Error(fmt::format("{}: TMean is for steadyState: the start gives the mean here", solution.location()));
  if (steady && in.control.adjust_time_step)
    in.session.files.open("system/controlDict").fail_expected("adjustTimeStep", "no: a steady state has no time step");
  return result;
}

void check_solver(Reading const& in, foam::Mesh const* mesh, solvers::Interpolation interpolation,
                  core::Dictionary& solver) {
  std::array<core::Axis, 3> axes;
  for (int a = 0; a < 3; ++a) {
    core::Count const cells = mesh ? mesh->grid.axis(a).cells() : a < 2 ? 8 : 1;
    bool const periodic = mesh && mesh->grid.axis(a).periodic;
    axes[a] = core::Axis::make_uniform(std::min<core::Count>(cells, 4 * in.session.comm.size()), 0, 1, periodic);
  }
  auto const grid = std::make_shared<core::Grid const>(std::move(axes), core::Grid::Shape{4, 4, 4});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), in.session.comm.size()), in.session.comm);
  core::Field<double> const conductivity(in.names.conductivity, layout, 0, 1.0);
  solvers::HeatProperties properties{conductivity, 1.0, 0.0, {}, interpolation};
  for (std::size_t side = 0; side < 6; ++side)
    if (grid->periodic(static_cast<int>(side) / 2)) properties.sides[side] = {solvers::Boundary::Type::cyclic};
  solvers::Heat const heat(properties, 1.0);
  solvers::make_solver(heat.matrix(), solver);
}

std::vector<std::string> directory_fields(EquationNames const& names) {
  return {"T", "T_0", "ddt0(T)", names.conductivity};
}

}  // namespace tessera::run::heat
