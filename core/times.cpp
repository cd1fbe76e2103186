// SPDX-License-Identifier: Apache-2.0
#include "core/times.hpp"

#include <algorithm>

namespace tessera::core {
void Times::count_on_core() {
  double const now = thread_seconds();
  auto const part = static_cast<std::size_t>(current_);
  // the wall clock may be slowed or hastened to agree with others, some 0.05 %, this one is not: no rank runs for longer
  // than the time that passes
  seconds_on_core_[part] = std::min(seconds_on_core_[part] + now - on_core_since_, seconds_[part]);
  on_core_since_ = now;
}

std::array<double, part_count> Times::seconds_on_core() {
  if (emulated_clock().on()) return seconds();  // that clock knows no other time
  if (!on_core_) on_core_since_ = thread_seconds();
  on_core_ = true;
  switch_to(current_);
  return seconds_on_core_;
}

Times& times() {
  static Times one;
  return one;
}

}  // namespace tessera::core
