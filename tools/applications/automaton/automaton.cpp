// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"
#include "ca/boundary.hpp"
#include "ca/stop.hpp"
#include "core/error_list.hpp"
#include "core/migrate.hpp"
#include "core/runtime.hpp"
#include "core/sweep.hpp"
#include "io/foam/control.hpp"
#include "io/foam/mesh.hpp"
#include "io/preview.hpp"
#include "io/snapshot.hpp"
#include "io/together.hpp"
#include "tools/application.hpp"
#include "tools/applications/automaton/initial.hpp"
#include "tools/applications/automaton/picture.hpp"
#include "tools/checkpoint.hpp"
#include "tools/decompose.hpp"
#include "tools/in_situ.hpp"
#include "tools/load_balance.hpp"
#include "tools/restart.hpp"
#include "tools/run_control.hpp"

#include <cstdlib>
#include <optional>

namespace tessera::tools::applications {
namespace detail {

template <class T>
struct Alive {
  core::FieldView<T const> state;
  KOKKOS_FUNCTION std::int64_t operator()(int s, int k, int j, int i) const { return state(s, k, j, i) != T(0); }
};

template <class T>
struct StateValue {
  core::FieldView<T const> state;
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const { return static_cast<double>(state(s, k, j, i)); }
};

}  // namespace detail

/// Runs a cellular automaton: `application cellularAutomaton;` with constant/automatonProperties and system/gridDict.
class CellularAutomaton final : public Application {
 public:
  static constexpr char const* help = R"(
constant/automatonProperties
    rule      "B3/S23";          a name of `tessera list rules` or a rulestring (`tessera help life`); default: the pattern's
    initial   { type random; probability 0.5; seed 1; sample 0; }
            | { type pattern; file "FILE"; position centre | (x y z); margin 70; fileRule compare | ignore; }
                                 .rle .mc .lif .cells .mcl (.gz too), .h5 ...: every state as in the file; the cell of its bottom
                                 left corner; cells on each side, at least, and just so many where gridDict has no `cells`
            | { type picture; file "FILE"; threshold 0.5; occupied dark | light; position (0 0 0); }    1 where occupied
            | { type snapshot; file "FILE.h5" | "CASE"; field state; position (0 0 0); }    of a case the last one
            | { type uniform; value 0; }
            | ( { ... } { ... } )    one laid over the other
    boundary  { left fixed 0; right fixed 0; bottom fixed 0; top fixed 0; }      fixed VALUE | periodic | reflecting | open
    update    synchronous;
    stop      { generations N; } | { stable; } | { period N; }
    haloDepth auto | N;              generations from one exchange of halos; more than 1 where no stop, script or side needs each of them
system/gridDict
    cells (nx ny nz);            default: the pattern's and its margin
    origin (0 0 0); size (nx ny nz); tile auto | (nx ny nz); periodic (no no no);
system/controlDict
    writeControl timeStep | clockTime | cpuTime | none; writeInterval N;    generations or seconds between snapshots (default: the last one
                                                 only; none: none at all, but for a signal or stopAt writeNow)
    purgeWrite N;                                how many snapshots are kept (0: all)
    startFrom latestTime;                        goes on from the last snapshot in results/, on any number of ranks, with the same bits
            | startTime; startTime 0;            0: from the initial state; N: from the snapshot of generation N
    preview { every 10; size 512; palette viridis; range (0 1); pictures 200; seconds 0.1; }    results/preview.png, animated
    checkpoint { every 50; seconds 60; data 4; parity 1; folder "/dev/shm"; }    in the nodes' memory: docs/restart.md
system/inSituDict                                ParaView's scripts look at `state` during the run: docs/paraview.md
SIGTERM, SIGUSR1, or `stopAt writeNow;` written into controlDict during the run: a snapshot and exit code 0.
Results: fields `state`; population (cells that are not 0), generation, period when one was found.)";

  explicit CellularAutomaton(Session& session) : session_(session) {}

