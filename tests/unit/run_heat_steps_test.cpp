// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/heat_steps.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace tessera;
using run::heat::Begin;
using run::heat::Step;
using run::heat::Steps;

namespace {

std::vector<double> times_of(Steps const& steps, double wanted) {
  std::vector<double> times;
  for (Step step = steps.first(); !step.last;) {
    step = steps.after(step, wanted);
    times.push_back(step.time);
  }
  return times;
}

}  // namespace

TEST(HeatSteps, AreMultiplesOfDeltaTFromWhereTheRunBegan) {
  io::foam::Control control;
  control.end_time = 1;
  control.delta_t = 0.1;
  Begin begin;
  begin.step = begin.base_step = 3;
  begin.time = begin.base_time = 0.3;
  begin.dt = 0.1;
  Steps const steps(control, begin);
  Step step = steps.first();
  EXPECT_EQ(steps.count_after(step, 0.1), 7);
  while (!step.last) {
    step = steps.after(step, 0.1);
    EXPECT_EQ(step.time, 0.3 + static_cast<double>(step.number - 3) * 0.1);
  }
  EXPECT_EQ(step.number, 10);
}

TEST(HeatSteps, MeetWriteTimesAndTheEndWhereTheyAreAdjusted) {
  io::foam::Control control;
  control.end_time = 1;
  control.adjust_time_step = control.meets_write_times = true;
  control.write_interval = 0.4;
  Begin begin;
  begin.dt = 0.3;
  Steps const steps(control, begin);
  auto const times = times_of(steps, 0.3);
  ASSERT_EQ(times.size(), 5u);
  for (std::size_t n = 0; n < 5; ++n) EXPECT_NEAR(times[n], 0.2 * static_cast<double>(n + 1), 1e-12);
}

TEST(HeatSteps, MeetWhereSourcesTurn) {
  io::foam::Control control;
  control.end_time = 10;
  control.adjust_time_step = true;
  Begin begin;
  begin.dt = 1;
  auto const turn = [](double time, double until) { return time < 2.3 ? std::min(2.3, until) : until; };
  Steps const steps(control, begin, turn);
  auto const times = times_of(steps, 1);
  ASSERT_EQ(times.size(), 3u + 8u);
  EXPECT_NEAR(times[0], 1, 1e-12);
  EXPECT_NEAR(times[1], 1.65, 1e-12) << "two equal steps, no small one";
  EXPECT_EQ(times[2], 2.3);
  EXPECT_EQ(times.back(), 10);
}

TEST(HeatSteps, AreNotTakenWhereTheTimeWouldStandStill) {
  io::foam::Control control;
  control.end_time = 2e9;
  control.adjust_time_step = true;
  Begin begin;
  begin.time = 1e9;
  begin.dt = 1e-9;
  Steps const steps(control, begin);
  EXPECT_THROW(steps.after(steps.first(), 1e-9), core::RunError);
}
