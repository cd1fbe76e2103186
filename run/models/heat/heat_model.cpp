// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/heat_model.hpp"

#include "core/case/error_list.hpp"
#include "solvers/heat/side_faces.hpp"

#include <algorithm>
#include <utility>

namespace tessera::run::heat {

namespace foam = io::foam;

void HeatModel::prepare() {
  using core::attempt, core::attempted;
  if (names_.of_regions) regions_ = region_names(session_);
  Reading const in{session_, names_, regions_, control_};
  auto const started = attempted([&] { return read_begin(session_, schedule_, names_, regions_); });
  if (names_.of_regions && !control_.functions.empty())
    session_.files.open("system/controlDict")
        .fail("functions", "functions are not supported in a case with regions: expected none");
  Begin const begin = started.value_or(Begin{});
  auto mesh = attempted([&] { return read_mesh(session_, names_, regions_); });
  auto const read = attempted([&] { return read_schemes(in); });
  Schemes const schemes = read.value_or(Schemes{});

  std::unique_ptr<Fields> fields;
  Boundaries boundaries;
  Continuation earlier{begin};
  bool const filled = attempt([&] {
    core::rely_on(mesh);
    fields = read_fields(in, *mesh, begin);
    std::vector<foam::FieldFile> files;
    // setFieldsDict gives the initial T, not that of a later time
    bool const initial = begin.directory == begin.first;
    bool all = attempt([&] {
      core::rely_on(started || session_.files.exists(of_region(begin.directory, regions_.front(), "T")));
      files = read_temperatures(in, *mesh, begin);
      boundaries = read_boundaries(in, *mesh, fields->substances, files);
      if (initial) set_cells(files, *mesh, fields->temperature);
    });
    if (!attempt([&] { set_cells_and_fields(in, *mesh, begin, *fields); })) fields->sets.complete = false;
    attempt([&] {
      core::rely_on(fields->sets.complete);
      fields->contacts = read_contacts(session_, names_, fields->sets, mesh->layout(), fields->materials.exact());
    });
    attempt([&] {
      core::rely_on(started.has_value());
      functions_ = make_functions(*mesh, *fields, begin);
    });
    all = fields->sets.complete && fields->materials.complete() && all;
    core::rely_on(all && started);
    if (!initial) set_cells(files, *mesh, fields->temperature);
    auto settings = schemes.settings;
    settings.renews = fields->materials.depends_on_temperature();
    settings.extrapolate = extrapolates(in, schemes, settings.renews);
    auto const kept = functions_ ? functions_->list.kept() : std::vector<core::FieldBase*>{};
    earlier = read_continuation(in, schedule_, begin, *mesh, settings, fields->temperature, kept);
    control_.begun_as = control_.start_name();
    foam::fill_absent(fields->temperature, *mesh->mesh, 0.0);
  });
  auto sources = attempted([&] {
    core::rely_on(fields != nullptr);
    return read_sources(in, *mesh, *fields, earlier.begin.time);
  });
  core::Dictionary* solver = nullptr;
  auto const solution = attempted([&] {
    solver = &read_solver(in);
    return read_solution(in, schemes, fields ? &fields->materials : nullptr, boundaries, sources.value_or(Sources{}));
  });

  // what can be looked at although parts of the case could not be read
  foam::Mesh const* const cells = mesh ? mesh->mesh.get() : nullptr;
  auto const check = [&] {
    core::rely_on(solver != nullptr);
    check_solver(in, cells, schemes.interpolation, *solver);
  };
  if (read && filled && sources && solution) {
    case_ = std::make_unique<HeatCase>(HeatCase{in, std::move(*mesh), schemes.interpolation, std::move(fields),
                                                std::move(boundaries), std::move(*sources), *solver, *solution,
                                                earlier.begin});
    if (!attempt([&] { assemble(check); })) attempt(check);
    resume(earlier);
  } else {
    attempt(check);
    functions_ = nullptr;  // they see fields that end here
  }
  attempt([&] {
    schedule_.read_in_situ(session_);
    if (schedule_.in_situ && case_)
      schedule_.in_situ->expect_fields(
          {case_->fields->temperature.name(), case_->fields->materials.conductivity().name()});
  });
}

void HeatModel::assemble(std::function<void()> const& check) {
  auto& materials = case_->fields->materials;
  if (materials.exact() && case_->interpolation != solvers::Interpolation::harmonic)
    session_.files.open("system/fvSchemes")
        .fail_expected("laplacianSchemes", "Gauss harmonic: the interfaces are exact");
  materials.finish(case_->fields->sets, case_->fields->temperature);
  case_->boundaries.take_conductivity(materials, *case_->mesh.mesh, case_->begin.time);
  if (!case_->mesh.looks_at_cells) return check();
  body_ = std::make_unique<Body>(*case_);
}

foam::TimeDirectories HeatModel::directories_for_functions(Begin const& begin) {
  foam::TimeDirectories directories;
  if (control_.write_format)
    directories.write = [this](std::string const& name, foam::FunctionField const& field, foam::StepTime const& now) {
      write_object(name, field, !now.writes);
    };
  if (begin.from_snapshot) return directories;
  directories.read = [this, folder = begin.directory](std::string const& name) -> std::optional<foam::FieldFile> {
    std::string const file = folder + "/" + name;
    if (!session_.files.exists(file)) return std::nullopt;
    return foam::read_field(session_.files.input(file), session_.comm,
                            [this](std::string const& path) { return session_.files.read_text(path); });
  };
  if (auto* const properties = session_.files.find(begin.directory + "/" + foam::functions_properties)) {
    properties->mark_read();
    directories.properties = properties;
  }
  return directories;
}

std::unique_ptr<HeatModel::Functions> HeatModel::make_functions(MeshPart const& mesh, Fields& f, Begin const& begin) {
  auto const at_face = [this](double Face::*what) {
    return [this, what](core::Side side, int slot, int k, int j, int i) { return face(side, slot, k, j, i).*what; };
  };
  std::map<std::string, foam::FunctionField> fields;
  for (auto const& [name, field] : f.materials.fields()) fields[name] = {field, {}, field->info().dimensions};
  auto const conductivity = [this] { return case_->fields->materials.boundary_text(case_->in.format()); };
  fields[names_.conductivity] = {&f.materials.conductivity(), at_face(&Face::lambda), names_.conductivity_dimensions,
                                 conductivity, !names_.capacity};
  fields["T"] = {&f.temperature, at_face(&Face::t), foam::dimensions_of_temperature,
                 [this] { return boundaries_written(at_).front(); }, true};
  fields["wallHeatFlux"] = {nullptr, at_face(&Face::flux),
                            names_.capacity ? foam::dimensions_of_heat_flux : foam::dimensions_of_temperature_flux};
  add_gradients(mesh, f, fields);
  auto const t_face = fields.at("T").face;
  auto functions = std::make_unique<Functions>(control_, foam::FunctionContext{&mesh.layout(),
                                                                               *mesh.mesh,
                                                                               f.sets,
                                                                               control_,
                                                                               session_.files.output("postProcessing"),
                                                                               std::move(fields),
                                                                               {},
                                                                               directories_for_functions(begin)});
  if (!gradients_.empty())
    functions->seen.refresh = [this, t_face, &t = f.temperature] {
      for (auto const& gradient : gradients_) gradient->update(t, t_face);
      if (flux_) flux_->update(case_->fields->materials.conductivity(), gradients_);
    };
  session_.files.open("system/controlDict").check_all_read();
  return functions;
}

void HeatModel::add_gradients(MeshPart const& mesh, Fields& f, std::map<std::string, foam::FunctionField>& known) {
  gradients_.clear();
  flux_.reset();
  if (names_.capacity) return;
  auto const t_face = known.at("T").face, lambda_face = known.at(names_.conductivity).face;
  auto const named = [&](std::string const& name) {
    return std::any_of(control_.functions.begin(), control_.functions.end(), [&](auto const& function) {
      return function.dictionary->text().find(name) != std::string::npos;
    });
  };
  bool const with_flux = named("flux");
  if (with_flux) flux_ = std::make_unique<Flux>(mesh.layout());
  foam::FunctionField flux{.dimensions = foam::dimensions_of_temperature_flux};
  for (int axis = 0; axis < 3; ++axis) {
    std::string const name = std::string("gradT") + "xyz"[axis];
    if (!with_flux && !named(name)) continue;
    gradients_.push_back(std::make_unique<Gradient>(mesh.layout(), *mesh.mesh, axis));
    auto const& gradient = *gradients_.back();
    auto const at_face = [&gradient, &t = std::as_const(f.temperature), t_face](core::Side side, int slot, int k, int j,
                                                                                int i) {
      return gradient.at_face(t, t_face, side, slot, k, j, i);
    };
    known[name] = {&gradient.cells(), at_face, foam::Dimensions{0, -1, 0, 1, 0, 0, 0}};
    if (with_flux)
      flux.components.push_back(
          {&flux_->cells(axis), [at_face, lambda_face](core::Side side, int slot, int k, int j, int i) {
             return lambda_face(side, slot, k, j, i) * at_face(side, slot, k, j, i);
           }});
  }
  if (with_flux) known["flux"] = std::move(flux);
}

std::vector<std::string> HeatModel::boundaries_written(Step const& step) const {
  auto const at_face = [this](core::Side side, int slot, int k, int j, int i) { return face(side, slot, k, j, i).t; };
  return case_->boundaries.written(case_->mesh, case_->fields->temperature, step.sum, at_face, case_->in.format());
}

HeatModel::Face HeatModel::face(core::Side side, int slot, int k, int j, int i) const {
  foam::Mesh const& mesh = *case_->mesh.mesh;
  core::Index const x = case_->mesh.layout().info(slot).global(k, j, i);
  auto const& boundary = body_->heat().boundary(side, x);
  std::size_t const n = solvers::heat::face_number(mesh.grid, side, x);
  double const lambda = case_->fields->materials.conductivity().host()(slot, k, j, i);
  double const d = mesh.distance(side, x);
  double const t = std::as_const(case_->fields->temperature).host()(slot, k, j, i);
  auto const terms = solvers::heat::face_terms(boundary, n, lambda, d);
  return {terms.inflow - terms.conductance * t, solvers::heat::face_temperature(boundary, n, lambda, d, t),
          boundary.lambda ? (*boundary.lambda)[n] : lambda};
}

static constexpr char const* help_before = R"(
system/controlDict       startTime, endTime, deltaT [s], writeControl timeStep | runTime | adjustableRunTime | clockTime |
                         cpuTime, writeInterval, purgeWrite, writeFormat, writePrecision, writeMesh, readMesh, functions;
                         preview { every 10; size 512; palette viridis; range (300 400); }    results/preview.png, animated
                         checkpoint { every 50; seconds 60; data 4; parity 1; }    in the nodes' memory: docs/restart.md
                         startFrom latestTime | startTime | firstTime: goes on from snapshots in results/ or from time
                         directories, on any number of ranks; stopAt endTime | writeNow | noWriteNow | nextWrite;
                         adjustTimeStep yes; deltaTTolerance [K]; maxDeltaT [s];
system/gridDict          cells (nx ny nz); origin (0 0 0); size (x y z) [m]; grading (1 1 1); tile auto | (nx ny nz)
   or blockMeshDict      hex blocks along the axes, or of a wedge; simpleGrading, edgeGrading; the tile shape is then
                         `tile` in decomposeParDict
   or constant/polyMesh  of boxes along the axes, in any order; with readMesh yes; also beside a blockMeshDict
0/T                      volScalarField; patches fixedValue, uniformFixedValue, zeroGradient, fixedGradient, mixed,
                         convective { h; Tinf; }, externalWallHeatFluxTemperature, symmetry, empty, cyclic,
                         wedge
)";
static constexpr char const* help_after = R"(
                         `regions { any { cellZone Z; ... } }` in transportProperties; conductivities may depend on T
                         `contacts { any { between (a b); resistance 1e-3; } }` there [m2 K/W]: in all faces between two
                         cellZones; or thicknessLayers (1e-4) [m]; kappaLayers (0.2) [W/(m K)]; in heatConduction
                         interfaces staircase | exact;    whole cells, as OpenFOAM, or cells cut at the surfaces of shapes
