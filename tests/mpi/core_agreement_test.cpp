// SPDX-License-Identifier: Apache-2.0
#include "core/comm/agreement.hpp"
#include "core/comm/signals.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

namespace tessera::core {

TEST(Agreement, ShowsAFlagOfAnyRankToAllRanksOneCallLater) {
  Comm const comm;
  Agreement agree(comm);
  int const last = comm.size() - 1;
  EXPECT_EQ(agree(comm.rank() == last ? 4u : 0u), 0u);
  EXPECT_EQ(agree(comm.rank() == 0 ? 1u : 0u), 4u);
  EXPECT_EQ(agree(0u), 1u);
  EXPECT_EQ(agree(0u), 0u);
}

/// Rank 0 leaves while the reduction of the flags waits for the others.
[[gnu::noinline]] void leave_by_exception(Comm const& comm) {
  Agreement agree(comm);
  if (comm.rank() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
  agree(6u);
  throw std::runtime_error("all ranks");
}
/// The same, further down in memory.
[[gnu::noinline]] void leave_from_below(Comm const& comm) {
  [[maybe_unused]] unsigned char volatile room[1024];
  room[comm.rank()] = 1;
  leave_by_exception(comm);
  room[comm.size()] = 1;
}
/// Bytes of the memory that it had which change until all ranks have been here.
[[gnu::noinline]] std::size_t changed_behind(Comm const& comm) {
  std::array<unsigned char, 4096> room;
  room.fill(0xa5);
  auto const* volatile const seen = room.data();
  comm.barrier();
  comm.barrier();
  return room.size() - static_cast<std::size_t>(std::count(seen, seen + room.size(), 0xa5));
}

TEST(Agreement, LeavesMemoryAloneThatItHadWhereAnExceptionPassedBy) {
  Comm const comm;
  std::size_t changed = 0;
  for (int n = 0; n < 20; ++n) {
    EXPECT_THROW(leave_from_below(comm), std::runtime_error);
    changed += changed_behind(comm);
  }
  EXPECT_EQ(changed, 0u);
}

TEST(Signals, AreNotedWhileACatcherLivesAndOnlyThen) {
  struct sigaction before, after;
  sigaction(SIGUSR1, nullptr, &before);
  {
    SignalCatcher const catcher;
    EXPECT_EQ(SignalCatcher::caught(), 0);
    std::raise(SIGUSR1);
    EXPECT_EQ(SignalCatcher::caught(), SIGUSR1);
    std::raise(SIGTERM);
    EXPECT_EQ(SignalCatcher::caught(), SIGTERM);
  }
  sigaction(SIGUSR1, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace tessera::core
