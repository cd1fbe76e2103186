// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/seams.hpp"

#include "core/error.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <set>

namespace tessera::ca::components {
namespace {

enum Strip : std::size_t { left, right, bottom, top };

/// The tiles round a tile of a 2-D grid, without wrapping: f(tile number, dx, dy).
template <class F>
void for_each_neighbour(core::Grid const& grid, int tile, F const& f) {
  core::Index const here = grid.tile_position(tile);
  auto const lattice = grid.tile_lattice();
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      core::Index const there{here.i + dx, here.j + dy, 0};
      if ((dx == 0 && dy == 0) || there.i < 0 || there.i >= lattice[0] || there.j < 0 || there.j >= lattice[1])
        continue;
      f(grid.tile_number(there), dx, dy);
    }
}

/// Calls f(a, b) for the pairs of `mine` and `theirs` at distance `reach` or less, both not 0; runs of equal pairs only
/// once.
template <class Value, class F>
void for_each_pair(std::span<Id const> mine, std::span<Value const> theirs, int reach, F const& f) {
  Id last_mine = 0;
  Value last_theirs = 0;
  auto const n = static_cast<std::ptrdiff_t>(mine.size());
  for (std::ptrdiff_t at = 0; at < n; ++at) {
    Id const a = mine[at];
    if (a == 0) continue;
    for (std::ptrdiff_t to = std::max<std::ptrdiff_t>(at - reach, 0); to <= std::min(at + reach, n - 1); ++to) {
      Value const b = theirs[to];
      if (b == 0 || (a == last_mine && b == last_theirs)) continue;
      last_mine = a;
      last_theirs = b;
      f(a, b);
    }
  }
}

/// Calls f(a, b) where a border component a of tile A meets b of its neighbour B at (dx, dy), whose `own` strips are
/// given.
template <class Value, class F>
void for_each_shared(SeamTile const& a, std::array<std::vector<Value>, 4> const& b, int dx, int dy, Meet meet,
                     F const& f) {
  bool const ring = meet == Meet::in_ring;
  int const reach = meet == Meet::beside_8 ? 1 : 0;
  auto const& mine = ring ? a.halo : a.own;
  if (dy == 0) {
    for_each_pair<Value>(mine[dx < 0 ? left : right], b[dx < 0 ? right : left], reach, f);
    return;
  }
  std::span<Id const> const here = mine[dy < 0 ? bottom : top];
  std::span<Value const> const there = b[dy < 0 ? top : bottom];
  if (dx == 0)
    for_each_pair(ring ? here.subspan(1, here.size() - 2) : here, there, reach, f);
  else if (meet != Meet::beside_4)
    for_each_pair(dx < 0 ? here.first(1) : here.last(1), dx < 0 ? there.last(1) : there.first(1), 0, f);
}

}  // namespace

Id Seams::find(Id a) {
  while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
  return a;
}

void Seams::unite(Id a, Id b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (b < a) std::swap(a, b);
  parent_[b] = a;
  record_[a].add(record_[b]);
}

void Seams::join(std::vector<SeamTile> const& tiles, Meet meet) {
  meet_ = meet;
  offset_.clear();
  parent_.clear();
  key_.clear();
  record_.clear();
  here_.clear();
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    offset_.push_back(static_cast<Id>(parent_.size()));
    auto const& border = tiles[slot].border;
    for (std::size_t n = 0; n < border.size(); ++n) {
      parent_.push_back(static_cast<Id>(parent_.size()));
      key_.push_back(make_key(layout_.info(slot).tile, static_cast<Id>(n) + 1));
      record_.push_back(border[n]);
    }
  }
  core::expect(parent_.size() < std::numeric_limits<Id>::max(), "more components at seams than 32 bits can number");
  join_own(tiles);

  if (layout_.comm().size() > 1) {
    join_ranks(foreign_joints(tiles, exchange_strips(tiles)));
    for (Id n = 0; n < parent_.size(); ++n) parent_[n] = parent_[parent_[n]];
  } else {
    for (Id n = 0; n < parent_.size(); ++n)
      if (parent_[n] == n) here_.push_back(record_[n]);
  }
}