system/setFieldsDict     defaultFieldValues, regions
system/topoSetDict       cell zones for sources and regions
system/fvOptions         scalarSemiImplicitSource, fixedTemperatureConstraint,
                         scalarFixedValueConstraint; in heatConduction conductorLosses { q20 [W/m3]; alpha; Tref; };
                         selectionMode all | cellZone | cellSet; cellZone NAME | "REGEX" | (A B "C.*")
system/fvSchemes         Euler | CrankNicolson psi | backward | steadyState; Gauss harmonic | linear
system/fvSolution        solvers { T { solver PCG; preconditioner multigrid | DIC | ...; tolerance 1e-6; relTol 0; } }
                         SIMPLE { nOuterCorrectors 50; outerTolerance 1e-5; TMean (steady, nothing tied) [K]; }
                         extrapolate no;    first guess: a parabola through the last three T; yes where lambda(T) is iterated in time
                         mustConverge no;   yes: exit code 3 when a step does not converge: a residual above the
                         tolerance, also where rounding keeps it there, or losses without a steady temperature
system/inSituDict        ParaView's scripts look at T and the conductivity during the run: docs/paraview.md
Numbers that change in time (sides, sources), or with T (conductivities): a number, table, tableFile, csvFile, polynomial,
sine, square; `tessera help table` tells their keys, `tessera help fixedValue` those of a side.
Results: fields T and the conductivity, OpenFOAM time directories where writeFormat is given; min, max, mean [K],
postProcessing/balance.csv: heat in through each patch, produced, stored, error of the balance [W] at each step.)";

