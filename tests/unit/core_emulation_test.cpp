// SPDX-License-Identifier: Apache-2.0
#include "core/comm/emulation.hpp"
#include "core/error.hpp"

#include <gtest/gtest.h>

namespace tessera::core {

TEST(EmulatedCluster, IsReadAsItIsWritten) {
  auto const cluster = read_emulation("speeds=1,0.5,2 network=3e-5,1.2e8 memory=1e-6,0", 3);
  EXPECT_EQ(cluster.speeds, (std::vector<double>{1, 0.5, 2}));
  EXPECT_EQ(cluster.network.latency, 3e-5);
  EXPECT_EQ(cluster.network.bandwidth, 1.2e8);
  EXPECT_EQ(cluster.memory.latency, 1e-6);
  EXPECT_EQ(cluster.memory.bandwidth, 0);
  auto const again = read_emulation(text_of(cluster), 3);
  EXPECT_EQ(again.speeds, cluster.speeds);
  EXPECT_EQ(again.network.bandwidth, cluster.network.bandwidth);
  EXPECT_EQ(again.memory.latency, cluster.memory.latency);
  EXPECT_EQ(text_of(read_emulation("speeds=1", 1)), "speeds=1");
  EXPECT_EQ(cluster.network.overhead, 0);
  std::string const with_overhead = "speeds=1 network=0,0,2e-06";
  EXPECT_EQ(read_emulation(with_overhead, 1).network.overhead, 2e-6);
  EXPECT_EQ(text_of(read_emulation(with_overhead, 1)), with_overhead);
}

TEST(EmulatedCluster, RefusesWhatIsNone) {
  for (char const* text : {"", "speeds=1", "speeds=1,0", "speeds=1,-1", "speeds=1,x", "speeds=1,1,1", "speed=1,1",
                           "speeds=1,1 network=1e-5", "speeds=1,1 network=1,2,3,4", "speeds=1,1 memory=-1,2",
                           "speeds=1,1 network", "speeds=1,inf", "1,1"})
    EXPECT_THROW(read_emulation(text, 2), Error) << text;
}

TEST(EmulatedClock, StandsAndGoesOn) {
  EmulatedClock clock;
  EXPECT_FALSE(clock.on());
  clock.start(1);
  EXPECT_TRUE(clock.on());
  clock.stand();
  double const at = clock.seconds();
  clock.stand();
  clock.not_before(at - 5);
  EXPECT_EQ(clock.seconds(), at);
  clock.not_before(at + 5);
  clock.go_on();
  EXPECT_EQ(clock.seconds(), at + 5);  // the outer scope still stands
  clock.go_on();
  EXPECT_GE(clock.seconds(), at + 5);
}

}  // namespace tessera::core
