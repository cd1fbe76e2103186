// SPDX-License-Identifier: Apache-2.0
// Reading and checking a case; heat_run.cpp runs it.
#include "run/models/heat/heat_case.hpp"

#include "core/case/digest.hpp"
#include "core/case/error_list.hpp"
#include "io/foam/cell_selection.hpp"
#include "io/foam/schemes.hpp"
#include "run/models/heat/heat_records.hpp"
#include "solvers/heat/side_faces.hpp"

#include <chrono>

namespace tessera::run::heat {

namespace foam = io::foam;

namespace {

/// A case that is only checked is looked at cell by cell (materials above 0, sets that hold cells ...) up to this size;
/// fields of larger ones are not laid out.
constexpr core::Count most_cells_checked = 1 << 16;

}  // namespace

HeatCase::HeatCase(Session& session, EquationNames names) : SteppedModel(session), names_(names) {}
HeatCase::~HeatCase() = default;

void HeatCase::prepare() {
  using core::attempt;
  bool const started = attempt([this] { read_start(); });
  if (!started) start_ = first_ = "0";
  bool const meshed = attempt([this] { read_mesh(); });
  bool all = attempt([this] { read_time_scheme(); }) && started && meshed;
  all = attempt([&] { read_fields(started && meshed); }) && all;
  all = attempt([&] {
          core::rely_on(meshed);
          read_sources();
        }) &&
        all;
  all = attempt([this] { read_solution(); }) && all && sets_.complete;
  if (!attempt([&] {
        core::rely_on(all);
        assemble();
      }))
    attempt([this] { check_solver(); });
  attempt([&] {
    core::rely_on(started && meshed && materials_.has_value());
    make_functions();
  });
  if (all) resume();
  attempt([this] { schedule_.read_in_situ(session_); });
}

void HeatCase::read_start() {
  // a preview without a range in the case has that of all pictures so far: the first one does not tell what is to come
  schedule_.read_control(session_, {true, foam::FunctionObjects::names(), true}, {.widening = true});
  begin_.dt = *control_.delta_t;
  find_start();
  begin_.base_time = begin_.time;
  begin_.base_step = begin_.step;
}

void HeatCase::read_mesh() {
  Case& files = session_.files;
  if (auto* grid = files.find("system/gridDict")) {
    mesh_.emplace(foam::read_grid_dict(*grid));
  } else {
    mesh_.emplace(block_mesh(files));
  }
  looks_at_cells_ = !session_.checks || mesh_->grid.total() <= most_cells_checked;
  parts_ = decompose(session_, std::make_shared<core::Grid const>(mesh_->grid),
                     rank_rates(session_, session_.comm.size()), looks_at_cells_);
}

void HeatCase::read_fields(bool ready) {
  core::rely_on(parts_.layout != nullptr);
  Case& files = session_.files;
  core::Layout const& layout = *parts_.layout;
  // what a run does not write lies where the case began
  bool const written = files.exists(start_ + "/" + names_.conductivity);
  materials_.emplace(session_, names_, *mesh_, layout, written ? start_ : first_);
  temperature_.emplace(core::FieldInfo{.name = "T",
                                       .description = "temperature",
                                       .units = "K",
                                       .dimensions = foam::dimensions_of_temperature,
                                       .restart = true},
                       layout, 1);
  std::optional<foam::FieldFile> file;
  bool all = core::attempt([&] {
    core::rely_on(ready || files.exists(start_ + "/T"));
    file = foam::read_field(files.path(start_ + "/T"), session_.comm, reader());
    foam::check_dimensions(file->dimensions, foam::dimensions_of_temperature, file->location("dimensions"));
    for (auto const& line : foam::check_patches(*file, *mesh_, names_.strange_patches())) session_.log.line("{}", line);
    read_boundaries(*file);
    if (start_ == first_) foam::set_cells(*file, *temperature_, mesh_->blocks);
  });

  sets_ = foam::block_zones(*mesh_, layout);
  if (!core::attempt([this] { set_cells_and_fields(); })) sets_.complete = false;
  all = sets_.complete && materials_->complete() && all;
  core::rely_on(all && ready);
  // setFieldsDict gives the initial T, not that of a later time
  if (start_ != first_) foam::set_cells(*file, *temperature_, mesh_->blocks);
  load_snapshot();
  load_directory();
}

void HeatCase::set_cells_and_fields() {
  Case& files = session_.files;
  auto fields = materials_->fields();
  fields["T"] = &*temperature_;
  std::map<std::string, core::Field<double>> others;  // of the case, that only sources of cells ask for
  foam::SourceContext const context{&*mesh_, [&](std::string const& name) -> core::Field<double> const* {
                                      if (auto const known = fields.find(name); known != fields.end())
                                        return known->second;
                                      if (auto const read = others.find(name); read != others.end())
                                        return &read->second;
                                      if (!files.exists(start_ + "/" + name)) return nullptr;
                                      auto const file =
                                          foam::read_field(files.path(start_ + "/" + name), session_.comm, reader());
                                      auto& field = others.try_emplace(name, name, *parts_.layout).first->second;
                                      foam::set_cells(file, field, mesh_->blocks);
                                      return &field;
                                    }};
  auto* const topo = files.find("system/topoSetDict");
  auto* const set = files.find("system/setFieldsDict");
  auto const make_sets = [&] {
    if (topo) sets_ = foam::topo_set(*topo, *parts_.layout, std::move(sets_), context);
  };
  // sets that ask for fields want those that setFields gives, as far as these do not ask for sets
  bool const fields_first = topo && set && foam::asks_for_fields(*topo) && !foam::asks_for_sets(*set);
  if (!fields_first) make_sets();
  if (set && foam::set_fields(*set, fields, sets_, context).contains(names_.conductivity)) materials_->follow_cells();
  if (fields_first) make_sets();
}

void HeatCase::read_boundaries(foam::FieldFile& file) {
  conditions_.fill({[](double) { return solvers::Boundary{}; }, false});
  bool all = true;
  for (auto const& patch : mesh_->patches)
    for (core::Side const side : patch.sides)
      all &= core::attempt([&] {
        auto condition = read_side_condition(file, *mesh_, patch, side, names_.capacity != nullptr, reader());
        if (patch.faces(side) == foam::faces(mesh_->grid, side))
          conditions_[static_cast<std::size_t>(side)] = std::move(condition);
        else
          part_conditions_.push_back({{side, patch.cells(side), {}, patch.name}, std::move(condition)});
      });
  file.dictionary.check_all_read();  // before all of it is read to be written again
  session_.log.lines(file.dictionary.unused_variables());
  core::rely_on(all);
  boundary_text_ = foam::boundary_text(file, *mesh_, format());
  boundary_kind_ = core::Digest::of(foam::boundary_text(file, *mesh_, {false, 17}));
}

void HeatCase::read_sources() {
  auto* options = session_.files.find("system/fvOptions");
  if (!options) options = session_.files.find("constant/fvOptions");
  if (!options) return;
  double const start = begin_.time;
  for (auto& source : foam::read_sources(*options, "T", sets_, *parts_.layout, reader())) {
    bool const counted = !parts_.layout->owners().empty();
    std::string const where =
        !counted ? fmt::format("{} in {}", source.name, source.cells)
                 : fmt::format("{} in {}: {} cells, {:.6g} m3", source.name, source.cells, source.count, source.volume);
    if (source.kind == foam::HeatSource::Kind::held) {
      session_.log.line("Held at T = {:.6g} K: {}", source.value(start), where);
      held_.push_back(std::move(source));
      continue;
    }
    if (source.kind == foam::HeatSource::Kind::losses && !names_.capacity)
      throw core::Error(fmt::format("{}: conductorLosses is heat in W/m3, and laplacianFoam's equation has no heat "
                                    "capacity: use application heatConduction, or scalarSemiImplicitSource with Su and "
                                    "Sp in K/s and 1/s",
                                    source.where));
    session_.log.line("Source {}, Su = {:.6g}{}", where, source.Su(start),
                      source.Sp.constant() && source.Sp(start) == 0 ? ""
                                                                    : fmt::format(", Sp = {:.6g}", source.Sp(start)));
    sources_.push_back(std::move(source));
  }
}

void HeatCase::read_time_scheme() {
  auto const schemes = foam::read_schemes(session_.files.open("system/fvSchemes"), "T", names_.conductivity);
  using Type = solvers::TimeScheme::Type;
  settings_.scheme.type = schemes.ddt == "steadyState"     ? Type::steady
                          : schemes.ddt == "backward"      ? Type::backward
                          : schemes.ddt == "CrankNicolson" ? Type::crank_nicolson
                                                           : Type::euler;
  settings_.scheme.psi = schemes.psi;
  interpolation_ =
      schemes.interpolation == "linear" ? solvers::Interpolation::linear : solvers::Interpolation::harmonic;

  settings_.extrapolate = session_.files.open("system/fvSolution").get_or<bool>("extrapolate", false);
  settings_.estimate_error = control_.adjust_time_step;
}

void HeatCase::read_solution() {
  auto& solution = session_.files.open("system/fvSolution");
  solver_entry_ = &solution.sub("solvers").sub("T");
  solvers::require_solver(*solver_entry_);
  // sums always keep their bits; there is no other way
  solution.get_choice("deterministic", {"yes", "on", "true"}, "yes");
  must_converge_ = solution.get_or<bool>("mustConverge", false);

  // rising losses and lambda(T) want to be consistent with the temperature they give
  bool iterate = materials_ && materials_->depends_on_temperature();
  for (auto const& s : sources_) iterate = iterate || (names_.capacity && (!s.Sp.constant() || s.Sp(0) > 0));
  if (iterate) settings_.outer_most = 50;
  settings_.outer_tolerance = 1e-5;
  settings_.watch_acceleration = iterate && !(materials_ && materials_->depends_on_temperature());
  for (auto const& condition : conditions_) settings_.watch_acceleration &= !condition.varies;
  for (auto const& part : part_conditions_) settings_.watch_acceleration &= !part.condition.varies;
  for (auto const& s : sources_) settings_.watch_acceleration &= s.constant();
  for (auto const& s : held_) settings_.watch_acceleration &= s.constant();
  for (char const* algorithm : {"SIMPLE", "PISO", "PIMPLE"})
    if (auto* entry = solution.find_sub(algorithm)) {
      settings_.correctors = entry->get_in<int>("nNonOrthogonalCorrectors", {0, 100}, 0);
      int const most = entry->get_in<int>("nOuterCorrectors", {1, 10'000}, settings_.outer_most);
      if (iterate) settings_.outer_most = most;
      settings_.outer_tolerance = entry->get_positive<double>("outerTolerance", settings_.outer_tolerance);
      if (entry->contains("TMean")) settings_.mean = entry->get<double>("TMean");
    }
  bool const steady = settings_.scheme.type == solvers::TimeScheme::Type::steady;
  if (settings_.mean && !steady)
    throw core::Error(fmt::format("{}: TMean is for steadyState: the start gives the mean here", solution.location()));
  if (steady && control_.adjust_time_step)
    session_.files.open("system/controlDict").fail_expected("adjustTimeStep", "no: a steady state has no time step");
}

void HeatCase::take_conductivity_at_faces() {
  auto const take = [this](foam::Patch const& patch, core::Side side, SideCondition& condition) {
    auto const lambda = materials_->at_faces(patch, side, condition.at(begin_.time).open());
    if (lambda)
      condition.at = [lambda, at = std::move(condition.at)](double time) {
        auto boundary = at(time);
        boundary.lambda = lambda;
        return boundary;
      };
  };
  for (std::size_t s = 0; s < 6; ++s) {
    auto const side = static_cast<core::Side>(s);
    if (auto const& patch = mesh_->patch(side); patch.faces(side) == foam::faces(mesh_->grid, side))
      take(patch, side, conditions_[s]);
  }
  for (auto& [part, condition] : part_conditions_) take(*mesh_->find(part.name), part.side, condition);
}

/// The matrix and the solver: the last of what can be wrong with a case.
void HeatCase::assemble() {
  bool const steady = settings_.scheme.type == solvers::TimeScheme::Type::steady;
  materials_->finish(sets_, *temperature_, steady);
  take_conductivity_at_faces();
  if (looks_at_cells_)
    build(steady ? 0 : 1 / *control_.delta_t);
  else
    check_solver();
}

void HeatCase::check_solver() const {
  core::rely_on(solver_entry_ != nullptr);
  // the entries are the same for any grid: those of a few cells, with the dimensions of this one
  std::array<core::Axis, 3> axes;
  for (int a = 0; a < 3; ++a) {
    core::Count const cells = mesh_ ? mesh_->grid.axis(a).cells() : a < 2 ? 8 : 1;
    bool const periodic = mesh_ && mesh_->grid.axis(a).periodic;
    axes[a] = core::Axis::make_uniform(std::min<core::Count>(cells, 4 * session_.comm.size()), 0, 1, periodic);
  }
  auto const grid = std::make_shared<core::Grid const>(std::move(axes), core::Grid::Shape{4, 4, 4});
  core::Layout const layout(grid, core::block_owners(grid->tiles(), session_.comm.size()), session_.comm);
  core::Field<double> const conductivity(names_.conductivity, layout, 0, 1.0);
  solvers::HeatProperties properties{conductivity, 1.0, 0.0, {}, interpolation_};
  for (std::size_t side = 0; side < 6; ++side)
    if (grid->periodic(static_cast<int>(side) / 2)) properties.sides[side] = {solvers::Boundary::Type::cyclic};
  solvers::Heat const heat(properties, 1.0);
  solvers::make_solver(heat.matrix(), *solver_entry_);
}

void HeatCase::build(double time_weight) {
  auto const begin = std::chrono::steady_clock::now();
  double const first = begin_.time + begin_.dt;
  core::Layout const& layout = *parts_.layout;
  auto const cells = [&](foam::HeatSource const& s) {
    return s.mask ? solvers::heat::Cells(*s.mask) : solvers::heat::Cells(layout);
  };
  solvers::HeatProperties properties{materials_->conductivity(), materials_->capacity(), 0.0, {}, interpolation_};
  for (std::size_t s = 0; s < 6; ++s) properties.sides[s] = conditions_[s].at(first);
  for (auto const& [part, condition] : part_conditions_) {
    properties.parts.push_back(part);
    properties.parts.back().boundary = condition.at(first);
  }
  for (auto const& s : sources_) {
    properties.sources.push_back(
        {cells(s), s.active(first) ? s.Su(first) : 0, s.active(first) ? s.Sp(first) : 0, takes_implicitly(s, first)});
  }
  for (auto const& s : held_) properties.held.push_back({cells(s), s.value(first)});
  properties.may_be_singular = settings_.mean.has_value();
  try {
    heat_.emplace(properties, time_weight > 0 ? *control_.delta_t : 0.0);
    heat_->set_time_weight(time_weight);
  } catch (core::Error const& error) {
    throw core::Error(fmt::format("{}: {}", session_.files.path(start_ + "/T"), error.what()));
  }
  assembly_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  auto const make = [this](solvers::StencilMatrix const& matrix) { return make_solver(matrix); };
  solvers::HeatStepper::Renew renew;
  if (materials_->depends_on_temperature())
    renew = [this](core::Field<double> const& t) {
      materials_->fit(t);
      return heat_->lambda_changed();
    };
  stepper_ = std::make_unique<solvers::HeatStepper>(*heat_, *temperature_, make, settings_, renew);
}

bool HeatCase::takes_implicitly(foam::HeatSource const& source, double time) const {
  return names_.capacity ? source.kind == foam::HeatSource::Kind::rates && source.Sp(time) <= 0 : source.Sp(time) > 0;
}

std::unique_ptr<solvers::LinearSolver> HeatCase::make_solver(solvers::StencilMatrix const& matrix) {
  try {
    return solvers::make_solver(matrix, *solver_entry_);
  } catch (core::Error const& error) {
    std::string const message = error.what();
    if (message.starts_with(solver_entry_->name())) throw;  // an entry of the solver's
    std::string sources;
    for (auto const& s : sources_)
      if (!names_.capacity && (!s.Sp.constant() || s.Sp(0) > 0))
        sources += fmt::format("; source '{}' ({}) has Sp > 0, which OpenFOAM and laplacianFoam take implicitly: it "
                               "outweighs what leads heat away, or deltaT is too long",
                               s.name, s.where);
    throw core::Error(fmt::format("{}: {}{}", solver_entry_->location(), message, sources));
  }
}

void HeatCase::make_functions() {
  core::Grid const& grid = mesh_->grid;
  // what holds at the face of a cell; heat into the body, temperature and conductivity there
  struct Face {
    double flux, t, lambda;
  };
  auto const face = [this, &grid](core::Side side, int slot, int k, int j, int i) -> Face {
    core::Index const x = parts_.layout->info(slot).global(k, j, i);
    int const axis = static_cast<int>(side) / 2;
    auto const& boundary = heat_->boundary(side, x);
    std::size_t const n = solvers::heat::face_number(grid, side, x);
    double const lambda = materials_->conductivity().host()(slot, k, j, i);
    double const d = 0.5 * grid.axis(axis).width(solvers::heat::Geometry::along(x, axis));
    double const t = std::as_const(*temperature_).host()(slot, k, j, i);
    auto const terms = solvers::heat::face_terms(boundary, n, lambda, d);
    return {terms.inflow - terms.conductance * t, solvers::heat::face_temperature(boundary, n, lambda, d, t),
            boundary.lambda ? (*boundary.lambda)[n] : lambda};
  };
  auto const at_face = [face](double Face::*what) {
    return [face, what](core::Side side, int slot, int k, int j, int i) { return face(side, slot, k, j, i).*what; };
  };
  std::map<std::string, foam::FunctionField> fields;
  for (auto const& [name, field] : materials_->fields()) fields[name] = {field};
  fields[names_.conductivity].face = at_face(&Face::lambda);
  fields["T"] = {&*temperature_, at_face(&Face::t)};
  fields["wallHeatFlux"] = {nullptr, at_face(&Face::flux)};
  control_.begun_as = control_.start_name();
  seen_.emplace(foam::FunctionContext{parts_.layout.get(), *mesh_, sets_, control_,
                                      session_.files.path("postProcessing"), std::move(fields)});
  functions_.emplace(control_, *seen_);
  session_.files.open("system/controlDict").check_all_read();
}

static constexpr char const* heat_help = R"(
system/controlDict       startTime, endTime, deltaT [s], writeControl timeStep | runTime | adjustableRunTime | clockTime |
                         cpuTime, writeInterval, purgeWrite, writeFormat, writePrecision, writeMesh, functions;
                         preview { every 10; size 512; palette viridis; range (300 400); }    results/preview.png, animated
                         checkpoint { every 50; seconds 60; data 4; parity 1; }    in the nodes' memory: docs/restart.md
                         startFrom latestTime | startTime | firstTime: goes on from snapshots in results/ or from time
                         directories, on any number of ranks; stopAt endTime | writeNow | noWriteNow | nextWrite;
                         adjustTimeStep yes; deltaTTolerance [K]; maxDeltaT [s];
system/gridDict          cells (nx ny nz); origin (0 0 0); size (x y z) [m]; grading (1 1 1); tile auto | (nx ny nz)
   or blockMeshDict      hex blocks that fill a box, simpleGrading, edgeGrading; the tile shape is then `tile` in decomposeParDict
0/T                      volScalarField; patches fixedValue, uniformFixedValue, zeroGradient, fixedGradient, mixed,
                         convective { h; Tinf; }, externalWallHeatFluxTemperature, symmetry, empty, cyclic
%PROPERTIES%
                         `regions { any { cellZone Z; ... } }` in transportProperties; conductivities may depend on T
system/setFieldsDict     defaultFieldValues, regions
system/topoSetDict       cell zones for sources and regions
system/fvOptions         scalarSemiImplicitSource, fixedTemperatureConstraint,
                         scalarFixedValueConstraint; in heatConduction conductorLosses { q20 [W/m3]; alpha; Tref; };
                         selectionMode all | cellZone | cellSet; cellZone NAME | "REGEX" | (A B "C.*")
system/fvSchemes         Euler | CrankNicolson psi | backward | steadyState; Gauss harmonic | linear
system/fvSolution        solvers { T { solver PCG; preconditioner multigrid | DIC | ...; tolerance 1e-6; relTol 0; } }
                         SIMPLE { nOuterCorrectors 50; outerTolerance 1e-5; TMean (steady, nothing tied) [K]; }
                         extrapolate no;    first guess 2 T^n - T^(n-1)
                         mustConverge no;   yes: exit code 3 when a step does not converge: a residual above the
                         tolerance, also where rounding keeps it there, or losses without a steady temperature
system/inSituDict        ParaView's scripts look at T and the conductivity during the run: docs/paraview.md
Results: fields T and the conductivity, OpenFOAM time directories where writeFormat is given; min, max, mean [K],
postProcessing/balance.csv: heat in through each patch, produced, stored, error of the balance [W] at each step.)";

static std::string with_properties(std::string const& line) {
  std::string help = heat_help;
  std::string const mark = "%PROPERTIES%";
  return help.replace(help.find(mark), mark.size(), line);
}

/// rho c dT/dt = div(lambda grad T) + q.
class HeatConduction final : public HeatCase {
 public:
  static inline std::string const help =
      with_properties("0/lambda, 0/rhoC         or values in constant/transportProperties: lambda [W/(m K)], rhoC "
                      "[J/(m3 K)]; source q [W/m3]");
  explicit HeatConduction(Session& session) : HeatCase(session, {"lambda", foam::dimensions_of_conductivity, "rhoC"}) {}
};

/// dT/dt = div(DT grad T) + Su, as OpenFOAM's laplacianFoam.
class LaplacianFoam final : public HeatCase {
 public:
  static inline std::string const help = with_properties(
      "0/DT                     or the value DT of constant/transportProperties [m2/s]; source Su [K/s]");
  explicit LaplacianFoam(Session& session) : HeatCase(session, {"DT", foam::dimensions_of_diffusivity, nullptr}) {}
};

[[maybe_unused]] static bool const added =
    Models::add<HeatConduction>("heatConduction", "rho c dT/dt = div(lambda grad T) + q, implicit or steady") &&
    Models::add<HeatConduction>("cableFoam", "another name of heatConduction, which OpenFOAM cases of cables use") &&
    Models::add<LaplacianFoam>("laplacianFoam", "dT/dt = div(DT grad T) + Su: OpenFOAM's cases as they are");

}  // namespace tessera::run::heat
