// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/stepper.hpp"

#include "ca/engine/boundary.hpp"
#include "ca/engine/phases.hpp"
#include "ca/engine/restless.hpp"
#include "ca/expression/step_tile.hpp"
#include "core/error.hpp"
#include "core/grid/halo.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <utility>

namespace tessera::ca::expression {
namespace {

class Stepper final : public Automaton {
 public:
  Stepper(Description description, RuleContext& context)
      : Automaton(context.word),
        described_(std::move(description)),
        layout_(&context.layout),
        restless_(context.layout) {
    auto const n = context.grid().cells();
    scene_.cells = {n[0], n[1], n[2]};
    if (described_.random) scene_.seed = context.properties.get_or<std::uint64_t>("seed", 1);
    if (described_.repeats) most_repeats_ = ca::detail::read_most_repeats(context.properties);
    sides_ = Boundaries::read(context.properties, context.grid());
    for (auto const& field : described_.fields) {
      if (field.element == core::Element::uint8) sides_.check_states(context.properties, static_cast<int>(field.most));
      sides_.check_fit(context.properties, field.element);
      state_.push_back(make(field, field.name));
      next_.push_back(make(field, "next " + field.name));
    }
    bool corners = described_.measure.corners;
    for (auto const& phase : described_.phases) {
      corners = corners || phase.corners;
      programs_.emplace_back(phase.program);
    }
    auto const reach = corners ? core::Reach::all : core::Reach::faces;
    for (std::size_t q = 0; q < state_.size(); ++q) halos_.emplace_back(*layout_, described_.halo, reach);
    inner_sides_ = HaloFill(sides_, *layout_, halos_[0].interior(), described_.halo);
    outer_sides_ = HaloFill(sides_, *layout_, halos_[0].edge(), described_.halo);
    auto const tiles = static_cast<std::size_t>(layout_->tiles());
    changed_ = Kokkos::View<std::int64_t*>("changed cells", tiles);
    wrong_ = Kokkos::View<detail::Wrong*>("wrong values", tiles);
    Kokkos::deep_copy(wrong_, detail::Wrong{});
  }

  std::int64_t step() override {
    core::Timed const timed(core::Part::compute);
    Kokkos::deep_copy(changed_, 0);
    std::int64_t here = 0, repeated = 0;
    for (std::size_t q = 0; q < described_.phases.size(); ++q) {
      tried_ = q;
      if (described_.phases[q].until_still) {
        here += changes_here();
        repeated += take_until_still(q);
        continue;
      }
      take_phase(q);
      // ranks agree at the end of the generation, unless more phases would read what is wrong
      if (q + 1 < described_.phases.size()) everywhere(0);
    }
    std::int64_t const changes = everywhere(here + changes_here()) + repeated;
    ++generation_;
    return changes;
  }

  core::FieldBase& state() override { return *state_.front(); }
  std::vector<core::FieldBase*> fields() override {
    std::vector<core::FieldBase*> all;
    for (auto const& field : state_) all.push_back(field.get());
    return all;
  }
  std::int64_t states() const override { return described_.states; }
  std::vector<std::string> quantities() const override { return described_.quantities; }
  std::optional<std::uint64_t> seed() const override {
    return described_.random ? std::optional(scene_.seed) : std::nullopt;
  }

  std::vector<double> measure() override {
    auto const& phase = described_.measure;
    if (phase.nodes.empty()) return {};
    core::Timed const timed(core::Part::compute);
    exchange(phase.looks_at);
    detail::Views views;
    for (std::size_t q = 0; q < state_.size(); ++q)
      core::visit(*state_[q], [&](auto const& field) { views[q] = detail::AnyView::of(field.host()); });
    auto const scene = scene_at(static_cast<int>(described_.phases.size()) - 1);
    std::size_t const n = phase.nodes.size();
    std::vector<core::ExactSum> tiles(n * static_cast<std::size_t>(layout_->tiles()));
    core::for_each_tile_on_host("quantities", *layout_, [&](int slot) {
      constexpr int width = 128;
      std::vector<double> registers(static_cast<std::size_t>(phase.program.registers) * width);
      Machine<width> const machine{registers.data()};
      auto const& info = layout_->info(slot);
      Step const* const steps = phase.program.steps.data();
      auto const source = [&](int k, int j, int i) {
        return detail::RowSource{views.data(), &scene, slot, k, j, i, info.global(k, j, i)};
      };
      machine.run(steps, steps + phase.program.once, width, source(0, 0, 0));
      for (int k = 0; k < info.nk; ++k)
        for (int j = 0; j < info.nj; ++j)
          for (int i = 0; i < info.ni; i += width) {
            int const cells = std::min(info.ni - i, width);
            machine.run(steps + phase.program.once, steps + phase.program.steps.size(), cells, source(k, j, i));
            for (std::size_t x = 0; x < n; ++x)
              for (int c = 0; c < cells; ++c)
                tiles[static_cast<std::size_t>(slot) * n + x].add(machine.at(phase.program.results[x])[c]);
          }
    });
    std::vector<core::ExactSum> total(n);
    for (std::size_t t = 0; t < tiles.size(); ++t) total[t % n].add(tiles[t]);
    core::ExactSum::all_reduce(layout_->comm(), total);
    std::vector<double> sums;
    for (auto const& sum : total) sums.push_back(sum.round());
    return sums;
  }

