// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/near.hpp"
#include "core/grid/halo.hpp"
#include "core/random.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace tessera::ca::paper {

/// Sweeps of a 2-D rule in place and in random order, as NetLogo's `ask patches` does it: every sweep visits all cells
/// once, in a fresh order, and a cell sees the new states of those visited before it. The order depends on (seed, sample,
/// sweep) alone, so states and the number of sweeps are the same on any ranks, tiles and owners.
///
/// Each cell draws a key for the sweep; keys give the order. A cell then sees the new state of a neighbour with a smaller
/// key, the old one of any other: two buffers hold both. A tile computes its cells in the order of their keys, taking for
/// granted what it knows of its halo; then halos are exchanged, and cells beside a halo cell that turned out otherwise,
/// and whatever follows from them later in the order, are computed again, until no halo changes. Since no cell waits for
/// one with a larger key, that ends, and only with the states of the one sweep over all cells. Chains of smaller and
/// smaller keys are short, so a sweep takes a few exchanges. Tiles in and around which nothing changed in the last sweep
/// are only entered if a halo cell of theirs changes in this one.
///
/// R has `can_change(state)`: false for cells that never change again. Runs on the host.
/// Cost: about 0.15 us a cell that can change, in tiles that are not at rest (keys, sorting, neighbours one by one).
template <class R>
class RandomSweeps {
 public:
  using Value = StateOf<R>;
  RandomSweeps(R rule, core::Field<Value>& state, core::Field<Value>& next, core::Halo& halo, core::Random random,
               std::uint32_t first_sweep)
      : rule_(std::move(rule)),
        state_field_(state),
        next_field_(next),
        halo_(halo),
        layout_(state.layout()),
        random_(random),
        sweep_(first_sweep),
        tiles_(static_cast<std::size_t>(layout_.tiles())) {}

  /// Sweeps until no cell changes anywhere; returns the number of those that changed something.
  std::int64_t until_still() {
    halo_.exchange(state_field_);
    state_ = state_field_.host();
    next_ = next_field_.host();
    core::for_each_tile_on_host("sweep start", layout_, [&](int slot) {
      Tile& tile = at(slot);
      tile.awake = true;
      for_each_of(slot, radius, [&](int j, int i) { next_(slot, 0, j, i) = state_(slot, 0, j, i); });
      for_each_of_ring(slot, [&](int j, int i) { tile.ring.push_back(state_(slot, 0, j, i)); });
    });
    for (std::int64_t sweeps = 0;; ++sweeps, ++sweep_)
      if (!sweep()) return sweeps;
  }

  std::int64_t cell_updates() const {
    std::int64_t n = 0;
    for (Tile const& tile : tiles_) n += tile.updates;
    return n;
  }

 private:
  static constexpr int radius = R::stencil.radius, width = 2 * radius + 1;
  using Key = std::uint64_t;
  struct Tile {
    std::vector<Value> ring;  ///< halo of `next` as this tile last saw it
    bool awake = true;        ///< a cell of the tile or its halo changed in the last sweep
    bool touched = false;     ///< computed in this sweep, or its halo changed
    std::int64_t updates = 0;
  };

  Tile& at(int slot) { return tiles_[slot]; }
  Key key(int slot, int j, int i) const {
    return random_.bits(static_cast<std::uint64_t>(layout_.grid().number(layout_.info(slot).global(0, j, i))), sweep_);
  }
  /// Calls f(j, i) for the cells of a tile and `more` rows and columns round it.
  template <class F>
  void for_each_of(int slot, int more, F const& f) const {
    core::TileInfo const& t = layout_.info(slot);
    for (int j = -more; j < t.nj + more; ++j)
      for (int i = -more; i < t.ni + more; ++i) f(j, i);
  }
  template <class F>
  void for_each_of_ring(int slot, F const& f) const {
    core::TileInfo const& t = layout_.info(slot);
    for_each_of(slot, radius, [&](int j, int i) {
      if (j < 0 || j >= t.nj || i < 0 || i >= t.ni) f(j, i);
    });
  }

  /// The new state of a cell: neighbours with a smaller key are new already. key_of(j, i) gives their keys.
  template <class KeyOf>
  Value evaluate(int slot, int j, int i, KeyOf const& key_of) const {
    Value seen[width * width];
    Key const own = key_of(j, i);
    for (int dj = -radius; dj <= radius; ++dj)
      for (int di = -radius; di <= radius; ++di)
        seen[(dj + radius) * width + di + radius] =
            (key_of(j + dj, i + di) < own ? next_ : state_)(slot, 0, j + dj, i + di);
    Value const* const centre = seen + radius * width + radius;
    ca::detail::Scene const scene;
    return rule_(*centre, Near<R>(centre, {width, 0}, layout_.info(slot).global(0, j, i), scene));
  }

