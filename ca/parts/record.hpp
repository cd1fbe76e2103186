// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::ca::parts {

/// Number of a run, a node or a component within a tile.
using Id = std::uint32_t;

/// What is known of a component, added up over its parts.
struct Record {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();  ///< smallest cell number + 1
  std::int64_t cells = 0;
  std::uint64_t flags = 0;

  void add(Record const& other) {
    first = first < other.first ? first : other.first;
    cells += other.cells;
    flags |= other.flags;
  }
};

/// The flag of a component that winds round an axis.
inline std::uint32_t wraps(int axis) { return 1u << (8 + axis); }

/// Periods between two cells of the endless grid of images, along x, y, z.
struct Periods {
  std::array<std::int32_t, 3> n{};
  friend Periods operator+(Periods a, Periods const& b) {
    for (std::size_t q = 0; q < 3; ++q) a.n[q] += b.n[q];
    return a;
  }
  friend Periods operator-(Periods a, Periods const& b) {
    for (std::size_t q = 0; q < 3; ++q) a.n[q] -= b.n[q];
    return a;
  }
  friend bool operator==(Periods const&, Periods const&) = default;
  friend auto operator<=>(Periods const&, Periods const&) = default;
};

/// Parts 0 .. n - 1 of components with their records, as sets that are united: a union-find in which each part knows its
/// distance in periods from its parent. A link within a set that does not agree with the distances closes a walk round
/// the grid: the difference says along which axes, and the set gets the flags. The root of a set is its smallest part.
/// Threads may find, unite and flatten sets at the same time whose parts are none of another thread's.
/// Source: Machta, Choi, Lucke, Schweizer & Chayes 1996, Phys. Rev. E 54:1332.
class PartSets {
 public:
  struct Place {
    Id root;
    Periods from_root;
  };
  /// Each part is a set of its own.
  void reset(std::vector<Record> records);
  Id size() const { return static_cast<Id>(parent_.size()); }
  Place find(Id a);
  /// The sets of a and of b are one, with b `periods` further than a.
  void unite(Id a, Id b, Periods const& periods);
  /// Hangs the parts first <= n < end on their roots. The part that one of them hangs on is among them, or hangs on its root.
  void flatten(Id first, Id end);
  /// One root's parts count as those of another one from the next flatten on. Their distances are lost.
  void hang(Id root, Id on) { parent_[root] = on; }

  bool is_root(Id a) const { return parent_[a] == a; }
  /// After flatten.
  Id root(Id a) const { return parent_[a]; }
  /// Of a root: its set's.
  Record& record(Id root) { return record_[root]; }
  Record const& record(Id root) const { return record_[root]; }
  std::size_t bytes() const { return parent_.capacity() * (sizeof(Id) + sizeof(Periods) + sizeof(Record)); }

 private:
  std::vector<Id> parent_;
  std::vector<Periods> from_parent_;
  std::vector<Record> record_;
};

}  // namespace tessera::ca::parts
