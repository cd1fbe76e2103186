// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/ahead.hpp"
#include "ca/engine/boundary.hpp"
#include "ca/engine/phases.hpp"
#include "ca/engine/restless.hpp"
#include "ca/engine/step_tile.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>

namespace tessera::ca {
namespace detail {

/// Edges and corners of a halo are needed unless every neighbour lies on an axis.
template <class Stencil>
constexpr core::Reach reach_of(Stencil const& stencil) {
  for (int q = 0; q < stencil.size(); ++q)
    if ((stencil.offsets[q].i != 0) + (stencil.offsets[q].j != 0) + (stencil.offsets[q].k != 0) > 1)
      return core::Reach::all;
  return core::Reach::faces;
}

template <class R, int... q>
constexpr core::Reach reach_of_phases(std::integer_sequence<int, q...>) {
  bool const all = ((reach_of(PhasesOf<R>::template at<q>::stencil) == core::Reach::all) || ...);
  return all ? core::Reach::all : core::Reach::faces;
}

/// A rule that has numbers of its own: static constexpr auto quantities = names("energy"); and
/// double quantity(int n, State centre, Near<R> near) const, what a cell adds to the n-th of them.
template <class R>
concept Measures = requires(R const rule, StateOf<R> const centre, Near<R> const near) {
  R::quantities.size;
  { rule.quantity(0, centre, near) } -> std::convertible_to<double>;
};
template <class R, int... q>
constexpr int measuring_of(std::integer_sequence<int, q...>) {
  int first = -1;
  ((first = first < 0 && Measures<typename PhasesOf<R>::template at<q>> ? q : first), ...);
  return first;
}
/// The first phase that has them; -1: none.
template <class R>
constexpr int measuring() {
  return measuring_of<R>(std::make_integer_sequence<int, PhasesOf<R>::count>());
}

/// A rule that computes fields to look at: static constexpr auto derived = names("pressure"); and
/// double derive(int n, State centre) const, the n-th of them in a cell.
template <class R>
concept Derives = requires(R const rule, StateOf<R> const centre) {
  R::derived.size;
  { rule.derive(0, centre) } -> std::convertible_to<double>;
};

/// Throws core::Error unless the grid has just the axes that a rule of `dimensions` works on.
void check_dimensions(RuleContext const& context, int dimensions);

/// Throws core::Error: a phase has been taken so often and goes on. `where`: file and line of the rule.
[[noreturn]] void fail_to_rest(std::string const& where, int phase, std::string const& rule, std::int64_t repeats,
                               std::int64_t generation);

}  // namespace detail

/// All cells at once: double buffer; tiles whose halos come from this rank alone are computed while messages travel. A rule
/// in phases goes through the cells once a phase, or until it leaves them as they are, for a phase that says so.
///
/// Cost: one pass, reading and writing sizeof(State) a cell, the count of changes included; two fields of memory for each
/// field of the state. Ahead (work_ahead): one exchange and one pass over memory for several generations, without the count.
template <RuleOrPhases R>
class Synchronous final : public Automaton {
 public:
  using Value = StateOf<R>;
  using Stages = detail::PhasesOf<R>;
  Synchronous(R rule, RuleContext& context)
      : Automaton(context.word),
        rule_(std::move(rule)),
        field_(context.field),
        state_(context.layout, halo_cells(1), field_),
        next_(context.layout, halo_cells(1), field_, "next "),
        changed_("changed cells", static_cast<std::size_t>(context.layout.tiles())) {
    detail::check_dimensions(context, detail::dimensions_of<R>);
    auto const n = context.grid().cells();
    scene_.cells = {n[0], n[1], n[2]};
    if constexpr (Stages::random) scene_.seed = context.properties.get_or<std::uint64_t>("seed", 1);
    if constexpr (Stages::repeats) {
      restless_ = std::make_unique<detail::RestlessTiles<Value>>(context.layout);
      most_repeats_ = context.properties.get_in<std::int64_t>("maxRepeats", {1, std::int64_t{1} << 62}, most_repeats_);
      where_ = context.properties.location("rule");
    }
    sides_ = Boundaries::read(context.properties, context.grid());
    auto const holds_bytes = []<class... T>(std::type_identity<std::tuple<T...>>) {
      return (std::is_same_v<T, State> || ...);
    };
    if constexpr (holds_bytes(std::type_identity<detail::MembersOf<Value>>()))
      sides_.check_states(context.properties, states() > 0 ? static_cast<int>(states()) - 1 : 255);
    if constexpr (requires { Stages::template at<0>::directed; }) sides_.refuse_mirrors(context.properties);
    exchange_by(halo_cells(1), reach);
  }

