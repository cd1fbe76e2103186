// SPDX-License-Identifier: Apache-2.0
#include "run/control/clock.hpp"

#include <ctime>

namespace tessera::run {

double Clock::now() const { return std::chrono::duration<double>(core::RunClock::now().time_since_epoch()).count(); }

double Clock::processor() const { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::array<double, core::part_count> Clock::parts(bool on_core) const {
  return on_core ? core::times().seconds_on_core() : core::times().seconds();
}

Clock const& Clock::real() {
  static Clock const clock;
  return clock;
}

}  // namespace tessera::run
