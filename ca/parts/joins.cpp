// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/joins.hpp"

#include "ca/parts/links.hpp"
#include "core/error.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace tessera::ca::clusters {
namespace {

core::Index shape_of(core::Grid const& grid, int tile) { return grid.tile_box(tile).shape(); }

/// Calls f(tile, periods, step) for the tiles at these steps from a tile, as far as there are any.
template <class F>
void for_each_beside(core::Grid const& grid, int tile, std::vector<Step> const& steps, F const& f) {
  for (Step const& step : steps)
    if (auto const there = beside(grid, tile, step)) f(there->tile, there->periods, step);
}

}  // namespace

Key Joins::key(Id node) const {
  auto const slot =
      static_cast<std::size_t>(std::upper_bound(offset_.begin(), offset_.end(), node) - offset_.begin() - 1);
  return components::make_key(layout_.info(static_cast<int>(slot)).tile, node - offset_[slot]);
}

void Joins::join(std::vector<TileClusters> const& tiles, Lattice const& lattice) {
  start(tiles);
  join_own(tiles, lattice);
  if (layout_.comm().size() > 1) join_ranks(foreign_joints(tiles, lattice));
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
  std::vector<Record> records(nodes);
  counted_elsewhere_.assign(nodes, false);
  for (std::size_t q = 0; q < tiles.size(); ++q) {
    TileClusters const& tile = tiles[q];
    core::TileInfo const& info = layout_.info(static_cast<int>(q));
    for (Id part = 0; part < tile.count(); ++part)
      if (tile.border[part] != 0)
        records[offset_[q] + tile.border[part] - 1] = {grid_number(grid, info, tile.first[part]) + 1, tile.cells[part],
                                                       tile.flags[part]};
  }
  parts_.reset(std::move(records));
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
                      parts_.unite(offset_[here] + a, offset_[q] + b, periods);
                    });
    });
  parts_.flatten();
}

/// Appends the rim of an own tile, and root and distance of its border parts, for other ranks.
void Joins::write_rim(int slot, TileClusters const& tile, core::Bytes& bytes) {
  Rim const& rim = tile.rim;
  core::append(bytes, layout_.info(slot).tile);
  core::append(bytes, tile.borders);
  for (Id part = 0; part < tile.borders; ++part) {
    auto const place = parts_.find(offset_[slot] + part);
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
  rim.begin.resize(in.take<std::int64_t>());
  in.take(std::span<Id>(rim.begin));
  rim.bits.resize((rim.begin.size() - 1) * static_cast<std::size_t>(rim.words));
  in.take(std::span<Word>(rim.bits));
  rim.of.resize(rim.begin.back());
  in.take(std::span<Id>(rim.of));
  for (auto& column : rim.column) {
    column.resize(n.j * n.k);
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
    for (int rank : ranks) write_rim(slot, tiles[slot], outgoing[rank]);
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

std::vector<Joint> Joins::foreign_joints(std::vector<TileClusters> const& tiles, Lattice const& lattice) {
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
        auto const place = parts_.find(offset_[here] + a);
        Joint const joint{key(place.root), other.key[b], place.from_root + periods - other.from_root[b]};
        if (joints.empty() || joints.back() != joint) joints.push_back(joint);
      });
    });
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

void Joins::join_ranks(std::vector<Joint> joints) {
  auto const own = [&](Key key) { return offset_[layout_.slot(components::tile_of(key))] + components::part_of(key); };
  auto const joined =
      components::join_over_ranks(layout_, std::move(joints), [&](Key key) { return parts_.record(own(key)); });
  // the rank that has a cluster's first part counts it
  for (auto const& [key, whole] : joined) {
    parts_.record(own(key)) = whole.record;
    counted_elsewhere_[own(key)] = whole.key != key;
  }
}

}  // namespace tessera::ca::clusters
