// SPDX-License-Identifier: Apache-2.0
// Where a run begins is read in heat_restart.cpp, what holds on the boundary in heat_boundaries.cpp.
#include "run/models/heat/heat_case.hpp"

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

namespace {

/// The mesh of a case without regions.
foam::Mesh read_one_mesh(Session& session) {
  Case& files = session.files;
  auto* const grid_dict = files.find("system/gridDict");
  auto const& control = files.open("system/controlDict");
  if (grid_dict && foam::asks_for_poly_mesh(control))
    control.fail("readMesh", "readMesh is yes, and there is system/gridDict: expected one mesh");
  auto mesh = grid_dict ? foam::read_grid_dict(*grid_dict) : mesh_of(session);
  if (mesh.of_poly_mesh && control.get_or<bool>("writeMesh", false))
    control.fail("writeMesh", "writeMesh is yes, but the mesh is read from constant/polyMesh: expected 'no'");
  return mesh;
}

}  // namespace

MeshPart read_mesh(Session& session, EquationNames const& names, std::vector<std::string> const& region_names) {
  std::vector<foam::Region> regions;
  std::shared_ptr<foam::Mesh const> mesh;
  if (names.of_regions) {
    auto read = read_region_meshes(session, region_names);
    read.mesh.grid = in_tiles(session, read.mesh.grid);
    mesh = std::make_shared<foam::Mesh const>(std::move(read.mesh));
    regions = std::move(read.regions);
  } else {
    mesh = std::make_shared<foam::Mesh const>(read_one_mesh(session));
    regions = {foam::one_region(mesh)};
  }
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
  return {std::move(mesh), std::move(regions), std::move(parts), looks_at_cells};
}

namespace {

/// fvSolution of the whole case, in which there need be nothing where regions have theirs.
core::Dictionary& fv_solution(Reading const& in) {
  Case& files = in.session.files;
  return in.names.of_regions ? files.open_or_empty("system/fvSolution") : files.open("system/fvSolution");
}

foam::Schemes read_schemes_of(Reading const& in, std::string const& region) {
  auto& dictionary = in.session.files.open(of_region("system", region, "fvSchemes"));
  if (!in.names.of_regions) return foam::read_schemes(dictionary, "T", in.names.conductivity);
  auto schemes = foam::read_schemes(dictionary, "h", "alpha");
  if (in.control.application == "chtMultiRegionSimpleFoam" && schemes.ddt != "steadyState")
    throw core::Error(fmt::format("{}: the scheme of time is {}, expected steadyState: the application is "
                                  "chtMultiRegionSimpleFoam",
                                  dictionary.location("ddtSchemes"), schemes.ddt));
  schemes.interpolation = "harmonic";  // one conductivity a region, and half cells in series where they touch
  return schemes;
}

}  // namespace

Schemes read_schemes(Reading const& in) {
  auto const schemes = read_schemes_of(in, in.regions.front());
  for (auto const& region : in.regions) {
    auto const other = read_schemes_of(in, region);
    for (auto const& note : other.notes) in.session.log.line("{}", note);
    if (other.ddt != schemes.ddt || other.psi != schemes.psi)
      throw core::Error(fmt::format("{}: the scheme of time is {}, in the region '{}' {}: expected the same in all",
                                    in.session.files.path(of_region("system", region, "fvSchemes")), other.ddt,
                                    in.regions.front(), schemes.ddt));
  }
  using Type = solvers::TimeScheme::Type;
  Schemes result;
  result.settings.scheme.type = schemes.ddt == "steadyState"     ? Type::steady
                                : schemes.ddt == "backward"      ? Type::backward
                                : schemes.ddt == "CrankNicolson" ? Type::crank_nicolson
                                                                 : Type::euler;
  result.settings.scheme.psi = schemes.psi;
  if (schemes.interpolation == "linear") result.interpolation = solvers::Interpolation::linear;
  result.settings.estimate_error = in.control.adjust_time_step;
  return result;
}

namespace {

/// What a case with regions has of materials, and of cells.
void read_regions(Reading const& in, MeshPart const& mesh, Fields& fields) {
  fields.region.emplace(core::FieldInfo{.name = "region",
                                        .description = "1 + number of the region in regionProperties, 0: no cell",
                                        .units = "",
                                        .constant = true},
                        mesh.layout(), 0);
  auto const number = fields.region->host();
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    for (auto const& box : mesh.regions[r].cells)
      core::for_own_cells(mesh.layout(), box,
                          [&](int s, int k, int j, int i) { number(s, k, j, i) = static_cast<std::uint8_t>(r + 1); });
    bool asked = in.session.files.exists(mesh.regions[r].file("constant", "fvOptions"));
    for (char const* file : {"fvOptions", "topoSetDict", "setFieldsDict"})
      asked = asked || in.session.files.exists(mesh.regions[r].file("system", file));
    fields.sets_of_regions.push_back(asked ? foam::block_zones(*mesh.regions[r].mesh, mesh.layout())
                                           : foam::CellSets{});
  }
}

}  // namespace