  void prepare() override {
    using core::attempt;
    attempt([this] { read_start(); });
    auto& properties = session_.files.open("constant/automatonProperties");
    properties_ = &properties;
    attempt([&] { initial_.emplace(session_, properties); });
    bool const gridded = attempt([this] { read_grid(); });
    auto const needs_grid = [&](auto const& part) {
      return attempt([&] {
        core::rely_on(gridded);
        part();
      });
    };
    attempt([&] { properties.get_choice("update", {"synchronous"}, "synchronous"); });
    bool const ruled = needs_grid([&] {
      auto const rule = initial_ ? initial_->rule() : properties.get<std::string>("rule");
      automaton_ = ca::make_automaton(rule, properties, *parts_.layout);
    });
    bool const stops = attempt([&] { stop_.emplace(properties.sub("stop")); });
    attempt([&] {
      core::rely_on(ruled && stops);
      choose_depth(properties);
    });
    attempt([&] {
      core::rely_on(ruled && initial_);
      initial_->place(parts_.layout->grid(), *automaton_);
    });
    attempt([this] { in_situ_ = make_in_situ(session_); });
  }

  Memory memory() const override {
    // two generations; with them, one after the other, at the start the mask that they are made from, and ahead one of
    // those with a thin halo, which they replace
    core::Grid const& grid = parts_.layout->grid();
    auto const& state = automaton_->state();
    double const bytes = state.element() == core::Element::uint8 ? 1 : state.element() == core::Element::int32 ? 4 : 8;
    double const third = std::max(field_bytes(grid, 0, 1), depth_ > 1 ? field_bytes(grid, 1, bytes) : 0.0);
    double const cell = 2 * field_bytes(grid, state.halo(), bytes) + third;
    return memory_of(cell, grid, parts_.largest_share, session_.comm.size());
  }

  int run(core::Report& report) override {
    auto const from = start();
    io::SnapshotSeries series(session_.files.path("results"), session_.files.name(), {}, from.has_value(),
                              control_.purge_write);
    if (from) series.go_on(*parts_.layout, from->step);
    double const cells = static_cast<double>(parts_.layout->grid().total());
    Progress progress(session_.log, "generation", stop_->last(), cells);
    std::int64_t const begin = automaton_->generation();
    std::int64_t changed =
        from && from->state.contains("changed") ? std::strtoll(from->state.at("changed").c_str(), nullptr, 10) : -1;
    if (from && from->state.contains("history")) stop_->resume(from->state.at("history"));
    RunControl run_control(session_, control_, static_cast<double>(begin));
    checkpoints_->begin(run_control);
    LoadBalance balance(session_, parts_);
    if (in_situ_) in_situ_->start(begin, static_cast<double>(begin));
    std::optional<io::Preview> preview;
    if (preview_) preview.emplace(session_.files.path("results/preview.png"), *preview_);
    for (RunControl::Decision decision; !decision.stop;) {
      // what a restart is to find: the history before this generation
      std::string const history = stop_->history();
      bool const ends = stop_->done(*automaton_, changed);
      std::int64_t const generation = automaton_->generation();
      if (preview && preview->due(generation))
        preview->add(automaton_->state(), fmt::format("generation {}", generation));
      decision = run_control.after(generation, static_cast<double>(generation), ends, !automaton_->behind());
      if (decision.write && (generation > begin || decision.stop))
        write(series, {{"changed", std::to_string(changed)}, {"history", history}});
      if (generation > begin && checkpoints_->due(generation, decision))
        checkpoints_->save(generation, static_cast<double>(generation), saved(),
                           {{"changed", std::to_string(changed)}, {"history", history}});
      if (in_situ_)
        in_situ_->observe(generation, static_cast<double>(generation), decision.stop,
                          std::array{io::insitu::Shown(automaton_->state())});
      if (decision.stop) break;
      changed = automaton_->step();
      progress.done(automaton_->generation());
      // where the end is not known, as many steps are expected as were done
      double const to_come = static_cast<double>(stop_->last() > 0 ? stop_->last() - automaton_->generation()
                                                                   : automaton_->generation() - begin);
      if (automaton_->behind()) continue;  // work is measured where it is done
      auto owners = balance.after_step(to_come / depth_);
      auto const moving = std::chrono::steady_clock::now();
      if (auto layout = tile_by_hand_ ? nullptr : balance.better_tiles(to_come / depth_)) {
        move_to(std::move(layout));
        balance.retiled(*parts_.layout, moving);
      } else if (owners) {
        move_to(std::make_unique<core::Layout>(parts_.layout->shared_grid(), *owners, session_.comm));
        balance.moved(std::move(*owners), moving);
      }
    }
    if (preview) preview->finish(session_.comm);
    std::int64_t const steps = automaton_->generation();
    core::FieldBase& state = automaton_->state();
    if (!run_control.reason().empty())
      session_.log.line("Stopped at generation {} by {}: results/{:06d}.h5 holds all to go on from", steps,
                        run_control.reason(), steps);
    {
      core::Timed const timed(core::Part::io);
      automaton::draw_states(session_.files.path("results/state.png"), *automaton_);
    }

    auto const population = core::visit(state, [&]<class T>(core::Field<T> const& f) {
      return core::count("population", f.layout(), detail::Alive<T>{f.view()});
    });
    session_.log.line("Generation {}: population {}, stopped by '{}'", steps, population,
                      run_control.reason().empty() ? stop_->reason() : run_control.reason());
    report.describe(*parts_.layout, parts_.method, parts_.weights);
    report.hash("state", core::hash(state));
    report.results()["population"] = population;
    report.results()["generation"] = steps;
    report["haloDepth"] = depth_;
    if (stop_->period() > 0) report.results()["period"] = stop_->period();
    if (state.element() != core::Element::uint8) extremes(state, report);
    balance.finish(report);
    checkpoints_->finish(report);
    if (in_situ_) report["inSitu"] = in_situ_->report();
    report.finish(session_.comm, steps, cells * static_cast<double>(steps - begin));
    return core::Exit::done;
  }

