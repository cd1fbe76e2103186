// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/root_numbers.hpp"

#include <functional>
#include <list>
#include <span>

namespace tessera::core {

/// Tasks 0 .. n - 1 that any rank may take at any time, in an order that the root may change meanwhile. A rank may ask for
/// tasks ahead of its need: the answers come while it works, and what it has asked for nobody else gets.
class TaskQueue {
 public:
  /// How many numbers it takes on the root, for n tasks.
  static constexpr std::int64_t numbers(std::int64_t n) { return n + 1; }
  /// These are the first of `numbers`, which outlive it. On all ranks; none takes a task before a barrier that follows.
  TaskQueue(Comm const& comm, RootNumbers& numbers, std::int64_t n);
  ~TaskQueue();
  TaskQueue(TaskQueue const&) = delete;
  TaskQueue& operator=(TaskQueue const&) = delete;

  /// Asks for a task and does not wait. Not collective. Cost: an atomic addition and a read on the root, later.
  void ask();
  /// Requests that `take` has not handed out.
  int asked() const { return static_cast<int>(requests_.size()); }
  /// The task that was asked for first (now, where none was), n where none is left. Not collective.
  std::int64_t take();
  /// Time from asking for the last task taken to its answer [s]. An answer came somewhen between two looks at it: that is
  /// taken to be half way. `core::delay` makes answers late.
  double latency() const { return latency_; }
  /// Nobody gets another task, but for those asked for. Not collective.
  void close();
  /// Whether `take` has found that another rank closed it while tasks were left: by a signal, or an error.
  bool was_cut() const { return was_cut_; }
  /// On the root: `sort` may put the tasks that nobody has asked for, from the next one on, into another order. Who asks
  /// meanwhile waits.
  void reorder(std::function<void(std::span<std::int64_t>)> const& sort);

 private:
  struct Request {
    MPI_Request handle = MPI_REQUEST_NULL;
    std::int64_t place = 0, task = 0;
    bool placed = false, there = false;
    double asked = 0, looked = 0;  ///< when it began, and when it was not there yet [s of Delay::now]
    double latency = 0;            ///< [s], of what is there
  };
  void start(Request& request);
  void look(Request& request);
  void look_at_all();
  /// Adds to the number of places given out, and gives what it was.
  std::int64_t add(std::int64_t number) { return numbers_.add(0, number); }

  std::int64_t n_;
  RootNumbers& numbers_;            ///< how many are taken, then the tasks in their order
  std::list<Request> requests_;     ///< MPI writes to them: they stay where they are
  std::vector<std::int64_t> lost_;  ///< on the root: tasks for which a rank was not told its place
  double latency_ = 0;
  bool was_cut_ = false;
};

}  // namespace tessera::core
