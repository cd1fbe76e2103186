// SPDX-License-Identifier: Apache-2.0
#include "core/comm/emulation.hpp"
#include "core/comm/node.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::core {
namespace {

/// Works until this thread has had a core for so many seconds.
void compute(double seconds) {
  double const until = thread_seconds() + seconds;
  while (thread_seconds() < until) {
  }
}

class EmulationTest : public ::testing::Test {
 protected:
  void emulate(EmulatedCluster cluster) {
    auto& speeds = cluster.speeds;
    if (speeds.empty()) speeds.assign(static_cast<std::size_t>(world_.size()), 1.0);
    emulation() = std::make_unique<Emulation>(std::move(cluster), world_);
    begin_ = world_.max(emulated_clock().seconds());  // clocks agree from here on
  }
  ~EmulationTest() override { emulation().reset(); }
  /// Ranks of the node that has most, which other tests may have split, and how many nodes there are.
  std::pair<int, int> nodes() const {
    auto const all = memory_nodes(world_);
    int most = 0;
    for (int const node : all) most = std::max(most, static_cast<int>(std::count(all.begin(), all.end(), node)));
    return {most, static_cast<int>(std::set<int>(all.begin(), all.end()).size())};
  }
  static int stages(int n) {
    int power = 0;
    while ((1 << power) < n) ++power;
    return power;
  }
  /// Seconds since the clocks agreed.
  double elapsed() const { return emulated_clock().seconds() - begin_; }

  Comm const world_;
  double begin_ = 0;
};

TEST_F(EmulationTest, ComputingTakesTheTimeOfItsSpeed) {
  std::vector<double> speeds(static_cast<std::size_t>(world_.size()), 4.0);
  speeds.back() = 0.25;
  emulate({speeds, {}, {}});
  double const speed = speeds[static_cast<std::size_t>(world_.rank())];
  double const core = thread_seconds(), before = elapsed();
  compute(0.004);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // nothing: the rank has no core
  double const took = elapsed() - before;
  EXPECT_GE(took, 0.0039 / speed);  // looks at the thread's time are left out
  EXPECT_LE(took, (thread_seconds() - core) / speed);
}

TEST_F(EmulationTest, AReductionEndsForAllWhenTheLastHasCome) {
  emulate({{}, {}, {}});
  if (world_.rank() == world_.size() - 1) compute(0.01);
  double const mine = emulated_clock().seconds();
  double const latest = world_.max(mine);
  EXPECT_GE(emulated_clock().seconds(), latest);
  EXPECT_GE(latest - begin_, 0.01);
}

TEST_F(EmulationTest, AReductionTakesItsLatencies) {
  constexpr double latency = 10;  // more than anything here computes
  emulate({{}, {2 * latency, 0}, {latency, 0}});
  auto const [most, count] = nodes();
  double const before = elapsed();
  world_.sum(std::int64_t{1});
  double const meeting = stages(most) * latency + stages(count) * 2 * latency;
  EXPECT_NEAR(elapsed() - before, meeting, latency / 2);
  double const between = elapsed();
  world_.barrier();
  std::int64_t x = world_.rank();
  world_.broadcast(x);
  world_.gather(x);
  EXPECT_EQ(x, 0);
  EXPECT_NEAR(elapsed() - between, 3 * meeting, latency / 2);
}

TEST_F(EmulationTest, AMessageArrivesAfterItsLatencyAndBytes) {
  if (world_.size() < 2) GTEST_SKIP() << "one rank sends nothing";
  constexpr double latency = 10, bandwidth = 100;
  auto const all = memory_nodes(world_);
  double const share = static_cast<double>(std::count(all.begin(), all.end(), all[0]));
  emulate({{}, {latency, bandwidth * share}, {latency, bandwidth}});
  // two messages of 1000 bytes, one after the other on the sender's link
  std::vector<std::byte> data(1000);
  Requests requests;
  double const before = elapsed();
  if (world_.rank() == 0) {
    world_.start_send(1, data, Tag::exchange, requests);
    world_.start_send(1, data, Tag::exchange, requests);
    Comm::wait_all(requests);
    EXPECT_LT(elapsed() - before, 1.0);  // whoever sends does not wait
  } else if (world_.rank() == 1) {
    world_.receive(0, data, Tag::exchange);
    EXPECT_NEAR(elapsed() - before, latency + 10, 1.0);
    world_.receive(0, data, Tag::exchange);
    EXPECT_NEAR(elapsed() - before, latency + 20, 1.0);
  }
}

TEST_F(EmulationTest, AnOverheadIsTheSendersAndComesBeforeTheLatency) {
  if (world_.size() < 2) GTEST_SKIP() << "one rank sends nothing";
  constexpr double latency = 10, overhead = 3;
  emulate({{}, {latency, 0, overhead}, {latency, 0, overhead}});
  std::vector<std::byte> data(1);
  Requests requests;
  double const before = elapsed();
  if (world_.rank() == 0) {
    world_.start_send(1, data, Tag::exchange, requests);
    EXPECT_NEAR(elapsed() - before, overhead, 1.0);
    world_.start_send(1, data, Tag::exchange, requests);
    EXPECT_NEAR(elapsed() - before, 2 * overhead, 1.0);
    Comm::wait_all(requests);
  } else if (world_.rank() == 1) {
    world_.receive(0, data, Tag::exchange);
    EXPECT_NEAR(elapsed() - before, overhead + latency, 1.0);
    world_.receive(0, data, Tag::exchange);
    EXPECT_NEAR(elapsed() - before, 2 * overhead + latency, 1.0);
  }
  auto const [most, count] = nodes();
  world_.barrier();
  double const between = elapsed();
  world_.sum(std::int64_t{1});
  EXPECT_NEAR(elapsed() - between, (stages(most) + stages(count)) * (latency + overhead), 1.0);
}

TEST_F(EmulationTest, AMessageThatCameMeanwhileCostsNothing) {
  if (world_.size() < 2) GTEST_SKIP() << "one rank sends nothing";
  emulate({{}, {}, {1e-3, 0}});
  std::byte data[8] = {};
  if (world_.rank() == 0) world_.send(1, data, Tag::exchange);
  if (world_.rank() == 1) {
    Requests requests;
    world_.start_receive(0, data, Tag::exchange, requests);
    compute(0.05);
    double const before = elapsed();
    Comm::wait_all(requests);
    EXPECT_LT(elapsed() - before, 1e-3);
  }
}

TEST_F(EmulationTest, TimesAreThoseOfTheClock) {
  emulate({{}, {}, {1000, 0}});
  auto const wall = times().wall();
  auto const idle = times().seconds()[static_cast<std::size_t>(Part::idle)];
  world_.barrier();
  double const waited = times().wall() - wall, in_idle = times().seconds()[static_cast<std::size_t>(Part::idle)] - idle;
  int const most = nodes().first;
  EXPECT_NEAR(waited, 1000 * stages(most), 100);
  EXPECT_NEAR(in_idle, 1000 * stages(most), 100);
}

TEST_F(EmulationTest, MessagesAlone) {
  EXPECT_FALSE(messages_alone());
  emulate({{}, {}, {}});
  EXPECT_TRUE(messages_alone());
}

}  // namespace
}  // namespace tessera::core
