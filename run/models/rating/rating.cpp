// SPDX-License-Identifier: Apache-2.0
#include "core/case/error_list.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "io/foam/control.hpp"
#include "run/models/rating/results.hpp"

#include <algorithm>
#include <optional>

namespace tessera::run::rating {

/// What buried power cables may carry: `application cableRating;` with constant/cables.
class Rating final : public Model {
 public:
  static constexpr char const* help = R"(
constant/cables                      lengths [m], temperatures [degrees Celsius]; y = 0 is the surface, y < 0 below
                                     (soil, surface, beds, mesh and the like: where a circuit lies in the ground)
    ambient      20;                 of the undisturbed soil and of the air
    soil         { resistivity 1.0; | conductivity 1.0; | material concrete;   [K m/W], [W/(m K)]
                   capacity 2e6;                                               [J/(m3 K)]
                   dryResistivity 2.5; }        where it has dried out; default: it does not
    dryAbove     50;                 temperature above which soil and beds with a dryResistivity dry out
    history      ( { NAME 900; ... } ... );  currents of circuits, 0 where not named, that flowed before, each set for long [A]: soil
                                     that they dried stays dry (default: none)
    surface      { type isothermal; } | { type convective; h 10; }             default: at `ambient`; h [W/(m2 K)]
    beds         { NAME { box ((-0.5 -1.3) (0.5 -0.7)); resistivity 0.8; } ... }   boxes of another material (as of soil),
                                                                                   the later over the earlier
    materials    { NAME { resistivity; capacity; rho20; alpha20; permittivity; lossFactor; } ... }   beside copper aluminium lead
                 steel bronze stainlessSteel XLPE PE EPR PVC oilPaper massPaper PPL semiconductor jute rubber concrete
    troughs      { NAME { box ((-0.3 -0.36) (0.25 0));    unfilled, covered, its cover level with the surface (IEC 60287-2-1, 4.2.6.2)
                          perimeter 1.27;    of that, what leads heat away: nothing that lies in the sun (default: sides and cover)
                          ambient 25; } ... }   of the air above (default: as above)
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
        duct      { inner 0.119; outer 0.140; material PE; air plastic; }   round each cable, at its axis (default: none); diameters;
                                     air plastic | earthenware | fibre | asbestosCement | metallic: IEC 60287-2-1, table 4
        trough    { name NAME; arrangement touching; | Z 0.62; E 1.95; g 0.25; }   its cables lie in that trough (default: in the ground);
                                     single | touching | trefoil | vertical | verticalSpaced | wall | wallTrefoil: constants
                                     of IEC 60287-2-1's heat dissipation Z / De^g + E in air, or these themselves
        current   rated; | 600;      sought: what the limit allows | given [A]
        frequency 50;    limit 90;   0: direct current; default limit: of the type
        bonding   bothEnds | oneEnd | crossed;       of sheaths; joined at both ends currents circulate, else none do
        eddies    yes | no;          eddy currents in sheaths (default: no with bothEnds, yes otherwise)
        load      (0.4 0.4 ... 1);   shares of the current in equal parts of a day: the peak is sought, too
                 } ... }
    dailyStep    1800;               of a load that repeats every day [s]
    emergency    { circuit NAME; current 1200; | duration 7200; limit 105; }    from the steady state on: for how long a current may
                                     flow until its conductors reach the limit, or which current for so long [s]; default limit: that of
                                     the circuit, which conductors of a rated current have from the start: these want a higher one
    sensitivity  yes;                what better soil, beds, depth and spacing bring, and where (default: no)
    mesh         { cells 500000; | finest 0.0005;    cells in all, or the width of the finest [m]; these are where cables are.
                                     Default: eight a conductor's radius, or what layers of metal want, up to a million cells
                   growth 0.08;                      how much wider cells are for each metre away from cables
                   far 100; }                        of the boundary, in depths of the deepest cable
system/fvSolution
    solvers { T { solver PCG; preconditioner multigrid; tolerance 1e-7; } }     the default
