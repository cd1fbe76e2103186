// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/unbounded.hpp"

#include "ca/engine/stop.hpp"
#include "core/case/error_list.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/grid/computed.hpp"
#include "io/files/together.hpp"
#include "run/driver.hpp"
#include "run/models/automaton/algorithm.hpp"
#include "run/models/automaton/initial.hpp"
#include "run/models/automaton/picture.hpp"
#include "run/models/automaton/plane_cells.hpp"
#include "run/models/automaton/plane_snapshots.hpp"
#include "run/models/automaton/preview_box.hpp"
#include "run/models/automaton/series.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace tessera::run::automaton {
namespace {

using ca::unbounded::Plane;
using core::Count;

class Unbounded final : public SteppedModel {
 public:
  using SteppedModel::SteppedModel;

  void prepare() override {
    using core::attempt;
    bool const controlled = attempt([this] { read_control(); });
    attempt([&] {
      core::rely_on(controlled);
      if (session_.checks) asked_for();
    });
    auto& properties = session_.files.open("constant/automatonProperties");
    properties_ = &properties;
    attempt([&] {
      auto& sides = properties.sub("boundary");
      sides.stream("unbounded").no_value();
      sides.check_all_read();
    });
    attempt([&] { properties.get_choice("update", {"synchronous"}, "synchronous"); });
    bool const started = attempt([&] { initial_.emplace(session_, properties); });
    attempt([&] {
      core::rely_on(started);
      algorithm_.emplace(properties, session_.comm);
      plane_ = algorithm_->make(initial_->rule());
      core::note_computed("plane without end", algorithm_->hashes() ? core::By::one_thread : core::By::host_threads);
      initial_->check_unbounded(*plane_);
      if (writes_trees_ && !algorithm_->hashes())
        session_.files.open("system/controlDict")
            .fail("writeFormat", "is macrocell, a tree of squares, which `algorithm hash;` alone has, expected that in "
                                 "constant/automatonProperties, or no such entry");
    });
    if (plane_) prepare_preview();
    attempt([&] { stop_.emplace(properties.sub("stop")); });
    bool const rows = attempt([&] { series_.emplace(session_, properties); });
    attempt([&] {
      core::rely_on(rows && plane_ != nullptr);
      series_->prepare(columns());
    });
    for (char const* file : {"system/gridDict", "system/inSituDict"})
      attempt([&] {
        if (session_.files.find(file) != nullptr)
          throw core::Error(session_.files.path(file), 0,
                            "is there, but an unbounded plane has no grid, expected no such file");
      });
  }

  Memory memory() const override {
    // what lives in it later nobody knows: the start, or what a tree may take
    core::Grid const grid = core::Grid::unit({1, 1, 1});
    return memory_of(algorithm_->hashes() ? algorithm_->memory()
                                          : static_cast<double>(initial_->cells_of_patterns()) / 4,
                     grid, 1, session_.comm.size());
  }

  Start begin() override {
    cells_.lay_out({{0, 0, 0}, {1, 1, 1}});
    bool const goes_on = go_on();
    if (!goes_on) initial_->fill(*plane_);
    begin_ = generation_;
    session_.log.line("An unbounded plane by {}, rule {}: {}, {}", algorithm_->text(), initial_->rule(), told(),
                      algorithm_->text(*plane_));
    progress_.emplace(session_.log, "generation", stop_->last(), 0.0);
    series_->begin(generation_, [this] { return row(); });
    return {.moment = here(), .goes_on = goes_on};
  }

  /// Several generations at once, up to the next one that somebody looks at.
  Moment step(Moment const& now, Stepping& stepping) override {
    std::int64_t n = stop_->watches() ? 1 : algorithm_->hashes() ? std::int64_t{1} << 62 : at_once;
    if (stop_->last() > 0) n = std::min(n, stop_->last() - now.step);
    if (auto const every = series_->every(); every > 0) n = std::min(n, every - now.step % every);
    n = std::min(n, stepping.steps_to_due(now.step));
    // between powers of 2 there is time for signals
    if (algorithm_->hashes()) n = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
    plane_->advance(n);
    generation_ += n;
    progress_->done(generation_);
    changed_ = stop_->watches() ? plane_->moved() : -1;
    series_->observe(generation_, [this] { return row(); });
    Moment const there = here();
    if (there.last) leave_out_what_is_too_large();
    return there;
  }

