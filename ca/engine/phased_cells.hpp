// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/boundary.hpp"
#include "ca/engine/phases.hpp"
#include "ca/engine/restless.hpp"
#include "ca/engine/step_tile.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::ca {
namespace detail {

/// What a phase looks at of a field round a cell: what the rule says of the field, or all of its stencil.
template <class Phase>
constexpr core::Reach reach_of(int field) {
  if constexpr (requires { Phase::reach(field); }) {
    return Phase::reach(field);
  } else {
    auto reach = core::Reach::none;
    for (int n = 0; n < Phase::stencil.size(); ++n) reach = reach | core::Reach::of(Phase::stencil.offsets[n]);
    return reach;
  }
}

/// By field.
template <class S>
using Reaches = std::array<core::Reach, static_cast<std::size_t>(StateFields<S>::count)>;

template <class R, int... phase>
constexpr auto reach_of_phases(std::integer_sequence<int, phase...>) {
  return []<std::size_t... q>(std::index_sequence<q...>) {
    auto const of = [](int field) {
      return (core::Reach::none | ... | reach_of<typename PhasesOf<R>::template at<phase>>(field));
    };
    return Reaches<StateOf<R>>{of(static_cast<int>(q))...};
  }(Sequence<StateOf<R>>());
}

/// Whether cells that stay as they are do so in all phases.
template <class R, int... phase>
constexpr bool sparse_stays_in_all(std::integer_sequence<int, phase...>) {
  return (sparse_stays<typename PhasesOf<R>::template at<phase>>() && ...);
}

/// The exchange of halos of so many cells for all fields of a state, each by a Halo of its own, since all are on their way at once and
/// not all are looked at from everywhere; and what lies beyond the sides of the grid.
template <class S>
class Surroundings {
 public:
  Surroundings(core::Layout const& layout, int cells, Reaches<S> const& reach, std::optional<Boundaries> const& sides) {
    auto any = core::Reach::none;
    for (core::Reach of_field : reach) {
      // a mirror image of what lies beyond a side may lie beyond the other side of a narrow tile
      if (sides && sides->mirrors() && of_field != core::Reach::none) of_field = core::Reach::all;
      halos_.emplace_back(layout, cells, of_field);
      any = any | of_field;
    }
    widest_ = static_cast<std::size_t>(std::ranges::find(halos_, any, &core::Halo::reach) - halos_.begin());
    if (widest_ == halos_.size()) halos_.emplace_back(layout, cells, any);
    if (!sides) return;
    inner_ = HaloFill(*sides, layout, halo().interior(), cells);
    outer_ = HaloFill(*sides, layout, halo().edge(), cells);
  }
  /// Of what any field is looked at.
  core::Halo& halo() { return halos_[widest_]; }
  /// The halos of the interior tiles are current then.
  void start(StateFields<S>& fields) {
    fields.each([this](int q, auto& field) { halos_[static_cast<std::size_t>(q)].start(field); });
    fields.each([this](int, auto& field) { inner_.apply(field); });
  }
  /// Those of all tiles.
  void finish(StateFields<S>& fields) {
    fields.each([this](int q, auto& field) { halos_[static_cast<std::size_t>(q)].finish(field); });
    fields.each([this](int, auto& field) { outer_.apply(field); });
  }

 private:
  std::vector<core::Halo> halos_;
  std::size_t widest_ = 0;
  HaloFill inner_, outer_;
};

}  // namespace detail

/// The cells of a rule in phases: their states in two buffers, the exchange of halos, and the one way to take a phase, once or until
/// it leaves all cells as they are. Synchronous makes generations of it; who looks at the cells between two phases, as percolation
/// step by step does, takes them one by one.
///
/// Cost of a phase: one exchange and one pass, reading and writing sizeof(State) a cell, the count of changes included; two fields of
/// memory for each field of the state.
template <RuleOrPhases R>
class PhasedCells {
 public:
  using Value = StateOf<R>;
  using Stages = detail::PhasesOf<R>;
  using Fields = detail::StateFields<Value>;
  template <int q>
  using Stage = typename Stages::template at<q>;
  /// What repeats of a phase came to, on all ranks.
  struct Repeats {
    std::int64_t steps = 0;    ///< those that changed something
    std::int64_t changes = 0;  ///< cells that changed, once for each time
    bool still = true;         ///< the next step would change nothing
    bool given_up = false;     ///< a rank would not go on
  };

