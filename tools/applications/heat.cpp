// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat.hpp"
#include "core/error.hpp"
#include "core/runtime.hpp"
#include "core/sweep.hpp"
#include "core/times.hpp"
#include "io/foam/cell_sets.hpp"
#include "io/foam/control.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/function_object.hpp"
#include "io/foam/mesh.hpp"
#include "io/foam/schemes.hpp"
#include "io/foam/sources.hpp"
#include "io/foam/time_directory.hpp"
#include "io/picture.hpp"
#include "io/snapshot.hpp"
#include "io/table.hpp"
#include "io/together.hpp"
#include "solvers/require.hpp"
#include "tools/application.hpp"

#include <cmath>
#include <optional>

namespace tessera::tools::applications {

namespace foam = io::foam;
namespace detail {

struct Copy {
  core::FieldView<double const> from;
  core::FieldView<double> to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { to(s, k, j, i) = from(s, k, j, i); }
};

}  // namespace detail

/// The names by which one equation is known.
struct HeatNames {
  char const* conductivity;
  foam::Dimensions conductivity_dimensions;
  char const* capacity;  ///< nullptr: 1
};

/// Heat conduction in an OpenFOAM case directory. What OpenFOAM does with blockMesh, setFields, topoSet, decomposePar, the
/// solver and reconstructPar happens here in memory in one command.
class HeatCase : public Application {
 public:
  HeatCase(Session& session, HeatNames names) : session_(session), names_(names) {}

  void prepare() override {
    Case& files = session_.files;
    control_ = foam::read_control(files.open("system/controlDict"), {true, foam::FunctionObjects::names()});
    refuse_restart(files.open("system/controlDict"), control_);
    start_ = control_.time_name(control_.start_time);
    read_mesh();
    core::Layout const& layout = *parts_.layout;
    conductivity_.emplace(names_.conductivity, layout, 0);
    capacity_.emplace("rhoC", layout, 0, 1.0);
    source_.emplace("q", layout, 0, 0.0);
    temperature_.emplace(core::FieldInfo{.name = "T",
                                         .description = "temperature",
                                         .units = "K",
                                         .dimensions = foam::dimensions_of_temperature,
                                         .restart = true},
                         layout, 1);
    read_fields();
    read_sources();
    read_solution();
    assemble();
    make_functions();
  }

  double memory_estimate() const override { return 200.0 * static_cast<double>(mesh_->grid.total()); }

