// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/stepper.hpp"

#include "ca/engine/boundary.hpp"
#include "ca/engine/near.hpp"
#include "core/error.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tessera::ca::expression {
namespace detail {

/// Where the values of a field of any type lie.
struct AnyView {
  core::Element element = core::Element::uint8;
  void* first = nullptr;
  core::Count tile = 0, layer = 0, row = 0;

  template <class T>
  static AnyView of(core::FieldView<T> const& view) {
    using Value = std::remove_const_t<T>;
    return {core::element_of<Value>(), const_cast<Value*>(view.first), view.tile_stride, view.layer_stride,
            view.row_stride};
  }
  template <class T>
  KOKKOS_FUNCTION T* at(int slot, int k, int j, int i) const {
    return static_cast<T*>(first) + slot * tile + k * layer + j * row + i;
  }
};
using Views = std::array<AnyView, Description::most_fields>;

/// What the instructions of a piece of a row take from its cells.
struct RowSource {
  AnyView const* fields;
  ca::detail::Scene const* scene;
  int slot, k, j, i;
  core::Index cell;  ///< the first one's place in the grid

  KOKKOS_FUNCTION void load(Step const& step, double* to, int cells) const {
    if (step.op == Op::value)
      load_values(step, to, cells);
    else if (step.op == Op::uniform)
      for (int n = 0; n < cells; ++n) to[n] = scene->draw({cell.i + n, cell.j, cell.k}, step.which);
    else if (step.op == Op::position)
      for (int n = 0; n < cells; ++n)
        to[n] = static_cast<double>(step.which == 0 ? cell.i + n : step.which == 1 ? cell.j : cell.k);
    else
      for (int n = 0; n < cells; ++n) to[n] = static_cast<double>(scene->step);
  }

 private:
  KOKKOS_FUNCTION void load_values(Step const& step, double* to, int cells) const {
    switch (fields[step.which].element) {
    case core::Element::uint8:
      return convert<std::uint8_t>(step, to, cells);
    case core::Element::int32:
      return convert<std::int32_t>(step, to, cells);
    case core::Element::float32:
      return convert<float>(step, to, cells);
    default:
      return convert<double>(step, to, cells);
    }
  }
  template <class T>
  KOKKOS_FUNCTION void convert(Step const& step, double* to, int cells) const {
    T const* const from = fields[step.which].at<T>(slot, k + step.at[2], j + step.at[1], i + step.at[0]);
    TESSERA_INDEPENDENT
    for (int n = 0; n < cells; ++n) to[n] = static_cast<double>(from[n]);
  }
};

/// A result that a field of whole numbers cannot hold: that of the first cell of the grid among those that a tile found.
struct Wrong {
  core::Count cell = std::numeric_limits<core::Count>::max();
  int formula = 0;
  double value = 0;
  int taken = 0;  ///< by a thread that sets it
  /// Takes the place of a later cell. Threads of a device work on the cells of one tile.
  KOKKOS_FUNCTION static void first(Wrong volatile& of_tile, core::Count cell, int formula, double value) {
    int* const taken = const_cast<int*>(&of_tile.taken);
    // threads of one warp may not wait for each other inside of a loop that only one of them leaves
    for (bool done = false; !done && cell < of_tile.cell;) {
      if (Kokkos::atomic_compare_exchange(taken, 0, 1) != 0) continue;
      Kokkos::memory_fence();
      if (cell < of_tile.cell) {
        of_tile.cell = cell;
        of_tile.formula = formula;
        of_tile.value = value;
      }
      Kokkos::memory_fence();
      Kokkos::atomic_exchange(taken, 0);
      done = true;
    }
  }
};

/// A field that a phase sets.
struct Target {
  AnyView from, to;
  int result;  ///< register
  double least, most;
  bool whole;
};

/// The next values of a tile's fields, and how many of its cells change.
struct StepTile {
  Views fields;
  std::array<Target, Description::most_fields> targets;
  int count;  ///< of targets
  Step const* steps;
  int once, end;
  core::TileInfo const* info;
  ca::detail::Scene scene;
  std::int64_t* changed;  ///< by slot, added to
  Wrong* wrong;           ///< by slot