  /// Cells of the halo that a phase wants.
  template <int q>
  static constexpr int depth = Stages::radius[q] > 0 ? Stages::radius[q] : 1;
  static constexpr auto reach = detail::reach_of_phases<R>(std::make_integer_sequence<int, Stages::count>());

  /// All states are 0. `field`: the name of the field where a state is one number. Beyond the grid all cells are 0, until enclose()
  /// says otherwise. Halos have what phases look at, and `also`. The layout outlives the cells.
  PhasedCells(R rule, core::Layout const& layout, std::string field, core::Reach also = core::Reach::none)
      : rule_(std::move(rule)),
        layout_(layout),
        field_(std::move(field)),
        state_(layout, std::max(1, detail::farthest<R>()), field_),
        next_(layout, std::max(1, detail::farthest<R>()), field_, "next "),
        reach_(with(also)),
        changed_("changed cells", static_cast<std::size_t>(layout.tiles())) {
    weigh();
    if constexpr (Stages::repeats) restless_ = std::make_unique<detail::RestlessTiles>(layout);
  }

  R const& rule() const { return rule_; }
  template <int q>
  auto& stage() {
    return Stages::template get<q>(rule_);
  }
  core::Layout const& layout() const { return layout_; }
  Fields& state() { return to_change(state_); }
  Fields const& state() const { return state_; }
  Fields& next() { return to_change(next_); }  ///< the other buffer
  detail::Scene& scene() { return scene_; }    ///< but for step and phase
  detail::Scene const& scene() const { return scene_; }
  /// That of a phase in this generation.
  detail::Scene scene_at(std::int64_t generation, int phase) const {
    detail::Scene scene = scene_;
    scene.step = generation;
    scene.phase = phase;
    return scene;
  }
  std::int64_t cell_updates() const { return cell_updates_; }  ///< of this rank, by take and until_still

  /// What lies beyond the sides of the grid.
  void enclose(Boundaries const& sides) {
    sides_ = sides;
    around_.clear();
  }
  /// New buffers, all 0, with halos of so many cells.
  void deepen(int cells, core::Reach also) {
    state_ = Fields(layout_, cells, field_);
    next_ = Fields(layout_, cells, field_, "next ");
    reach_ = with(also);
    around_.clear();
    held_ = false;
    weigh();
  }
  /// For so many cells of the halos: made when it is first asked for.
  detail::Surroundings<Value>& around(int cells) {
    return around_.try_emplace(cells, layout_, cells, reach_, sides_).first->second;
  }
  /// Makes the halos of the states current that a phase wants. Collective.
  template <int q>
  void exchange() {
    auto& here = around(depth<q>);
    here.start(state_);
    here.finish(state_);
  }

  /// Takes a phase once; tiles whose halos come from this rank alone are computed while messages travel. Collective.
  template <int q>
  void take(std::int64_t generation = 0) {
    if constexpr (Stages::radius[q] == 0) {
      advance<q>(layout_.all(), generation);
    } else {
      auto& here = around(depth<q>);
      here.start(state_);
      here.halo().over_interior([&](core::Tiles const& tiles) { advance<q>(tiles, generation); });
      here.finish(state_);
      advance<q>(here.halo().edge(), generation);
    }
    state_.swap_values(next_);
    held_ = all_stay;
    cell_updates_ += layout_.cells();
  }

