// SPDX-License-Identifier: Apache-2.0
#include "core/comm/counter.hpp"

namespace tessera::core {

Counter::Counter(Comm const& comm) {
  MPI_Win_allocate(comm.root() ? sizeof(std::int64_t) : 0, sizeof(std::int64_t), MPI_INFO_NULL, comm.handle(), &value_,
                   &window_);
  if (comm.root()) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window_);
    *value_ = 0;
    MPI_Win_unlock(0, window_);
  }
  comm.barrier();
}

Counter::~Counter() { MPI_Win_free(&window_); }

std::int64_t Counter::take(std::int64_t add) {
  std::int64_t before = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window_);
  MPI_Fetch_and_op(&add, &before, MPI_INT64_T, 0, 0, MPI_SUM, window_);
  MPI_Win_unlock(0, window_);
  return before;
}

}  // namespace tessera::core
