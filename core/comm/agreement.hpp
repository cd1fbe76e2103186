// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <memory>

namespace tessera::core {

/// Flags that any rank may raise at any moment and that all ranks see at the same step.
///
/// Each call hands in this rank's flags and returns those that were raised on some rank up to the call before: the
/// ranks' flags are joined by a non-blocking reduction that runs while they compute a step, so no rank waits for it.
class Agreement {
 public:
  /// Collective.
  explicit Agreement(Comm const& comm);
  /// Collective, unless an exception passes by: then nothing is waited for, and what MPI may still write to stays.
  ~Agreement();
  Agreement(Agreement const&) = delete;
  Agreement& operator=(Agreement const&) = delete;

  /// Collective.
  unsigned operator()(unsigned mine);

 private:
  int exceptions_;
  MPI_Comm comm_ = MPI_COMM_NULL;  // its own, so that other reductions may run beside
  Requests request_;               // at most one
  struct Flags {
    unsigned mine = 0, all = 0;
  };
  // apart, since a reduction that nobody waits for writes to them later
  std::unique_ptr<Flags> flags_ = std::make_unique<Flags>();
};

}  // namespace tessera::core
