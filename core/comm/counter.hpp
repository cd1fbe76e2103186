// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

namespace tessera::core {

/// A number on the root that any rank may take and raise at any time, 0 at first. Made and destroyed collectively.
class Counter {
 public:
  explicit Counter(Comm const& comm);
  ~Counter();
  Counter(Counter const&) = delete;
  Counter& operator=(Counter const&) = delete;

  /// The value before `add` was added. Not collective.
  std::int64_t take(std::int64_t add);

 private:
  std::int64_t* value_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace tessera::core
