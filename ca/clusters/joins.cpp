// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters/joins.hpp"

#include "ca/clusters/links.hpp"
#include "core/error.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace tessera::ca::clusters {
namespace {

/// The axes that a walk of these periods winds round.
std::uint64_t winding(Periods const& periods) {
  std::uint64_t flags = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (periods.n[static_cast<std::size_t>(axis)] != 0) flags |= wraps(axis);
  return flags;
}

core::Index shape_of(core::Grid const& grid, int tile) { return grid.tile_box(tile).shape(); }

/// Calls f(tile, periods, step) for the tiles at these steps from a tile, as far as there are any.
template <class F>
void for_each_beside(core::Grid const& grid, int tile, std::vector<Step> const& steps, F const& f) {
  for (Step const& step : steps)
    if (auto const there = beside(grid, tile, step)) f(there->tile, there->periods, step);
}

}  // namespace

Joins::Place Joins::find(Id a) {
  // each node is hung on its grandparent on the way up
  Periods sum{};
  while (parent_[a] != a) {
    Id const p = parent_[a];
    if (parent_[p] != p) {
      from_parent_[a] = from_parent_[a] + from_parent_[p];
      parent_[a] = parent_[p];
    }
    sum = sum + from_parent_[a];
    a = parent_[a];
  }
  return {a, sum};
}

/// Part b is `periods` further than part a.
void Joins::unite(Id a, Id b, Periods const& periods) {
  Place const pa = find(a), pb = find(b);
  Periods const between = pa.from_root + periods - pb.from_root;  // of b's root from a's root
  if (pa.root == pb.root) {
    record_[pa.root].flags |= winding(between);
    return;
  }
  if (pa.root < pb.root) {
    parent_[pb.root] = pa.root;
    from_parent_[pb.root] = between;
    record_[pa.root].add(record_[pb.root]);
  } else {
    parent_[pa.root] = pb.root;
    from_parent_[pa.root] = Periods{} - between;
    record_[pb.root].add(record_[pa.root]);
  }
}

Joins::Key Joins::key(Id node) const {
  auto const slot =
      static_cast<std::size_t>(std::upper_bound(offset_.begin(), offset_.end(), node) - offset_.begin() - 1);
  return (Key{layout_.info(static_cast<int>(slot)).tile} << 32) + (node - offset_[slot]);
}

void Joins::join(std::vector<TileClusters> const& tiles, Lattice const& lattice) {
  start(tiles);
  join_own(tiles, lattice);
  if (layout_.comm().size() > 1) join_ranks(share(foreign_joints(tiles, lattice)));
  for (Id n = 0; n < parent_.size(); ++n) parent_[n] = find(n).root;
}

void Joins::start(std::vector<TileClusters> const& tiles) {
  core::Grid const& grid = layout_.grid();
  std::size_t nodes = 0;
  offset_.clear();
  for (TileClusters const& tile : tiles) {
    offset_.push_back(static_cast<Id>(nodes));
    nodes += tile.borders;
  }
  core::expect(nodes < std::numeric_limits<Id>::max(), "more parts at tile faces than 32 bits can number");
  parent_.resize(nodes);
  for (Id n = 0; n < nodes; ++n) parent_[n] = n;
  from_parent_.assign(nodes, Periods{});
  record_.resize(nodes);
  counted_elsewhere_.assign(nodes, false);
  for (std::size_t q = 0; q < tiles.size(); ++q) {
    TileClusters const& tile = tiles[q];
    core::TileInfo const& info = layout_.info(static_cast<int>(q));
    for (Id part = 0; part < tile.count(); ++part)
      if (tile.border[part] != 0)
        record_[offset_[q] + tile.border[part] - 1] = {grid_number(grid, info, tile.first[part]) + 1, tile.cells[part],
                                                       tile.flags[part]};
  }
}

