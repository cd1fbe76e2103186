// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/ahead.hpp"
#include "ca/engine/boundary.hpp"
#include "ca/engine/near.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <cmath>

namespace tessera::ca {
namespace detail {

/// The next state of every cell of a tile and the number of cells that change, in one pass over rows.
template <class R>
struct StepTile {
  using Value = StateOf<R>;
  core::FieldView<Value const> from;
  core::FieldView<Value> to;
  core::TileInfo const* info;
  R rule;
  std::int64_t generation;
  std::int64_t* changed;  ///< by slot

  KOKKOS_FUNCTION void operator()(int slot) const {
    core::TileInfo const tile = info[slot];
    std::int64_t n = 0;
    for (int k = 0; k < tile.nk; ++k)
      for (int j = 0; j < tile.nj; ++j) n += row(tile, slot, k, j);
    changed[slot] = n;
  }

  KOKKOS_FUNCTION std::int64_t row(core::TileInfo const& tile, int slot, int k, int j) const {
    using Small = std::conditional_t<sizeof(Value) == 1, std::uint8_t, std::int64_t>;
    constexpr int chunk = 128;  // at most 255 changes, which a byte can count
    R const rule_here = rule;
    Value const* const old = from.row(slot, k, j);
    Value* const fresh = to.row(slot, k, j);
    core::Count const row_stride = from.row_stride, layer_stride = from.layer_stride;
    std::int64_t n = 0;
    for (int first = 0; first < tile.ni; first += chunk) {
      int const last = first + chunk < tile.ni ? first + chunk : tile.ni;
      Small different = 0;
      TESSERA_INDEPENDENT
      for (int i = first; i < last; ++i) {
        Value const next =
            rule_here(old[i], Near<R>(old + i, row_stride, layer_stride, tile.global(k, j, i), generation));
        different = static_cast<Small>(different + (next != old[i]));
        fresh[i] = next;
      }
      n += different;
    }
    return n;
  }
};

/// The same cell by cell, for devices: changes are rare, so counting them by atomics is cheap.
template <class R>
struct StepCell {
  StepTile<R> tile;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    auto const* const old = tile.from.row(slot, k, j) + i;
    auto const next =
        static_cast<StateOf<R>>(tile.rule(*old, Near<R>(old, tile.from.row_stride, tile.from.layer_stride,
                                                        tile.info[slot].global(k, j, i), tile.generation)));
    tile.to(slot, k, j, i) = next;
    if (next != *old) Kokkos::atomic_add(&tile.changed[slot], std::int64_t{1});
  }
};

/// Edges and corners of a halo are needed unless every neighbour lies on an axis.
template <class Stencil>
constexpr core::Reach reach_of(Stencil const& stencil) {
  for (int q = 0; q < stencil.size(); ++q)
    if ((stencil.offsets[q].i != 0) + (stencil.offsets[q].j != 0) + (stencil.offsets[q].k != 0) > 1)
      return core::Reach::all;
  return core::Reach::faces;
}

/// Throws core::Error unless the grid has just the axes that a rule of `dimensions` works on.
void check_dimensions(RuleContext const& context, int dimensions);

}  // namespace detail

/// All cells at once: double buffer; tiles whose halos come from this rank alone are computed while messages travel.
///
/// Cost: one pass, reading and writing sizeof(State) a cell, the count of changes included; two fields of memory. Ahead
/// (work_ahead): one exchange and one pass over memory for several generations, without the count.
template <Rule R>
class Synchronous final : public Automaton {
 public:
  using Value = StateOf<R>;
  Synchronous(R rule, RuleContext& context)
      : Automaton(context.word),
        rule_(std::move(rule)),
        state_(core::FieldInfo{.name = "state", .description = "state of the cells", .units = "1", .restart = true},
               context.layout, R::stencil.radius),
        next_("next state", context.layout, R::stencil.radius),
        halo_(context.layout, R::stencil.radius, reach),
        changed_("changed cells", static_cast<std::size_t>(context.layout.tiles())) {
    detail::check_dimensions(context, R::stencil.dimensions);
    sides_ = Boundaries::read(context.properties, context.grid());
    if constexpr (std::is_same_v<Value, State>)
      sides_.check_states(context.properties, states() > 0 ? static_cast<int>(states()) - 1 : 255);
    inner_sides_ = HaloFill(sides_, context.layout, halo_.interior(), R::stencil.radius);
    outer_sides_ = HaloFill(sides_, context.layout, halo_.edge(), R::stencil.radius);
  }

