// SPDX-License-Identifier: Apache-2.0
#include "core/times.hpp"

#include <algorithm>
#include <ctime>

namespace tessera::core {
namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

void Times::count_on_core() {
  double const now = thread_seconds();
  auto const part = static_cast<std::size_t>(current_);
  // the wall clock may be slowed or hastened to agree with others, some 0.05 %, this one is not: no rank runs for longer
  // than the time that passes
  seconds_on_core_[part] = std::min(seconds_on_core_[part] + now - on_core_since_, seconds_[part]);
  on_core_since_ = now;
}

std::array<double, part_count> Times::seconds_on_core() {
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