  /// Takes a phase until it changes no cell on any rank, or more than `most` times. Tiles at rest are left alone: both buffers hold
  /// the same there. The halos are current in the end. `goes_on`: Automaton::GoesOn. Collective.
  template <int q>
  Repeats until_still(std::int64_t generation = 0, std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                      Automaton::GoesOn const& goes_on = {}) {
    static_assert(ca::until_still<Stage<q>>(), "a phase that is repeated says so");
    Repeats all;
    for (; all.steps <= most; ++all.steps) {
      exchange<q>();
      if (all.steps == 0) {
        repeat<q>(layout_.all(), layout_.cells(), generation);
      } else {
        auto const slots = restless_->find<Value>(std::as_const(state_).view(), std::as_const(next_).view(),
                                                  changed_.data(), Stages::radius[q]);
        core::Count cells = 0;
        for (int slot : slots) {
          core::TileInfo const& tile = layout_.info(slot);
          cells += core::Count{tile.ni} * tile.nj * tile.nk;
        }
        repeat<q>(layout_.select(slots), cells, generation);
      }
      std::array<std::int64_t, 2> sums{changes_here(), goes_on && !goes_on(q, all.steps) ? 1 : 0};
      {
        core::Timed const reduction(core::Part::reduce);
        layout_.comm().sum(std::span<std::int64_t>(sums));
      }
      if (sums[0] == 0) return all;
      all.changes += sums[0];
      state_.swap_values(next_);
      all.given_up = sums[1] > 0;
      if (all.given_up) break;
    }
    all.still = false;
    return all;
  }

  /// Cells that changed on this rank in the phases taken since this was asked.
  std::int64_t take_changes() {
    std::int64_t const changes = changes_here();
    Kokkos::deep_copy(changed_, 0);
    return changes;
  }
  /// Over all ranks. Collective.
  std::int64_t everywhere(std::int64_t changes) const {
    core::Timed const reduction(core::Part::reduce);
    return layout_.comm().sum(changes);
  }

 private:
  Fields& to_change(Fields& fields) {
    held_ = false;
    return fields;
  }
  static detail::Reaches<Value> with(core::Reach also) {
    auto all = reach;
    for (core::Reach& of_field : all) of_field = of_field | also;
    return all;
  }
  void weigh() {
    std::size_t bytes = 0;
    state_.each([&](int, auto& field) { bytes += 2 * field.bytes(); });
    past_ = bytes >= detail::beyond_caches;
  }
  std::int64_t changes_here() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    std::int64_t changes = 0;
    for (std::size_t n = 0; n < host.extent(0); ++n) changes += host(n);
    return changes;
  }
  template <int q>
  void repeat(core::Tiles const& tiles, core::Count cells, std::int64_t generation) {
    Kokkos::deep_copy(changed_, 0);
    cell_updates_ += cells;
    advance<q>(tiles, generation);
  }
  template <int q>
  void advance(core::Tiles const& tiles, std::int64_t generation) {
    detail::StepTile<Stage<q>> const kernel{std::as_const(state_).view(),
                                            next_.view(),
                                            tiles.info.data(),
                                            Stages::template get<q>(rule_),
                                            scene_at(generation, q),
                                            changed_.data(),
                                            detail::several_wanted(),
                                            past_,
                                            held_};
    if constexpr (core::on_host)
      core::for_each_tile("step", tiles, kernel);
    else
      core::count_by_tiles("step", tiles, detail::StepCell<Stage<q>>{kernel}, changed_.data());
  }

  R rule_;
  core::Layout const& layout_;
  std::string const field_;
  Fields state_, next_;
  detail::Reaches<Value> reach_;
  std::map<int, detail::Surroundings<Value>> around_;
  std::optional<Boundaries> sides_;
  detail::Scene scene_;  // but for step and phase
  static constexpr bool all_stay = detail::sparse_stays_in_all<R>(std::make_integer_sequence<int, Stages::count>());
  bool held_ = false;                                // both buffers hold the same where cells stay as they are
  bool past_ = false;                                // new states go past the caches, which could not keep them
  Kokkos::View<std::int64_t*> changed_;              // by slot
  std::unique_ptr<detail::RestlessTiles> restless_;  // for phases that are repeated
  std::int64_t cell_updates_ = 0;
};

}  // namespace tessera::ca
