// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

namespace tessera::core {

/// Some ranks of a group that follow each other, as a group of their own. Made and destroyed collectively by these ranks; the
/// others take no part (MPI_Comm_create_group).
class Team {
 public:
  /// Ranks `first` .. `first + count - 1` of `comm`, this rank among them.
  Team(Comm const& comm, int first, int count);
  ~Team();
  Team(Team const&) = delete;
  Team& operator=(Team const&) = delete;

  Comm const& comm() const { return comm_; }

  /// After work that may have failed: whether it failed on all ranks or on none. Ranks that failed wait half a second for
  /// the others; who does not come by then waits in the work for them, and the answer is no.
  bool agrees(bool failed) const;

 private:
  MPI_Comm handle_ = MPI_COMM_NULL, errors_ = MPI_COMM_NULL;
  Comm comm_;
};

}  // namespace tessera::core
