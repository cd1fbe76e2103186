// SPDX-License-Identifier: Apache-2.0
#include "ca/percolation.hpp"
#include "ca/initial.hpp"
#include "ca/paper.hpp"
#include "core/error.hpp"
#include "core/runtime.hpp"
#include "core/times.hpp"
#include "io/foam/control.hpp"
#include "io/foam/mesh.hpp"
#include "io/picture.hpp"
#include "io/snapshot.hpp"
#include "tools/application.hpp"
#include "tools/mask_input.hpp"

#include <optional>

namespace tessera::tools::applications {

/// Clusters, spanning cluster and exact backbone of a random grid or of a picture: `application percolation;` with
/// constant/percolationProperties.
class Percolation final : public Application {
 public:
  static constexpr char const* help = R"(
constant/percolationProperties
    input        { type random; probability 0.60; seed 1; sample 0; }                    cells of gridDict
               | { type picture; file "FILE"; threshold 0.5; occupied dark | light; }    gridDict not needed
    frame        inside | outside;   bars at the two ends, white rows at the sides; default: inside for random grids (the outermost
                                     cells), outside (added round the input) for pictures
    direction    y | x;              from bottom to top, or from left to right
    definition   D1 | D2;            bars are rows of sites | bars are electrodes
    lattice      square; connectivity 4;
    method       exact | paper;      every cell of the backbone | the published automata A1 .. A5 step by step, which miss some cells
    propagation  labels | synchronous;   clusters labelled in one pass (method exact) | step by step (method paper)
system/gridDict
    cells (nx ny 1); origin (0 0 0); size (nx ny 1); tile auto | (nx ny 1);
Results: fields occupied, label, spanning, backbone, articulation, red; spans, clusters, largestCluster, spanningSites, backboneSites,
articulationSites, redSites, occupation (counts of cells inside the frame).
With method paper (definition D1): fields occupied, marked (by the automata), backbone (exact, to compare); spans, occupation,
backboneSites, markedSites, removedSites, whiteSites, taggedSites, restoredSites, steps {A1, A2, A3, A4, A5, total}.)";

  explicit Percolation(Session& session) : session_(session) {}

  void prepare() override {
    auto& control = session_.files.open("system/controlDict");
    refuse_restart(control, io::foam::read_control(control, {.time_step = false, .functions = {}}));
    auto& properties = session_.files.open("constant/percolationProperties");
    properties.get_choice("lattice", {"square"}, "square");
    if (properties.get_or<int>("connectivity", 4) != 4)
      properties.fail("connectivity", "expected 4: the backbone is there for 4 neighbours only");
    paper_ = properties.get_choice("method", {"exact", "paper"}, "exact") == "paper";
    std::string const propagation = paper_ ? "synchronous" : "labels";
    properties.get_choice("propagation", {propagation}, propagation);
    std::vector<std::string> const definitions =
        paper_ ? std::vector<std::string>{"D1"} : std::vector<std::string>{"D1", "D2"};
    options_.definition =
        properties.get_choice("definition", definitions, "D1") == "D1" ? ca::Definition::D1 : ca::Definition::D2;
    options_.direction =
        properties.get_choice("direction", {"x", "y"}, "y") == "x" ? ca::Direction::x : ca::Direction::y;

    auto& input = properties.sub("input");
    bool const random = input.get_choice("type", {"random", "picture"}) == "random";
    bool const outside =
        properties.get_choice("frame", {"inside", "outside"}, random ? "inside" : "outside") == "outside";
    if (random) {
      probability_ = input.get_in<double>("probability", 0.0, 1.0);
      random_ = core::Random{input.get_or<std::uint64_t>("seed", 1), input.get_or<std::uint32_t>("sample", 0)};
    } else {
      picture_.emplace(session_, input);
    }
    make_grid(input, outside);
  }

  double memory_estimate() const override { return 24.0 * static_cast<double>(parts_.layout->grid().total()); }