std::unique_ptr<Fields> read_fields(Reading const& in, MeshPart const& mesh, Begin const& begin) {
  core::Layout const& layout = mesh.layout();
  // what a run does not write lies where the case began
  bool const written = in.session.files.exists(begin.directory + "/" + in.names.conductivity);
  std::vector<Substance> substances;
  if (in.names.of_regions)
    for (auto const& region : in.regions) substances.push_back(read_substance(in.session, region));
  Materials materials =
      in.names.of_regions
          ? Materials(in.session, in.names, *mesh.mesh, layout, mesh.regions, substances)
          : Materials(in.session, in.names, *mesh.mesh, layout, written ? begin.directory : begin.first);
  core::Field<double> temperature(core::FieldInfo{.name = "T",
                                                  .description = "temperature",
                                                  .units = "K",
                                                  .dimensions = foam::dimensions_of_temperature,
                                                  .restart = true},
                                  layout, 1);
  auto fields = std::make_unique<Fields>(
      Fields{std::move(materials), std::move(temperature), foam::block_zones(*mesh.mesh, layout)});
  fields->substances = std::move(substances);
  if (in.names.of_regions) read_regions(in, mesh, *fields);
  return fields;
}

std::vector<foam::FieldFile> read_temperatures(Reading const& in, MeshPart const& mesh, Begin const& begin) {
  std::vector<foam::FieldFile> files;
  for (auto const& region : mesh.regions) {
    std::string const path = in.session.files.input(region.file(begin.directory, "T"));
    files.push_back(foam::read_field(path, in.session.comm, in.reader()));
    auto& file = files.back();
    foam::check_dimensions(file.dimensions, foam::dimensions_of_temperature, file.location("dimensions"));
    for (auto const& line : foam::check_patches(file, *region.mesh, in.names.strange_patches()))
      in.session.log.line("{}", line);
    if (std::string const share = region.file(begin.directory, "betavSolid"); in.session.files.exists(share))
      throw core::Error(in.session.files.path(share) + ": betavSolid is not supported: a region is solid in all of it");
  }
  return files;
}

namespace {

/// What fvOptions says of T, or of a region's h.
void add_sources(Reading const& in, MeshPart const& mesh, foam::CellSets& sets, std::string const& region,
                 Substance const* substance, double start, bool cut, Sources& sources) {
  // as in OpenFOAM, the one in constant is read where there are two
  auto const first = of_region("constant", region, "fvOptions"), second = of_region("system", region, "fvOptions");
  auto* options = in.session.files.find(first);
  bool const both = options && in.session.files.exists(second);
  if (!options) options = in.session.files.find(second);
  if (!options) return;
  if (both) in.session.log.line("Sources of {}, as in OpenFOAM; {} is not read", first, second);
  bool const of_h = in.names.of_regions;
  bool const counted = !mesh.layout().owners().empty();
  for (auto& source :
       foam::read_sources(*options, of_h ? "h" : "T", sets, mesh.layout(), in.reader(), cut, mesh.mesh.get())) {
    using Kind = foam::HeatSource::Kind;
    if (of_h && source.kind == Kind::rates && !(source.Sp.constant() && source.Sp(start) == 0))
      throw core::Error(fmt::format("{}: the rate of '{}' depends on h, which is not solved for: expected h (Su 0), "
                                    "or a condition with a heat transfer coefficient",
                                    source.where, source.name));
    std::string const where =
        !counted ? fmt::format("{} in {}", source.name, source.cells)
        : source.share
            ? fmt::format("{} in {}: {:.6g} m3", source.name, source.cells, source.volume)
            : fmt::format("{} in {}: {} cells, {:.6g} m3", source.name, source.cells, source.count, source.volume);
    if (source.kind == Kind::held) {
      if (substance && source.of_field) source.value = source.value.scaled(1 / substance->specific);
      if (in.names.capacity && source.value.constant() && source.value(start) < 0)
        throw core::Error(fmt::format("{}: '{}' holds cells at {}, expected kelvin, from 0 on", source.where,
                                      source.name, source.value(start)));
      in.session.log.line("Held at T = {:.6g} K: {}", source.value(start), where);
      for (auto const& [other, cells] : source.overruled)
        in.session.log.line("{} of these cells are held by {}, too: {} counts there, which comes later", cells, other,
                            source.name);
      sources.held.push_back(std::move(source));
      continue;
    }
    if (source.kind == Kind::losses && !in.names.capacity)
      throw core::Error(fmt::format("{}: conductorLosses is heat in W/m3, and laplacianFoam's equation has no heat "
                                    "capacity: use application heatConduction, or scalarSemiImplicitSource with Su and "
                                    "Sp in K/s and 1/s",
                                    source.where));
    in.session.log.line("Source {}, Su = {:.6g}{}", where, source.Su(start),
                        source.Sp.constant() && source.Sp(start) == 0 ? ""
                                                                      : fmt::format(", Sp = {:.6g}", source.Sp(start)));
    sources.rates.push_back(std::move(source));
  }
}

}  // namespace

