// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <functional>
#include <span>

namespace tessera::core {

/// Tasks 0 .. n - 1 that any rank may take at any time, in an order that the root may change meanwhile. Made and destroyed
/// collectively. Memory: 8 n B on the root.
class TaskQueue {
 public:
  TaskQueue(Comm const& comm, std::int64_t n);
  ~TaskQueue();
  TaskQueue(TaskQueue const&) = delete;
  TaskQueue& operator=(TaskQueue const&) = delete;

  /// The next task, n where none is left. Not collective. Cost: an atomic addition and a read on the root.
  std::int64_t take();
  /// Nobody gets another task. Not collective.
  void close();
  /// On the root: `sort` may put the tasks that nobody has taken, from the next one on, into another order.
  void reorder(std::function<void(std::span<std::int64_t>)> const& sort);

 private:
  std::int64_t add(std::int64_t number, std::int64_t* task);
  std::int64_t n_;
  std::int64_t* memory_ = nullptr;  ///< of the root: how many are taken, then the tasks in their order
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace tessera::core