  /// All cells of a tile in the order of their keys.
  void compute(int slot) {
    core::TileInfo const& t = layout_.info(slot);
    static thread_local std::vector<Key> keys;
    static thread_local std::vector<std::pair<Key, int>> order;
    keys.clear();
    order.clear();
    for_each_of(slot, radius, [&](int j, int i) { keys.push_back(key(slot, j, i)); });
    auto const key_of = [&, row = t.ni + 2 * radius](int j, int i) { return keys[(j + radius) * row + i + radius]; };
    for_each_of(slot, 0, [&](int j, int i) {
      if (rule_.can_change(state_(slot, 0, j, i))) order.emplace_back(key_of(j, i), j * t.ni + i);
    });
    std::sort(order.begin(), order.end());
    for (auto const& [own, n] : order) {
      int const j = n / t.ni, i = n % t.ni;
      next_(slot, 0, j, i) = evaluate(slot, j, i, key_of);
    }
    at(slot).updates += static_cast<std::int64_t>(order.size());
    at(slot).touched = true;
  }

  /// Computes again what changes of the halo bring about. Returns whether there were any.
  bool correct(int slot) {
    core::TileInfo const& t = layout_.info(slot);
    Tile& tile = at(slot);
    std::set<std::pair<Key, int>> work;
    auto const key_of = [&](int j, int i) { return key(slot, j, i); };
    auto const later_neighbours = [&](int j, int i) {
      Key const own = key_of(j, i);
      for (int b = std::max(0, j - radius); b <= std::min(t.nj - 1, j + radius); ++b)
        for (int a = std::max(0, i - radius); a <= std::min(t.ni - 1, i + radius); ++a)
          if (rule_.can_change(state_(slot, 0, b, a)) && key_of(b, a) > own) work.emplace(key_of(b, a), b * t.ni + a);
    };
    std::size_t n = 0;
    bool found = false;
    for_each_of_ring(slot, [&](int j, int i) {
      Value& known = tile.ring[n++];
      if (known == next_(slot, 0, j, i)) return;
      known = next_(slot, 0, j, i);
      found = true;
      later_neighbours(j, i);
    });
    tile.touched = tile.touched || found;
    while (!work.empty()) {
      int const j = work.begin()->second / t.ni, i = work.begin()->second % t.ni;
      work.erase(work.begin());
      ++tile.updates;
      Value const value = evaluate(slot, j, i, key_of);
      if (value == next_(slot, 0, j, i)) continue;
      next_(slot, 0, j, i) = value;
      later_neighbours(j, i);
    }
    return found;
  }

  /// One sweep over all cells; whether any changed.
  bool sweep() {
    core::for_each_tile_on_host("sweep", layout_, [&](int slot) {
      at(slot).touched = false;
      if (at(slot).awake) compute(slot);
    });
    std::vector<std::uint8_t> found(tiles_.size());
    auto const any = [&] {
      return layout_.comm().any(std::any_of(found.begin(), found.end(), [](auto f) { return f != 0; }));
    };
    do {
      halo_.exchange(next_field_);
      next_ = next_field_.host();
      core::for_each_tile_on_host("sweep seams", layout_, [&](int slot) { found[slot] = correct(slot); });
    } while (any());
    // the new states become the old ones
    core::for_each_tile_on_host("sweep end", layout_, [&](int slot) {
      core::TileInfo const& t = layout_.info(slot);
      Tile& tile = at(slot);
      bool changed = false, around = false;
      if (tile.touched)
        for_each_of(slot, radius, [&](int j, int i) {
          if (state_(slot, 0, j, i) == next_(slot, 0, j, i)) return;
          state_(slot, 0, j, i) = next_(slot, 0, j, i);
          (j < 0 || j >= t.nj || i < 0 || i >= t.ni ? around : changed) = true;
        });
      tile.awake = changed || around;
      found[slot] = changed;
    });
    return any();
  }

  R rule_;
  core::Field<Value>&state_field_, &next_field_;
  core::FieldView<Value> state_, next_;
  core::Halo& halo_;
  core::Layout const& layout_;
  core::Random random_;
  std::uint32_t sweep_;
  std::vector<Tile> tiles_;
};

}  // namespace tessera::ca::paper