Results: a table of cables; results.circuits.NAME current [A], temperature, hottest, estimatedError (of a current that is sought in parts of
itself, of a temperature in K: from a mesh of twice the width and growth; none in troughs); results.cables.NAME current, conductorLoss,
dielectricLoss, metalLoss, losses [W/m], resistance [Ohm/m], conductor, metal, surface, duct (its outer surface) [C]; results.troughs.NAME: air [C],
losses [W/m], perimeter [m]; results.mesh: cells, finest [m]; results.balance [W/m];
results.dryArea: of soil that has dried out, now or in the history [m2]; results.daily.NAME: peak [A], factor (IEC 60853's M), highest [C], estimatedError;
results.sensitivity.NAME: unit (A of a current that is sought, K of a temperature) for 1 more of soil, beds.NAME (resistivity [K m/W]),
ambient [K], depth (ground above everything), spacing (each gap between cables side by side) [m];
results.emergency: current, seconds, reached, temperature, estimatedError;
postProcessing/cables.csv, daily.csv, emergency.csv; results/T.png; results/rating.html, one page with tables,
isotherms and courses; T in results/000000.h5 [K], and sensitivity_NAME: what ground that conducts better brings, for each part of its conductivity
and square metre.)";

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
      if (in_ground()) read_mesh(cables.sub_or_empty("mesh"));
    });
    core::attempt([&] {
      core::rely_on(read);
      daily_step_ = cables.get_in<double>("dailyStep", {10, 21600}, daily_step_);
      if (auto const* in = cables.find_sub("emergency")) emergency_.emplace(*in, *site_);
    });
    core::attempt([&] {
      core::rely_on(read);
      sensitivity_ = cables.get_or<bool>("sensitivity", false);
      if (sensitivity_ && site_->dry_above)
        cables.fail_expected("sensitivity", "no dryAbove beside it: dry soil moves where the ground changes");
      if (sensitivity_ && site_->ducts())
        cables.fail_expected("sensitivity", "no duct beside it: the air's resistance follows its temperature");
      if (sensitivity_ && !site_->troughs.empty())
        cables.fail_expected("sensitivity", "no trough beside it: the ground brings its cables nothing");
    });
    core::attempt([this] {
      if (!site_ || in_ground()) read_solver();
    });
    core::rely_on(meshed);
    if (!in_ground()) return;
    auto const grid = std::make_shared<core::Grid const>(make_grid(*site_, far_, sizes_));
    fine_ = decompose(session_, grid);
  }

  Memory memory() const override {
    if (!in_ground()) {
      auto const one = core::Axis::make_uniform(1, 0, 1);
      return memory_of(0, core::Grid({one, one, one}), 1, session_.comm.size());
    }
    double bytes = 330;  // fields, matrix, multigrid (measured)
    if (sensitivity_) bytes += 60 + 16.0 * static_cast<double>(site_->circuits.size());
    if (site_->changes() || emergency_) bytes += 9.0 * static_cast<double>(Modes::most(site_->loads()));
    return memory_of(bytes, make_grid(*site_, far_, sizes_), fine_->largest_share, session_.comm.size());
  }

  int run(core::Report& report) override {
    describe();
    Results const results(session_, *site_, session_.writes && control_.write_control != "none");
    if (!in_ground()) {
      Responses nothing;
      nothing.loads = 1;  // of insulations, of which there is none
      Ratings const ratings{rate(*site_, nothing), {}, {}};
      results.of_ratings(nullptr, ratings, ratings, report);
      report.finish(session_.comm, 0, 0);
      return core::Exit::done;
    }
    // responses on a coarse mesh do: each finer one corrects them
    double const coarsest = std::min(4 * sizes_.finest, std::max(2 * sizes_.finest, site_->thinnest()));
    Responses responses;
    State const begin = [&] {
      Section section(*site_, parts_at({coarsest, 2 * sizes_.growth}), solver_);
      responses = section.responses();
      let_history_dry(section, *site_, responses);
      if (!site_->history.empty()) responses = section.responses();
      return site_->dry_above ? rate_on(section, *site_, responses) : rate(*site_, responses);
    }();
    air_as_in(begin);
    Ratings const coarse = [&] {
      Section section(*site_, parts_at({2 * sizes_.finest, 2 * sizes_.growth}), solver_);
      let_history_dry(section, *site_, responses);
      auto const state = rate_on(section, *site_, responses);
      return in_time(section, responses, state);
    }();
    Section section(*site_, std::move(*fine_), solver_);
    for (auto const& [cable, layer] : section.body().crowded())
      session_.log.line(
          "Layer {} of cable {} is thinner than the cells, which hold another such layer, too: heat across it is "
          "counted, heat along it is not; `mesh {{ finest; }}` of constant/cables refines",
          site_->type(site_->cables[cable]).layers[layer].name, site_->cables[cable].name);
    let_history_dry(section, *site_, responses);
    State const state = rate_on(section, *site_, responses);
    report.describe(section.layout(), section.decomposition().method, section.decomposition().weights);
    auto gains = sensitivity_ ? sensitivities(section, *site_, responses, state) : std::vector<Sensitivity>();
    results.of_section(section, gains, report);
    report.results()["mesh"] = {{"cells", section.layout().grid().total()}, {"finest", sizes_.finest}, {"far", far_}};
    Ratings ratings = in_time(section, responses, state);
    ratings.sensitivities = std::move(gains);
    results.of_solver(section, report);
    results.of_ratings(&section.temperature(), ratings, coarse, report);
    auto const solves = static_cast<std::int64_t>(section.solves().size());
    report.finish(session_.comm, solves,
                  static_cast<double>(section.layout().grid().total()) * static_cast<double>(solves));
    return core::Exit::done;
  }

 private:
  bool in_ground() const { return site_->in_ground > 0; }

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

  /// The air in ducts has the resistance that it has in this state; the mean of a circuit's cables.
  void air_as_in(State const& state) {
    for (std::size_t c = 0; c < site_->circuits.size(); ++c) {
      auto& duct = site_->circuits[c].duct;
      if (!duct) continue;
      double sum = 0;
      for (std::size_t n = 0; n < site_->cables.size(); ++n)
        if (auto const& s = state.cables[n]; site_->cables[n].circuit == c)
          sum += s.surface - 0.5 * s.losses() * duct->air(*s.duct, s.losses());
      duct->air_is_at(sum / static_cast<double>(site_->circuits[c].positions.size()));
    }
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
      std::string const duct =
          c.duct ? fmt::format(", in ducts of {:.4g} m, air as in {} ones", 2 * type.outer(), c.duct->kind()) : "";
      std::string const trough =
          c.trough ? fmt::format(", in trough {} ({})", site_->troughs[c.trough->trough()].name, c.trough->told()) : "";
      log.line("Circuit {}: type {}, {}{}{}, {}, {}", c.name, type.name, lie, duct, trough,
               c.current ? fmt::format("{:.6g} A", *c.current) : fmt::format("current sought for {:.4g} C", c.limit),
               sheath);
    }
    if (emergency_)
      log.line("Emergency of circuit {}: until its conductors have {:.4g} C{}",
               site_->circuits[emergency_->circuit].name, emergency_->limit,
               emergency_->own_limit ? ", its limit: none is given for the emergency" : "");
    if (!in_ground()) return;
    if (!site_->troughs.empty())
      log.line("Troughs stand outside of the ground: their heat does not reach cables there, and these have soil in "
               "their place");
    auto const grid = make_grid(*site_, far_, sizes_);
    for (auto const& type : site_->types)
      for (auto const& layer : type.layers)
        if (layer.material.metal() && !layer.thin(sizes_.finest) && !layer.thick(sizes_.finest))
          log.line("Layer {} of type {}, {:.3g} mm, is too thick for a shell on these cells and thinner than 1.6 of "
                   "them: heat "
                   "along it is not counted well; `mesh {{ finest; }}` of constant/cables refines",
                   layer.name, type.name, 1000 * layer.thickness());
    log.line("Mesh: {} x {} cells, the finest {:.3g} mm; boundary {:.4g} m from the cables", grid.cells()[0],
             grid.cells()[1], 1000 * sizes_.finest, far_);
  }

  Ratings in_time(Section& section, Responses const& responses, State const& state) const {
    Ratings result{state, {}, {}};
    if (!site_->changes() && !emergency_) return result;
    Modes const modes(section, shortest_change);
    session_.log.line("{} cells: {} modes for loads that change", section.layout().grid().total(), modes.size());
    InTime const of{*site_, responses, modes};
    if (site_->changes()) result.daily = rate_daily(of, state, daily_step_);
    if (emergency_) result.emergency = rate_emergency(of, state, *emergency_);
    return result;
  }

  static constexpr double shortest_change = 60;         ///< of a load that is followed [s]
  static constexpr core::Count most_cells = 1'000'000;  ///< of a mesh that the case does not ask for

  Session& session_;
  io::foam::Control control_;
  std::optional<Site> site_;
  Sizes sizes_;
  double far_ = 0;            ///< [m]
  double daily_step_ = 1800;  ///< [s]
  bool sensitivity_ = false;
  std::optional<Emergency> emergency_;
  core::Dictionary solver_;
  std::optional<Decomposition> fine_;
};

[[maybe_unused]] static bool const added =
    Models::add<Rating>("cableRating", "what buried power cables may carry: their losses and temperatures, ampacity");

}  // namespace tessera::run::rating
