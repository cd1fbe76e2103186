// SPDX-License-Identifier: Apache-2.0
#include "core/case/error_list.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/grid/sweep.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "io/foam/control.hpp"
#include "io/pictures/picture.hpp"
#include "io/snapshot.hpp"
#include "run/models/rating/circuits.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::run::rating {

namespace detail {

struct Celsius {
  core::FieldView<double const> kelvin;
  core::FieldView<double> celsius;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    celsius(s, k, j, i) = kelvin(s, k, j, i) - 273.15;
  }
};

}  // namespace detail

/// What buried power cables may carry: `application cableRating;` with constant/cables.
class Rating final : public Model {
 public:
  static constexpr char const* help = R"(
constant/cables                      lengths [m], temperatures [degrees Celsius]; y = 0 is the surface, y < 0 below
    ambient      20;                 of the undisturbed soil and of the air
    soil         { resistivity 1.0; | conductivity 1.0; | material concrete;   [K m/W], [W/(m K)]
                   capacity 2e6; }                                             [J/(m3 K)]
    surface      { type isothermal; } | { type convective; h 10; }             default: at `ambient`; h [W/(m2 K)]
    beds         { NAME { box ((-0.5 -1.3) (0.5 -0.7)); resistivity 0.8; } ... }   boxes of another material, the later over the earlier
    materials    { NAME { resistivity; capacity; rho20; alpha20; permittivity; lossFactor; } ... }   beside copper aluminium lead
                 steel bronze stainlessSteel XLPE PE EPR PVC oilPaper massPaper PPL semiconductor jute rubber concrete
    types        { NAME {            a single-core cable, from inside outwards
        conductor { diameter 30.3e-3; material copper; R20 2.83e-5; | area 630e-6;      R20 [Ohm/m] to direct current at 20 C
                    ks 1; kp 1;      how stranding reduces skin and proximity effect; ys, yp: the effects themselves
                  }
        layers    ( { name insulation; thickness 15.5e-3; material XLPE; } ... );        of metal also R20; lossFactor: its losses
                                     over those of the conductor (default: of one layer of metal computed, see bonding)
        limit     90;                of the conductor
        voltage   132e3;             between phases, across the layer `insulation`: heat of the dielectric; default: none
                 } ... }
    circuits     { NAME {
        type      NAME;  positions ((-0.038 -1.02) (0.038 -1.02) (0 -0.955));   axes of three cables, or of one
        current   rated; | 600;      sought: what the limit allows | given [A]
        frequency 50;    limit 90;   0: direct current; default limit: of the type
        bonding   bothEnds | oneEnd | crossed;       of sheaths; joined at both ends currents circulate, else none do
        eddies    yes | no;          eddy currents in sheaths (default: no with bothEnds, yes otherwise)
                 } ... }
    mesh         { cells 500000; | finest 0.0005;    cells in all, or the width of the finest [m]; these are where cables are.
                                     Default: eight a conductor's radius, and as fine as layers of metal want, up to a million cells
                   growth 0.08;                      how much wider cells are for each metre away from cables
                   far 100; }                        of the boundary, in depths of the deepest cable
system/fvSolution
    solvers { T { solver PCG; preconditioner multigrid; tolerance 1e-7; } }     the default
Results: a table of cables; results.circuits.NAME current [A], temperature, hottest; results.cables.NAME current, conductorLoss,
dielectricLoss, metalLoss, losses [W/m], resistance [Ohm/m], conductor, metal, surface [C]; results.mesh: cells, finest,
estimatedError (of a current in parts of itself, of a temperature in K: from a mesh of twice the width and growth); results.balance [W/m];
postProcessing/cables.csv; results/T.png; T in results/000000.h5 [K].)";

  explicit Rating(Session& session) : session_(session) {}

  void prepare() override {
    core::attempt([this] {
      control_ =
          io::foam::read_control(session_.files.open("system/controlDict"), {.time_step = false, .functions = {}});
    });
    auto& cables = session_.files.open("constant/cables");
    bool const read = core::attempt([&] { site_.emplace(cables); });
    bool const meshed = core::attempt([&] {
      core::rely_on(read);
      read_mesh(cables.sub_or_empty("mesh"));
    });
    core::attempt([this] { read_solver(); });
    core::rely_on(meshed);
    auto const grid = std::make_shared<core::Grid const>(make_grid(*site_, far_, sizes_));
    fine_ = decompose(session_, grid);
  }

  Memory memory() const override {
    constexpr double bytes = 330;  // fields, matrix, multigrid (measured)
    return memory_of(bytes, make_grid(*site_, far_, sizes_), fine_->largest_share, session_.comm.size());
  }

  int run(core::Report& report) override {
    describe();
    // responses on a coarse mesh do: each finer one corrects them
    double const coarsest = std::min(4 * sizes_.finest, std::max(2 * sizes_.finest, site_->thinnest()));
    auto responses = Section(*site_, parts_at({coarsest, 2 * sizes_.growth}), solver_).responses();
    auto const coarse = [&] {
      Section section(*site_, parts_at({2 * sizes_.finest, 2 * sizes_.growth}), solver_);
      return rate_on(section, *site_, responses);
    }();
    Section section(*site_, std::move(*fine_), solver_);
    State const state = rate_on(section, *site_, responses);
    auto const& temperature = section.temperature();
    auto const balance = section.balance();
    report.describe(section.layout(), section.decomposition().method, section.decomposition().weights);
    tell(state, coarse, section);
    fill(report, state, coarse, section, balance);
    if (session_.writes && control_.write_control != "none") write(state, temperature);
    report.hash("T", core::hash(temperature));
    auto const solves = static_cast<std::int64_t>(section.solves().size());
    report.finish(session_.comm, solves,
                  static_cast<double>(section.layout().grid().total()) * static_cast<double>(solves));
    return core::Exit::done;
  }

 private:
  void read_mesh(core::Dictionary& in) {
    if (in.contains("cells") && in.contains("finest")) in.fail_expected("finest", "none beside cells");
    sizes_.growth = in.get_in<double>("growth", {0.01, 1}, sizes_.growth);
    far_ = in.get_in<double>("far", {5, 1e4}, 100) * site_->deepest();
    if (in.contains("finest"))
      sizes_.finest = in.get_in<double>("finest", {1e-5, 1});
    else if (in.contains("cells"))
      sizes_.finest =
          finest_width(*site_, far_, sizes_.growth, in.get_in<std::int64_t>("cells", {1000, 10'000'000'000}));
    else
      sizes_.finest = std::max(site_->finest_detail(), finest_width(*site_, far_, sizes_.growth, most_cells));
    if (2 * sizes_.finest > site_->thinnest())
      in.fail(
          in.contains("finest") ? "finest" : "cells",
          fmt::format(
              "cells at the cables are {:.3g} m wide, more than half the radius of a conductor, {:.3g} m: expected {}",
              sizes_.finest, site_->thinnest(), in.contains("finest") ? "a smaller finest" : "more cells"));
  }

  void read_solver() {
    auto& solution = session_.files.open_or_empty("system/fvSolution");
    if (auto* solvers = solution.find_sub("solvers")) {
      solver_ = solvers->sub("T");
      solvers->mark_read();
    } else {
      solver_ =
          core::Dictionary::parse("solver PCG; preconditioner multigrid; tolerance 1e-7; maxIter 500;", "solver of T");
    }
    solvers::require_solver(solver_);
  }

  Decomposition parts_at(Sizes const& sizes) {
    return decompose(session_, std::make_shared<core::Grid const>(make_grid(*site_, far_, sizes)));
  }

  /// What was taken.
  void describe() const {
    Log& log = session_.log;
    for (Circuit const& c : site_->circuits) {
      Construction const& type = site_->type(c);
      char const* const lie = c.formation.kind == Formation::Kind::single    ? "one cable"
                              : c.formation.kind == Formation::Kind::trefoil ? "trefoil"
                              : c.formation.kind == Formation::Kind::flat    ? "flat formation"
                                                                             : "three cables, neither trefoil nor flat";
      std::string sheath = "no metal layer whose currents are computed";
      if (type.sheath)
        sheath = fmt::format("sheath '{}' {}, {} eddy currents", type.layers[*type.sheath].name,
                             c.bonding == Circuit::Bonding::both_ends ? "joined at both ends"
                             : c.bonding == Circuit::Bonding::one_end ? "open at one end"
                                                                      : "cross-bonded",
                             c.eddies ? "with" : "without");
      log.line("Circuit {}: type {}, {}, {}, {}", c.name, type.name, lie,
               c.current ? fmt::format("{:.6g} A", *c.current) : fmt::format("current sought for {:.4g} C", c.limit),
               sheath);
    }
    auto const grid = make_grid(*site_, far_, sizes_);
    for (auto const& type : site_->types)
      for (auto const& layer : type.layers)
        if (layer.material.metal() && layer.thickness() < 1.5 * sizes_.finest)
          log.line("Layer {} of type {}, {:.3g} mm, is thinner than one and a half cells: heat across it is counted, "
                   "heat along "
                   "it is not, and cables that touch come out hotter; `mesh {{ cells; }}` of constant/cables refines",
                   layer.name, type.name, 1000 * layer.thickness());
    log.line("Mesh: {} x {} cells, the finest {:.3g} mm; boundary {:.4g} m from the cables", grid.cells()[0],
             grid.cells()[1], 1000 * sizes_.finest, far_);
  }

  /// By Richardson: errors are of second order in the width.
  double estimate(State const& fine, State const& coarse, std::size_t circuit) const {
    if (!site_->circuits[circuit].current)
      return std::abs(fine.currents[circuit] - coarse.currents[circuit]) / 3 / fine.currents[circuit];
    std::size_t const n = fine.hottest(*site_, circuit);
    return std::abs(fine.cables[n].conductor - coarse.cables[n].conductor) / 3;
  }

  void tell(State const& state, State const& coarse, Section const& section) const {
    Log& log = session_.log;
    for (auto const& p : section.solves()) log.line("{}", solvers::log_line(p));
    log.line("\n{:<16} {:>10} {:>12} {:>10} {:>10} {:>12}", "cable", "current A", "conductor C", "metal C", "surface C",
             "losses W/m");
    for (std::size_t n = 0; n < state.cables.size(); ++n) {
      auto const& cable = site_->cables[n];
      auto const& s = state.cables[n];
      bool const limiting = !site_->circuits[cable.circuit].current && state.hottest(*site_, cable.circuit) == n;
      log.line("{:<16} {:>10.2f} {:>12.2f} {:>10} {:>10.2f} {:>12.3f}{}", cable.name, state.currents[cable.circuit],
               s.conductor, s.metal.empty() ? "-" : fmt::format("{:.2f}", s.metal.front()), s.surface, s.losses(),
               limiting ? "  limits" : "");
    }
    for (std::size_t c = 0; c < site_->circuits.size(); ++c) {
      Circuit const& circuit = site_->circuits[c];
      double const error = estimate(state, coarse, c);
      if (circuit.current)
        log.line("Circuit {}: {:.2f} C at {:.6g} A; the mesh is good for {:.2g} K", circuit.name,
                 state.cables[state.hottest(*site_, c)].conductor, *circuit.current, error);
      else
        log.line("Circuit {}: may carry {:.2f} A; the mesh is good for {:.2g} %", circuit.name, state.currents[c],
                 100 * error);
    }
  }

  void fill(core::Report& report, State const& state, State const& coarse, Section const& section,
            solvers::HeatBalance const& balance) const {
    using Json = core::Report::Json;
    Json circuits = Json::object(), cables = Json::object();
    for (std::size_t c = 0; c < site_->circuits.size(); ++c) {
      Circuit const& circuit = site_->circuits[c];
      std::size_t const n = state.hottest(*site_, c);
      circuits[circuit.name] = {{"current", state.currents[c]},
                                {"rated", !circuit.current},
                                {"temperature", state.cables[n].conductor},
                                {"limit", circuit.limit},
                                {"hottest", site_->cables[n].name},
                                {"estimatedError", estimate(state, coarse, c)}};
    }
    for (std::size_t n = 0; n < state.cables.size(); ++n) {
      auto const& s = state.cables[n];
      cables[site_->cables[n].name] = {{"current", state.currents[site_->cables[n].circuit]},
                                       {"resistance", s.resistance},
                                       {"conductorLoss", s.conductor_loss},
                                       {"dielectricLoss", s.dielectric_loss},
                                       {"metalLoss", s.metal_loss},
                                       {"losses", s.losses()},
                                       {"conductor", s.conductor},
                                       {"metal", s.metal},
                                       {"surface", s.surface}};
    }
    auto const& grid = section.layout().grid();
    report.results()["circuits"] = circuits;
    report.results()["cables"] = cables;
    report.results()["mesh"] = {{"cells", grid.total()}, {"finest", sizes_.finest}, {"far", far_}};
    report.results()["balance"] = {
        {"produced", balance.produced},
        {"surface", -balance.in[static_cast<std::size_t>(core::Side::top)]},
        {"ground", -(balance.total_in() - balance.in[static_cast<std::size_t>(core::Side::top)])},
        {"error", balance.error()}};
    Json iterations = Json::array(), residuals = Json::array();
    double seconds = 0;
    for (auto const& p : section.solves()) {
      iterations.push_back(p.iterations);
      residuals.push_back(p.final);
      seconds += p.seconds;
    }
    auto const& last = section.solves().back();
    report["solvers"]["T"] = {{"solver", last.solver},      {"preconditioner", last.preconditioner},
                              {"iterations", iterations},   {"solveSeconds", seconds},
                              {"finalResidual", residuals}, {"converged", true}};
  }

  void write(State const& state, core::Field<double> const& temperature) const {
    core::Timed const timed(core::Part::io);
    io::SnapshotSeries series(session_.files.output("results"), session_.files.name());
    series.write(0, 0, std::array<core::FieldBase const*, 1>{&temperature}, session_.files.texts());
    core::Field<double> celsius("T", temperature.layout(), 0);
    core::for_each("celsius", temperature.layout().all(), detail::Celsius{temperature.view(), celsius.view()});
    io::draw_field(
        session_.files.output("results/T.png"), celsius,
        {.title = "Cables at their ratings", .region = around_cables(temperature.layout().grid()), .unit = "C"});
    io::on_root(session_.comm, [&] {
      std::string text =
          "cable,current_A,conductor_C,surface_C,conductor_loss_W_per_m,dielectric_loss_W_per_m,losses_W_per_m\n";
      for (std::size_t n = 0; n < state.cables.size(); ++n) {
        auto const& s = state.cables[n];
        text += fmt::format("{},{},{},{},{},{},{}\n", site_->cables[n].name, state.currents[site_->cables[n].circuit],
                            s.conductor, s.surface, s.conductor_loss, s.dielectric_loss, s.losses());
      }
      auto const file = session_.files.output("postProcessing/cables.csv");
      core::make_folder_of(file);
      core::write_file(file, text);
    });
  }

  /// From the surface to twice the depth, and as far to the sides.
  core::Box around_cables(core::Grid const& grid) const {
    double const depth = site_->deepest();
    double left = site_->cables.front().position[0], right = left;
    for (auto const& cable : site_->cables) {
      left = std::min(left, cable.position[0]);
      right = std::max(right, cable.position[0]);
    }
    auto const& x = grid.axis(0);
    auto const& y = grid.axis(1);
    return {{x.faces_below(left - depth), y.faces_below(-2 * depth), 0}, {x.faces_up_to(right + depth), y.cells(), 1}};
  }

  static constexpr core::Count most_cells = 1'000'000;  ///< of a mesh that the case does not ask for

  Session& session_;
  io::foam::Control control_;
  std::optional<Site> site_;
  Sizes sizes_;
  double far_ = 0;  ///< [m]
  core::Dictionary solver_;
  std::optional<Decomposition> fine_;
};

[[maybe_unused]] static bool const added =
    Models::add<Rating>("cableRating", "what buried power cables may carry: their losses and temperatures, ampacity");

}  // namespace tessera::run::rating
