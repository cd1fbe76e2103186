// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/unbounded.hpp"

#include "core/case/error_list.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "io/files/table.hpp"
#include "io/files/together.hpp"
#include "run/driver.hpp"
#include "run/models/automaton/algorithm.hpp"
#include "run/models/automaton/initial.hpp"
#include "run/models/automaton/picture.hpp"
#include "run/models/automaton/plane_snapshots.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace tessera::run::automaton {
namespace {

using ca::unbounded::Plane;
using core::Count;

/// The plane's cells in a box as an automaton has them, to be drawn.
class Still final : public ca::Automaton {
 public:
  Still(std::string rule, std::int64_t states, std::int64_t generation, core::FieldBase& state)
      : Automaton(std::move(rule)),
        states_(states),
        state_(state) {
    set_generation(generation);
  }
  std::int64_t step() override {
    core::expect(false, "a still has no next generation");
    return 0;
  }
  core::FieldBase& state() override { return state_; }
  std::int64_t states() const override { return states_; }

 private:
  std::int64_t states_;
  core::FieldBase& state_;
};

class Unbounded final : public SteppedModel {
 public:
  using SteppedModel::SteppedModel;

  void prepare() override {
    using core::attempt;
    attempt([this] { read_control(); });
    auto& properties = session_.files.open("constant/automatonProperties");
    attempt([&] {
      auto& sides = properties.sub("boundary");
      sides.stream("unbounded").end();
      sides.check_all_read();
    });
    attempt([&] { properties.get_choice("update", {"synchronous"}, "synchronous"); });
    bool const started = attempt([&] { initial_.emplace(session_, properties); });
    attempt([&] {
      core::rely_on(started);
      algorithm_.emplace(properties, session_.comm);
      plane_ = algorithm_->make(initial_->rule());
      initial_->check_unbounded();
      if (writes_trees_ && !algorithm_->hashes())
        session_.files.open("system/controlDict")
            .fail("writeFormat", "is macrocell, a tree of squares, which `algorithm hash;` alone has, expected that in "
                                 "constant/automatonProperties, or no such entry");
    });
    attempt([&] { read_stop(properties.sub("stop")); });
    attempt([&] { read_series(properties); });
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
    lay_out({{0, 0, 0}, {1, 1, 1}});
    bool const goes_on = go_on();
    if (!goes_on) initial_->fill(*plane_);
    begin_ = generation_;
    session_.log.line("An unbounded plane by {}, rule {}: {}, {}", algorithm_->text(), initial_->rule(), told(),
                      algorithm_->text(*plane_));
    progress_.emplace(session_.log, "generation", std::max<std::int64_t>(0, last_), 0.0);
    begin_series();
    return {.moment = here(), .goes_on = goes_on};
  }

  /// Several generations at once, up to the next one that somebody looks at.
  Moment step(Moment const& now, Stepping& stepping) override {
    std::int64_t n = stable_ ? 1 : algorithm_->hashes() ? std::int64_t{1} << 62 : at_once;
    if (last_ >= 0) n = std::min(n, last_ - now.step);
    if (every_ > 0) n = std::min(n, every_ - now.step % every_);
    n = std::min(n, stepping.control.steps_to_due(now.step));
    // between powers of 2 there is time for signals
    if (algorithm_->hashes()) n = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
    plane_->advance(n);
    generation_ += n;
    progress_->done(generation_);
    if (stable_ && plane_->moved() == 0) reason_ = "stable";
    observe();
    Moment const there = here();
    if (there.last) leave_out_what_is_too_large();
    return there;
  }

  double steps_to_come(Moment const& now) const override {
    return static_cast<double>(last_ >= 0 ? last_ - now.step : now.step - begin_);
  }
  /// The tree as it is, for a box that is too large for a file of cells, or where the case asks for it.
  std::string write_snapshot(Moment const& now) override {
    auto const* const plane = dynamic_cast<ca::unbounded::HashPlane const*>(plane_.get());
    auto const box = plane_->box();
    if (plane == nullptr || !box || (fits(box) && !writes_trees_)) return {};
    auto const& rule = initial_->rule();
    return snapshots_.write_tree(*plane, rule == "expression" ? "" : ca::canonical_rule(rule), now.step,
                                 schedule_.control.purge_write);
  }
  std::vector<core::FieldBase const*> saved(bool) const override {
    draw_up();
    return {&*field_};
  }
  io::State state() const override { return {{"plane", "unbounded"}}; }
  std::vector<io::insitu::Shown> shown() const override { return {}; }
  std::string name(Moment const& now) const override { return fmt::format("generation {}", now.step); }
  Decomposition const& parts() const override { return parts_; }
  void move_to(std::unique_ptr<core::Layout>) override {
    core::expect(false, "tiles of an unbounded plane are not moved");
  }