Sources read_sources(Reading const& in, MeshPart const& mesh, Fields& fields, double start) {
  Sources sources;
  for (std::size_t r = 0; r < in.regions.size(); ++r)
    add_sources(in, mesh, in.names.of_regions ? fields.sets_of_regions[r] : fields.sets, in.regions[r],
                in.names.of_regions ? &fields.substances[r] : nullptr, start, fields.materials.exact(), sources);
  if (fields.materials.exact()) keep_before_contacts(sources.rates, fields.contacts, fields.sets, mesh.layout());
  return sources;
}

core::Dictionary& read_solver(Reading const& in) {
  if (in.names.of_regions) {
    auto& entry = read_regions_solver(in.session, in.regions);
    solvers::require_solver(entry);
    return entry;
  }
  auto& blocks = in.session.files.open("system/fvSolution").sub("solvers");
  auto& entry = blocks.sub("T");
  for (auto const& pattern : blocks.patterns())  // for fields of other equations, as in OpenFOAM
    if (blocks.find_sub(pattern) != &entry) blocks.mark_read(pattern);
  solvers::require_solver(entry);
  return entry;
}

/// The block of fvSolution that says how steps are solved; nullptr: none does. laplacianFoam reads SIMPLE alone.
char const* algorithm_of(core::Dictionary& solution) {
  for (char const* name : {"SIMPLE", "PISO", "PIMPLE"})
    if (solution.find_sub(name) != nullptr) return name;
  return nullptr;
}

bool extrapolates(Reading const& in, Schemes const& schemes, bool fitted) {
  auto& solution = fv_solution(in);
  int outer = 2;
  if (auto const* name = algorithm_of(solution)) outer = solution.sub(name).get_or<int>("nOuterCorrectors", outer);
  bool const steady = schemes.settings.scheme.type == solvers::TimeScheme::Type::steady;
  // lambda of an extrapolated T is nearly that of the step's end
  return solution.get_or<bool>("extrapolate", fitted && outer > 1 && !steady);
}

Solution read_solution(Reading const& in, Schemes const& schemes, Materials const* materials,
                       Boundaries const& boundaries, Sources const& sources) {
  auto& solution = fv_solution(in);
  // sums always keep their bits; there is no other way
  solution.get_choice("deterministic", {"yes", "on", "true"}, "yes");
  bool const laplacian = !in.names.of_regions && !in.names.capacity;
  if (laplacian && solution.contains("relaxationFactors")) {
    solution.mark_read("relaxationFactors");
    in.session.log.line("{}: 'relaxationFactors' does nothing, as in OpenFOAM's laplacianFoam",
                        solution.location("relaxationFactors"));
  }
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
  if (auto const* name = algorithm_of(solution)) {
    auto& entry = solution.sub(name);
    settings.correctors = entry.get_in<int>("nNonOrthogonalCorrectors", {0, 100}, 0);
    int const most = entry.get_in<int>("nOuterCorrectors", {1, 10'000}, settings.outer_most);
    if (iterate) settings.outer_most = most;
    settings.outer_tolerance = entry.get_positive<double>("outerTolerance", settings.outer_tolerance);
    if (entry.contains("TMean")) {
      settings.mean = entry.get_positive<double>("TMean");
      result.mean_place = entry.location("TMean");
    }
    for (std::string const other : {"PISO", "PIMPLE"})
      if (other != name && solution.find_sub(other) != nullptr) {
        solution.mark_read(other);
        in.session.log.line("{}: '{}' is passed over, as '{}' is there", solution.location(other), other, name);
      }
  }
  bool const steady = settings.scheme.type == solvers::TimeScheme::Type::steady;
  settings.extrapolate = extrapolates(in, schemes, fitted);
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

double HeatCase::step_end(double time, double until) const {
  until = boundaries.step_end(time, until);
  for (auto const* kind : {&sources.rates, &sources.held})
    for (auto const& source : *kind) until = source.step_end(time, until);
  return until;
}

std::vector<std::string> directory_fields(EquationNames const& names) {
  return {"T", "T_0", "ddt0(T)", names.conductivity};
}

}  // namespace tessera::run::heat
