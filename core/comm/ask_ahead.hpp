// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

namespace tessera::core {

/// How many tasks a rank asks for ahead of its need: as many as it works through while an answer is on its way, so that it
/// never waits, and no more, since what it holds nobody else can take. Both times are smoothed, and the number moves by one
/// a task, as tasks may differ and latencies change.
///
/// Source: Teodoro et al. 2012, Cluster Computing 15(2):125, "dynamic queue adaptation": requests = latency / time of a task.
class AskAhead {
 public:
  /// A task has come, `latency` after it was asked for, and took `work` [s].
  void worked(double latency, double work) {
    double const share = tasks_++ == 0 ? 1 : 0.25;
    latency_ += share * (latency - latency_);
    work_ += share * (work - work_);
    constexpr double most = 10'000;
    int const wanted = static_cast<int>(std::clamp(std::ceil(latency_ / std::max(work_, 1e-9)), 1.0, most));
    in_flight_ += (wanted > in_flight_) - (wanted < in_flight_);
  }
  /// Requests that hide the latency, 1 at least.
  int in_flight() const { return in_flight_; }
  /// Requests to have out while a task is at work: none where the latency is below a hundredth of a task's time. A task
  /// held back behind a long one may cost more than that at the end of all tasks.
  int ahead() const { return tasks_ == 0 || latency_ < 0.01 * work_ ? 0 : in_flight_; }

 private:
  long tasks_ = 0;
  double latency_ = 0, work_ = 0;
  int in_flight_ = 1;
};

}  // namespace tessera::core