  int run(core::Report& report) override {
    core::Layout const& layout = *parts_.layout;
    core::Field<double>& T = *temperature_;
    core::Field<double> T_old("T old", layout, 1), b("b", layout, 0);
    io::SnapshotSeries series(session_.files.path("results"), session_.files.name());
    std::optional<io::Table> history;
    io::on_root(session_.comm, [&] {
      history.emplace(session_.files.path("postProcessing/T.csv"),
                      std::vector<std::string>{"time", "min", "max", "mean", "iterations"});
    });
    std::vector<solvers::Performance> performances;
    long const steps = control_.steps();
    for (long step = 1; step <= steps; ++step) {
      double const time = control_.start_time + static_cast<double>(step) * *control_.delta_t;
      session_.log.line("Time = {}\n", control_.time_name(time));
      core::for_each("T old", layout.all(), detail::Copy{std::as_const(T).view(), T_old.view()});
      heat_->right_side(T_old, b);
      for (int corrector = 0; corrector <= correctors_; ++corrector) {
        performances.push_back(solver_->solve(b, T));
        session_.log.line("{}", solvers::log_line(performances.back()));
        if (!performances.back().note.empty()) session_.log.line("{}", performances.back().note);
      }
      auto const range = solvers::range(T);
      if (!std::isfinite(range.mean))
        throw core::RunError(fmt::format("T is not finite any more at time {}", control_.time_name(time)));
      core::Timed const timed(core::Part::io);
      io::on_root(session_.comm, [&] {
        history->row(
            std::array{time, range.min, range.max, range.mean, static_cast<double>(performances.back().iterations)});
      });
      if (due(step, steps)) write(series, step, time);
      session_.log.line("ExecutionTime = {:.2f} s  ClockTime = {:.0f} s\n", core::times().wall(), core::times().wall());
      observe({step, time, time - control_.start_time, *control_.delta_t, due(step, steps), step == steps},
              performances);
    }
    {
      core::Timed const timed(core::Part::io);
      io::draw_field(session_.files.path("results/T.png"), T,
                     {.title = fmt::format("Temperature after {} s", control_.time_name(*control_.end_time))});
    }
    return finish(report, T_old, performances, steps);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void read_mesh() {
    Case& files = session_.files;
    if (auto* grid = files.find("system/gridDict")) {
      mesh_.emplace(foam::read_grid_dict(*grid));
    } else {
      auto& decompose = files.open_or_empty("system/decomposeParDict");
      core::Grid::Shape tile{0, 0, 0};
      if (decompose.contains("tile") && decompose.words("tile") != std::vector<std::string>{"auto"})
        tile = decompose.get<core::Grid::Shape>("tile");
      std::string const old_place = "constant/polyMesh/blockMeshDict";
      bool const old = !files.exists("system/blockMeshDict") && files.exists(old_place);
      mesh_.emplace(foam::read_block_mesh(files.open(old ? old_place : "system/blockMeshDict"), tile));
    }
    parts_ = decompose(session_, std::make_shared<core::Grid const>(mesh_->grid));
  }

  /// A material property: the field 0/NAME, or the value NAME of constant/transportProperties.
  void read_property(std::string const& name, foam::Dimensions const& dimensions, core::Field<double>& field) {
    Case& files = session_.files;
    auto* properties = files.find("constant/transportProperties");
    if (files.exists(start_ + "/" + name)) {
      auto file = read_file(start_ + "/" + name, dimensions);
      places_[name] = file.location("internalField");
      for (auto const& patch : mesh_->patches)
        if (auto* entry = foam::patch_entry(file, patch)) {
          entry->get_choice("type", {"zeroGradient", "empty", "cyclic"});
          entry->mark_read("value");
        }
      file.dictionary.check_all_read();
      foam::set_cells(file, field);
    } else if (properties && properties->contains(name)) {
      if (auto const found = properties->dimensions(name); found != foam::Dimensions{})
        foam::check_dimensions(found, dimensions, properties->location(name));
      places_[name] = properties->location(name);
      field.fill(properties->get<double>(name));
    } else {
      throw core::Error(
          fmt::format("{}: '{}' is missing: neither a field {}/{} nor an entry of constant/transportProperties",
                      properties ? properties->location() : files.path(start_ + "/" + name), name, start_, name));
    }
  }

  foam::FieldFile read_file(std::string const& name, foam::Dimensions const& dimensions) {
    auto file = foam::read_field(session_.files.path(name), session_.comm,
                                 [this](std::string const& p) { return session_.files.read_text(p); });
    foam::check_dimensions(file.dimensions, dimensions, file.location("dimensions"));
    foam::check_patches(file, *mesh_);
    return file;
  }

  void read_fields() {
    Case& files = session_.files;
    read_property(names_.conductivity, names_.conductivity_dimensions, *conductivity_);
    if (names_.capacity) read_property(names_.capacity, foam::dimensions_of_heat_capacity, *capacity_);

    auto file = read_file(start_ + "/T", foam::dimensions_of_temperature);
    foam::set_cells(file, *temperature_);
    for (auto const& patch : mesh_->patches)
      for (core::Side const side : patch.sides)
        sides_[static_cast<std::size_t>(side)] = read_boundary(file, patch, side);
    boundary_text_ = foam::boundary_text(file, *mesh_, format());
    file.dictionary.check_all_read();

    if (auto* zones = files.find("system/topoSetDict")) sets_ = foam::topo_set(*zones, *parts_.layout);
    if (auto* set_fields = files.find("system/setFieldsDict")) {
      std::map<std::string, core::Field<double>*> fields{{"T", &*temperature_}, {names_.conductivity, &*conductivity_}};
      if (names_.capacity) fields[names_.capacity] = &*capacity_;
      foam::set_fields(*set_fields, fields, sets_);
    }
  }

  solvers::Boundary read_boundary(foam::FieldFile& file, foam::Patch const& patch, core::Side side) {
    using Type = solvers::Boundary::Type;
    auto* entry = foam::patch_entry(file, patch);
    if (!entry) return {Type::empty, 0};
    entry->mark_read("value");  // OpenFOAM writes it for every type
    auto const type = entry->get_choice("type", {"fixedValue", "zeroGradient", "empty", "cyclic"});
    if (type == "zeroGradient") return {Type::zero_gradient, 0};
    if (type == "empty") return {Type::empty, 0};
    if (type == "cyclic") return {Type::cyclic, 0};
    auto const values = foam::patch_values(*entry, "value", *mesh_, patch, side);
    for (double value : values)
      if (value != values.front()) entry->fail("value", "differs from face to face; expected one value for the patch");
    return {Type::fixed_value, values.front()};
  }

  void read_sources() {
    auto* options = session_.files.find("system/fvOptions");
    if (!options) options = session_.files.find("constant/fvOptions");
    if (!options) return;
    core::Field<double> Sp("Sp", *parts_.layout, 0, 0.0);
    for (auto const& source : foam::add_sources(*options, "T", sets_, *source_, Sp)) {
      if (source.Sp != 0)
        throw core::Error(
            fmt::format("{}: the implicit part of '{}' is {}, expected 0: sources that depend on T are not supported",
                        source.where, source.name, source.Sp));
      session_.log.line("Source {} in {}: {} cells, {:.6g} m3, Su = {:.6g}", source.name, source.cells, source.count,
                        source.volume, source.Su);
    }
  }

  void read_solution() {
    auto const schemes = foam::read_schemes(session_.files.open("system/fvSchemes"), "T", names_.conductivity);
    steady_ = schemes.ddt == "steadyState";
    interpolation_ =
        schemes.interpolation == "linear" ? solvers::Interpolation::linear : solvers::Interpolation::harmonic;
    auto& solution = session_.files.open("system/fvSolution");
    solver_entry_ = &solution.sub("solvers").sub("T");
    solvers::require_solver(*solver_entry_);
    solution.get_choice("deterministic", {"yes", "on", "true"},
                        "yes");  // sums always keep their bits; there is no other way
    must_converge_ = solution.get_or<bool>("mustConverge", false);
    for (char const* algorithm : {"SIMPLE", "PISO", "PIMPLE"})
      if (auto* entry = solution.find_sub(algorithm))
        correctors_ = entry->get_in<int>("nNonOrthogonalCorrectors", 0, 100, 0);
  }

  /// The matrix and the solver: the last of what can be wrong with a case.
  void assemble() {
    for (auto const& [name, place] : places_) {
      core::Field<double> const& field = name == names_.conductivity ? *conductivity_ : *capacity_;
      solvers::require_positive(field, fmt::format("{}: {}", place, name), "");
    }
    auto const begin = Clock::now();
    try {
      heat_.emplace(solvers::HeatProperties{*conductivity_, *capacity_, *source_, sides_, interpolation_},
                    steady_ ? 0.0 : *control_.delta_t);
    } catch (core::Error const& error) {
      throw core::Error(fmt::format("{}: {}", session_.files.path(start_ + "/T"), error.what()));
    }
    solver_ = solvers::make_solver(heat_->matrix(), *solver_entry_);
    setup_seconds_ = seconds_since(begin);
  }

  void make_functions() {
    auto const info = [](core::Field<double> const& field) { return foam::FunctionField{&field}; };
    auto const side = [this](core::Side s) { return sides_[static_cast<std::size_t>(s)]; };
    std::map<std::string, foam::FunctionField> fields{{names_.conductivity, info(*conductivity_)}};
    if (names_.capacity) fields[names_.capacity] = info(*capacity_);
    fields["T"] = {&*temperature_, [this, side](core::Side s, int slot, int k, int j, int i) {
                     return side(s).type == solvers::Boundary::Type::fixed_value
                                ? side(s).value
                                : std::as_const(*temperature_).host()(slot, k, j, i);
                   }};
    // lambda dT/dn, half a cell from the centre to the face
    fields["wallHeatFlux"] = {
        nullptr, [this, side](core::Side s, int slot, int k, int j, int i) {
          if (side(s).type != solvers::Boundary::Type::fixed_value) return 0.0;
          auto const x = parts_.layout->info(slot).global(k, j, i);
          int const axis = static_cast<int>(s) / 2;
          double const width = mesh_->grid.axis(axis).width(axis == 0 ? x.i : axis == 1 ? x.j : x.k);
          return std::as_const(*conductivity_).host()(slot, k, j, i) *
                 (side(s).value - std::as_const(*temperature_).host()(slot, k, j, i)) / (0.5 * width);
        }};
    seen_.emplace(foam::FunctionContext{*parts_.layout, *mesh_, sets_, control_, session_.files.path("postProcessing"),
                                        std::move(fields)});
    functions_.emplace(control_, *seen_);
    session_.files.open("system/controlDict").check_all_read();
  }

  /// The function objects look at the state after a step.
  void observe(foam::StepTime const& now, std::vector<solvers::Performance> const& performances) {
    if (functions_->empty()) return;
    core::Timed const timed(core::Part::io);
    seen_->solves.clear();
    auto const solves = static_cast<std::size_t>(correctors_ + 1);
    for (auto p = performances.end() - static_cast<std::ptrdiff_t>(solves); p != performances.end(); ++p)
      seen_->solves.push_back({"T", p->preconditioner + p->solver, p->initial, p->final, p->iterations, p->converged});
    if (auto const text = functions_->execute(now); !text.empty()) session_.log.write(text.substr(0, text.size() - 1));
  }

  foam::FieldFormat format() const { return {control_.write_format == "binary", control_.write_precision}; }

  bool due(long step, long steps) const {
    if (step == steps) return true;
    if (control_.write_control == "none" || control_.write_interval <= 0) return false;
    double const per =
        control_.write_control == "runTime" ? control_.write_interval / *control_.delta_t : control_.write_interval;
    auto const count = [&](long n) { return std::floor(static_cast<double>(n) / per + 1e-9); };
    return count(step) > count(step - 1);
  }

  void write(io::SnapshotSeries& series, long step, double time) {
    std::array<core::FieldBase const*, 2> const fields{&*temperature_, &*conductivity_};
    series.write(step, time, fields, session_.files.texts());
    if (control_.write_format)
      foam::write_field(session_.files.path(control_.time_name(time)), *temperature_, foam::dimensions_of_temperature,
                        boundary_text_, format());
  }

  int finish(core::Report& report, core::Field<double> const& T_old,
             std::vector<solvers::Performance> const& performances, long steps) {
    core::Field<double> const& T = *temperature_;
    auto const range = solvers::range(T);
    auto const balance = heat_->balance(T, T_old);
    core::Report::Json iterations = core::Report::Json::array(), residuals = iterations;
    double solve_seconds = 0, total = 0;
    bool converged = true;
    for (auto const& p : performances) {
      iterations.push_back(p.iterations);
      residuals.push_back(p.final);
      total += p.iterations;
      solve_seconds += p.seconds;
      converged = converged && p.converged;
    }
    report.describe(*parts_.layout, parts_.method, parts_.weights);
    report["solvers"]["T"] = {
        {"solver", performances.empty() ? "" : performances.front().solver},
        {"preconditioner", performances.empty() ? "" : performances.front().preconditioner},
        {"iterations", iterations},
        {"averageIterations", performances.empty() ? 0 : total / static_cast<double>(performances.size())},
        {"secondsPerIteration", total > 0 ? solve_seconds / total : 0},
        {"setupSeconds", setup_seconds_},
        {"solveSeconds", solve_seconds},
        {"finalResidual", residuals},
        {"converged", converged}};
    report.results()["min"] = range.min;
    report.results()["max"] = range.max;
    report.results()["mean"] = range.mean;
    core::Report::Json sides;
    for (std::size_t s = 0; s < 6; ++s)
      if (sides_[s].type == solvers::Boundary::Type::fixed_value)
        sides[mesh_->grid.patch(static_cast<core::Side>(s))] = balance.in[s];
    report.results()["balance"] = {{"in", sides}, {"produced", balance.produced}, {"stored", balance.stored}};
    report.hash("T", core::hash(T));
    report.finish(session_.comm, steps, static_cast<double>(mesh_->grid.total()) * static_cast<double>(steps));
    session_.log.line("T: min {:.6g} K, max {:.6g} K, mean {:.6g} K; {:.1f} iterations a step", range.min, range.max,
                      range.mean, performances.empty() ? 0 : total / static_cast<double>(performances.size()));
    if (converged) return core::Exit::done;
    session_.log.line("Not every step converged: see solvers.T in the report");
    return must_converge_ ? core::Exit::not_converged : core::Exit::done;
  }

  Session& session_;
  HeatNames names_;
  foam::Control control_;
  std::string start_;  ///< name of the time directory to start from
  std::optional<foam::Mesh> mesh_;
  Decomposition parts_;
  std::optional<core::Field<double>> conductivity_, capacity_, source_, temperature_;
  foam::CellSets sets_;
  std::array<solvers::Boundary, 6> sides_;
  std::string boundary_text_;
  solvers::Interpolation interpolation_ = solvers::Interpolation::harmonic;
  core::Dictionary* solver_entry_ = nullptr;
  std::map<std::string, std::string> places_;  ///< where the case gives a property
  std::optional<solvers::Heat> heat_;
  std::unique_ptr<solvers::LinearSolver> solver_;
  std::optional<foam::FunctionContext> seen_;
  std::optional<foam::FunctionList> functions_;
  double setup_seconds_ = 0;
  bool steady_ = false, must_converge_ = false;
  int correctors_ = 0;
};

static constexpr char const* heat_help = R"(
system/controlDict       startTime, endTime, deltaT [s], writeControl timeStep | runTime, writeInterval, writeFormat, writePrecision
system/gridDict          cells (nx ny nz); origin (0 0 0); size (x y z) [m]; grading (1 1 1); tile auto | (nx ny nz)
   or blockMeshDict      one hex block, simpleGrading; the tile shape is then `tile` in decomposeParDict
0/T                      volScalarField; patches fixedValue, zeroGradient, empty, cyclic
%PROPERTIES%
system/setFieldsDict     defaultFieldValues, regions
system/topoSetDict       cell zones for sources
system/fvOptions         scalarSemiImplicitSource with explicit part, per zone
system/fvSchemes         Euler | steadyState; Gauss harmonic | linear
system/fvSolution        solvers { T { solver PCG; preconditioner multigrid | DIC | diagonal | none;
                              tolerance 1e-6; relTol 0; maxIter 1000; minIter 0; } }
                         mustConverge no;   yes: exit code 3 when a step does not converge
Results: fields T and the conductivity, OpenFOAM time directories where writeFormat is given; min, max, mean [K],
balance of the last step (heat in through each fixedValue patch, produced, stored).)";

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
    Applications::add<HeatConduction>("heatConduction", "rho c dT/dt = div(lambda grad T) + q, implicit or steady") &&
    Applications::add<LaplacianFoam>("laplacianFoam", "dT/dt = div(DT grad T) + Su: OpenFOAM's cases as they are");

}  // namespace tessera::tools::applications