  double steps_to_come(Moment const& now) const override {
    return static_cast<double>(stop_->last() > 0 ? stop_->last() - now.step : now.step - begin_);
  }
  /// The tree as it is, for a box that is too large or too far for a file of cells, or where the case asks for it.
  std::string write_snapshot(Moment const& now) override {
    auto const* const plane = dynamic_cast<ca::unbounded::HashPlane const*>(plane_.get());
    auto const box = plane_->box();
    if (plane == nullptr || !box || (PlaneCells::fits(box) && PlaneCells::has_place(*box) && !writes_trees_)) return {};
    auto const& rule = initial_->rule();
    return snapshots_.write_tree(*plane, rule == "expression" ? "" : ca::canonical_rule(rule), now.step, known(),
                                 schedule_.control.purge_write);
  }
  std::vector<core::FieldBase const*> saved(bool) const override { return {&cells_.take_all(*plane_)}; }
  /// Of a file of cells: what their places as doubles may not tell.
  io::State state() const override {
    auto state = known();
    if (auto const box = plane_->box()) state["corner"] = io::corner_text(box->lo);
    return state;
  }
  /// What lives and some cells round it; nothing where they are too many.
  std::vector<io::insitu::Shown> shown() const override {
    auto const& box = preview_box_.of(plane_->box());
    if (PlaneCells::fits(box)) return {io::insitu::Shown(cells_.take(*plane_, box))};
    if (!std::exchange(told_too_large_, true))
      session_.log.line("Previews of more than {:.0e} cells are passed over, generation {} being the first",
                        PlaneCells::most, generation_);
    return {};
  }
  std::string stamp(Moment const& now) const override {
    auto const& box = preview_box_.last();
    return fmt::format("{}, {} x {} cells at ({} {})", name(now), box.shape().i, box.shape().j, box.lo.i, box.lo.j);
  }
  std::string name(Moment const& now) const override { return fmt::format("generation {}", now.step); }
  Decomposition const& parts() const override { return cells_.parts(); }
  void move_to(std::unique_ptr<core::Layout>) override {
    core::expect(false, "tiles of an unbounded plane are not moved");
  }

  Outcome finish(Moment const& now, std::string const& reason, core::Report& report) override {
    if (session_.writes) {
      core::Timed const timed(core::Part::io);
      cells_.draw(session_.files.output("results"), *plane_, initial_->rule(), generation_);
    }
    report.hash(ca::one_field(session_.files.open("constant/automatonProperties")), plane_->hash());
    algorithm_->report(report, *plane_);
    auto& results = report.results();
    results["generation"] = now.step;
    if (stop_->period() > 0) results["period"] = stop_->period();
    if (auto const box = plane_->box())
      results["box"] = {{"lo", {box->lo.i, box->lo.j}}, {"cells", {box->shape().i, box->shape().j}}};
    series_->report(report);
    session_.log.line("Generation {}: {}, {}, stopped by '{}'", now.step, told(), algorithm_->text(*plane_),
                      !reason.empty()              ? reason
                      : series_->ends(generation_) ? "when"
                                                   : stop_->reason());
    return {core::Exit::done, now.step - begin_, static_cast<double>(session_.comm.sum(plane_->updates()))};
  }

 private:
  static constexpr std::int64_t at_once = 300;  ///< generations, a multiple of those that rest together

  /// What a run that goes on is to know.
  io::State known() const {
    return {
        {"plane", "unbounded"}, {"changed", std::to_string(changed_)}, {"history", history_}, {"hash", plane_->hash()}};
  }
  std::string told() const {
    auto const box = plane_->box();
    if (!box) return "population 0";
    return fmt::format("population {} in {} x {} cells at ({} {})", ca::unbounded::decimal(plane_->population()),
                       box->shape().i, box->shape().j, box->lo.i, box->lo.j);
  }
  /// The run has its end without a snapshot rather than none.
  void leave_out_what_is_too_large() {
    auto& write_control = schedule_.control.write_control;
    if (write_control == "none" || algorithm_->hashes() || PlaneCells::fits(plane_->box())) return;
    write_control = "none";
    session_.log.line("No snapshot of the end: the box of what lives has more than {:.0e} cells", PlaneCells::most);
  }

  Moment here() {
    history_ = stop_->history();  // what a restart is to find: that before this generation
    bool const last =
        stop_->done(generation_, changed_, [this] { return plane_->hash(); }) || series_->ends(generation_);
    return {generation_, static_cast<double>(generation_), last};
  }

