// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/joins.hpp"

#include "ca/parts/far_links.hpp"
#include "ca/parts/links.hpp"
#include "core/error.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tessera::ca::parts {
namespace {

/// A tile of another rank: what it shows of its border, and root and distance of each border part there.
template <class Shown>
struct Foreign {
  Shown shown;
  std::vector<Key> key;
  std::vector<Periods> from_root;
};

}  // namespace

Key Joins::key(Id node) const {
  auto const slot = std::upper_bound(offset_.begin(), offset_.end(), node) - offset_.begin() - 1;
  return make_key(layout_.info(static_cast<int>(slot)).tile, node - offset_[slot]);
}

void Joins::join(std::vector<TileParts> const& tiles, Lattice const& lattice) {
  if (lattice.listed)
    join_all(FarLinks(layout_, tiles, lattice));
  else
    join_all(LatticeLinks(layout_, tiles, lattice));
}
void Joins::join(std::vector<Strips> const& tiles) { join_all(RingLinks(layout_, tiles)); }

template <class Links>
void Joins::join_all(Links const& links) {
  std::vector<Record> records;
  offset_.clear();
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    offset_.push_back(static_cast<Id>(records.size()));
    links.append_records(slot, records);
  }
  core::expect(records.size() < std::numeric_limits<Id>::max(), "more parts at tile borders than 32 bits can number");
  counted_elsewhere_.assign(records.size(), false);
  sets_.reset(std::move(records));

  for (int slot = 0; slot < layout_.tiles(); ++slot)
    links.for_each_looked_at(slot, [&](int there, Periods const& periods, Step const& step) {
      int const other = layout_.slot(there);
      if (other < 0) return;
      Id last_a = 0, last_b = 0;
      bool any = false;
      links.for_each_link(slot, step, there, links.shown(other), [&](Id a, Id b) {
        if (any && a == last_a && b == last_b) return;
        any = true;
        last_a = a;
        last_b = b;
        sets_.unite(offset_[slot] + a, offset_[other] + b, periods);
      });
    });
  sets_.flatten();
  if (layout_.comm().size() > 1) join_ranks(foreign_joints(links));
}

template <class Links>
std::vector<Joint> Joins::foreign_joints(Links const& links) {
  // each tile's border goes to the ranks of the tiles that look at it
  std::map<int, Foreign<typename Links::Shown>> foreign;
  {
    core::Timed const timed(core::Part::halo);
    std::map<int, core::Bytes> outgoing;
    for (int slot = 0; slot < layout_.tiles(); ++slot) {
      std::set<int> ranks;
      links.for_each_looking(slot, [&](int there, Periods const&, Step const&) {
        if (layout_.slot(there) < 0) ranks.insert(layout_.owner(there));
      });
      if (ranks.empty()) continue;
      Id const begin = offset_[slot], end = slot + 1 < layout_.tiles() ? offset_[slot + 1] : sets_.size();
      core::Bytes bytes;
      core::append(bytes, layout_.info(slot).tile);
      core::append(bytes, end - begin);
      for (Id node = begin; node < end; ++node) {
        auto const place = sets_.find(node);
        core::append(bytes, key(place.root));
        core::append(bytes, place.from_root);
      }
      Links::write(links.shown(slot), bytes);
      for (int rank : ranks) outgoing[rank].insert(outgoing[rank].end(), bytes.begin(), bytes.end());
    }
    for (auto const& [rank, bytes] : layout_.comm().exchange(outgoing)) {
      core::ByteReader in(bytes);
      while (!in.done()) {
        int const number = in.take<int>();
        auto& tile = foreign[number];
        for (Id n = in.take<Id>(); n > 0; --n) {
          tile.key.push_back(in.take<Key>());
          tile.from_root.push_back(in.take<Periods>());
        }
        Links::read(in, layout_.grid().tile_box(number).shape(), tile.shown);
      }
    }
  }

  std::vector<Joint> joints;
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    links.for_each_looked_at(slot, [&](int there, Periods const& periods, Step const& step) {
      if (layout_.slot(there) >= 0) return;
      auto const& other = foreign.at(there);
      links.for_each_link(slot, step, there, other.shown, [&](Id a, Id b) {
        auto const place = sets_.find(offset_[slot] + a);
        Joint const joint{key(place.root), other.key[b], place.from_root + periods - other.from_root[b]};
        if (joints.empty() || joints.back() != joint) joints.push_back(joint);
      });
    });
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

void Joins::join_ranks(std::vector<Joint> joints) {
  auto const own = [&](Key key) { return offset_[layout_.slot(tile_of(key))] + part_of(key); };
  auto const joined = join_over_ranks(layout_, std::move(joints), [&](Key key) { return sets_.record(own(key)); });
  // the rank that has a cluster's first part counts it; own sets that met elsewhere become one here, too
  std::map<Key, Id> representative;
  for (auto const& [key, whole] : joined) {
    Id const root = own(key);
    auto const [place, fresh] = representative.emplace(whole.key, root);
    if (!fresh) {
      sets_.hang(root, place->second);
      continue;
    }
    sets_.record(root) = whole.record;
    counted_elsewhere_[root] = whole.key != key;
  }
  sets_.flatten();
}

}  // namespace tessera::ca::parts