  int work_ahead(int depth) override {
    if (!core::on_host || Stages::repeats || !sides_.constant()) return 1;
    core::Layout const& layout = state_.first().layout();
    if (depth == 0)
      depth = detail::automatic_depth(layout.grid(), std::max(1, detail::reach_from<R>(0)),
                                      detail::largest_member<Value>(), sizeof(Value));
    if (depth == 1) return 1;
    depth_ = depth;
    int const cells = halo_cells(depth);
    state_ = detail::StateFields<Value>(layout, cells, field_);
    next_ = detail::StateFields<Value>(layout, cells, field_, "next ");
    exchange_by(cells, core::Reach::all);
    inner_sides_ = HaloFill(sides_, layout, layout.all(), cells);
    return depth_;
  }
  bool behind() const override { return put_off_ > 0; }
  std::int64_t states() const override {
    auto const& rule = Stages::template get<0>(rule_);
    if constexpr (requires { rule.states; })
      return rule.states;
    else
      return 0;
  }
  std::optional<std::uint64_t> seed() const override {
    if constexpr (Stages::random)
      return scene_.seed;
    else
      return std::nullopt;
  }

  std::int64_t step() override {
    if (depth_ > 1) {
      ++generation_;
      if (++put_off_ == depth_) catch_up();
      return -1;
    }
    core::Timed const timed(core::Part::compute);
    Kokkos::deep_copy(changed_, 0);
    std::int64_t here = 0, repeated = 0;
    detail::for_phases<R>([&]<int q>() {
      if constexpr (until_still<typename Stages::template at<q>>()) {
        here += changes_here();
        repeated += repeat_phase<q>();
      } else {
        take_phase<q>();
      }
    });
    ++generation_;
    return everywhere(here + changes_here()) + repeated;
  }

  std::vector<std::string> quantities() const override {
    std::vector<std::string> all;
    detail::for_phases<R>([&]<int q>() {
      using Stage = typename Stages::template at<q>;
      if constexpr (detail::Measures<Stage>)
        if (q == detail::measuring<R>()) all.assign(std::begin(Stage::quantities.of), std::end(Stage::quantities.of));
    });
    return all;
  }
  std::vector<double> measure() override {
    std::vector<double> all;
    detail::for_phases<R>([&]<int q>() {
      if constexpr (detail::Measures<typename Stages::template at<q>>)
        if (q == detail::measuring<R>()) all = sum_up<q>();
    });
    return all;
  }

  std::vector<core::FieldBase const*> derived() override {
    std::vector<core::FieldBase const*> all;
    using First = typename Stages::template at<0>;
    if constexpr (detail::Derives<First>) {
      catch_up();
      core::Timed const timed(core::Part::io);
      core::Layout const& layout = state_.first().layout();
      auto const view = std::as_const(state_).host();
      First const& rule = Stages::template get<0>(rule_);
      if (derived_.empty())
        for (char const* name : First::derived.of)
          derived_.push_back(std::make_unique<core::Field<double>>(
              core::FieldInfo{.name = name, .description = std::string(name) + " of the cells", .units = "1"}, layout,
              0));
      for (int n = 0; n < First::derived.size; ++n) {
        auto& field = *derived_[static_cast<std::size_t>(n)];
        auto const to = field.host();
        core::for_each_on_host("derived", layout, [&](int slot, int k, int j, int i) {
          to(slot, k, j, i) = rule.derive(n, *(view.row(slot, k, j) + i));
        });
        all.push_back(&field);
      }
    }
    return all;
  }