 private:
  std::unique_ptr<core::FieldBase> make(Description::OfField const& field, std::string const& name) const {
    core::FieldInfo const info{
        .name = name, .description = field.name + " of the cells", .units = "1", .restart = name == field.name};
    auto const of = [&]<class T>(std::type_identity<T>) -> std::unique_ptr<core::FieldBase> {
      return std::make_unique<core::Field<T>>(info, *layout_, described_.halo);
    };
    switch (field.element) {
    case core::Element::uint8:
      return of(std::type_identity<std::uint8_t>());
    case core::Element::int32:
      return of(std::type_identity<std::int32_t>());
    case core::Element::float32:
      return of(std::type_identity<float>());
    default:
      return of(std::type_identity<double>());
    }
  }

  void take_phase(std::size_t q) {
    Phase const& phase = described_.phases[q];
    if (phase.reach == 0) {
      advance(q, layout_->all());
    } else {
      start(phase.looks_at);
      halos_[0].over_interior([&](core::Tiles const& tiles) { advance(q, tiles); });
      finish(phase.looks_at);
      advance(q, halos_[0].edge());
    }
    swap(phase);
  }

  /// Takes a phase until it changes no cell on any rank; tiles at rest are left alone: both buffers hold the same there. Returns how many
  /// cells it changed on all ranks. Collective.
  std::int64_t take_until_still(std::size_t q) {
    Phase const& phase = described_.phases[q];
    std::int64_t all = 0;
    exchange(phase.looks_at);
    for (std::int64_t n = 0; n <= most_repeats_; ++n) {
      auto const tiles = n == 0 ? layout_->all() : layout_->select(restless(phase));
      Kokkos::deep_copy(changed_, 0);
      advance(q, tiles);
      bool const gives_up = goes_on_ && !goes_on_(static_cast<int>(q), n);
      std::int64_t const changes = everywhere(changes_here(), gives_up);
      if (changes == 0) return all;
      if (changes < 0) ca::detail::give_up_rest(phase.places[0], static_cast<int>(q), rule(), n, generation_);
      all += changes;
      swap(phase);
      exchange(phase.spread);
    }
    ca::detail::fail_to_rest(phase.places[0], static_cast<int>(q), rule(), most_repeats_, generation_);
  }
  /// Slots of the tiles of which a cell changed when the phase was taken last, or one that they look at.
  std::vector<int> restless(Phase const& phase) {
    std::vector<int> slots;
    for (int const f : phase.fields)
      core::visit(std::as_const(*state_[at(f)]), [&]<class T>(core::Field<T> const& field) {
        auto const& before = static_cast<core::Field<T> const&>(*next_[at(f)]);
        bool const looked_at = std::ranges::find(phase.spread, f) != phase.spread.end();
        auto const more = restless_.find<T>(field.view(), before.view(), changed_.data(), looked_at ? phase.reach : 0);
        auto const before_it = std::exchange(slots, {});
        std::ranges::set_union(before_it, more, std::back_inserter(slots));
      });
    return slots;
  }

  static std::size_t at(int field) { return static_cast<std::size_t>(field); }
  void swap(Phase const& phase) {
    for (int const f : phase.fields)
      core::visit(*state_[at(f)], [&]<class T>(core::Field<T>& field) {
        field.swap_values(static_cast<core::Field<T>&>(*next_[at(f)]));
      });
  }
  /// Makes the halos of these fields current. Collective.
  void exchange(std::vector<int> const& fields) {
    start(fields);
    finish(fields);
  }
  void start(std::vector<int> const& fields) {
    for (int const f : fields)
      core::visit(*state_[at(f)], [&](auto& field) {
        halos_[at(f)].start(field);
        inner_sides_.apply(field);
      });
  }
  void finish(std::vector<int> const& fields) {
    for (int const f : fields)
      core::visit(*state_[at(f)], [&](auto& field) {
        halos_[at(f)].finish(field);
        outer_sides_.apply(field);
      });
  }

