// SPDX-License-Identifier: Apache-2.0
#include "core/comm/cores.hpp"
#include "core/times.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

using namespace tessera::core;

TEST(Crowding, IsOneWhereEachThreadHasACore) {
  EXPECT_EQ(crowding({{{0}, 1}, {{1}, 1}}), (std::vector<double>{1, 1}));
  EXPECT_EQ(crowding({{{0, 1, 2, 3}, 2}, {{0, 1, 2, 3}, 1}}), (std::vector<double>{1, 1}));
}

TEST(Crowding, CountsThreadsForACoreAmongThoseThatMayRunThere) {
  // one rank has a core alone, two are bound to the other
  EXPECT_EQ(crowding({{{0}, 1}, {{1}, 1}, {{1}, 1}}), (std::vector<double>{1, 2, 2}));
  // three ranks of two threads that may run on all of four cores
  std::vector<int> const all{0, 1, 2, 3};
  EXPECT_EQ(crowding({{all, 2}, {all, 2}, {all, 2}}), (std::vector<double>{1.5, 1.5, 1.5}));
}

TEST(Crowding, JoinsProcessesWhoseCoresOverlap) {
  // the second may use the cores of both others, so that all three share two cores
  EXPECT_EQ(crowding({{{0}, 1}, {{0, 1}, 1}, {{1}, 1}, {{2}, 1}}), (std::vector<double>{1.5, 1.5, 1.5, 1}));
}

TEST(Crowding, IsOneWhereNoCoresAreKnown) {
  EXPECT_EQ(crowding({{{}, 4}, {{}, 1}, {{0}, 1}}), (std::vector<double>{1, 1, 1}));
}

TEST(TimesOnCore, LeaveOutWhatAThreadDidNotRun) {
  using Clock = std::chrono::steady_clock;
  auto const part = [](Part p) { return times().seconds_on_core()[static_cast<std::size_t>(p)]; };
  times().restart();
  times().seconds_on_core();
  {
    Timed const asleep(Part::idle);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  {
    Timed const awake(Part::compute);
    auto const begin = Clock::now();
    while (Clock::now() - begin < std::chrono::milliseconds(20)) {
    }
  }
  // falling asleep and waking up takes microseconds
  EXPECT_LT(part(Part::idle), 0.01);
  EXPECT_GT(part(Part::compute), 0);
  // nobody runs for longer than the time that passes
  EXPECT_LE(part(Part::compute), times().seconds()[static_cast<std::size_t>(Part::compute)] * (1 + 1e-6) + 1e-6);
}

TEST(SocketDomains, AreThoseOfEachNodeWhereAllItsRanksAreBoundToOne) {
  EXPECT_EQ(socket_domains({0, 0, 0, 3, 3}, {0, 1, 0, 0, 1}), (std::vector<int>{0, 1, 0, 2, 3}));
  EXPECT_EQ(socket_domains({0, 0, 2, 2}, {0, -1, 0, 1}), (std::vector<int>{0, 0, 1, 2}));
  EXPECT_GE(own_socket(), -1);
  auto const here = host_cores();
  EXPECT_GE(here.cores, here.sockets);
  EXPECT_GE(here.sockets, 1);
}
