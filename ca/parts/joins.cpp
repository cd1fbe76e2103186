// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/joins.hpp"

#include "ca/parts/far_links.hpp"
#include "ca/parts/links.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
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

template <class F>
void Joins::for_each_group(char const* label, F const& f) const {
  core::Count const tiles = layout_.tiles(),
                    groups = std::min<core::Count>(tiles, core::host_threads_for(layout_.cells()));
  core::for_each_by_threads(label, groups, groups > 0 ? layout_.cells() / groups : 0, [&](core::Count group) {
    f(static_cast<std::size_t>(group), static_cast<int>(tiles * group / groups),
      static_cast<int>(tiles * (group + 1) / groups));
  });
}

void Joins::flatten() {
  for_each_group("roots of parts",
                 [&](std::size_t, int first, int end) { sets_.flatten(offset_[first], offset_[end]); });
}

template <class Links>
void Joins::join_all(Links const& links) {
  std::size_t parts = 0;
  offset_.assign(1, 0);
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    parts += links.borders(slot);
    core::expect(parts < std::numeric_limits<Id>::max(), "more parts at tile borders than 32 bits can number");
    offset_.push_back(static_cast<Id>(parts));
  }
  std::vector<Record> records(parts);
  for_each_group("records of parts", [&](std::size_t, int first, int end) {
    for (int slot = first; slot < end; ++slot) links.set_records(slot, records.data() + offset_[slot]);
  });
  counted_elsewhere_.assign(parts, false);
  sets_.reset(std::move(records));
  join_here(links);
  if (layout_.comm().size() > 1) join_ranks(foreign_joints(links));
}

template <class Links>
void Joins::join_here(Links const& links) {
  struct Link {
    Id a, b;
    Periods periods;
  };
  std::vector<std::vector<Link>> between(
      static_cast<std::size_t>(core::host_threads()));  // groups, by the one that looks
  for_each_group("joins within groups", [&](std::size_t group, int first, int end) {
    for (int slot = first; slot < end; ++slot)
      links.for_each_looked_at(slot, [&](int there, Periods const& periods, Step const& step) {
        int const other = layout_.slot(there);
        if (other < 0) return;
        bool const within = other >= first && other < end;
        Id last_a = 0, last_b = 0;
        bool any = false;
        links.for_each_link(slot, step, there, links.shown(other), [&](Id a, Id b) {
          if (any && a == last_a && b == last_b) return;
          any = true;
          last_a = a;
          last_b = b;
          Link const link{offset_[slot] + a, offset_[other] + b, periods};
          if (within)
            sets_.unite(link.a, link.b, link.periods);
          else
            between[group].push_back(link);
        });
      });
    sets_.flatten(offset_[first], offset_[end]);
  });
  std::vector<Id> roots;  // of groups, that are joined with those of others
  for (auto const& list : between)
    for (Link const& link : list) {
      roots.push_back(sets_.root(link.a));
      roots.push_back(sets_.root(link.b));
    }
  if (roots.empty()) return;
  for (auto const& list : between)
    for (Link const& link : list) sets_.unite(link.a, link.b, link.periods);
  std::sort(roots.begin(), roots.end());
  for (Id const root : roots) sets_.flatten(root, root + 1);
  flatten();
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
      Id const begin = offset_[slot], end = offset_[slot + 1];
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
  flatten();
}

}  // namespace tessera::ca::parts
