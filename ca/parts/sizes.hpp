// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tessera::ca {

/// Clusters of a size: how many there are.
struct SizeCount {
  std::int64_t size, count;
  friend bool operator==(SizeCount const&, SizeCount const&) = default;
};

namespace parts {

/// Counts clusters by their size on this rank, and adds up over ranks.
class Sizes {
 public:
  void add(std::int64_t size) {
    // nearly all clusters are small
    if (size < static_cast<std::int64_t>(small_.size()))
      ++small_[size];
    else
      ++big_[size];
  }
  /// Over all ranks, smallest first, on each of them. Collective.
  std::vector<SizeCount> counts(core::Comm const& comm) const;

 private:
  std::vector<std::int64_t> small_ = std::vector<std::int64_t>(4096, 0);
  std::unordered_map<std::int64_t, std::int64_t> big_;
};

}  // namespace parts
}  // namespace tessera::ca