  KOKKOS_FUNCTION void operator()(int slot) const {
    constexpr int width = 128;
    double registers[Program::most_registers * width];
    core::TileInfo const tile = info[slot];
    Machine<width>{registers}.run(steps, steps + once, width, source(tile, slot, 0, 0, 0));
    std::int64_t n = 0;
    for (int k = 0; k < tile.nk; ++k)
      for (int j = 0; j < tile.nj; ++j)
        for (int i = 0; i < tile.ni; i += width)
          n += piece<width>(registers, tile, slot, k, j, i, tile.ni - i < width ? tile.ni - i : width);
    changed[slot] += n;
  }

  KOKKOS_FUNCTION RowSource source(core::TileInfo const& tile, int slot, int k, int j, int i) const {
    return {fields.data(), &scene, slot, k, j, i, tile.global(k, j, i)};
  }
  /// Returns how many of the cells change.
  template <int width>
  KOKKOS_FUNCTION int piece(double* registers, core::TileInfo const& tile, int slot, int k, int j, int i,
                            int cells) const {
    Machine<width> const machine{registers};
    machine.run(steps + once, steps + end, cells, source(tile, slot, k, j, i));
    std::uint8_t different[width] = {};
    for (int q = 0; q < count; ++q) {
      Target const& target = targets[static_cast<std::size_t>(q)];
      double const* const result = machine.at(target.result);
      bool fits = true;
      switch (target.from.element) {
      case core::Element::uint8:
        fits = put<std::uint8_t>(target, result, different, slot, k, j, i, cells);
        break;
      case core::Element::int32:
        fits = put<std::int32_t>(target, result, different, slot, k, j, i, cells);
        break;
      case core::Element::float32:
        put<float>(target, result, different, slot, k, j, i, cells);
        break;
      default:
        put<double>(target, result, different, slot, k, j, i, cells);
      }
      if (!fits) find_wrong(target, q, result, tile, slot, k, j, i, cells);
    }
    int n = 0;
    for (int c = 0; c < cells; ++c) n += different[c];
    return n;
  }

 private:
  template <class T>
  KOKKOS_FUNCTION bool put(Target const& target, double const* result, std::uint8_t* different, int slot, int k, int j,
                           int i, int cells) const {
    T const* const old = target.from.at<T>(slot, k, j, i);
    T* const fresh = target.to.at<T>(slot, k, j, i);
    int misfits = 0;
    TESSERA_INDEPENDENT
    for (int c = 0; c < cells; ++c) {
      double value = result[c];
      if constexpr (std::is_integral_v<T>) {
        bool const fits = (value >= target.least) & (value <= target.most);
        value = fits ? value : 0.0;
        misfits += !fits | (static_cast<double>(static_cast<T>(value)) != value);
      }
      T const next = static_cast<T>(value);
      different[c] |= static_cast<std::uint8_t>(next != old[c]);
      fresh[c] = next;
    }
    return misfits == 0;
  }
  /// Once in a run, which ends by it.
  KOKKOS_FUNCTION void find_wrong(Target const& target, int formula, double const* result, core::TileInfo const& tile,
                                  int slot, int k, int j, int i, int cells) const {
    for (int c = 0; c < cells; ++c) {
      double const value = result[c];
      if (value >= target.least && value <= target.most && std::floor(value) == value) continue;
      auto const at = tile.global(k, j, i + c);
      core::Count const cell = (at.k * scene.cells.j + at.j) * scene.cells.i + at.i;
      Wrong::first(wrong[slot], cell, formula, value);
      return;
    }
  }
};

/// The same cell by cell, for devices. Returns whether it changes.
struct StepCell {
  StepTile tile;
  KOKKOS_FUNCTION bool operator()(int slot, int k, int j, int i) const {
    double registers[Program::most_registers];
    core::TileInfo const info = tile.info[slot];
    Machine<1>{registers}.run(tile.steps, tile.steps + tile.once, 1, tile.source(info, slot, k, j, i));
    return tile.piece<1>(registers, info, slot, k, j, i, 1) > 0;
  }
};

/// A program where kernels find it.
class OnDevice {
 public:
  OnDevice() = default;
  explicit OnDevice(Program const& program)
      : once(program.once),
        end(static_cast<int>(program.steps.size())),
        steps_("formulas", program.steps.size()) {
    auto const host = Kokkos::create_mirror_view(steps_);
    std::copy(program.steps.begin(), program.steps.end(), host.data());
    Kokkos::deep_copy(steps_, host);
  }
  Step const* steps() const { return steps_.data(); }
  int once = 0, end = 0;