  int run(core::Report& report) override {
    core::Grid const& grid = parts_.layout->grid();
    core::Field<std::uint8_t> occupied({.name = "occupied", .description = "1 where a site is occupied", .units = "1"},
                                       *parts_.layout, 1);
    {
      core::Timed const timed(core::Part::io);
      if (picture_)
        picture_->load(occupied, output_.lo);
      else
        ca::fill_random(occupied, probability_, random_, interior_);
      ca::frame(occupied, options_.direction);
    }
    if (paper_) return run_paper(occupied, report);
    auto const begin = std::chrono::steady_clock::now();
    auto result = ca::percolate(occupied, options_);
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    std::array<core::FieldBase const*, 6> const fields{
        &occupied,       result.label.get(), result.spanning.get(), result.backbone.get(), result.articulation.get(),
        result.red.get()};
    {
      core::Timed const timed(core::Part::io);
      io::SnapshotSeries series(session_.files.path("results"), session_.files.name(), output_);
      series.write(0, 0, fields, session_.files.texts());
      draw(occupied, result);
    }
    log(result, seconds);

    report.describe(*parts_.layout, parts_.method, parts_.weights);
    auto& results = report.results();
    results["spans"] = result.spans;
    results["clusters"] = result.clusters;
    results["largestCluster"] = result.largest_cluster;
    results["spanningSites"] = result.spanning_sites;
    results["backboneSites"] = result.backbone_sites;
    results["articulationSites"] = result.articulation_sites;
    results["redSites"] = result.red_sites;
    results["occupation"] = result.occupation;
    for (auto const* field : fields) report.hash(field->name(), core::hash(*field, output_));
    report.finish(session_.comm, 1, static_cast<double>(grid.total()));
    return core::Exit::done;
  }

 private:
  /// The published automata, with the exact spanning cluster and backbone beside them.
  int run_paper(core::Field<std::uint8_t>& occupied, core::Report& report) {
    auto const paper = ca::run_paper(occupied, options_.direction);
    auto const exact =
        ca::percolate(occupied, {.direction = options_.direction, .label = false, .articulation = false, .red = false});
    std::array<core::FieldBase const*, 3> const fields{&occupied, paper.backbone.get(), exact.backbone.get()};
    {
      core::Timed const timed(core::Part::io);
      io::SnapshotSeries series(session_.files.path("results"), session_.files.name(), output_);
      series.write(0, 0, fields, session_.files.texts());
      std::array<io::Category, 4> const kinds{{{"other clusters", {205, 205, 205}, &occupied},
                                               {"dangling ends", {86, 180, 233}, exact.spanning.get()},
                                               {"missed", {213, 94, 0}, exact.backbone.get()},
                                               {"marked", {0, 72, 140}, paper.backbone.get()}}};
      io::draw_masks(
          session_.files.path("results/backbone.png"), kinds, {"empty", {255, 255, 255}},
          {.title = fmt::format("Published automata along {}", options_.direction == ca::Direction::y ? "y" : "x"),
           .region = output_,
           .physical = false});
    }
    auto const& steps = paper.steps;
    session_.log.line("{}; {} steps: A1 {}, A2 {}, A3 {}, A4 {}, A5 {}", paper.spans ? "Spans" : "Does not span",
                      steps.total(), steps.a1, steps.a2, steps.a3, steps.a4, steps.a5);
    session_.log.line("Marked {} of {} sites of the backbone", paper.backbone_sites, exact.backbone_sites);

    report.describe(*parts_.layout, parts_.method, parts_.weights);
    report.results() = {{"spans", paper.spans},
                        {"occupation", paper.occupation},
                        {"backboneSites", exact.backbone_sites},
                        {"markedSites", paper.backbone_sites},
                        {"removedSites", paper.removed_sites},
                        {"whiteSites", paper.white_sites},
                        {"taggedSites", paper.tagged_sites},
                        {"restoredSites", paper.restored_sites},
                        {"steps",
                         {{"A1", steps.a1},
                          {"A2", steps.a2},
                          {"A3", steps.a3},
                          {"A4", steps.a4},
                          {"A5", steps.a5},
                          {"total", steps.total()}}}};
    for (auto const* field : fields) report.hash(field->name(), core::hash(*field, output_));
    report.finish(session_.comm, steps.total(), static_cast<double>(paper.cell_updates));
    return core::Exit::done;
  }