  Outcome finish(Moment const& now, std::string const& reason, core::Report& report) override {
    auto const box = plane_->box();
    if (session_.writes) {
      core::Timed const timed(core::Part::io);
      if (fits(box)) {
        draw_up();
        Still still(initial_->rule(), plane_->states(), generation_, *field_);
        draw_fields(session_.files.output("results"), still);
      } else {
        session_.log.line("No picture: the box of what lives has more than {:.0e} cells", most_cells);
      }
    }
    report.hash("state", plane_->hash());
    algorithm_->report(report, *plane_);
    auto& results = report.results();
    results["generation"] = now.step;
    if (box) results["box"] = {{"lo", {box->lo.i, box->lo.j}}, {"cells", {box->shape().i, box->shape().j}}};
    report_series(report);
    session_.log.line("Generation {}: {}, {}, stopped by '{}'", now.step, told(), algorithm_->text(*plane_),
                      reason.empty() ? reason_ : reason);
    return {core::Exit::done, now.step - begin_, static_cast<double>(session_.comm.sum(plane_->updates()))};
  }

 private:
  static constexpr std::int64_t at_once = 300;  ///< generations, a multiple of those that rest together
  static constexpr double most_cells = 1e9;     ///< of a box that is written or drawn

  static bool fits(std::optional<core::Box> const& box) {
    return !box || static_cast<double>(box->shape().i) * static_cast<double>(box->shape().j) <= most_cells;
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
    if (write_control == "none" || algorithm_->hashes() || fits(plane_->box())) return;
    write_control = "none";
    session_.log.line("No snapshot of the end: the box of what lives has more than {:.0e} cells", most_cells);
  }

  Moment here() {
    if (last_ >= 0 && generation_ >= last_) reason_ = "generations";
    return {generation_, static_cast<double>(generation_), !reason_.empty()};
  }

  void read_control() {
    auto& control = session_.files.open("system/controlDict");
    for (char const* entry : {"preview", "checkpoint"})
      if (control.contains(entry))
        control.fail(entry, "is there, but an unbounded plane has none yet, expected no such entry");
    schedule_.read_control(session_,
                           {.time_step = false, .functions = {}, .write_formats = {"ascii", "binary", "macrocell"}});
    writes_trees_ = schedule_.control.write_format == "macrocell";
  }
  void read_stop(core::Dictionary& stop) {
    stop_ = &stop;
    if (stop.contains("generations")) last_ = stop.get_in<std::int64_t>("generations", {0, std::int64_t{1} << 62});
    if (stop.contains("stable")) {
      stop.stream("stable").end();
      stable_ = true;
    }
    if (stop.contains("when")) when_ = stop.get<std::string>("when");
    if (last_ < 0 && !stable_ && when_.empty())
      stop.fail("generations", "no reason to stop is given, expected generations N, stable or when");
  }
  void read_series(core::Dictionary& properties) {
    columns_ = {"generation", "population"};
    if (plane_ && plane_->states() > 2 && plane_->states() <= 24)
      for (int s = 1; s < plane_->states(); ++s) columns_.push_back(fmt::format("state_{}", s));
    for (char const* what : {"left", "right", "bottom", "top"}) columns_.emplace_back(what);
    if (auto const* const series = properties.find_sub("series")) {
      every_ = series->get_in<std::int64_t>("every", {1, std::int64_t{1} << 62}, 1);
      from_ = series->get_in<std::int64_t>("from", {0, std::int64_t{1} << 62}, 0);
    }
    if (when_.empty()) return;
    if (every_ == 0)
      stop_->fail("when", "looks at the rows of the series, expected an entry `series { every N; }` too");
    holds(std::vector<double>(columns_.size(), 1.0));
  }

  bool holds(std::vector<double> const& row) const {
    std::vector<std::pair<std::string, double>> values;
    for (std::size_t q = 0; q < row.size(); ++q) values.emplace_back(columns_[q], row[q]);
    return compute(when_, values, stop_->location("when")) != 0;
  }
  void begin_series() {
    if (every_ == 0) return;
    if (session_.writes)
      io::on_root(session_.comm, [&] {
        std::string const file = session_.files.output("postProcessing/series.csv");
        table_ = generation_ > 0 ? std::make_unique<io::Table>(file, columns_, static_cast<double>(generation_))
                                 : std::make_unique<io::Table>(file, columns_);
      });
    observe();
  }
  void observe() {
    if (every_ == 0 || generation_ % every_ != 0) return;
    std::vector<double> row{static_cast<double>(generation_), static_cast<double>(plane_->population())};
    if (columns_.size() > 6)
      for (auto const n : plane_->census()) row.push_back(static_cast<double>(n));
    auto const box = plane_->box().value_or(core::Box{{0, 0, 0}, {0, 0, 0}});
    for (Count const x : {box.lo.i, box.hi.i, box.lo.j, box.hi.j}) row.push_back(static_cast<double>(x));
    core::Timed const timed(core::Part::io);
    io::on_root(session_.comm, [&] {
      if (table_) table_->row(row);
    });
    rows_.push_back(row);
    if (!when_.empty() && holds(row)) reason_ = "when";
  }
  void report_series(core::Report& report) const {
    for (std::size_t q = 1; every_ > 0 && q < columns_.size(); ++q) {
      double n = 0, sum = 0, squares = 0;
      for (auto const& row : rows_)
        if (row[0] >= static_cast<double>(from_)) ++n, sum += row[q];
      if (n == 0) return;
      for (auto const& row : rows_)
        if (row[0] >= static_cast<double>(from_)) squares += (row[q] - sum / n) * (row[q] - sum / n);
      report.results()["series"][columns_[q]] = {{"mean", sum / n}, {"deviation", std::sqrt(squares / n)}};
    }
  }

