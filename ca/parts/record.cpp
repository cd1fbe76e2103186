// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/record.hpp"

#include <numeric>

namespace tessera::ca::parts {
namespace {

/// The axes that a walk of these periods winds round.
std::uint64_t winding(Periods const& periods) {
  std::uint64_t flags = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (periods.n[axis] != 0) flags |= wraps(axis);
  return flags;
}

}  // namespace

void PartSets::reset(std::vector<Record> records) {
  record_ = std::move(records);
  parent_.resize(record_.size());
  std::iota(parent_.begin(), parent_.end(), Id{0});
  from_parent_.assign(record_.size(), Periods{});
}

PartSets::Place PartSets::find(Id a) {
  // each part is hung on its grandparent on the way up
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

void PartSets::unite(Id a, Id b, Periods const& periods) {
  Place const pa = find(a), pb = find(b);
  Periods const between = pa.from_root + periods - pb.from_root;  // of b's root from a's root
  if (pa.root == pb.root) {
    record_[pa.root].flags |= winding(between);
    return;
  }
  bool const a_first = pa.root < pb.root;
  Id const root = a_first ? pa.root : pb.root, child = a_first ? pb.root : pa.root;
  parent_[child] = root;
  from_parent_[child] = a_first ? between : Periods{} - between;
  record_[root].add(record_[child]);
}

void PartSets::flatten(Id first, Id end) {
  for (Id n = first; n < end; ++n) {
    // parents come first and are flat already
    Id const p = parent_[n];
    if (parent_[p] == p) continue;
    from_parent_[n] = from_parent_[n] + from_parent_[p];
    parent_[n] = parent_[p];
  }
}

}  // namespace tessera::ca::parts
