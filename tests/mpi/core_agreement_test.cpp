// SPDX-License-Identifier: Apache-2.0
#include "core/comm/agreement.hpp"
#include "core/comm/signals.hpp"

#include <gtest/gtest.h>

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
