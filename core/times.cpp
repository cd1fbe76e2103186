// SPDX-License-Identifier: Apache-2.0
#include "core/times.hpp"

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
  seconds_on_core_[static_cast<std::size_t>(current_)] += now - on_core_since_;
  on_core_since_ = now;
}

std::array<double, parts> Times::seconds_on_core() {
  if (!on_core_) on_core_since_ = thread_seconds();
  on_core_ = true;
  count_on_core();
  return seconds_on_core_;
}

Times& times() {
  static Times one;
  return one;
}

}  // namespace tessera::core