/// rho c dT/dt = div(lambda grad T) + q.
class HeatConduction final : public HeatModel {
 public:
  static inline std::string const help = std::string(help_before) +
                                         "0/lambda, 0/rhoC         or values in constant/transportProperties: lambda "
                                         "[W/(m K)], rhoC [J/(m3 K)]; sources, of "
                                         "fvOptions, are in W/m3" +
                                         help_after;
  explicit HeatConduction(Session& session)
      : HeatModel(session, {"lambda", foam::dimensions_of_conductivity, "rhoC"}) {}
};

/// dT/dt = div(DT grad T) + Su, as OpenFOAM's laplacianFoam.
class LaplacianFoam final : public HeatModel {
 public:
  static inline std::string const help = std::string(help_before) +
                                         "0/DT                     or the value DT of constant/transportProperties "
                                         "[m2/s]; sources, of fvOptions, are in K/s" +
                                         help_after;
  explicit LaplacianFoam(Session& session) : HeatModel(session, {"DT", foam::dimensions_of_diffusivity, nullptr}) {}
};

/// rho Cp dT/dt = div(kappa grad T) + Su in several solid regions, as OpenFOAM's chtMultiRegionFoam.
class MultiRegion final : public HeatModel {
 public:
  static inline std::string const help = R"(
constant/regionProperties    regions ( solid (a b ...) );    all on one rectilinear grid, solved at once
constant/REGION/polyMesh     of boxes along the axes, as splitMeshRegions leaves it
constant/REGION/thermophysicalProperties    heSolidThermo, constIso, hConst, rhoConst
0/REGION/T               sides as in heatConduction, and where a mappedWall lies against another region
                         compressible::turbulentTemperatureRadCoupledMixed or ...TemperatureCoupledBaffleMixed, with
                         thicknessLayers, kappaLayers
REGION/fvOptions         scalarSemiImplicitSource { injectionRateSuSp { h (Su 0); } }, fixedTemperatureConstraint; in
                         constant or system
system/REGION/fvSchemes  Euler | CrankNicolson psi | backward | steadyState, the same in all
system/REGION/fvSolution solvers { hFinal { ... } }, or h: the first region's counts, with the least tolerance of all
Results: as in heatConduction, time directories with REGION/T; min, max, mean of each region [K].)";
  explicit MultiRegion(Session& session)
      : HeatModel(session, {"lambda", foam::dimensions_of_conductivity, "rhoC", true}) {}
};

[[maybe_unused]] static bool const added =
    Models::add<HeatConduction>("heatConduction", "rho c dT/dt = div(lambda grad T) + q, implicit or steady") &&
    Models::add<HeatConduction>("cableFoam", "another name of heatConduction, which OpenFOAM cases of cables use") &&
    Models::add<LaplacianFoam>("laplacianFoam", "dT/dt = div(DT grad T) + Su: OpenFOAM's cases as they are") &&
    Models::add<MultiRegion>("chtMultiRegionFoam", "heat in several solid regions: OpenFOAM's cases as they are") &&
    Models::add<MultiRegion>("chtMultiRegionSimpleFoam", "the same, steady");

}  // namespace tessera::run::heat