void Seams::join_own(std::vector<SeamTile> const& tiles) {
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for_each_neighbour(layout_.grid(), layout_.info(slot).tile, [&](int tile, int dx, int dy) {
      int const other = layout_.slot(tile);
      if (other < 0 || !looks(dx, dy)) return;
      Id const a = offset_[slot], b = offset_[other];
      for_each_shared(tiles[slot], tiles[other].own, dx, dy, meet_,
                      [&](Id mine, Id theirs) { unite(a + mine - 1, b + theirs - 1); });
    });
  for (Id n = 0; n < parent_.size(); ++n) parent_[n] = find(n);
}

std::map<int, Seams::Strips> Seams::exchange_strips(std::vector<SeamTile> const& tiles) const {
  core::Timed const timed(core::Part::halo);
  int const me = layout_.comm().rank();
  std::map<int, core::Bytes> outgoing;
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    int const number = layout_.info(slot).tile;
    std::set<int> ranks;
    for_each_neighbour(layout_.grid(), number, [&](int tile, int, int) {
      if (layout_.owner(tile) != me) ranks.insert(layout_.owner(tile));
    });
    if (ranks.empty()) continue;
    core::Bytes message;
    core::append(message, number);
    for (auto const& strip : tiles[slot].own) {
      std::vector<Key> keys(strip.size(), 0);
      for (std::size_t n = 0; n < strip.size(); ++n)
        if (strip[n] != 0) keys[n] = key_[root(slot, strip[n] - 1)];
      core::append(message, std::span<Key const>(keys));
    }
    for (int rank : ranks) outgoing[rank].insert(outgoing[rank].end(), message.begin(), message.end());
  }
  std::map<int, Strips> result;
  for (auto const& [rank, bytes] : layout_.comm().exchange(outgoing)) {
    core::ByteReader in(bytes);
    while (!in.done()) {
      int const tile = in.take<int>();
      core::Index const n = layout_.grid().tile_box(tile).shape();
      Strips& strips = result[tile];
      for (std::size_t s = 0; s < 4; ++s) {
        strips[s].resize(s == left || s == right ? n.j : n.i);
        in.take(std::span<Key>(strips[s]));
      }
    }
  }
  return result;
}

std::vector<Joint> Seams::foreign_joints(std::vector<SeamTile> const& tiles,
                                         std::map<int, Strips> const& foreign) const {
  std::vector<Joint> joints;
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for_each_neighbour(layout_.grid(), layout_.info(slot).tile, [&](int tile, int dx, int dy) {
      auto const strips = foreign.find(tile);
      if (strips == foreign.end() || !looks(dx, dy)) return;
      for_each_shared(tiles[slot], strips->second, dx, dy, meet_, [&](Id mine, Key theirs) {
        joints.push_back({key_[root(slot, mine - 1)], theirs});
      });
    });
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

void Seams::join_ranks(std::vector<Joint> joints) {
  auto const own = [&](Key key) { return offset_[layout_.slot(tile_of(key))] + part_of(key) - 1; };
  auto const joined = join_over_ranks(layout_, std::move(joints), [&](Key key) { return record_[own(key)]; });

  // own roots that met elsewhere become one here, too; a component is told of where its first part is
  std::vector<bool> met(parent_.size(), false);
  std::map<Key, Id> representative;
  for (auto const& [key, whole] : joined) {
    Id const r = own(key);
    met[r] = true;
    if (whole.key == key) here_.push_back(whole.record);
    auto const [place, fresh] = representative.emplace(whole.key, r);
    if (fresh)
      record_[r] = whole.record;
    else
      parent_[r] = place->second;
  }
  for (Id n = 0; n < parent_.size(); ++n)
    if (parent_[n] == n && !met[n]) here_.push_back(record_[n]);
}

}  // namespace tessera::ca::components
