// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/rank_joins.hpp"

#include "core/comm/binary_tree.hpp"
#include "core/error.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tessera::ca::parts {
namespace {

constexpr core::Tag tag = core::Tag::rank_joins;

template <class T>
void take_list(core::ByteReader& in, std::size_t count, std::vector<T>& list) {
  list.resize(count);
  in.take(std::span<T>(list));
}

bool by_key(Bundle::End const& a, Bundle::End const& b) { return a.key < b.key; }

/// The end of this key; nullptr: the group does not have it.
Bundle::End const* find(std::vector<Bundle::End> const& ends, Key key) {
  auto const place = std::lower_bound(ends.begin(), ends.end(), Bundle::End{key, 0, {}, {}}, by_key);
  return place != ends.end() && place->key == key ? &*place : nullptr;
}

/// The parts of this rank that have joints, and the ranks they have them with: others tell of those that they found.
std::map<Key, RankRange> known_parts(core::Layout const& layout, std::vector<Joint> const& joints) {
  int const me = layout.comm().rank();
  std::map<Key, RankRange> known;
  auto const add = [&](Key key, int rank) {
    RankRange& ranks = known.try_emplace(key, RankRange{me, me}).first->second;
    ranks = {std::min(ranks.first, rank), std::max(ranks.last, rank)};
  };
  std::map<int, std::vector<Key>> met;
  for (Joint const& joint : joints) {
    int const rank = layout.owner(tile_of(joint.b));
    add(joint.a, rank);
    met[rank].push_back(joint.b);
  }
  std::map<int, core::Bytes> outgoing;
  for (auto& [rank, keys] : met) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    core::append(outgoing[rank], std::span<Key const>(keys));
  }
  for (auto const& [rank, bytes] : layout.comm().exchange(outgoing)) {
    core::ByteReader in(bytes);
    while (!in.done()) add(in.take<Key>(), rank);
  }
  return known;
}

}  // namespace

core::Bytes Bundle::packed() const {
  std::array const counts{components.size(), ends.size(), joints.size()};
  std::array<std::span<std::byte const>, 4> const parts{
      std::as_bytes(std::span(counts)), std::as_bytes(std::span(components)), std::as_bytes(std::span(ends)),
      std::as_bytes(std::span(joints))};
  std::size_t size = 0;
  for (auto const& part : parts) size += part.size();
  core::Bytes bytes(size);
  auto at = bytes.begin();
  for (auto const& part : parts) at = std::copy(part.begin(), part.end(), at);
  return bytes;
}

Bundle Bundle::unpacked(core::Bytes const& bytes) {
  Bundle bundle;
  core::ByteReader in(bytes);
  auto const counts = in.take<std::array<std::size_t, 3>>();
  take_list(in, counts[0], bundle.components);
  take_list(in, counts[1], bundle.ends);
  take_list(in, counts[2], bundle.joints);
  return bundle;
}

Meeting::Meeting(Bundle lower, Bundle upper, RankRange ranks) : lower_components_(lower.components.size()) {
  merged_ = std::move(lower.components);
  merged_.insert(merged_.end(), upper.components.begin(), upper.components.end());
  for (Bundle::End& end : upper.ends) end.component += static_cast<Id>(lower_components_);
  std::vector<Bundle::End> ends(lower.ends.size() + upper.ends.size());
  std::merge(lower.ends.begin(), lower.ends.end(), upper.ends.begin(), upper.ends.end(), ends.begin(), by_key);

  std::vector<Record> records;
  for (Bundle::Component const& component : merged_) records.push_back(component.record);
  PartSets sets;
  sets.reset(std::move(records));
  for (auto const* half : {&lower.joints, &upper.joints})
    for (Joint const& joint : *half) {
      Bundle::End const *const a = find(ends, joint.a), *const b = find(ends, joint.b);
      core::expect(a != nullptr, "a group of ranks told of a joint but not of its part");
      if (b != nullptr)
        sets.unite(a->component, b->component, a->from_root + joint.periods - b->from_root);
      else
        bundle_.joints.push_back(joint);
    }
  for (Id n = 0; n < sets.size(); ++n) {
    root_.push_back(sets.find(n).root);
    Bundle::Component& whole = merged_[root_.back()];
    whole.key = std::min(whole.key, merged_[n].key);
    whole.record = sets.record(root_.back());
  }

  place_.assign(merged_.size(), finished);
  for (Bundle::End const& end : ends) {
    if (ranks.holds(end.known_to)) continue;
    auto const [root, from_root] = sets.find(end.component);
    if (place_[root] == finished) {
      place_[root] = static_cast<Id>(bundle_.components.size());
      bundle_.components.push_back(merged_[root]);
    }
    bundle_.ends.push_back({end.key, place_[root], from_root + end.from_root, end.known_to});
  }
}

void Meeting::resolve(std::vector<Bundle::Component> const& answers, std::vector<Bundle::Component>& lower,
                      std::vector<Bundle::Component>& upper) const {
  lower.clear();
  upper.clear();
  for (std::size_t n = 0; n < root_.size(); ++n) {
    Id const root = root_[n];
    (n < lower_components_ ? lower : upper)
        .push_back(place_[root] == finished ? merged_[root] : answers.at(place_[root]));
  }
}

std::vector<JoinedComponent> join_over_ranks(core::Layout const& layout, std::vector<Joint> joints,
                                             std::function<Record(Key)> const& record) {
  core::Timed const timed(core::Part::reduce);
  core::Comm const& comm = layout.comm();
  Bundle bundle;
  for (auto const& [key, ranks] : known_parts(layout, joints)) {
    bundle.ends.push_back({key, static_cast<Id>(bundle.components.size()), {}, ranks});
    bundle.components.push_back({key, record(key)});
  }
  bundle.joints = std::move(joints);
  std::vector<JoinedComponent> result;
  for (Bundle::Component const& own : bundle.components) result.push_back({own.key, own});

  core::BinaryTree const tree(comm.rank(), comm.size());
  std::vector<Meeting> meetings;
  for (auto const& child : tree.children) {
    meetings.emplace_back(std::move(bundle), Bundle::unpacked(comm.receive_block(child.rank, tag)),
                          RankRange{comm.rank(), child.end - 1});
    bundle = meetings.back().take_bundle();
  }
  std::vector<Bundle::Component> answers, to_child;
  if (tree.parent >= 0) {
    comm.send_block(tree.parent, bundle.packed(), tag);
    core::Bytes const bytes = comm.receive_block(tree.parent, tag);
    answers.resize(bytes.size() / sizeof(Bundle::Component));
    core::ByteReader(bytes).take(std::span<Bundle::Component>(answers));
  } else {
    core::expect(bundle.ends.empty(), "a part of a component is known to ranks that do not exist");
  }
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) {
    std::vector<Bundle::Component> mine;
    meetings.back().resolve(answers, mine, to_child);
    meetings.pop_back();
    answers = std::move(mine);
    core::Bytes bytes;
    core::append(bytes, std::span<Bundle::Component const>(to_child));
    comm.send_block(child->rank, bytes, tag);
  }
  for (std::size_t n = 0; n < result.size(); ++n) result[n].whole = answers[n];
  return result;
}

}  // namespace tessera::ca::parts