  /// A layout of these cells, in their place on the plane.
  void lay_out(core::Box const& box) const {
    std::array<Count, 2> const lo{box.lo.i, box.lo.j}, n{box.shape().i, box.shape().j};
    auto const axis = [&](std::size_t a) {
      return core::Axis::make_uniform(n[a], static_cast<double>(lo[a]), static_cast<double>(n[a]));
    };
    int const ranks = session_.comm.size();
    // a slab of rows a rank
    auto const grid =
        std::make_shared<core::Grid const>(std::array{axis(0), axis(1), core::Axis::make_uniform(1, 0, 1)},
                                           core::Grid::Shape{n[0], std::max<Count>(1, (n[1] + ranks - 1) / ranks), 1});
    field_.reset();
    auto owners = session_.checks ? std::vector<int>{} : core::block_owners(grid->tiles(), ranks);
    parts_.layout = std::make_unique<core::Layout>(grid, std::move(owners), session_.comm);
    parts_.method = "none";
    parts_.weights.assign(static_cast<std::size_t>(ranks), 1.0);
  }
  /// The field of all that lives, made anew.
  void draw_up() const {
    auto const box = plane_->box();
    if (!fits(box))
      throw core::RunError(fmt::format("a snapshot of {} x {} cells is too large, expected at most {:.0e}, or "
                                       "writeControl none;",
                                       box->shape().i, box->shape().j, most_cells));
    auto const shown = box.value_or(core::Box{{0, 0, 0}, {1, 1, 1}});
    lay_out(shown);
    field_.emplace(core::FieldInfo{.name = "state", .description = "state of the cells", .units = "1", .restart = true},
                   *parts_.layout, 0);
    plane_->copy(*field_, shown.lo);
  }

  /// Fills the plane from a snapshot, as startFrom asks; false where there is none to go on from.
  bool go_on() {
    auto const& control = schedule_.control;
    bool const latest = control.start_from == "latestTime";
    if (!latest && (control.start_from == "firstTime" || control.start_time <= 0)) return false;
    auto const files = snapshots_.find(latest ? std::nullopt : std::optional(std::llround(control.start_time)));
    if (files.empty() && latest) return false;
    if (files.empty())
      session_.files.open("system/controlDict")
          .fail("startTime", fmt::format("there is no snapshot of {} in {}, expected one, or startTime 0",
                                         control.start_time, session_.files.output("results")));
    for (std::size_t n = 0;; ++n) try {
        bool const tree = PlaneSnapshots::is_tree(files[n]);
        auto const [from, rule, hash] = snapshots_.look_at(files[n]);
        check_goes_on(from, rule);
        initial_->fill(*plane_, files[n] + (tree ? "" : ":/fields/state"));
        if (!hash.empty()) check_hash(files[n], hash);
        if (tree) snapshots_.go_on_from(from.step);
        generation_ = from.step;
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
    if (last_ >= 0 && from.step > last_)
      stop_->fail("generations",
                  fmt::format("the end is generation {}, but {} is of generation {}, expected a later end", last_,
                              from.source, from.step));
  }

  std::optional<InitialState> initial_;
  std::optional<Algorithm> algorithm_;
  std::unique_ptr<Plane> plane_;
  mutable Decomposition parts_;
  mutable std::optional<core::Field<std::uint8_t>> field_;  // the last that was asked for, on the layout of parts_
  core::Dictionary* stop_ = nullptr;
  bool writes_trees_ = false;
  PlaneSnapshots snapshots_{session_};
  std::int64_t generation_ = 0, begin_ = 0, last_ = -1, every_ = 0, from_ = 0;
  bool stable_ = false;
  std::string when_, reason_;
  std::vector<std::string> columns_;
  std::vector<std::vector<double>> rows_;
  std::unique_ptr<io::Table> table_;  // on the root
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
