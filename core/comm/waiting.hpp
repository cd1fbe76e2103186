// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <chrono>
#include <thread>

namespace tessera::core {

/// Whether ranks of this run have to share this one's core with it (core::measure_crowding). Set by the Runtime.
inline bool& shares_core() {
  static bool shares = false;
  return shares;
}

/// Asks `there()` until it is true, and gives the core away between two questions, as the rank that is to answer may need
/// it. MPI's own waits never leave the core: where ranks are more than cores, each handover then costs a slice of the
/// scheduler, some milliseconds. So the rank asks without a pause for as long as an answer takes from a core of its own,
/// then yields between two questions, then sleeps. Yielding at once costs a slice a message where another program keeps a
/// core busy. A rank that shares its core with others of the run yields at once all the same: they have work to do.
template <class There>
void wait_politely(There const& there) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::microseconds;
  if (there()) return;
  auto const look_only = microseconds(shares_core() ? 0 : 50), stay_awake = microseconds(500);
  auto const begin = Clock::now();
  while (!there()) {
    auto const waited = Clock::now() - begin;
    if (waited > stay_awake)
      std::this_thread::sleep_for(microseconds(20));
    else if (waited > look_only)
      std::this_thread::yield();
  }
}

/// The same for requests, all of them.
inline void wait_politely(int count, MPI_Request* requests) {
  wait_politely([&] {
    int done = 0;
    MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
}

}  // namespace tessera::core