void Joins::join_own(std::vector<TileClusters> const& tiles, Lattice const& lattice) {
  core::Grid const& grid = layout_.grid();
  auto const steps = steps_before(lattice);
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for_each_beside(grid, layout_.info(slot).tile, steps, [&](int there, Periods const& periods, Step const& step) {
      int const other = layout_.slot(there);
      if (other < 0) return;
      auto const here = static_cast<std::size_t>(slot), q = static_cast<std::size_t>(other);
      Id last_a = 0, last_b = 0;
      bool any = false;
      for_each_link(layout_.info(slot), tiles[here], step, shape_of(grid, there), tiles[q].rim, lattice,
                    [&](Id a, Id b) {
                      if (any && a == last_a && b == last_b) return;
                      any = true;
                      last_a = a;
                      last_b = b;
                      unite(offset_[here] + a, offset_[q] + b, periods);
                    });
    });
  for (Id n = 0; n < parent_.size(); ++n) {
    // parents come first and are flat already
    Id const p = parent_[n];
    if (parent_[p] == p) continue;
    from_parent_[n] = from_parent_[n] + from_parent_[p];
    parent_[n] = parent_[p];
  }
}

/// Appends the rim of an own tile, and root and distance of its border parts, for other ranks.
void Joins::write_rim(int slot, TileClusters const& tile, core::Bytes& bytes) {
  Rim const& rim = tile.rim;
  core::append(bytes, layout_.info(slot).tile);
  core::append(bytes, tile.borders);
  for (Id part = 0; part < tile.borders; ++part) {
    Place const place = find(offset_[static_cast<std::size_t>(slot)] + part);
    core::append(bytes, key(place.root));
    core::append(bytes, place.from_root);
  }
  core::append(bytes, rim.words);
  core::append(bytes, static_cast<std::int64_t>(rim.begin.size()));
  core::append(bytes, std::span<Id const>(rim.begin));
  core::append(bytes, std::span<Word const>(rim.bits));
  core::append(bytes, std::span<Id const>(rim.of));
  for (auto const& column : rim.column) core::append(bytes, std::span<Id const>(column));
}

/// The inverse of write_rim, after the tile's number.
Joins::Foreign Joins::read_rim(core::ByteReader& in, core::Index const& n) {
  Foreign tile;
  Rim& rim = tile.rim;
  auto const borders = in.take<Id>();
  for (Id part = 0; part < borders; ++part) {
    tile.key.push_back(in.take<Key>());
    tile.from_root.push_back(in.take<Periods>());
  }
  rim.words = in.take<int>();
  rim.begin.resize(static_cast<std::size_t>(in.take<std::int64_t>()));
  in.take(std::span<Id>(rim.begin));
  rim.bits.resize((rim.begin.size() - 1) * static_cast<std::size_t>(rim.words));
  in.take(std::span<Word>(rim.bits));
  rim.of.resize(rim.begin.back());
  in.take(std::span<Id>(rim.of));
  for (auto& column : rim.column) {
    column.resize(static_cast<std::size_t>(n.j * n.k));
    in.take(std::span<Id>(column));
  }
  return tile;
}

std::map<int, Joins::Foreign> Joins::exchange_rims(std::vector<TileClusters> const& tiles, Lattice const& lattice) {
  core::Timed const timed(core::Part::halo);
  core::Grid const& grid = layout_.grid();
  auto steps = steps_before(lattice);
  for (Step& step : steps) step = {-step[0], -step[1], -step[2]};  // to the tiles that look here
  std::map<int, core::Bytes> outgoing;
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    std::set<int> ranks;
    for_each_beside(grid, layout_.info(slot).tile, steps, [&](int there, Periods const&, Step const&) {
      if (layout_.slot(there) < 0) ranks.insert(layout_.owner(there));
    });
    for (int rank : ranks) write_rim(slot, tiles[static_cast<std::size_t>(slot)], outgoing[rank]);
  }
  std::map<int, Foreign> result;
  for (auto const& [rank, bytes] : layout_.comm().exchange(outgoing)) {
    core::ByteReader in(bytes);
    while (!in.done()) {
      int const tile = in.take<int>();
      result[tile] = read_rim(in, shape_of(grid, tile));
    }
  }
  return result;
}

