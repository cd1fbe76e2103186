// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/ahead.hpp"
#include "ca/engine/phased_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>

namespace tessera::ca {
namespace detail {

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
        cells_(std::move(rule), context.layout, context.field) {
    detail::check_dimensions(context, detail::dimensions_of<R>);
    auto const n = context.grid().cells();
    cells_.scene().cells = {n[0], n[1], n[2]};
    if constexpr (Stages::random) cells_.scene().seed = context.properties.get_or<std::uint64_t>("seed", 1);
    if constexpr (Stages::repeats) {
      most_repeats_ = detail::read_most_repeats(context.properties);
      where_ = context.properties.location("rule");
    }
    sides_ = Boundaries::read(context.properties, context.grid());
    [&]<class... T>(std::type_identity<std::tuple<T...>>) {
      if constexpr ((std::is_same_v<T, State> || ...))
        sides_.check_states(context.properties, states() > 0 ? static_cast<int>(states()) - 1 : 255);
      (sides_.check_fit(context.properties, core::element_of<T>()), ...);
    }(std::type_identity<detail::MembersOf<Value>>());
    if constexpr (requires { Stages::template at<0>::directed; }) sides_.refuse_mirrors(context.properties);
    cells_.enclose(sides_);
  }

  int work_ahead(int depth) override {
    if (!core::on_host || Stages::repeats || !sides_.constant()) return 1;
    core::Layout const& layout = cells_.layout();
    if (depth == 0)
      depth = detail::automatic_depth(layout.grid(), std::max(1, detail::reach_from<R>(0)),
                                      detail::largest_member<Value>(), sizeof(Value));
    if (depth == 1) return 1;
    depth_ = depth;
    cells_.deepen(ahead_cells(depth), core::Reach::all);
    all_sides_ = HaloFill(sides_, layout, layout.all(), ahead_cells(depth));
    return depth_;
  }
  bool behind() const override { return put_off_ > 0; }
  std::int64_t states() const override {
    auto const& rule = Stages::template get<0>(cells_.rule());
    if constexpr (requires { rule.states; })
      return rule.states;
    else
      return 0;
  }
  std::optional<std::uint64_t> seed() const override {
    if constexpr (Stages::random)
      return cells_.scene().seed;
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
    std::int64_t here = 0, repeated = 0;
    detail::for_phases<R>([&]<int q>() {
      if constexpr (until_still<typename Stages::template at<q>>()) {
        here += cells_.take_changes();
        auto const repeats = cells_.template until_still<q>(generation_, most_repeats_, goes_on_);
        if (repeats.given_up) detail::give_up_rest(where_, q, rule(), repeats.steps, generation_);
        if (!repeats.still) detail::fail_to_rest(where_, q, rule(), most_repeats_, generation_);
        repeated += repeats.changes;
      } else {
        cells_.template take<q>(generation_);
      }
    });
    ++generation_;
    return cells_.everywhere(here + cells_.take_changes()) + repeated;
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
      core::Layout const& layout = cells_.layout();
      auto const view = std::as_const(cells_).state().host();
      First const& rule = Stages::template get<0>(cells_.rule());
      if (derived_.empty())
        for (char const* name : First::derived.of)
          derived_.push_back(std::make_unique<core::Field<double>>(
              core::FieldInfo{.name = name, .description = std::string(name) + " of the cells", .units = "1"}, layout,
              0));
      constexpr auto count = static_cast<std::size_t>(First::derived.size);
      std::array<core::FieldView<double>, count> to;
      for (std::size_t n = 0; n < count; ++n) {
        to[n] = derived_[n]->host();
        all.push_back(derived_[n].get());
      }
      core::for_each_on_host("derived", layout, [&](int slot, int k, int j, int i) {
        Value const centre = *(view.row(slot, k, j) + i);
        for (std::size_t n = 0; n < count; ++n) to[n](slot, k, j, i) = rule.derive(static_cast<int>(n), centre);
      });
    }
    return all;
  }

  core::FieldBase& state() override {
    catch_up();
    return cells_.state().first();
  }
  std::vector<core::FieldBase*> fields() override {
    catch_up();
    return cells_.state().list();
  }

 private:
  /// The quantities of a phase, cell by cell on the host: once in a while.
  template <int q>
  std::vector<double> sum_up() {
    using Stage = typename Stages::template at<q>;
    constexpr auto n = static_cast<std::size_t>(Stage::quantities.size);
    catch_up();
    core::Timed const timed(core::Part::compute);
    cells_.template exchange<q>();
    core::Layout const& layout = cells_.layout();
    std::vector<std::array<core::ExactSum, n>> tiles(static_cast<std::size_t>(layout.tiles()));
    auto const view = std::as_const(cells_).state().host();
    auto const scene = cells_.scene_at(generation_, q);
    Stage const& stage = Stages::template get<q>(cells_.rule());
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
    auto& around = cells_.around(ahead_cells(depth_));
    around.start(cells_.state());
    // both buffers in turns hold what lies outside the grid
    cells_.next().each([this](int, auto& field) { all_sides_.apply(field); });
    around.halo().over_interior([&](core::Tiles const& tiles) { advance_by(put_off_, tiles); });
    around.finish(cells_.state());
    advance_by(put_off_, around.halo().edge());
    if (put_off_ * Stages::count % 2 == 1) cells_.state().swap_values(cells_.next());
    put_off_ = 0;
  }

  /// Halo for so many generations at once.
  static constexpr int ahead_cells(int depth) { return std::max(1, depth * detail::reach_from<R>(0)); }

  void advance_by(int generations, core::Tiles const& tiles) {
    core::Grid const& grid = cells_.layout().grid();
    auto const n = grid.cells();
    core::for_each_tile("steps", tiles,
                        detail::StepsAhead<R>{cells_.state().view(),
                                              cells_.next().view(),
                                              tiles.info.data(),
                                              cells_.rule(),
                                              cells_.scene_at(generation_ - generations, 0),
                                              generations * Stages::count,
                                              {n[0], n[1], n[2]},
                                              {grid.periodic(0), grid.periodic(1), grid.periodic(2)},
                                              detail::several_wanted()});
  }

  PhasedCells<R> cells_;
  Boundaries sides_;
  HaloFill all_sides_;  // ahead: of all tiles
  int depth_ = 1, put_off_ = 0;
  std::int64_t most_repeats_ = detail::usual_repeats;  // for phases that are repeated, as the next one
  std::string where_;
  std::vector<std::unique_ptr<core::Field<double>>> derived_;
};

}  // namespace tessera::ca
