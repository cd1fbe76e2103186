// SPDX-License-Identifier: Apache-2.0
// Asking for tasks ahead: a rank that works and asks on a clock of its own.
#include "core/comm/ask_ahead.hpp"

#include <deque>
#include <functional>
#include <gtest/gtest.h>

namespace tessera::core {
namespace {

struct Run {
  int in_flight = 0, ahead = 0;
  double idle = 0;  ///< share of the second half of the tasks
};

/// A rank that looks at its answers between two tasks, as core::TaskQueue does; times in seconds.
Run simulate(double latency, std::function<double(int)> const& work, int tasks) {
  struct Asked {
    double at, looked, took = -1;
  };
  AskAhead ask_ahead;
  std::deque<Asked> asked;
  double now = 0, waited = 0, worked = 0;
  for (int t = 0; t < tasks; ++t) {
    if (asked.empty()) asked.push_back({now, now});
    double const seen = std::max(now, asked.front().at + latency);
    // where it has to wait it knows the answer's time
    double const took = asked.front().took < 0 ? latency : asked.front().took;
    if (t >= tasks / 2) waited += seen - now, worked += work(t);
    now = seen;
    asked.pop_front();
    while (static_cast<int>(asked.size()) < ask_ahead.ahead()) asked.push_back({now, now});
    now += work(t);
    for (Asked& one : asked) {
      if (one.took >= 0) continue;
      if (one.at + latency <= now) one.took = (one.looked + now) / 2 - one.at;
      one.looked = now;
    }
    ask_ahead.worked(took, work(t));
  }
  return {ask_ahead.in_flight(), ask_ahead.ahead(), waited / (waited + worked)};
}

double five_ms(int) { return 5e-3; }

TEST(AskAhead, HasAsManyRequestsOutAsTasksAreDoneWhileAnAnswerComes) {
  for (auto const& [latency, requests] : {std::pair{1e-3, 1}, {10e-3, 2}, {100e-3, 20}}) {
    auto const run = simulate(latency, five_ms, 400);
    EXPECT_NEAR(run.in_flight, requests, 1) << latency;
    EXPECT_EQ(run.ahead, run.in_flight) << latency;
    EXPECT_LT(run.idle, 0.02) << latency;
  }
}

TEST(AskAhead, HoldsNothingBackWhereAnswersComeAtOnce) {
  auto const run = simulate(1e-5, five_ms, 100);
  EXPECT_EQ(run.in_flight, 1);
  EXPECT_EQ(run.ahead, 0);
  EXPECT_LT(run.idle, 0.02);
}

TEST(AskAhead, FollowsTasksThatBecomeShorterOrLonger) {
  // 10 tasks of latency in the end, and none
  EXPECT_NEAR(simulate(
                  50e-3, [](int t) { return t < 200 ? 50e-3 : 5e-3; }, 800)
                  .in_flight,
              10, 1);
  EXPECT_EQ(simulate(
                50e-3, [](int t) { return t < 200 ? 5e-3 : 500e-3; }, 400)
                .in_flight,
            1);
  EXPECT_LT(simulate(
                50e-3, [](int t) { return t % 2 == 0 ? 2e-3 : 20e-3; }, 800)
                .idle,
            0.02);
}

}  // namespace
}  // namespace tessera::core