std::vector<Joins::Joint> Joins::foreign_joints(std::vector<TileClusters> const& tiles, Lattice const& lattice) {
  core::Grid const& grid = layout_.grid();
  auto const foreign = exchange_rims(tiles, lattice);
  auto const steps = steps_before(lattice);
  std::vector<Joint> joints;
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for_each_beside(grid, layout_.info(slot).tile, steps, [&](int there, Periods const& periods, Step const& step) {
      if (layout_.slot(there) >= 0) return;
      Foreign const& other = foreign.at(there);
      auto const here = static_cast<std::size_t>(slot);
      for_each_link(layout_.info(slot), tiles[here], step, shape_of(grid, there), other.rim, lattice, [&](Id a, Id b) {
        Place const place = find(offset_[here] + a);
        Joint const joint{key(place.root), other.key[b], place.from_root + periods - other.from_root[b]};
        if (joints.empty() || joints.back() != joint) joints.push_back(joint);
      });
    });
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

/// The joints of all ranks.
std::vector<Joins::Joint> Joins::share(std::vector<Joint> const& joints) const {
  core::Bytes message;
  core::append(message, std::span<Joint const>(joints));
  std::map<int, core::Bytes> outgoing;
  for (int rank = 0; rank < layout_.comm().size(); ++rank) outgoing[rank] = message;
  std::vector<Joint> all;
  for (auto const& [rank, bytes] : layout_.comm().exchange(outgoing)) {
    core::ByteReader in(bytes);
    std::size_t const before = all.size();
    all.resize(before + bytes.size() / sizeof(Joint));
    in.take(std::span<Joint>(all).subspan(before));
  }
  return all;
}

/// The records of the parts of these keys, each from the rank that has it.
std::vector<Record> Joins::share_records(std::vector<Key> const& keys) const {
  struct Entry {
    std::int64_t at;
    Record record;
  };
  core::Bytes message;
  for (std::size_t n = 0; n < keys.size(); ++n)
    if (int const slot = layout_.slot(static_cast<int>(keys[n] >> 32)); slot >= 0)
      core::append(message, Entry{static_cast<std::int64_t>(n),
                                  record_[offset_[static_cast<std::size_t>(slot)] + static_cast<Id>(keys[n])]});
  std::map<int, core::Bytes> outgoing;
  for (int rank = 0; rank < layout_.comm().size(); ++rank) outgoing[rank] = message;
  std::vector<Record> records(keys.size());
  for (auto const& [rank, bytes] : layout_.comm().exchange(outgoing)) {
    core::ByteReader in(bytes);
    while (!in.done()) {
      auto const entry = in.take<Entry>();
      records[static_cast<std::size_t>(entry.at)] = entry.record;
    }
  }
  return records;
}

void Joins::join_ranks(std::vector<Joint> const& joints) {
  core::Timed const timed(core::Part::reduce);
  std::vector<Key> keys;
  for (Joint const& joint : joints) {
    keys.push_back(joint.a);
    keys.push_back(joint.b);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

  // the same union-find on every rank, over the parts that have joints
  Joins all(layout_);
  all.record_ = share_records(keys);
  all.parent_.resize(keys.size());
  for (Id n = 0; n < keys.size(); ++n) all.parent_[n] = n;
  all.from_parent_.assign(keys.size(), Periods{});
  auto const at = [&](Key key) {
    return static_cast<Id>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
  };
  for (Joint const& joint : joints) all.unite(at(joint.a), at(joint.b), joint.periods);

  // the rank that has a cluster's first part counts it
  for (Id n = 0; n < keys.size(); ++n) {
    int const slot = layout_.slot(static_cast<int>(keys[n] >> 32));
    if (slot < 0) continue;
    Id const own = offset_[static_cast<std::size_t>(slot)] + static_cast<Id>(keys[n]), whole = all.find(n).root;
    record_[own] = all.record_[whole];
    counted_elsewhere_[own] = whole != n;
  }
}

}  // namespace tessera::ca::clusters
