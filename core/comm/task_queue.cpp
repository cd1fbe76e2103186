// SPDX-License-Identifier: Apache-2.0
#include "core/comm/task_queue.hpp"

#include "core/comm/delay.hpp"
#include "core/comm/waiting.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::core {
namespace {
// Added to the number of places given out: the root is putting tasks in order, ask again; and nobody gets another one, once
// a rank. All that is done to that number is adding: MPI promises no more of different operations at a time.
constexpr std::int64_t in_work = std::int64_t{1} << 44, closed = std::int64_t{1} << 45;
}  // namespace

TaskQueue::TaskQueue(Comm const& comm, RootNumbers& numbers, std::int64_t n) : n_(n), numbers_(numbers) {
  if (comm.root()) {
    std::iota(numbers_.memory() + 1, numbers_.memory() + 1 + n, std::int64_t{0});
    MPI_Win_sync(numbers_.window());
  }
}

TaskQueue::~TaskQueue() {
  // answers write to the requests
  for (Request& request : requests_) MPI_Wait(&request.handle, MPI_STATUS_IGNORE);
}

void TaskQueue::start(Request& request) {
  static std::int64_t const one = 1;
  numbers_.start_adding(0, one, request.place, request.handle);
}

void TaskQueue::ask() {
  Request& request = requests_.emplace_back();
  request.asked = request.looked = Delay::now();
  start(request);
}

void TaskQueue::look(Request& request) {
  int done = 1;
  while (!request.there) {
    MPI_Test(&request.handle, &done, MPI_STATUS_IGNORE);
    if (done == 0) return;
    bool const none = request.place >= closed || (request.place >= n_ && request.place < in_work);
    if (request.placed || none) {
      if (none) {
        request.task = n_;
        was_cut_ = was_cut_ || request.place % in_work < n_;
      }
      request.there = true;
    } else if (request.place >= in_work) {
      return start(request);
    } else {
      request.placed = true;
      MPI_Rget(&request.task, 1, MPI_INT64_T, 0, request.place + 1, 1, MPI_INT64_T, numbers_.window(), &request.handle);
    }
  }
}

void TaskQueue::look_at_all() {
  for (Request& request : requests_) {
    if (request.there) continue;
    look(request);
    double const now = Delay::now();
    request.there = request.there && now >= request.asked + delay().seconds;
    if (request.there)
      request.latency = (request.looked + now) / 2 - request.asked;
    else
      request.looked = now;
  }
}

std::int64_t TaskQueue::take() {
  for (bool none = false;;) {
    if (requests_.empty() && !lost_.empty()) {
      std::int64_t const task = lost_.back();
      lost_.pop_back();
      return task;
    }
    if (requests_.empty() && none) return n_;
    if (requests_.empty()) ask();
    wait_politely([this] {
      look_at_all();
      return requests_.front().there;
    });
    std::int64_t const task = requests_.front().task;
    latency_ = requests_.front().latency;
    requests_.pop_front();
    if (task < n_) return task;
    // one that was asked for later may have come before the end: where the first had to ask again
    none = true;
  }
}

void TaskQueue::close() {
  lost_.clear();
  add(closed);
}

void TaskQueue::reorder(std::function<void(std::span<std::int64_t>)> const& sort) {
  std::int64_t const before = add(in_work), first = std::min(before, n_);
  MPI_Win_sync(numbers_.window());
  std::span const open(numbers_.memory() + 1 + first, static_cast<std::size_t>(n_ - first));
  sort(open);
  MPI_Win_sync(numbers_.window());
  // Those who asked meanwhile ask again, and the places that they were given are taken back: all but those of ranks that
  // asked between the look and the taking back. These tasks the root takes itself.
  std::int64_t const given = (add(0) - before) % in_work;
  std::int64_t const lost = (add(-in_work - given) - before - given) % in_work;
  for (std::int64_t n = 0; n < std::min(lost, std::ssize(open)); ++n) lost_.push_back(open[n]);
}

}  // namespace tessera::core