 private:
  /// controlDict.
  void read_start() {
    auto& control = session_.files.open("system/controlDict");
    core::attempt([&] {
      if (auto const* const preview = control.find_sub("preview")) preview_ = io::read_preview(*preview);
    });
    std::optional<CheckpointSettings> checkpoint;
    core::attempt([&] { checkpoint = read_checkpoint(control); });
    control_ = io::foam::read_control(control, {.time_step = false, .functions = {}}, {"preview", "checkpoint"});
    checkpoints_.emplace(session_, control_, checkpoint);
  }

  void read_grid() {
    auto* found = session_.files.find("system/gridDict");
    if (!found || !found->contains("cells")) {
      core::rely_on(initial_.has_value());
      found = automaton::grid_dictionary(session_, *initial_);
    }
    auto& grid = found ? *found : session_.files.open("system/gridDict");
    tile_by_hand_ = io::foam::tile_by_hand(grid);
    auto const rates = rank_rates(session_, session_.comm.size());
    auto mesh =
        io::foam::read_grid_dict(grid, ca::periodic_axes(*properties_), worker_rates(session_.comm, rates.rate));
    parts_ = decompose(session_, std::make_shared<core::Grid const>(std::move(mesh.grid)), rates, !session_.checks);
  }

  /// Several generations at once, where nothing looks at each of them.
  void choose_depth(core::Dictionary& properties) {
    int wanted = 0;
    if (properties.contains("haloDepth") && properties.words("haloDepth") != std::vector<std::string>{"auto"})
      wanted = properties.get_in<int>("haloDepth", 1, 1000);
    bool const looked_at = stop_->watches() || session_.files.find("system/inSituDict") != nullptr;
    depth_by_hand_ = wanted;
    ahead_ = wanted != 1 && !looked_at;
    if (ahead_) depth_ = automaton_->work_ahead(wanted);
    if (wanted > 1 && depth_ == 1)
      properties.fail("haloDepth",
                      looked_at ? "each generation is looked at (stop stable or period, inSituDict), expected auto or 1"
                                : "only fixed and periodic sides allow more than 1, on a host");
  }

  void write(io::SnapshotSeries& series, io::State const& state) {
    series.write(automaton_->generation(), static_cast<double>(automaton_->generation()), saved(),
                 session_.files.texts(), state);
  }
  std::array<core::FieldBase const*, 1> saved() const { return {&automaton_->state()}; }