  void make_grid(core::Dictionary& input, bool outside) {
    std::array<core::Axis, 3> axes;
    core::Grid::Shape tile{0, 0, 0};
    if (picture_) {
      for (std::size_t a = 0; a < 3; ++a)
        axes[a] = core::Axis::make_uniform(picture_->cells[a], 0, static_cast<double>(picture_->cells[a]));
      if (auto* dictionary = session_.files.find("system/gridDict"))
        if (dictionary->contains("tile") && dictionary->words("tile") != std::vector<std::string>{"auto"})
          tile = dictionary->get<core::Grid::Shape>("tile");
    } else {
      auto const mesh = io::foam::read_grid_dict(session_.files.open("system/gridDict"));
      for (int a = 0; a < 3; ++a) axes[static_cast<std::size_t>(a)] = mesh.grid.axis(a);
      tile = mesh.grid.tile();
    }
    if (axes[2].cells() != 1)
      input.fail("type", "gives a grid of several layers; expected one layer: the backbone is there in the plane only");
    for (core::Axis& axis : axes) {
      if (axis.periodic)
        throw core::Error(fmt::format("{}: a periodic axis; expected none, the frame closes the grid",
                                      session_.files.path("system/gridDict")));
      if (outside && &axis != &axes[2]) {
        axis.faces.insert(axis.faces.begin(), axis.faces.front() - axis.width(0));
        axis.faces.push_back(axis.faces.back() + axis.width(axis.cells() - 1));
      }
    }
    core::Grid grid(std::move(axes), tile);
    auto const n = grid.cells();
    if (n[0] < 3 || n[1] < 3)
      input.fail("type", fmt::format("gives {} x {} cells with the frame; expected at least 3 x 3", n[0], n[1]));
    interior_ = {{1, 1, 0}, {n[0] - 1, n[1] - 1, 1}};
    output_ = outside ? interior_ : grid.box();
    parts_ = decompose(session_, std::make_shared<core::Grid const>(std::move(grid)));
  }

  void draw(core::Field<std::uint8_t> const& occupied, ca::PercolationResult const& result) {
    // colours of Okabe & Ito 2008, told apart also by the colour-blind
    std::array<io::Category, 4> const kinds{{{"other clusters", {205, 205, 205}, &occupied},
                                             {"dangling ends", {86, 180, 233}, result.spanning.get()},
                                             {"backbone", {0, 72, 140}, result.backbone.get()},
                                             {"red sites", {213, 94, 0}, result.red.get()}}};
    io::draw_masks(
        session_.files.path("results/backbone.png"), kinds, {"empty", {255, 255, 255}},
        {.title = fmt::format("Percolation along {}: backbone ({})", options_.direction == ca::Direction::y ? "y" : "x",
                              options_.definition == ca::Definition::D1 ? "D1" : "D2"),
         .region = output_,
         .physical = false});
  }

  void log(ca::PercolationResult const& r, double seconds) const {
    Log& log = session_.log;
    double const sites = static_cast<double>(interior_.cells());
    auto const share = [&](std::int64_t n) {
      return fmt::format("{} ({:.2f} %)", n, 100 * static_cast<double>(n) / sites);
    };
    log.line("Occupation {:.6f} of {} sites, {} clusters, largest {}", r.occupation, interior_.cells(), r.clusters,
             r.largest_cluster);
    log.line("{}", r.spans ? "Spans" : "Does not span");
    log.line("Spanning cluster {}, backbone {}, articulation sites {}, red sites {}", share(r.spanning_sites),
             share(r.backbone_sites), r.articulation_sites, r.red_sites);
    log.line("Clusters and backbone in {}, {}sites/s", duration(seconds), engineering(sites / seconds));
  }

  Session& session_;
  ca::PercolationOptions options_;
  bool paper_ = false;  ///< the published automata instead of the exact method
  double probability_ = 0;
  core::Random random_;
  std::optional<MaskInput> picture_;
  core::Box interior_;  ///< cells inside the frame
  core::Box output_;    ///< cells of the results: without an added frame
  Decomposition parts_;
};

[[maybe_unused]] static bool const added =
    Applications::add<Percolation>("percolation", "clusters, spanning cluster, exact backbone, red sites");

}  // namespace tessera::tools::applications