 private:
  Kokkos::View<Step*> steps_;
};

}  // namespace detail

namespace {

class Stepper final : public Automaton {
 public:
  Stepper(Description description, RuleContext& context)
      : Automaton(context.word),
        described_(std::move(description)),
        layout_(&context.layout) {
    auto const n = context.grid().cells();
    scene_.cells = {n[0], n[1], n[2]};
    if (described_.random) scene_.seed = context.properties.get_or<std::uint64_t>("seed", 1);
    sides_ = Boundaries::read(context.properties, context.grid());
    for (auto const& field : described_.fields) {
      if (field.element == core::Element::uint8) sides_.check_states(context.properties, static_cast<int>(field.most));
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
    std::int64_t wrong = 0;
    for (std::size_t q = 0; q < described_.phases.size() && wrong == 0; ++q) {
      take_phase(q);
      tried_ = q;
      auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong_);
      for (std::size_t n = 0; n < found.extent(0); ++n) wrong += found(n).cell != detail::Wrong{}.cell;
      // ranks agree at the end of the generation, unless more phases would read what is wrong
      if (q + 1 < described_.phases.size()) wrong = layout_->comm().sum(wrong);
    }
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    std::array<std::int64_t, 2> sums{0, wrong};
    for (std::size_t n = 0; n < host.extent(0); ++n) sums[0] += host(n);
    core::Timed const reduction(core::Part::reduce);
    layout_->comm().sum(std::span<std::int64_t>(sums));
    if (sums[1] > 0) fail();
    ++generation_;
    return sums[0];
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
    if (phase.reach > 0) {
      start_halos();
      apply(inner_sides_);
      finish_halos();
      apply(outer_sides_);
    }
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
      start_halos();
      apply(inner_sides_);
      halos_[0].over_interior([&](core::Tiles const& tiles) { advance(q, tiles); });
      finish_halos();
      apply(outer_sides_);
      advance(q, halos_[0].edge());
    }
    for (int const f : phase.fields) {
      auto const n = static_cast<std::size_t>(f);
      core::visit(*state_[n],
                  [&]<class T>(core::Field<T>& field) { field.swap_values(static_cast<core::Field<T>&>(*next_[n])); });
    }
  }
  void start_halos() {
    for (std::size_t q = 0; q < state_.size(); ++q)
      core::visit(*state_[q], [&](auto& field) { halos_[q].start(field); });
  }
  void finish_halos() {
    for (std::size_t q = 0; q < state_.size(); ++q)
      core::visit(*state_[q], [&](auto& field) { halos_[q].finish(field); });
  }
  void apply(HaloFill const& sides) {
    for (auto& each : state_) core::visit(*each, [&](auto& field) { sides.apply(field); });
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
  std::size_t tried_ = 0;  // the phase taken last
};

}  // namespace

std::unique_ptr<Automaton> make_stepper(Description description, RuleContext& context) {
  return std::make_unique<Stepper>(std::move(description), context);
}

}  // namespace tessera::ca::expression