  /// The initial state, or that of a snapshot.
  std::optional<Restart> start() {
    core::Timed const timed(core::Part::io);
    std::array<core::FieldBase*, 1> const fields{&automaton_->state()};
    if (auto const from = restart(session_, control_, true, *checkpoints_, fields)) {
      check_goes_on(*from);
      automaton_->set_generation(from->step);
      return from;
    }
    initial_->fill(*automaton_);
    return std::nullopt;
  }

  /// Refuses what would give the generations of another rule, or one that the case does not ask for.
  void check_goes_on(Restart const& from) {
    std::string const rule = automaton_->rule();
    io::on_root(session_.comm, [&] {
      auto const text = from.dictionaries.find("constant/automatonProperties");
      if (text == from.dictionaries.end()) return;
      auto const before = core::Dictionary::parse(text->second, from.source).get_or<std::string>("rule", rule);
      auto const same = [](std::string const& word) {
        auto const known = ca::known_rule(word);
        return known ? known->canonical : word;
      };
      if (same(before) != same(rule))
        properties_->fail("rule", fmt::format("the rule is '{}', but {} is of '{}', expected the same, or startFrom "
                                              "startTime; startTime 0;",
                                              rule, from.source, before));
    });
    if (stop_->last() > 0 && from.step > stop_->last())
      properties_->sub("stop").fail(
          "generations", fmt::format("the end is generation {}, but {} is of generation {}, expected a later end, or "
                                     "startFrom startTime; with the generation of an earlier snapshot, or 0",
                                     stop_->last(), from.source, from.step));
    tell_changes(session_, from);
  }

  void move_to(std::unique_ptr<core::Layout> layout) {
    core::Timed const timed(core::Part::rebalance);
    auto next = ca::make_automaton(automaton_->rule(), *properties_, *layout);
    if (ahead_) depth_ = next->work_ahead(depth_by_hand_);
    core::migrate(automaton_->state(), next->state());
    next->set_generation(automaton_->generation());
    automaton_ = std::move(next);
    parts_.layout = std::move(layout);
  }

  /// Cell by cell without rounding, once a run: sums of tiles would depend on their shape.
  template <class T>
  static double exact_sum(core::Field<T> const& field) {
    core::Layout const& layout = field.layout();
    std::vector<core::ExactSum> tiles(static_cast<std::size_t>(layout.tiles()));
    core::for_each_tile_on_host("sum", layout, [&, values = field.host()](int slot) {
      core::TileInfo const& tile = layout.info(slot);
      for (int k = 0; k < tile.nk; ++k)
        for (int j = 0; j < tile.nj; ++j)
          for (int i = 0; i < tile.ni; ++i)
            tiles[static_cast<std::size_t>(slot)].add(static_cast<double>(values(slot, k, j, i)));
    });
    std::array<core::ExactSum, 1> total;
    for (auto const& tile : tiles) total[0].add(tile);
    core::ExactSum::all_reduce(layout.comm(), total);
    return total[0].round();
  }

  static void extremes(core::FieldBase const& state, core::Report& report) {
    core::visit(state, [&]<class T>(core::Field<T> const& f) {
      detail::StateValue<T> const value{f.view()};
      report.results()["min"] = core::min("min", f.layout(), value);
      report.results()["max"] = core::max("max", f.layout(), value);
      report.results()["mean"] = exact_sum(f) / static_cast<double>(f.layout().grid().total());
    });
  }

  Session& session_;
  io::foam::Control control_;
  std::optional<io::PreviewStyle> preview_;
  std::optional<Checkpoints> checkpoints_;
  Decomposition parts_;
  core::Dictionary* properties_ = nullptr;
  bool tile_by_hand_ = false, ahead_ = false;
  int depth_ = 1;          ///< generations at once, ahead
  int depth_by_hand_ = 0;  ///< 0: as many as pay
  std::unique_ptr<ca::Automaton> automaton_;
  std::optional<ca::Stop> stop_;
  std::optional<automaton::InitialState> initial_;
  std::unique_ptr<io::InSitu> in_situ_;
};

[[maybe_unused]] static bool const added =
    Applications::add<CellularAutomaton>("cellularAutomaton", "any registered rule or rulestring on a grid");

}  // namespace tessera::tools::applications