  core::FieldBase& state() override {
    catch_up();
    return state_.first();
  }
  std::vector<core::FieldBase*> fields() override {
    catch_up();
    return state_.list();
  }

 private:
  static constexpr core::Reach reach = detail::reach_of_phases<R>(std::make_integer_sequence<int, Stages::count>());

  /// Halo for so many generations at once: one phase after the other where it is one, since halos are exchanged before each.
  static constexpr int halo_cells(int depth) {
    int const cells = depth == 1 ? detail::farthest<R>() : depth * detail::reach_from<R>(0);
    return cells > 0 ? cells : 1;
  }
  void exchange_by(int cells, core::Reach how) {
    core::Layout const& layout = state_.first().layout();
    halos_.clear();
    for (int q = 0; q < state_.count; ++q) halos_.emplace_back(layout, cells, how);
    inner_sides_ = HaloFill(sides_, layout, halos_[0].interior(), cells);
    outer_sides_ = HaloFill(sides_, layout, halos_[0].edge(), cells);
    std::size_t bytes = 0;
    state_.each([&](int, auto& field) { bytes += 2 * field.bytes(); });
    past_ = bytes >= detail::beyond_caches;
  }
  void start_halos() {
    state_.each([this](int q, auto& field) { halos_[static_cast<std::size_t>(q)].start(field); });
  }
  void finish_halos() {
    state_.each([this](int q, auto& field) { halos_[static_cast<std::size_t>(q)].finish(field); });
  }
  static void apply(HaloFill const& sides, detail::StateFields<Value>& fields) {
    fields.each([&](int, auto& field) { sides.apply(field); });
  }

  core::Layout const& layout() { return state_.first().layout(); }
  /// Cells that changed on this rank since changed_ was zero.
  std::int64_t changes_here() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    std::int64_t changes = 0;
    for (std::size_t n = 0; n < host.extent(0); ++n) changes += host(n);
    return changes;
  }
  std::int64_t everywhere(std::int64_t changes) {
    core::Timed const reduction(core::Part::reduce);
    return layout().comm().sum(changes);
  }

  /// Takes a phase until no cell changes on any rank, without tiles at rest; returns the changes on all ranks. changed_ is zero then.
  template <int q>
  std::int64_t repeat_phase() {
    std::int64_t all = 0;
    for (std::int64_t repeats = 0;; ++repeats) {
      if (repeats > most_repeats_) detail::fail_to_rest(where_, q, rule(), most_repeats_, generation_);
      start_halos();
      apply(inner_sides_, state_);
      finish_halos();
      apply(outer_sides_, state_);
      std::vector<int> at_work;
      if (repeats > 0)
        at_work =
            restless_->find(std::as_const(state_).view(), std::as_const(next_).view(), changed_.data(), halo_cells(1));
      Kokkos::deep_copy(changed_, 0);
      advance<q>(repeats == 0 ? layout().all() : layout().select(at_work));
      std::int64_t const changes = everywhere(changes_here());
      if (changes == 0) return all;
      all += changes;
      state_.swap_values(next_);
    }
  }

  template <int q>
  void take_phase() {
    if constexpr (Stages::radius[q] == 0) {
      advance<q>(state_.first().layout().all());
    } else {
      start_halos();
      apply(inner_sides_, state_);
      halos_[0].over_interior([&](core::Tiles const& tiles) { advance<q>(tiles); });
      finish_halos();
      apply(outer_sides_, state_);
      advance<q>(halos_[0].edge());
    }
    state_.swap_values(next_);
  }