  std::int64_t changes_here() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    return std::accumulate(host.data(), host.data() + host.extent(0), std::int64_t{0});
  }
  /// Over all ranks; -1 where there are changes and one of them gives up. Ends the run where a formula of the phase tried last gave what its
  /// field cannot hold. Collective.
  std::int64_t everywhere(std::int64_t changes, bool gives_up = false) {
    std::array<std::int64_t, 3> sums{changes, 0, gives_up};
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong_);
    for (std::size_t n = 0; n < found.extent(0); ++n) sums[1] += found(n).cell != detail::Wrong{}.cell;
    core::Timed const reduction(core::Part::reduce);
    layout_->comm().sum(std::span<std::int64_t>(sums));
    if (sums[1] > 0) fail();
    return sums[0] > 0 && sums[2] > 0 ? -1 : sums[0];
  }

  void advance(std::size_t q, core::Tiles const& tiles) {
    Phase const& phase = described_.phases[q];
    detail::StepTile kernel{.fields = {},
                            .targets = {},
                            .count = static_cast<int>(phase.fields.size()),
                            .steps = programs_[q].steps(),
                            .once = programs_[q].once,
                            .end = programs_[q].end,
                            .info = tiles.info.data(),
                            .scene = scene_at(static_cast<int>(q)),
                            .changed = changed_.data(),
                            .wrong = wrong_.data()};
    for (std::size_t n = 0; n < state_.size(); ++n)
      core::visit(std::as_const(*state_[n]),
                  [&](auto const& field) { kernel.fields[n] = detail::AnyView::of(field.view()); });
    for (std::size_t n = 0; n < phase.fields.size(); ++n) {
      auto const f = static_cast<std::size_t>(phase.fields[n]);
      auto const& field = described_.fields[f];
      core::visit(*next_[f], [&](auto& next) {
        kernel.targets[n] = {
            kernel.fields[f], detail::AnyView::of(next.view()), phase.program.results[n], field.least, field.most,
            field.whole()};
      });
    }
    if constexpr (core::on_host)
      core::for_each_tile("formulas", tiles, kernel);
    else
      core::count_by_tiles("formulas", tiles, detail::StepCell{kernel}, changed_.data());
  }

  ca::detail::Scene scene_at(int phase) const {
    auto scene = scene_;
    scene.step = generation_;
    scene.phase = phase;
    return scene;
  }

  /// Tells of the first cell of the grid for which a formula gives what its field cannot hold. Collective.
  [[noreturn]] void fail() const {
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong_);
    detail::Wrong mine;
    for (std::size_t n = 0; n < found.extent(0); ++n)
      if (found(n).cell < mine.cell) mine = found(n);
    core::Count const cell = layout_->comm().min(mine.cell);
    bool const here = cell == mine.cell;
    auto const formula = static_cast<std::size_t>(layout_->comm().max(std::int64_t{here ? mine.formula : 0}));
    // infinities and no number pass the reduction as numbers of their own kind
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    bool const none = layout_->comm().any(here && std::isnan(mine.value));
    double const value = layout_->comm().max(here && !std::isnan(mine.value) ? mine.value : lowest);
    auto const n = scene_.cells;
    Phase const& phase = described_.phases[tried_];
    auto const& field = described_.fields[static_cast<std::size_t>(phase.fields[formula])];
    throw core::Error(fmt::format(
        "{}: the formula gives {} in cell ({} {} {}) of generation {}, expected a whole number {:.0f} .. {:.0f} for "
        "the field {}",
        phase.places[formula], none ? "no number" : fmt::format("{}", value), cell % n.i, cell / n.i % n.j,
        cell / (n.i * n.j), generation_, field.least, field.most, field.name));
  }

  Description described_;
  core::Layout const* layout_;
  std::vector<std::unique_ptr<core::FieldBase>> state_, next_;
  std::vector<detail::OnDevice> programs_;  // of the phases
  std::vector<core::Halo> halos_;           // one a field
  Boundaries sides_;
  HaloFill inner_sides_, outer_sides_;
  ca::detail::Scene scene_;  // but for step and phase
  Kokkos::View<std::int64_t*> changed_;
  Kokkos::View<detail::Wrong*> wrong_;
  ca::detail::RestlessTiles restless_;
  std::int64_t most_repeats_ = 0;  // of phases until nothing changes
  std::size_t tried_ = 0;          // the phase taken last
};

}  // namespace

std::unique_ptr<Automaton> make_stepper(Description description, RuleContext& context) {
  return std::make_unique<Stepper>(std::move(description), context);
}

}  // namespace tessera::ca::expression
