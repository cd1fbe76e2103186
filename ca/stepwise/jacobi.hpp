// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps of a rule until nothing changes, all cells at once, with tiles at rest left alone.
#include "ca/engine/restless.hpp"
#include "ca/engine/step_tile.hpp"
#include "core/grid/halo.hpp"

namespace tessera::ca::paper {

/// Steps of one rule on two buffers. Tiles at rest are left alone: both buffers hold the same there.
template <class R>
class Jacobi {
 public:
  using Value = StateOf<R>;
  Jacobi(R rule, core::Field<Value>& state, core::Field<Value>& next, core::Halo& halo)
      : rule_(std::move(rule)),
        state_(state),
        next_(next),
        halo_(halo),
        layout_(state.layout()),
        changed_("changed cells", static_cast<std::size_t>(layout_.tiles())),
        restless_(layout_) {}

  /// One step of all tiles.
  void once() {
    halo_.exchange(state_);
    advance(all());
    state_.swap_values(next_);
  }
  /// Steps until no cell changes anywhere; returns the number of those that changed something.
  std::int64_t until_still() {
    for (std::int64_t steps = 0;; ++steps) {
      halo_.exchange(state_);
      advance(steps == 0 ? all() : restless());
      if (changes() == 0) return steps;
      state_.swap_values(next_);
    }
  }

  std::int64_t cell_updates() const { return cell_updates_; }  ///< of this rank

 private:
  void advance(core::Tiles const& tiles) {
    Kokkos::deep_copy(changed_, 0);
    if (tiles.count() == 0) return;
    ca::detail::StepTile<R> const kernel{
        std::as_const(state_).view(), next_.view(), tiles.info.data(), rule_, {}, changed_.data()};
    if constexpr (core::on_host)
      core::for_each_tile("paper step", tiles, kernel);
    else
      core::count_by_tiles("paper step", tiles, ca::detail::StepCell<R>{kernel}, changed_.data());
  }
  core::Tiles const& all() {
    cell_updates_ += layout_.cells();
    return layout_.all();
  }
  core::Tiles restless() {
    auto const slots =
        restless_.find(std::as_const(state_).view(), std::as_const(next_).view(), changed_.data(), halo_.depth());
    for (int slot : slots) cell_updates_ += core::Count{layout_.info(slot).ni} * layout_.info(slot).nj;
    return layout_.select(slots);
  }
  std::int64_t changes() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), changed_);
    std::int64_t n = 0;
    for (std::size_t t = 0; t < host.extent(0); ++t) n += host(t);
    core::Timed const reduction(core::Part::reduce);
    return layout_.comm().sum(n);
  }

  R rule_;
  core::Field<Value>&state_, &next_;
  core::Halo& halo_;
  core::Layout const& layout_;
  Kokkos::View<std::int64_t*> changed_;
  ca::detail::RestlessTiles<Value> restless_;
  std::int64_t cell_updates_ = 0;
};

}  // namespace tessera::ca::paper
