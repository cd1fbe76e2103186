// SPDX-License-Identifier: Apache-2.0
#include "core/comm/emulated_clock.hpp"

#include <algorithm>
#include <ctime>

namespace tessera::core {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

EmulatedClock& emulated_clock() {
  static EmulatedClock one;
  return one;
}

void EmulatedClock::start(double speed) {
  constexpr int looks = 2000;
  double const begin = thread_seconds();
  for (int n = 1; n < looks; ++n) thread_seconds();
  at_ = seen_ = std::chrono::duration<double>(Steady::now().time_since_epoch()).count();
  since_ = thread_seconds();
  look_ = (since_ - begin) / looks;
  looks_ = 0;
  speed_ = speed;
  standing_ = 0;
}

double EmulatedClock::seconds() const {
  if (standing_ > 0) return at_;
  double const ran = thread_seconds() - since_ - look_ * static_cast<double>(++looks_);
  seen_ = std::max(seen_, at_ + ran / speed_);
  return seen_;
}

void EmulatedClock::stand() {
  if (standing_ == 0) at_ = seconds();
  ++standing_;
}

void EmulatedClock::go_on() {
  if (--standing_ > 0) return;
  seen_ = at_;
  looks_ = 0;
  since_ = thread_seconds();
}

void EmulatedClock::not_before(double seconds) { at_ = std::max(at_, seconds); }

}  // namespace tessera::core
