// SPDX-License-Identifier: Apache-2.0
#include "core/case/error_list.hpp"
#include "core/comm/runtime.hpp"
#include "core/grid/computed.hpp"
#include "core/times.hpp"
#include "io/files/table.hpp"
#include "io/files/together.hpp"
#include "io/foam/control.hpp"
#include "io/snapshot.hpp"
#include "run/balance/decompose.hpp"
#include "run/control/in_situ.hpp"
#include "run/models/percolation/analysis.hpp"
#include "run/models/percolation/explorer.hpp"
#include "run/models/percolation/memory.hpp"
#include "run/models/percolation/samples.hpp"
#include "run/models/percolation/story.hpp"
#include "run/restart/restart.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tessera::run::percolation {
/// Clusters, spanning and wrapping clusters, exact backbone, paths and conductivity of random media, pictures and volumes:
/// `application percolation;` with constant/percolationProperties.
class Percolation final : public Model {
 public:
  static constexpr char const* help = R"(
constant/percolationProperties
    input        { type random; probability 0.60; seed 1; sample 0; }                    cells of gridDict
               | { type bonds; the same keys; }    bonds between neighbours are drawn, all sites are there: gridDict counts sites, cell
                                     (2i 2j 2k) of the results is a site, those between are bonds (clusters are of both)
               | { type random; probability (0.58 0.60); samples 200; seed 1; sample 0;  many media: means and errors only
                   sharing auto | samples | tiles; eachSample no; }
               | { type picture; file "FILE"; LIMIT; occupied dark | light; }    picture, TIFF stack, volume, array of numpy
                                     (FILE.raw:NX x NY x NZ:uint8, without blanks); gridDict is optional, without cells
                   box ((0 0 0) (64 64 64));    also: of the file the cells 0 <= x < 64 ... alone
    LIMIT        threshold 0.5;      light is what is not below this share: of the type's range for integers, of the values' range
                                     for floating point; a file of 0 and 1 only is a mask of range 0 .. 1
               | threshold otsu;     what parts the values best in two
               | level 21500;        a value of the file
               | phase 2; | phases (1 2);    cells of these whole numbers are occupied (then without `occupied`)
                                     Without: threshold 0.5, an error if that leaves all cells on one side. NaN is never occupied
    lattice      square | triangular | honeycomb | kagome | cubic | bcc | fcc;   default: square for one layer, cubic for several
    connectivity 4 | 8 (square), 6 (triangular), 3 (honeycomb), 4 (kagome), 6 | 18 | 26 (cubic), 8 (bcc), 12 (fcc);   the first is
                                     the default
    lattice      { neighbours ((1 0 0) (0 1 0) (2 0 0) (1 -1 0)); }    steps to the neighbours of a site, up to 8 cells long and up to 62
                                     with the opposite ones, which are added; for sites, with method lattice
    region       { type cylinder; axis z; centre (x y); radius R; }   which cells belong to the sample: those whose middle is not farther
                                     from an axis, in the unit of the grid; default: the middle, the largest that fits
               | { type box; from (x y z); to (x y z); }      whose middle lies between
               | { type mask; file "FILE"; LIMIT; occupied dark | light; }      that are occupied in a file
                   outside nothing | solid;     also: what bounds the pores there (thickness, drainage)
    direction    x | y | z | all;    from the low to the high side (of the region); default: y in the plane, z in space. Along a
                                     periodic axis it is asked whether a cluster wraps
    inlet        left | right | bottom | top | back | front | { file "FILE"; LIMIT; occupied dark | light; }
    outlet       the same;           instead of direction: from any side or mask to any other
    frame        inside | outside | none;   square 4, from side to side: bars at the two ends, white rows at the sides; inside (default
                                     of random media): the outermost cells; outside (of pictures): added round the medium, left
                                     out of results; none: the medium alone
    definition   D1 | D2;            bars are rows of sites (square 4 only, its default) | inlet and outlet are electrodes
    method       exact | paper;      every cell of the backbone | the published automata A1 .. A5, which miss some cells
               | NAME;               any of `tessera list percolationMethods`
    propagation  labels | synchronous;   exact (square 4): in a few passes (default) | by an automaton, step by step
    update       synchronous | random;   paper: all cells at once | in place in random order
    backbone     yes | no;           search for it (square 4 always has it)
    shortestPath yes | no;
    conductivity no | yes;           current through the backbone; the solver (square 4, cubic 6): system/fvSolution, solvers.potential
                                     { solver PCG; preconditioner DIC; tolerance 1e-8; maxIter 1000000; } on the whole grid.
                                     Without that entry by predicted cost, told in the log: the network of the backbone's sites on
                                     rank 0 (elimination, aggregation), or the grid with multigrid (DIC up to 64 Ki cells)
    electrodes   sites | faces;      one cell from the first sites (default of random media) | half a cell (of pictures)
    verify       no | yes;           the currents are solved on the whole spanning clusters, too: they must be those of the backbone,
                                     and nothing may flow off it (currentOffBackbone at most 1e-6, else exit code 3)
    thickness | drainage | geodesic | phaseTable | clusterTable    no | yes;   more to be found: `tessera help thickness` and so on, all of them:
                                     `tessera list percolationAnalyses`
    picture      yes | no;           results/backbone.png, one a direction (default: where results are written, see writeControl)
    fields       (occupied label spanning backbone articulation red);   kept and written; on request dangling, too, region, and
                                     with conductivity yes: potential, flux, dissipation of each site
                                     method paper: (occupied marked backbone)
system/gridDict
    cells (nx ny nz); origin (0 0 0); size (nx ny nz); tile auto | (nx ny nz); periodic (no no no);
                                     of pictures: size and origin lay the cells (default: as a .mhd says, or unit cubes)
system/inSituDict
    ParaView's scripts look at the fields at the end, for one medium: docs/paraview.md
Results: the fields; postProcessing/clusterSizes.csv; occupation, clusters, largestCluster, spans, spanningClusters, spanningSites,
backboneSites, danglingSites, articulationSites, redSites (counts of sites of the medium, without a frame; all of spanning clusters),
shortestPath (sites), tortuosity (shortestPath over that of a full medium); of a picture its `input` (and `inlet`, `outlet`): type,
range of the values, limit used, cells that are not a number; along periodic axes wraps, wrappingClusters, wrappingSites; with conductivity
also porosity, conductance and, on square 4 and cubic 6, conductivity, tortuosityFactor. With direction all those of a direction are in results.directions.x
and so on, and its fields are called backbone_x and so on; on a torus also wrapsAny, wrapsAll.
With samples: postProcessing/samples.csv and results.ensemble: mean and standard error of each for every probability, of all samples and
of the spanning ones; eachSample yes: postProcessing/eachSample.csv, a row a sample, while the run goes on. SIGTERM, SIGUSR1 and stopAt
end it with the samples that are finished; startFrom latestTime in controlDict goes on from postProcessing/samples.record, also after a
kill, on any number of ranks, and with more samples.
With propagation synchronous: steps {colours, classification, flood, total}. With method paper (definition D1): spans, occupation,
backboneSites (exact), markedSites, removedSites, whiteSites, taggedSites, restoredSites, steps {A1, A2, A3, A4, A5, total}.)";

  explicit Percolation(Session& session) : session_(session) {}

  void prepare() override {
    core::attempt([this] {
      auto& control = session_.files.open("system/controlDict");
      control_ = io::foam::read_control(control, {.time_step = false, .functions = {}});
    });
    bool const in_situ = core::attempt([this] { in_situ_ = make_in_situ(session_); });
    settings_.emplace(session_);
    core::note_computed("clusters and backbone", core::By::host_threads);
    if (session_.comm.size() > 1) core::note_computed("joins over ranks", core::By::one_thread);
    if (control_.start_from == "latestTime" && !settings_->input.ensemble)
      session_.log.line("startFrom latestTime: there are no steps to go on from, the medium is evaluated anew");
    int const workers = core::workers(session_.comm);
    medium_.emplace(*settings_, workers);
    if (settings_->input.ensemble && whole_samples(*settings_, *medium_, session_.comm.size()))
      medium_.emplace(*settings_, workers / session_.comm.size());
    else
      parts_ = decompose(session_, medium_->grid);
    for (auto const& analysis : settings_->analyses)
      if (session_.checks) core::attempt([&] { analysis->check(session_, *settings_, *medium_); });
    if (!in_situ || !in_situ_) return;
    if (settings_->input.ensemble)
      session_.files.open("system/inSituDict")
          .fail_entry("scripts", "are for one medium; there is nothing to look at in samples");
    std::vector<std::string> names(settings_->fields.begin(), settings_->fields.end());
    if (settings_->crossings.size() > 1)
      for (auto const& field : settings_->fields)
        for (auto const& crossing : settings_->crossings) names.push_back(field + "_" + crossing.name);
    in_situ_->expect_fields(names);
  }

  Memory memory() const override {
    Settings const& s = *settings_;
    bool const whole = s.input.ensemble && !parts_.layout;  // each rank has a medium
    int const ranks = session_.comm.size();
    bool const one = !s.input.ensemble, writes = one && control_.write_control != "none";
    double const later =
        (one && s.picture.value_or(writes) ? picture_bytes(*medium_->grid) : 0) + (writes ? snapshot_bytes : 0);
    double const work = bytes_a_cell(s, *medium_), kept = 0.65 * work;  // measured: backbones off the plane keep most
    Memory memory = memory_of(work, *medium_->grid, whole ? 1 : parts_.largest_share, ranks, {kept, later});
    if (whole) memory.all = ranks * memory.largest;
    return memory;
  }

  /// Between samples.
  bool may_be_called_back() const override { return settings_->input.ensemble; }

  int run(core::Report& report) override {
    double const total = static_cast<double>(medium_->grid->total());
    if (settings_->input.ensemble) {
      auto const media = run_samples(session_, control_, *settings_, *medium_, parts_, report);
      report.finish(session_.comm, 1, total * static_cast<double>(media));
      return core::Exit::done;
    }
    if (in_situ_) in_situ_->start(0, 0);
    auto occupied = make_occupied(*settings_, *parts_.layout);
    {
      core::Timed const timed(core::Part::io);
      medium_->lay_region(*settings_, *parts_.layout);
      if (medium_->region) report["region"] = medium_->region->report;
      if (settings_->input.file)
        report["input"] = load(*medium_, *settings_->input.file, occupied);
      else
        draw(*medium_, settings_->input.probabilities.front(), settings_->input.random, occupied);
    }
    report.describe(*parts_.layout, parts_.method, parts_.weights);
    return run_one(occupied, report) ? core::Exit::done : core::Exit::not_converged;
  }

 private:
  static std::vector<io::insitu::Shown> shown(std::vector<core::FieldBase const*> const& fields) {
    std::vector<io::insitu::Shown> result;
    for (auto const* field : fields) result.emplace_back(*field);
    return result;
  }

  /// False if what was to be verified does not hold.
  bool run_one(core::Field<std::uint8_t>& occupied, core::Report& report) {
    auto const begin = core::RunClock::now();
    Explorer explorer(*settings_, *medium_, *parts_.layout);
    auto const findings = explorer(occupied, settings_->input.random);
    double const seconds = std::chrono::duration<double>(core::RunClock::now() - begin).count();
    auto fields = findings.fields(*settings_, occupied);
    if (settings_->keeps("region")) fields.push_back(medium_->inside());
    if (in_situ_) in_situ_->observe(0, 0, true, shown(fields));
    if (session_.writes) write(findings, fields, occupied);
    if (session_.take) {
      session_.take(fields, medium_->output);
      describe_tables(findings, report);
    }
    log(findings, seconds);
    report.results() = findings.json();
    explorer.describe_ports(report);
    describe_solver(findings, report);
    if (in_situ_) report["inSitu"] = in_situ_->report();
    if (!session_.take) {
      for (auto const* field : fields) report.hash(field->name(), core::hash(*field, medium_->output));
      if (fields.empty()) report.hash("occupied", core::hash(occupied, medium_->output));
    }
    // a method without steps looks at every cell once
    report.finish(session_.comm, std::max<std::int64_t>(1, findings.steps),
                  findings.steps > 0 ? findings.cell_updates : static_cast<double>(medium_->grid->total()));
    bool const refuted = std::ranges::any_of(findings.crossings, &Crossed::refuted);
    if (refuted)
      session_.log.line(
          "Not verified: currentOffBackbone is above {:g}, expected the currents of the spanning clusters "
          "to be those of the backbone",
          solvers::agreement);
    return !refuted;
  }

  void write(Findings const& findings, std::vector<core::FieldBase const*> const& fields,
             core::Field<std::uint8_t> const& occupied) const {
    core::Timed const timed(core::Part::io);
    bool const writes = control_.write_control != "none";
    if (writes && !fields.empty()) {
      io::SnapshotSeries series(session_.files.output("results"), session_.files.name(), medium_->output);
      set_aside_later_snapshots(session_, 0, series.write(0, 0, fields, session_.files.texts()));
    }
    if (settings_->picture.value_or(writes))
      for (Crossed const& c : findings.crossings)
        draw_story(session_.files.output(findings.crossings.size() > 1 ? "results/backbone_" + c.name + ".png"
                                                                       : std::string("results/backbone.png")),
                   title(c), *medium_, occupied, c);
    if (!writes) return;
    write_sizes(findings);
    for (auto const& table : findings.tables) write_table(table);
    for (Crossed const& c : findings.crossings)
      for (auto const& table : c.tables) write_table(table);
  }

  std::string title(Crossed const& c) const {
    std::string const way = c.name == "ports" ? "from inlet to outlet" : "along " + c.name;
    if (c.marked) return "Published automata " + way;
    std::string const what =
        c.backbone ? fmt::format("backbone ({})", settings_->definition == ca::Definition::D1 ? "D1" : "D2")
                   : std::string("clusters");
    auto const layers = medium_->grid->cells()[2];
    return fmt::format("Percolation {}: {}{}", way, what,
                       layers > 1 ? fmt::format(", layer {} of {}", layers / 2 + 1, layers) : "");
  }

  /// postProcessing/clusterSizes.csv: how many clusters have so many sites, smallest first.
  void write_sizes(Findings const& findings) const {
    if (findings.sizes.empty()) return;
    io::on_root(session_.comm, [&] {
      io::Table table(session_.files.output("postProcessing/clusterSizes.csv"), {"sites", "clusters"});
      for (auto const& [sites, clusters] : findings.sizes)
        table.row(std::array{static_cast<double>(sites), static_cast<double>(clusters)});
    });
  }

  void write_table(FoundTable const& found) const {
    io::on_root(session_.comm, [&] {
      io::Table table(session_.files.output("postProcessing/" + found.name + ".csv"), found.columns);
      for (auto const& row : found.rows) table.row(row);
    });
  }

  /// For who takes the fields in memory, where no file is written: the tables of analyses by name, each a list of numbers a column.
  static void describe_tables(Findings const& findings, core::Report& report) {
    auto const describe = [&](std::vector<FoundTable> const& tables) {
      for (auto const& table : tables) {
        auto& columns = report["tables"][table.name];
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
          auto& column = columns[table.columns[c]] = core::Report::Json::array();
          for (auto const& row : table.rows) column.push_back(row[c]);
        }
      }
    };
    describe(findings.tables);
    for (Crossed const& c : findings.crossings) describe(c.tables);
  }

  /// A quantity as the log tells it.
  std::string words(Quantity const& q) const {
    if (std::isnan(q.value)) return "-";
    if (q.kind == Quantity::Kind::flag) return q.value != 0 ? "yes" : "no";
    bool const of_sites = !medium_->places.bonds;  // else of sites and bonds
    if (of_sites && q.kind == Quantity::Kind::count && (q.name.ends_with("Sites") || q.name == "largestCluster"))
      return fmt::format("{:.0f} ({:.2f} %)", q.value, 100 * q.value / static_cast<double>(medium_->sites));
    return fmt::format("{:.10g}", q.value);
  }

  /// A row a quantity, a column a crossing; several of them find the same quantities, but for axes that are closed.
  void log_table(std::vector<Crossed const*> const& crossings) const {
    Log& log = session_.log;
    std::string head = fmt::format("  {:<20}", "");
    for (auto const* c : crossings) head += fmt::format(" {:>22}", "along " + c->name);
    log.line("{}", head);
    for (std::size_t n = 0; n < crossings.front()->quantities.size(); ++n) {
      std::string row = fmt::format("  {:<20}", crossings.front()->quantities[n].name);
      for (auto const* c : crossings) row += fmt::format(" {:>22}", words(c->quantities[n]));
      log.line("{}", row);
    }
  }

  void log(Findings const& findings, double seconds) const {
    Log& log = session_.log;
    double const sites = static_cast<double>(medium_->sites);
    auto const write = [&](std::vector<Quantity> const& quantities) {
      for (Quantity const& q : quantities) log.line("  {:<20} {}", q.name, words(q));
    };
    if (medium_->places.bonds)
      log.line("{} sites, {} bonds", medium_->sites, medium_->bonds);
    else
      log.line("{} sites", medium_->sites);
    write(findings.common);
    for (auto const& alike : alike_crossings(findings)) {
      if (alike.size() > 1) {
        log_table(alike);
      } else {
        log.line("{}",
                 alike.front()->name == "ports" ? std::string("From inlet to outlet") : "Along " + alike.front()->name);
        write(alike.front()->quantities);
      }
      for (auto const* c : alike) {
        for (auto const& p : c->solves) log.line("{}", solvers::log_line(p));
        for (auto const& note : c->notes) log.line("{}", note);
      }
    }
    log.line("Found in {}, {}sites/s", duration(seconds), engineering(sites / seconds));
  }

  /// Crossings in a row with quantities of the same names.
  static std::vector<std::vector<Crossed const*>> alike_crossings(Findings const& findings) {
    std::vector<std::vector<Crossed const*>> result;
    for (Crossed const& c : findings.crossings) {
      bool const fits = !result.empty() &&
                        std::equal(c.quantities.begin(), c.quantities.end(), result.back().front()->quantities.begin(),
                                   result.back().front()->quantities.end(),
                                   [](auto const& a, auto const& b) { return a.name == b.name; });
      if (!fits) result.emplace_back();
      result.back().push_back(&c);
    }
    return result;
  }

  /// What the potential's solver did, as heat reports it.
  void describe_solver(Findings const& findings, core::Report& report) const {
    core::Report::Json iterations = core::Report::Json::array(), residuals = iterations, notes = iterations;
    double solve_seconds = 0;
    solvers::Performance last;
    for (Crossed const& c : findings.crossings) {
      for (auto const& p : c.solves) {
        iterations.push_back(p.iterations);
        residuals.push_back(p.final);
        solve_seconds += p.seconds;
        last = p;
      }
      for (auto const& note : c.notes) notes.push_back(note);
    }
    if (iterations.empty()) return;
    report["solvers"]["potential"] = {{"solver", last.solver},
                                      {"preconditioner", last.preconditioner},
                                      {"iterations", iterations},
                                      {"solveSeconds", solve_seconds},
                                      {"finalResidual", residuals},
                                      {"converged", last.converged},
                                      {"notes", notes}};
  }

  Session& session_;
  io::foam::Control control_;
  std::optional<Settings> settings_;
  std::optional<Medium> medium_;
  Decomposition parts_;  ///< of the grid; none where ranks take whole samples
  std::unique_ptr<io::InSitu> in_situ_;
};

[[maybe_unused]] static bool const added =
    Models::add<Percolation>("percolation", "clusters, spanning cluster, exact backbone, red sites, conductivity");

}  // namespace tessera::run::percolation
