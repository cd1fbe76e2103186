// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"
#include "ca/engine/boundary.hpp"
#include "ca/engine/stop.hpp"
#include "ca/expression/finite.hpp"
#include "core/case/error_list.hpp"
#include "core/comm/runtime.hpp"
#include "core/grid/migrate.hpp"
#include "core/grid/sweep.hpp"
#include "io/files/together.hpp"
#include "io/foam/mesh.hpp"
#include "run/balance/decompose.hpp"
#include "run/driver.hpp"
#include "run/models/automaton/grid.hpp"
#include "run/models/automaton/initial.hpp"
#include "run/models/automaton/measure.hpp"
#include "run/models/automaton/picture.hpp"
#include "run/models/automaton/repeat_watch.hpp"
#include "run/models/automaton/series.hpp"
#include "run/models/automaton/unbounded.hpp"
#include "run/restart/restart.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace tessera::run::applications {
/// Runs a cellular automaton: `application cellularAutomaton;` with constant/automatonProperties and system/gridDict.
class CellularAutomaton final : public SteppedModel {
 public:
  static constexpr char const* help = R"(
constant/automatonProperties
    rule      { expression "count(state) == 3 ? 1 : 0"; }      formulas: `tessera help expression`, or
              "B3/S23";          a name of `tessera list rules`, a rulestring or the name of a .rule file; default: the pattern's
              "B3/S23:T30,20"    and its bounds: a torus of 30 x 20 cells; :P30,20 dead cells round them; 0 for no end;
                                 :T30+7,20 shifted, :K30*,20 :C30,20 :S30 Klein bottle, cross-surface, sphere
    initial   { type random; probability 0.5; seed 1; sample 0; }
            | { type pattern; file "FILE"; position centre | (x y z); margin 70; fileRule compare | ignore; }
                                 .rle .rle3 .mc .lif .cells .mcl (.gz too), .h5 ...: every state as in the file; the cell of its bottom
                                 left corner; cells on each side, at least, and just so many where gridDict has no `cells`
            | { type picture; file "FILE"; threshold 0.5; occupied dark | light; position (0 0 0); }    1 where occupied
            | { type snapshot; file "FILE.h5" | "FILE.mc" | "CASE"; field state; position (0 0 0); }    of a case the last one
            | { type uniform; value 0; box ((0 0 0) (nx ny nz)); }    in the cells of a box, default: all
            | { type ball; value 1; centre (x y z); radius r; }       in cells within r of a point, in cells; in the plane a disc
            | { type random; low 0; high 1; seed 1; box ...; }        values between two, of whole numbers both included
            | ( { ... } { ... } )    one laid over the other
            | { u { ... } v { ... } }    of a rule with several fields: each has its own, or is 0
    boundary  { left fixed 0; right fixed 0; bottom fixed 0; top fixed 0; }      fixed VALUE | periodic | reflecting | open
            | { surface torus | kleinBottle | crossSurface | sphere; mirrored x | y; shift (0 0); }      `tessera help surface`
            | { unbounded; }     a plane without end: memory and time for what lives in it; cells have a place before 0, too
    algorithm tiles | hash;      of a plane without end; hash: HashLife, for patterns that repeat themselves, of any size
    memory    8e9;               of hash, bytes at most; default: half the machine's
    update    synchronous;
    stop      { generations N; } | { stable; } | { period N; } | { when "population == 0"; }    when: of a row of the series;
                                 population_before: of the row before
    series    { every 1; from 0; }   postProcessing/series.csv: a row each so many generations; means in the report from there on
    seed      1;                     of a rule that draws random numbers (`tessera help RULE`)
    storage   auto | bits | bytes;   of a cell, of rules such as B3/S23 and 345/2/4 (`tessera help life`)
    haloDepth auto | N;              generations from one exchange of halos; more than 1 where no stop, script or side needs each of them
system/gridDict
    cells (nx ny nz);            default: the pattern's and its margin
    origin (0 0 0); size (nx ny nz); tile auto | (nx ny nz); periodic (no no no);
system/controlDict
    writeControl timeStep | clockTime | cpuTime | none; writeInterval N;    generations or seconds between snapshots (default: the last one
                                                 only; none: none at all, but for a signal or stopAt writeNow)
    purgeWrite N;                                how many snapshots are kept (0: all)
    writeFormat macrocell;                       of `algorithm hash;`: results/NNNNNN.mc, the tree; by itself for more than 10^9 cells
    startFrom latestTime;                        goes on from the last snapshot in results/, on any number of ranks, with the same bits
            | startTime; startTime 0;            0: from the initial state; N: from the snapshot of generation N
    preview { every 10; size 512; palette viridis; range (0 1); pictures 200; seconds 0.1; }    results/preview.png, animated;
                                 of a plane without end what lives, in size x size pixels
    checkpoint { every 50; seconds 60; data 4; parity 1; folder "/dev/shm"; }    in the nodes' memory (of a grid): docs/restart.md
system/inSituDict                                ParaView's scripts look at `state` during the run: docs/paraview.md
SIGTERM, SIGUSR1, or `stopAt writeNow;` written into controlDict during the run: a snapshot and exit code 0.
Results: field `state`, or those of the rule; population (cells that are not 0), generation, period when one was found; of
real numbers and several fields min, max, mean; means of the series.)";

  using SteppedModel::SteppedModel;

  void prepare() override {
    using core::attempt;
    bool const controlled =
        attempt([this] { schedule_.read_control(session_, {.time_step = false, .functions = {}}); });
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
      auto const rule = initial_                           ? initial_->rule()
                        : properties.is_dictionary("rule") ? "expression"
                                                           : properties.get<std::string>("rule");
      automaton_ = ca::make_automaton(rule, properties, *parts_.layout);
      automaton::check_names(*automaton_, properties);
    });
    bool const stops = attempt([&] { stop_.emplace(properties.sub("stop")); });
    bool const rows = attempt([&] { series_.emplace(session_, properties); });
    attempt([&] {
      core::rely_on(ruled && rows);
      series_->prepare(*automaton_);
    });
    attempt([&] {
      core::rely_on(ruled);
      if (auto& style = schedule_.preview; style && automaton_->look_at_fields().size() == 1)
        automaton::show_states(*style, automaton_->states());
    });
    attempt([&] {
      core::rely_on(ruled && stops && rows);
      choose_depth(properties);
    });
    attempt([&] {
      core::rely_on(ruled && initial_);
      initial_->place(parts_.layout->grid(), *automaton_);
    });
    attempt([&] {
      schedule_.read_in_situ(session_);
      if (!schedule_.in_situ) return;
      core::rely_on(ruled);
      std::vector<std::string> names;
      for (auto const& each : shown()) names.push_back(each.field->name());
      schedule_.in_situ->expect_fields(names);
    });
    attempt([&] {
      core::rely_on(controlled);
      if (session_.checks) check_start(session_, schedule_.control, true);
    });
  }

  Memory memory() const override {
    core::Grid const& grid = parts_.layout->grid();
    double const later =
        (session_.writes ? picture_bytes(grid) : 0) + (schedule_.control.write_control != "none" ? snapshot_bytes : 0);
    if (auto const planes = automaton_->words(); !planes.empty()) {
      core::Grid const& of_words = planes.front()->layout().grid();
      double const bits = static_cast<double>(planes.size()) * field_bytes(of_words, planes.front()->halo(), 8) *
                          static_cast<double>(of_words.total()) / static_cast<double>(grid.total());
      // ahead in place; scripts look at all of the states as bytes, everything else at a row at a time
      double const shown = schedule_.in_situ ? field_bytes(grid, 1, 1) : 0;
      double const cell = (depth_ > 1 ? 1 : 2) * bits + shown;
      return memory_of(cell, grid, parts_.largest_share, session_.comm.size(), {cell, later});
    }
    // two generations; with them, one after the other, at the start the mask that they are made from, and ahead one of
    // those with a thin halo, which they replace
    double const mask = initial_->needs_mask(*automaton_) ? field_bytes(grid, 0, 1) : 0;
    double two = 0, thin = 0;
    for (auto const* field : automaton_->look_at_fields()) {
      double const bytes =
          core::visit(*field, []<class T>(core::Field<T> const&) { return static_cast<double>(sizeof(T)); });
      two += 2 * field_bytes(grid, field->halo(), bytes);
      thin += field_bytes(grid, 1, bytes);
    }
    return memory_of(two + std::max(mask, depth_ > 1 ? thin : 0.0), grid, parts_.largest_share, session_.comm.size(),
                     {two, later});
  }

  Start begin() override {
    tell_storage();
    if (auto const seed = automaton_->seed()) session_.log.line("Random numbers of the rule: seed {}", *seed);
    auto const from = start();
    begin_ = automaton_->generation();
    changed_ =
        from && from->state.contains("changed") ? std::strtoll(from->state.at("changed").c_str(), nullptr, 10) : -1;
    if (from && from->state.contains("history")) stop_->resume(from->state.at("history"));
    progress_.emplace(session_.log, "generation", stop_->last(), cells());
    series_->begin(*automaton_);
    return {.moment = here(), .goes_on = from.has_value()};
  }

  Moment step(Moment const&, Stepping& stepping) override {
    automaton_->ask_between_repeats([&](int phase, std::int64_t repeats) {
      return repeats_.go_on(stepping, automaton_->generation(), phase, repeats);
    });
    auto const changed = automaton_->step();
    // where nobody asks it hangs on the generations at once, and these on tiles and ranks
    changed_ = stop_->watches() ? changed : -1;
    progress_->done(automaton_->generation());
    series_->observe(*automaton_);
    return here();
  }

  bool is_up_to_date() const override { return !automaton_->behind(); }
  double steps_to_come(Moment const& now) const override {
    // where the end is not known, as many steps are expected as were done
    return static_cast<double>(stop_->last() > 0 ? stop_->last() - now.step : now.step - begin_) / depth_;
  }

  std::vector<core::FieldBase const*> saved(bool in_memory) const override {
    auto all = automaton_->look_at_fields();
    if (!in_memory)
      for (auto const* field : automaton_->derived()) all.push_back(field);
    return all;
  }
  io::State state() const override { return {{"changed", std::to_string(changed_)}, {"history", history_}}; }
  std::vector<io::insitu::Shown> shown() const override {
    auto const fields = automaton_->fields();
    std::vector<io::insitu::Shown> all;
    for (auto const* field : automaton_->derived()) all.emplace_back(*field);
    for (auto* field : fields) all.emplace_back(*field);
    return all;
  }
  std::string name(Moment const& now) const override { return fmt::format("generation {}", now.step); }

  Decomposition const& parts() const override { return parts_; }
  bool may_retile() const override { return !tile_by_hand_; }
  void move_to(std::unique_ptr<core::Layout> layout) override {
    core::Timed const timed(core::Part::rebalance);
    auto next = ca::make_automaton(automaton_->rule(), *properties_, *layout);
    if (ahead_) depth_ = next->work_ahead(depth_by_hand_);
    auto const before = automaton_->fields(), after = next->fields();
    for (std::size_t q = 0; q < before.size(); ++q) core::migrate(*before[q], *after[q]);
    next->set_generation(automaton_->generation());
    automaton_ = std::move(next);
    parts_.layout = std::move(layout);
  }

  Outcome finish(Moment const& now, std::string const& reason, core::Report& report) override {
    if (session_.writes) {
      core::Timed const timed(core::Part::io);
      automaton::draw_fields(session_.files.output("results"), *automaton_);
    }
    report.describe(*parts_.layout, parts_.method, parts_.weights);
    std::vector<std::string> lost;
    std::string const told = report_fields(report, lost);
    session_.log.line("Generation {}: {}, stopped by '{}'", now.step, told,
                      !reason.empty()           ? reason
                      : series_->ends(now.step) ? "when"
                                                : stop_->reason());
    report.results()["generation"] = now.step;
    report["haloDepth"] = depth_;
    if (auto const seed = automaton_->seed()) report["seed"] = *seed;
    if (stop_->period() > 0) report.results()["period"] = stop_->period();
    auto const names = automaton_->quantities();
    auto const sums = automaton_->measure();
    for (std::size_t q = 0; q < names.size(); ++q) report.results()[names[q]] = sums[q];
    series_->report(report);
    if (!lost.empty())
      report["failure"] = fmt::format("{}: no number in some cells at generation {}, expected numbers in all",
                                      fmt::join(lost, ", "), now.step);
    auto const steps = now.step - begin_;
    return {lost.empty() ? core::Exit::done : core::Exit::failed, steps, cells() * static_cast<double>(steps)};
  }

 private:
  /// Where the automaton stands, and whether it is to end there.
  Moment here() {
    history_ = stop_->history();  // what a restart is to find: that before this generation
    bool const last = stop_->done(*automaton_, changed_) || series_->ends(automaton_->generation());
    return {automaton_->generation(), static_cast<double>(automaton_->generation()), last};
  }
  /// What becomes of the fields, in the report and in words. `lost`: names of those that hold what is no number.
  std::string report_fields(core::Report& report, std::vector<std::string>& lost) {
    auto fields = automaton_->look_at_fields();
    for (auto const* field : automaton_->derived()) fields.push_back(field);
    auto& results = report.results();
    std::string told;
    for (auto const* field : fields) {
      if (!session_.take) report.hash(field->name(), core::hash(*field));
      bool const one = fields.size() == 1;
      if (!field->info().output) continue;  // one of many populations, say
      auto& there = one ? results : results[field->name()];
      auto const population = automaton::population(*field);
      there["population"] = population;
      if (one) told = fmt::format("population {}", population);
      if (one && field->element() == core::Element::uint8) continue;
      auto const [min, max, mean] = automaton::measure(*field);
      if (std::isnan(mean)) lost.push_back(field->name());
      there["min"] = min;
      there["max"] = max;
      there["mean"] = mean;
      if (!one)
        told += fmt::format("{}{} from {:.4g} to {:.4g}, mean {:.4g}", told.empty() ? "" : "; ", field->name(), min,
                            max, mean);
    }
    return told;
  }
  double cells() const { return static_cast<double>(parts_.layout->grid().total()); }

  /// What a cell takes, of rules that leave it open, and what formulas have become.
  void tell_storage() {
    if (properties_->is_dictionary("rule"))
      session_.log.line("Rule of the case: {}",
                        automaton_->rule() != "expression"
                            ? automaton_->rule()
                            : ca::expression::form(*properties_, parts_.layout->grid().cells()));
    auto const known = ca::known_rule(automaton_->rule());
    if (auto const planes = automaton_->words().size(); planes > 0)
      session_.log.line("A cell takes {}, 64 cells a word", planes == 1 ? "a bit" : fmt::format("{} bits", planes));
    else if (known && known->bits > 0 && ca::Boundaries::read(*properties_).surface.joined())
      session_.log.line("A cell takes a byte: the sides are joined to a surface");
    else if (known && known->bits > 0 && properties_->get_or<std::string>("storage", "auto") == "auto")
      session_.log.line("A cell takes a byte: tiles are {} cells wide, which is no multiple of 64",
                        parts_.layout->grid().tile()[0]);
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
    auto mesh = automaton::read_grid(grid, *properties_, initial_ ? initial_->rule() : "",
                                     worker_rates(session_.comm, rates.rate));
    parts_ = decompose(session_, std::make_shared<core::Grid const>(std::move(mesh.grid)), rates, !session_.checks);
  }

  /// Several generations at once, where nothing looks at each of them.
  void choose_depth(core::Dictionary& properties) {
    int wanted = 0;
    if (properties.contains("haloDepth") && properties.words("haloDepth") != std::vector<std::string>{"auto"})
      wanted = properties.get_in<int>("haloDepth", {1, 1000});
    bool const looked_at =
        stop_->watches() || series_->every() == 1 || session_.files.find("system/inSituDict") != nullptr;
    depth_by_hand_ = wanted;
    // hosts and devices take unlike numbers of generations at once, and the halos of all ranks must be alike
    bool const on_hosts = session_.comm.any(core::on_host), on_devices = session_.comm.any(!core::on_host);
    ahead_ = wanted != 1 && !looked_at && on_hosts != on_devices;
    if (ahead_) depth_ = automaton_->work_ahead(wanted);
    if (wanted > depth_ && depth_ > 1)
      session_.log.line("haloDepth {}: {} generations at once are the most with a bit a cell", wanted, depth_);
    if (wanted > 1 && depth_ == 1)
      properties.fail(
          "haloDepth",
          looked_at ? "each generation is looked at (stop stable or period, series, inSituDict), expected auto or 1"
                    : "is more than this run can take, expected auto or 1: several generations at once are for rules "
                      "of one whole number a cell that look one cell far, with fixed and periodic sides; on devices "
                      "of a bit a cell, and not where devices run beside hosts");
  }

  /// The initial state, or that of a snapshot.
  std::optional<Restart> start() {
    core::Timed const timed(core::Part::io);
    auto const fields = automaton_->fields();
    if (auto const from = restart(session_, schedule_.control, true, *schedule_.checkpoints, fields)) {
      check_goes_on(*from);
      automaton_->set_generation(from->step);
      return from;
    }
    initial_->fill(*automaton_);
    return std::nullopt;
  }

  /// The same of rules that stand in the case. Parameters and quantities may be others, and blanks stand elsewhere: a run may go on under them.
  void check_formulas(Restart const& from, core::Dictionary const& before) const {
    auto const rule_of = [](core::Dictionary const& properties) {
      if (!properties.is_dictionary("rule")) return fmt::format("'{}'", properties.get_or<std::string>("rule", ""));
      auto rule = properties.sub("rule");
      for (char const* const other : {"parameters", "quantities"}) rule.set(other, "{}");
      auto text = rule.text();
      std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
      for (std::string const other : {"parameters{}", "quantities{}"}) text.erase(text.find(other), other.size());
      return text;
    };
    if (rule_of(before) != rule_of(*properties_))
      properties_->fail("rule",
                        fmt::format("the rule is not that of {}, expected the same formulas, or startFrom startTime; "
                                    "startTime 0;",
                                    from.source));
  }
  /// Refuses what would give the generations of another rule, or one that the case does not ask for.
  void check_goes_on(Restart const& from) {
    std::string const rule = automaton_->rule();
    io::on_root(session_.comm, [&] {
      auto const text = from.dictionaries.find("constant/automatonProperties");
      if (text == from.dictionaries.end()) return;
      auto const dictionary = core::Dictionary::parse(text->second, from.source);
      if (properties_->is_dictionary("rule") || dictionary.is_dictionary("rule"))
        return check_formulas(from, dictionary);
      auto const before = dictionary.get_or<std::string>("rule", rule);
      if (ca::canonical_rule(before) != ca::canonical_rule(rule))
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

  Decomposition parts_;
  core::Dictionary* properties_ = nullptr;
  bool tile_by_hand_ = false, ahead_ = false;
  int depth_ = 1;          ///< generations at once, ahead
  int depth_by_hand_ = 0;  ///< 0: as many as pay
  std::unique_ptr<ca::Automaton> automaton_;
  std::optional<ca::Stop> stop_;
  std::optional<automaton::InitialState> initial_;
  std::optional<automaton::Series> series_;
  std::int64_t begin_ = 0;     ///< generation that the run begins with
  std::int64_t changed_ = -1;  ///< cells in the last step; -1: not counted
  std::string history_;        ///< of the stop, before this generation
  std::optional<Progress> progress_;
  automaton::RepeatWatch repeats_{session_};
};

static std::unique_ptr<Model> make(Session& session) {
  if (automaton::is_unbounded(session)) return automaton::make_unbounded(session);
  return std::make_unique<CellularAutomaton>(session);
}

[[maybe_unused]] static bool const added =
    Models::add("cellularAutomaton", "any registered rule or rulestring on a grid, or on a plane without end", &make,
                CellularAutomaton::help);

}  // namespace tessera::run::applications