  void read_control() {
    auto& control = session_.files.open("system/controlDict");
    if (control.contains("checkpoint"))
      control.fail(
          "checkpoint",
          "keeps the cells of a grid in the nodes' memory, but an unbounded plane goes on from its snapshots alone, "
          "expected writeInterval N; purgeWrite 2; startFrom latestTime; in its place");
    schedule_.read_control(session_,
                           {.time_step = false, .functions = {}, .write_formats = {"ascii", "binary", "macrocell"}});
    writes_trees_ = schedule_.control.write_format == "macrocell";
  }
  void prepare_preview() {
    auto& style = schedule_.preview;
    if (!style) return;
    style->square = true;
    show_states(*style, plane_->states());
  }
  bool counts_states() const { return plane_->states() > 2 && plane_->states() <= 24; }
  /// Of the series, behind the generation: population, cells of each state, and the box of what lives, its last cells not included.
  std::vector<std::string> columns() const {
    std::vector<std::string> columns{"population"};
    for (int s = 1; counts_states() && s < plane_->states(); ++s) columns.push_back(fmt::format("state_{}", s));
    columns.insert(columns.end(), {"left", "right", "bottom", "top"});
    return columns;
  }
  std::vector<double> row() const {
    std::vector<double> row{static_cast<double>(plane_->population())};
    if (counts_states())
      for (auto const n : plane_->census()) row.push_back(static_cast<double>(n));
    auto const box = plane_->box().value_or(core::Box{{0, 0, 0}, {0, 0, 0}});
    for (Count const x : {box.lo.i, box.hi.i, box.lo.j, box.hi.j}) row.push_back(static_cast<double>(x));
    return row;
  }

  /// Snapshots to go on from, as startFrom asks.
  std::vector<std::string> asked_for() {
    auto const& control = schedule_.control;
    if (io::foam::begins_anew(control.start_from, control.start_time)) return {};
    bool const latest = control.start_from == "latestTime";
    auto files = snapshots_.find(latest ? std::nullopt : std::optional(std::llround(control.start_time)));
    if (files.empty() && !latest)
      session_.files.open("system/controlDict")
          .fail("startTime", fmt::format("there is no snapshot of {} in {}, expected one, or startTime 0",
                                         control.start_time, session_.files.output("results")));
    return files;
  }
  /// Fills the plane from a snapshot; false where there is none to go on from.
  bool go_on() {
    auto const files = asked_for();
    if (files.empty()) return false;
    for (std::size_t n = 0;; ++n) try {
        bool const tree = PlaneSnapshots::is_tree(files[n]);
        auto const [from, rule, corner] = snapshots_.look_at(files[n]);
        check_goes_on(from, rule);
        initial_->fill(*plane_, files[n] + (tree ? "" : ":/fields/state"), corner);
        plane_->set_generation(from.step);
        if (auto const& hash = from.state.at("hash"); !hash.empty()) check_hash(files[n], hash);
        if (tree) snapshots_.go_on_from(from.step);
        generation_ = from.step;
        auto const& changed = from.state.at("changed");
        std::from_chars(changed.data(), changed.data() + changed.size(), changed_);  // as it is where none is known
        stop_->resume(from.state.at("history"));
        session_.log.line("Goes on from {}", files[n]);
        tell_changes(session_, from);
        return true;
      } catch (core::Error const& error) {
        if (n + 1 == files.size()) throw;
        plane_->clear();
        session_.log.line("{}; the snapshot before it is taken", error.what());
      }
  }
  void check_hash(std::string const& file, std::string const& expected) const {
    if (auto const found = plane_->hash(); found != expected)
      throw core::Error(file, 0,
                        fmt::format("is damaged: its cells have the hash {}, expected {} as it says", found, expected));
  }
  void check_goes_on(Restart const& from, std::string const& before) {
    io::on_root(session_.comm, [&] {
      if (before.empty()) return;
      if (ca::canonical_rule(before) != ca::canonical_rule(initial_->rule()))
        throw core::Error(from.source, 0,
                          fmt::format("is of the rule '{}', but the case's is '{}', expected the same, or startFrom "
                                      "startTime; startTime 0;",
                                      before, initial_->rule()));
    });
    if (stop_->last() > 0 && from.step > stop_->last())
      properties_->sub("stop").fail(
          "generations", fmt::format("the end is generation {}, but {} is of generation {}, expected a later end",
                                     stop_->last(), from.source, from.step));
  }

  std::optional<InitialState> initial_;
  std::optional<Algorithm> algorithm_;
  std::unique_ptr<Plane> plane_;
  core::Dictionary* properties_ = nullptr;
  std::optional<ca::Stop> stop_;
  mutable PlaneCells cells_{session_};  // those that were asked for last
  mutable PreviewBox preview_box_;
  mutable bool told_too_large_ = false;
  bool writes_trees_ = false;
  PlaneSnapshots snapshots_{session_};
  std::int64_t generation_ = 0, begin_ = 0;
  std::int64_t changed_ = -1;  // parts of the plane, in the last generation; -1: not counted
  std::string history_;        // of the stop, before this generation
  std::optional<Series> series_;
  std::optional<Progress> progress_;
};

}  // namespace

bool is_unbounded(Session& session) {
  auto* const properties = session.files.find("constant/automatonProperties");
  auto const* const sides =
      properties != nullptr && properties->is_dictionary("boundary") ? properties->find_sub("boundary") : nullptr;
  return sides != nullptr && sides->contains("unbounded");
}

std::unique_ptr<Model> make_unbounded(Session& session) { return std::make_unique<Unbounded>(session); }

}  // namespace tessera::run::automaton
