// SPDX-License-Identifier: Apache-2.0
// The tree of meetings without ranks: groups of any number of imagined ranks, against one union-find over all.
#include "ca/parts/rank_joins.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace tessera::ca::parts {
namespace {

/// A world of ranks with parts, and joints between parts of neighbouring ranks.
struct World {
  int ranks, parts;
  std::vector<Joint> joints;

  int owner(Key key) const { return static_cast<int>(key / parts); }
  Record record(Key key) const { return {key + 1, key % 7 + 1, std::uint64_t{1} << (key % 5)}; }
  /// What a rank begins with.
  Bundle bundle(int rank) const {
    std::map<Key, RankRange> known;
    Bundle bundle;
    for (Joint const& joint : joints) {
      for (auto [mine, other] : {std::pair(joint.a, joint.b), std::pair(joint.b, joint.a)}) {
        if (owner(mine) != rank) continue;
        RankRange& r = known.try_emplace(mine, RankRange{rank, rank}).first->second;
        r = {std::min(r.first, owner(other)), std::max(r.last, owner(other))};
      }
      if (owner(joint.a) == rank) bundle.joints.push_back(joint);
    }
    for (auto const& [key, ranks_of] : known) {
      bundle.ends.push_back({key, static_cast<Id>(bundle.components.size()), {}, ranks_of});
      bundle.components.push_back({key, record(key)});
    }
    return bundle;
  }
};

/// The whole tree over a world's ranks.
class Tree {
 public:
  explicit Tree(World const& world) : world_(world) {}

  /// The whole of each part that has joints.
  std::map<Key, Bundle::Component> run() {
    result_.clear();
    most_told_ = 0;
    Answer answer;
    Bundle const top = build(0, world_.ranks, answer);
    EXPECT_TRUE(top.components.empty() && top.ends.empty() && top.joints.empty());
    answer({});
    return result_;
  }
  std::size_t most_told() const { return most_told_; }

 private:
  /// Takes the wholes of what a group told down to its ranks.
  using Answer = std::function<void(std::vector<Bundle::Component> const&)>;
  /// What ranks first .. end - 1 tell.
  Bundle build(int first, int end, Answer& answer) {
    if (end - first == 1) {
      auto bundle = Bundle::unpacked(world_.bundle(first).packed());
      std::vector<Key> keys;
      for (auto const& c : bundle.components) keys.push_back(c.key);
      answer = [this, keys](std::vector<Bundle::Component> const& wholes) {
        ASSERT_EQ(wholes.size(), keys.size());
        for (std::size_t n = 0; n < keys.size(); ++n) result_[keys[n]] = wholes[n];
      };
      return bundle;
    }
    int half = 1;
    while (half * 2 < end - first) half *= 2;
    Answer lower, upper;
    Bundle a = build(first, first + half, lower), b = build(first + half, end, upper);
    auto meeting = std::make_shared<Meeting>(std::move(a), std::move(b), RankRange{first, end - 1});
    answer = [meeting, lower, upper](std::vector<Bundle::Component> const& wholes) {
      std::vector<Bundle::Component> mine, theirs;
      meeting->resolve(wholes, mine, theirs);
      lower(mine);
      upper(theirs);
    };
    Bundle bundle = meeting->take_bundle();
    most_told_ = std::max(most_told_, bundle.ends.size());
    return bundle;
  }

  World const& world_;
  std::map<Key, Bundle::Component> result_;
  std::size_t most_told_ = 0;
};

void expect_like_one_union(World const& world) {
  std::vector<Record> records;
  for (Key key = 0; key < world.ranks * world.parts; ++key) records.push_back(world.record(key));
  PartSets all;
  all.reset(records);
  for (Joint const& joint : world.joints) all.unite(static_cast<Id>(joint.a), static_cast<Id>(joint.b), joint.periods);

  auto const wholes = Tree(world).run();
  std::size_t with_joints = 0;
  for (Joint const& joint : world.joints)
    for (Key key : {joint.a, joint.b}) {
      ASSERT_TRUE(wholes.contains(key));
      Id const root = all.find(static_cast<Id>(key)).root;
      EXPECT_EQ(wholes.at(key).key, Key{root});
      EXPECT_EQ(wholes.at(key).record.first, all.record(root).first);
      EXPECT_EQ(wholes.at(key).record.cells, all.record(root).cells);
      EXPECT_EQ(wholes.at(key).record.flags, all.record(root).flags);
      ++with_joints;
    }
  EXPECT_EQ(with_joints, 2 * world.joints.size());
}

TEST(RankJoins, AnyNumberOfRanksJoinAsOneUnionFindDoes) {
  std::mt19937 random(3);
  for (int ranks : {2, 3, 5, 8, 13, 64})
    for (int joints : {1, 10, 300}) {
      World world{ranks, 9, {}};
      std::uniform_int_distribution<Key> part(0, ranks * world.parts - 1);
      std::uniform_int_distribution<int> period(-1, 1);
      // distances that agree, but for one joint in ten
      while (static_cast<int>(world.joints.size()) < joints) {
        Joint joint{part(random), part(random), {}};
        if (world.owner(joint.a) == world.owner(joint.b)) continue;
        if (random() % 10 == 0) joint.periods.n[random() % 3] = period(random);
        world.joints.push_back(joint);
      }
      expect_like_one_union(world);
    }
}

TEST(RankJoins, WalksRoundTheGridAreFoundWhereverTheyClose) {
  // a ring of ranks: part 0 of each goes on in the next, the last one a period further in the first
  for (int ranks : {2, 3, 7, 16})
    for (int turned : {0, 1}) {
      World world{ranks, 5, {}};
      for (int r = 0; r + 1 < ranks; ++r) world.joints.push_back({r * 5, (r + 1) * 5, {}});
      Joint last{(ranks - 1) * 5, 0, {}};
      last.periods.n[1] = turned;
      world.joints.push_back(last);
      auto const wholes = Tree(world).run();
      for (auto const& [key, whole] : wholes) EXPECT_EQ((whole.record.flags & wraps(1)) != 0, turned == 1) << ranks;
      EXPECT_EQ(wholes.size(), static_cast<std::size_t>(ranks));
    }
}

TEST(RankJoins, AGroupTellsOnlyOfWhatGoesOnOutside) {
  // a chain of 64 ranks, each with 20 clusters that go on to the next rank and end there: at any border lie 20
  World world{64, 40, {}};
  for (int r = 0; r + 1 < world.ranks; ++r)
    for (int n = 0; n < 20; ++n) world.joints.push_back({r * 40 + n, (r + 1) * 40 + 20 + n, {}});
  Tree tree(world);
  tree.run();
  EXPECT_LE(tree.most_told(), 40U);
  expect_like_one_union(world);
}

}  // namespace
}  // namespace tessera::ca::parts