  /// The quantities of a phase, cell by cell on the host: once in a while.
  template <int q>
  std::vector<double> sum_up() {
    using Stage = typename Stages::template at<q>;
    constexpr auto n = static_cast<std::size_t>(Stage::quantities.size);
    catch_up();
    core::Timed const timed(core::Part::compute);
    start_halos();
    apply(inner_sides_, state_);
    finish_halos();
    apply(outer_sides_, state_);
    core::Layout const& layout = state_.first().layout();
    std::vector<std::array<core::ExactSum, n>> tiles(static_cast<std::size_t>(layout.tiles()));
    auto const view = std::as_const(state_).host();
    auto const scene = scene_at(generation_, q);
    Stage const& stage = Stages::template get<q>(rule_);
    core::for_each_on_host("quantities", layout, [&](int slot, int k, int j, int i) {
      auto const row = view.row(slot, k, j) + i;
      Near<Stage> const near(row, detail::strides_of(view), layout.info(slot).global(k, j, i), scene);
      Value const centre = *row;
      for (std::size_t x = 0; x < n; ++x)
        tiles[static_cast<std::size_t>(slot)][x].add(stage.quantity(static_cast<int>(x), centre, near));
    });
    std::array<core::ExactSum, n> total;
    for (auto const& tile : tiles)
      for (std::size_t x = 0; x < n; ++x) total[x].add(tile[x]);
    core::ExactSum::all_reduce(layout.comm(), total);
    std::vector<double> sums;
    for (auto const& sum : total) sums.push_back(sum.round());
    return sums;
  }

  /// The generations put off, all at once.
  void catch_up() {
    if (put_off_ == 0) return;
    core::Timed const timed(core::Part::compute);
    start_halos();
    // both buffers in turns hold what lies outside the grid
    apply(inner_sides_, state_);
    apply(inner_sides_, next_);
    halos_[0].over_interior([&](core::Tiles const& tiles) { advance_by(put_off_, tiles); });
    finish_halos();
    advance_by(put_off_, halos_[0].edge());
    if (put_off_ * Stages::count % 2 == 1) state_.swap_values(next_);
    put_off_ = 0;
  }

  detail::Scene scene_at(std::int64_t generation, int phase) const {
    detail::Scene scene = scene_;
    scene.step = generation;
    scene.phase = phase;
    return scene;
  }

  void advance_by(int generations, core::Tiles const& tiles) {
    core::Grid const& grid = state_.first().layout().grid();
    auto const n = grid.cells();
    core::for_each_tile("steps", tiles,
                        detail::StepsAhead<R>{state_.view(),
                                              next_.view(),
                                              tiles.info.data(),
                                              rule_,
                                              scene_at(generation_ - generations, 0),
                                              generations * Stages::count,
                                              {n[0], n[1], n[2]},
                                              {grid.periodic(0), grid.periodic(1), grid.periodic(2)},
                                              detail::several_wanted()});
  }

  template <int q>
  void advance(core::Tiles const& tiles) {
    using Stage = typename Stages::template at<q>;
    detail::StepTile<Stage> const kernel{
        std::as_const(state_).view(), next_.view(),    tiles.info.data(),        Stages::template get<q>(rule_),
        scene_at(generation_, q),     changed_.data(), detail::several_wanted(), past_};
    if constexpr (core::on_host)
      core::for_each_tile("step", tiles, kernel);
    else
      core::count_by_tiles("step", tiles, detail::StepCell<Stage>{kernel}, changed_.data());
  }

  R rule_;
  std::string const field_;  // what it is called where a state is one number
  detail::StateFields<Value> state_, next_;
  std::vector<core::Halo> halos_;  // one a field: all are on their way at once
  Boundaries sides_;
  HaloFill inner_sides_, outer_sides_;  // ahead, the first has all tiles
  detail::Scene scene_;                 // but for step and phase
  int depth_ = 1, put_off_ = 0;
  std::unique_ptr<detail::RestlessTiles<Value>> restless_;  // for phases that are repeated, as the next two
  std::int64_t most_repeats_ = detail::usual_repeats;
  std::string where_;
  bool past_ = false;  // new states go past the caches, which could not keep them
  Kokkos::View<std::int64_t*> changed_;
  std::vector<std::unique_ptr<core::Field<double>>> derived_;
};

}  // namespace tessera::ca
