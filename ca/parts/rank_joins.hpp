// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/record.hpp"
#include "core/grid/layout.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tessera::ca::parts {

/// Number of a component of one rank, unique in the grid: by a tile that it has a part in, and the part's number there.
using Key = std::int64_t;
inline Key make_key(int tile, Id part) { return (Key{tile} << 32) + part; }
inline int tile_of(Key key) { return static_cast<int>(key >> 32); }
inline Id part_of(Key key) { return static_cast<Id>(key); }

/// Component b is `periods` further than component a, and they are one.
struct Joint {
  Key a, b;
  Periods periods{};
  friend bool operator==(Joint const&, Joint const&) = default;
  friend auto operator<=>(Joint const&, Joint const&) = default;
};

/// Ranks first .. last.
struct RankRange {
  int first, last;
  bool holds(RankRange const& other) const { return first <= other.first && other.last <= last; }
};

/// What a group of neighbouring ranks tells of its components: those that ranks outside the group know of, and no others.
struct Bundle {
  /// A component as far as the group knows it; `key`: the smallest of its parts.
  struct Component {
    Key key;
    Record record;
  };
  /// A part that has joints with ranks outside; `known_to`: all ranks it has joints with.
  struct End {
    Key key;
    Id component;
    Periods from_root;
    RankRange known_to;
  };
  std::vector<Component> components;
  std::vector<End> ends;      ///< by key
  std::vector<Joint> joints;  ///< with parts of ranks outside

  core::Bytes packed() const;
  static Bundle unpacked(core::Bytes const& bytes);
};

/// Two groups of ranks become one, `ranks`: their components are joined, and what nobody outside knows of is finished.
class Meeting {
 public:
  Meeting(Bundle lower, Bundle upper, RankRange ranks);

  /// What the group tells. To be called once.
  Bundle take_bundle() { return std::move(bundle_); }
  /// Whole components of what the group tells, in its order -> of what each half told, in theirs.
  void resolve(std::vector<Bundle::Component> const& answers, std::vector<Bundle::Component>& lower,
               std::vector<Bundle::Component>& upper) const;

 private:
  static constexpr Id finished = std::numeric_limits<Id>::max();
  std::vector<Id> root_;                   // of each component told by the halves, the lower's first
  std::vector<Bundle::Component> merged_;  // by root
  std::vector<Id> place_;                  // of a root in the bundle, or `finished`
  std::size_t lower_components_ = 0;
  Bundle bundle_;
};

/// A component of this rank that has joints with others, and the whole it belongs to; `whole.key` is the smallest key of
/// its parts.
struct JoinedComponent {
  Key key;
  Bundle::Component whole;
};

/// Joins components over all ranks: up a binary tree over the ranks and down again. Ranks are numbered node by node, so
/// groups meet within their nodes first. A group of ranks tells only of components that go on outside it: no rank ever
/// holds more than lies at the border of the groups that meet on it, 64 B a component and 32 B a joint there.
///
/// `joints`: of parts of this rank (a) with parts of others (b), each found by one of the two ranks. `record`: of a
/// part of this rank. Returns this rank's components with joints, by key. Joints that do not agree on the periods between
/// two parts close a walk round the grid and set the flags `wraps` of the whole. Collective.
std::vector<JoinedComponent> join_over_ranks(core::Layout const& layout, std::vector<Joint> joints,
                                             std::function<Record(Key)> const& record);

}  // namespace tessera::ca::parts
