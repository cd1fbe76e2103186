// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>

namespace tessera::core {

/// Seconds that this thread has had a core.
double thread_seconds();

/// The clock of a rank of an emulated cluster (emulation.hpp). While the rank computes, it goes on by the time that the
/// rank's thread has a core, over the rank's speed: ranks that share a core do not slow each other's clocks. While the rank
/// sends and waits it stands, and is then set to when the cluster would have brought what came. What looking at the thread's
/// time costs, a call of the kernel, is left out.
class EmulatedClock {
 public:
  using Steady = std::chrono::steady_clock;
  bool on() const { return speed_ > 0; }
  /// From now on, at the machine's time. `speed` above 0: 1 for a core of this machine.
  void start(double speed);
  /// Goes by the machine again.
  void stop() { speed_ = 0; }
  double seconds() const;

  /// Stands from the first of these calls to the last, which belong in pairs.
  void stand();
  void go_on();
  /// To this time, unless it is later already. The clock stands.
  void not_before(double seconds);

 private:
  double speed_ = 0, at_ = 0, since_ = 0;
  double look_ = 0;                 // seconds that one look takes
  mutable double seen_ = 0;         // the latest time shown since `since_`: no clock goes back
  mutable std::int64_t looks_ = 0;  // since `since_`
  int standing_ = 0;
};

/// The one of this process.
EmulatedClock& emulated_clock();

/// What runs are timed by: the machine's clock, or this rank's of the emulated cluster.
struct RunClock {
  using duration = EmulatedClock::Steady::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = EmulatedClock::Steady::time_point;
  static constexpr bool is_steady = true;
  static time_point now() {
    if (!emulated_clock().on()) return EmulatedClock::Steady::now();
    return time_point(std::chrono::duration_cast<duration>(std::chrono::duration<double>(emulated_clock().seconds())));
  }
};

}  // namespace tessera::core
