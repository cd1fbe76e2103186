// SPDX-License-Identifier: Apache-2.0
#include "core/comm/task_queue.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::core {

TaskQueue::TaskQueue(Comm const& comm, std::int64_t n) : n_(n) {
  std::int64_t const numbers = comm.root() ? n + 1 : 0;
  MPI_Win_allocate(numbers * static_cast<MPI_Aint>(sizeof(std::int64_t)), sizeof(std::int64_t), MPI_INFO_NULL,
                   comm.handle(), &memory_, &window_);
  if (comm.root()) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window_);
    memory_[0] = 0;
    std::iota(memory_ + 1, memory_ + 1 + n, std::int64_t{0});
    MPI_Win_unlock(0, window_);
  }
  comm.barrier();
}

TaskQueue::~TaskQueue() { MPI_Win_free(&window_); }

std::int64_t TaskQueue::add(std::int64_t number, std::int64_t* task) {
  std::int64_t before = 0;
  // the root's lock for another order is exclusive: the place and what stands there belong together
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window_);
  MPI_Fetch_and_op(&number, &before, MPI_INT64_T, 0, 0, MPI_SUM, window_);
  MPI_Win_flush(0, window_);
  if (task && before < n_) MPI_Get(task, 1, MPI_INT64_T, 0, before + 1, 1, MPI_INT64_T, window_);
  MPI_Win_unlock(0, window_);
  return before;
}

std::int64_t TaskQueue::take() {
  std::int64_t task = n_;
  add(1, &task);
  return task;
}

void TaskQueue::close() { add(n_, nullptr); }

void TaskQueue::reorder(std::function<void(std::span<std::int64_t>)> const& sort) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window_);
  std::int64_t const taken = std::min(memory_[0], n_);
  sort({memory_ + 1 + taken, static_cast<std::size_t>(n_ - taken)});
  MPI_Win_unlock(0, window_);
}

}  // namespace tessera::core
