// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/emulated_clock.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

namespace tessera::core {

/// What a rank spends its time on. At every moment exactly one part is running, so the parts sum to the wall time.
/// `foreign`: in libraries of others, where work and waiting cannot be told apart.
enum class Part { boot, compute, halo, reduce, io, in_situ, rebalance, idle, foreign };
inline constexpr std::size_t part_count = 9;
inline constexpr std::array<char const*, part_count> part_names{"boot",   "compute",   "halo", "reduce", "io",
                                                                "inSitu", "rebalance", "idle", "foreign"};

/// The stopwatch of this process [s]. Starts in `boot`; `Timed` switches to another part for a scope.
class Times {
 public:
  using Clock = RunClock;
  Part switch_to(Part part) {
    auto const now = Clock::now();
    seconds_[static_cast<std::size_t>(current_)] += std::chrono::duration<double>(now - since_).count();
    since_ = now;
    if (on_core_) count_on_core();
    Part const before = current_;
    current_ = part;
    return before;
  }
  Part current() const { return current_; }
  /// Seconds of each part so far, the running one included.
  std::array<double, part_count> seconds() {
    switch_to(current_);
    return seconds_;
  }
  /// The same, of the time that this thread really ran: counted from the first call of this function on.
  /// Switching parts then costs a call of the kernel, some 0.4 us.
  std::array<double, part_count> seconds_on_core();
  double wall() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  void restart() { *this = Times(); }

 private:
  void count_on_core();
  Clock::time_point begin_ = Clock::now(), since_ = begin_;
  Part current_ = Part::boot;
  std::array<double, part_count> seconds_{}, seconds_on_core_{};
  bool on_core_ = false;
  double on_core_since_ = 0;
};

/// The one stopwatch of this process.
Times& times();

/// What one solution of a linear system cost and reached. Residuals are OpenFOAM's normalised L1 residual.
struct SolveRecord {
  std::string solver, preconditioner, field;
  int iterations = 0;
  double initial = 0, final = 0;
  bool converged = false;    ///< `final` is below tolerance, or below relTol times `initial`
  bool at_rounding = false;  ///< stopped above the tolerance, where rounding keeps the residual
  double seconds = 0;
  double compute = 0;     ///< of `seconds`, those in which this rank computed
  std::string note = {};  ///< what a user should know of this solve, for the log; mostly empty
  bool slow = false;  ///< multigrid reduced the residual by less than a factor 1.4 an iteration: not its kind of medium
};

/// The clock of one solution.
class SolveClock {
 public:
  SolveClock() : compute_(computed()) {}
  /// Fills the seconds of the record, from the clock's beginning.
  void tell(SolveRecord& record) const {
    record.seconds = std::chrono::duration<double>(Times::Clock::now() - begin_).count();
    record.compute = computed() - compute_;
  }

 private:
  static double computed() { return times().seconds()[static_cast<std::size_t>(Part::compute)]; }
  Times::Clock::time_point begin_ = Times::Clock::now();
  double compute_;
};

/// Counts the time of a scope as `part`, and goes back to the part before at its end.
class Timed {
 public:
  explicit Timed(Part part) : before_(times().switch_to(part)) {}
  ~Timed() { times().switch_to(before_); }
  Timed(Timed const&) = delete;
  Timed& operator=(Timed const&) = delete;

 private:
  Part before_;
};

}  // namespace tessera::core