  int work_ahead(int depth) override {
    if (!core::on_host || !sides_.constant()) return 1;
    core::Layout const& layout = state_.layout();
    if (depth == 0) depth = detail::automatic_depth(layout.grid(), R::stencil.radius, sizeof(Value));
    if (depth == 1) return 1;
    depth_ = depth;
    int const cells = depth * R::stencil.radius;
    state_ = core::Field<Value>(state_.info(), layout, cells);
    next_ = core::Field<Value>(next_.info(), layout, cells);
    halo_ = core::Halo(layout, cells, core::Reach::all);
    inner_sides_ = HaloFill(sides_, layout, layout.all(), cells);
    return depth_;
  }
  bool behind() const override { return put_off_ > 0; }
  std::int64_t states() const override {
    if constexpr (requires { rule_.states; })
      return rule_.states;
    else
      return 0;
  }

  std::int64_t step() override {
    if (depth_ > 1) {
      ++generation_;
      if (++put_off_ == depth_) catch_up();
      return -1;
    }
    core::Timed const timed(core::Part::compute);
    Kokkos::deep_copy(changed_, 0);
    halo_.start(state_);
    inner_sides_.apply(state_);
    halo_.over_interior([&](core::Tiles const& tiles) { advance(tiles); });
    halo_.finish(state_);
    outer_sides_.apply(state_);
    advance(halo_.edge());
    state_.swap_values(next_);
    ++generation_;

    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    std::int64_t changes = 0;
    for (std::size_t n = 0; n < host.extent(0); ++n) changes += host(n);
    core::Timed const reduction(core::Part::reduce);
    return state_.layout().comm().sum(changes);
  }

  core::FieldBase& state() override {
    catch_up();
    return state_;
  }

 private:
  static constexpr core::Reach reach = detail::reach_of(R::stencil);

  /// The generations put off, all at once.
  void catch_up() {
    if (put_off_ == 0) return;
    core::Timed const timed(core::Part::compute);
    halo_.start(state_);
    // both buffers in turns hold what lies outside the grid
    inner_sides_.apply(state_);
    inner_sides_.apply(next_);
    halo_.over_interior([&](core::Tiles const& tiles) { advance_by(put_off_, tiles); });
    halo_.finish(state_);
    advance_by(put_off_, halo_.edge());
    if (put_off_ % 2 == 1) state_.swap_values(next_);
    put_off_ = 0;
  }

  void advance_by(int steps, core::Tiles const& tiles) {
    core::Grid const& grid = state_.layout().grid();
    auto const n = grid.cells();
    core::for_each_tile("steps", tiles,
                        detail::StepsAhead<R>{state_.view(),
                                              next_.view(),
                                              tiles.info.data(),
                                              rule_,
                                              generation_ - steps,
                                              steps,
                                              {n[0], n[1], n[2]},
                                              {grid.periodic(0), grid.periodic(1), grid.periodic(2)}});
  }

  void advance(core::Tiles const& tiles) {
    detail::StepTile<R> const kernel{
        std::as_const(state_).view(), next_.view(), tiles.info.data(), rule_, generation_, changed_.data()};
    if constexpr (core::on_host)
      core::for_each_tile("step", tiles, kernel);
    else
      core::for_each("step", tiles, detail::StepCell<R>{kernel});
  }

  R rule_;
  core::Field<Value> state_, next_;
  core::Halo halo_;
  Boundaries sides_;
  HaloFill inner_sides_, outer_sides_;  // ahead, the first has all tiles
  int depth_ = 1, put_off_ = 0;
  Kokkos::View<std::int64_t*> changed_;
};

}  // namespace tessera::ca
