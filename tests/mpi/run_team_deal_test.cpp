// SPDX-License-Identifier: Apache-2.0
// Tasks that have teams of their own sizes: each is done once, by as many ranks as it wants, whatever happens meanwhile.
#include "core/error.hpp"
#include "run/sweep/backfill.hpp"
#include "run/sweep/team_deal.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace tessera::run {
namespace {

class TeamDeal : public testing::Test {
 protected:
  TeamDeal() {
    for (std::int64_t t = 0; t < n; ++t) tasks.push_back({std::min(1 << t % 3, largest_block(world.size()))});
    dealing.task = [this](Attempt const& attempt) {
      auto const& team = teams.of(attempt.ranks).comm();
      EXPECT_EQ(team.size(), tasks[static_cast<std::size_t>(attempt.task)].ranks);
      // all ranks of the team are in the same task
      EXPECT_EQ(team.sum(attempt.task), attempt.task * team.size());
      std::this_thread::sleep_for(std::chrono::microseconds(attempt.task % 5 * 300));
      ++mine;
      return pack({static_cast<double>(attempt.task), static_cast<double>(team.size())});
    };
    dealing.finished = [this](std::int64_t t, core::Bytes const& bytes) {
      EXPECT_EQ(unpack(bytes).front(), static_cast<double>(t));
      ++times[t];
    };
  }
  void expect_each_once() {
    if (world.root()) {
      EXPECT_EQ(std::ssize(times), n);
    }
    for (auto const& [t, many] : times) EXPECT_EQ(many, 1) << t;
  }

  static constexpr std::int64_t n = 100;
  core::Comm world;
  Teams teams{world};
  std::vector<TeamTask> tasks;
  Dealing dealing;
  std::map<std::int64_t, int> times;
  std::int64_t mine = 0;
};

TEST_F(TeamDeal, DoesEachTaskOnceWithItsRanks) {
  deal_to_teams(world, tasks, dealing);
  expect_each_once();
  std::int64_t ranks = 0;
  for (TeamTask const& task : tasks) ranks += task.ranks;
  EXPECT_EQ(world.sum(mine), ranks);
}

TEST_F(TeamDeal, TakesTheLongestFirstWhereThatIsKnown) {
  for (TeamTask& task : tasks) task.ranks = largest_block(world.size());
  std::vector<std::int64_t> order;
  dealing.order = [](std::span<std::int64_t> open) { std::sort(open.begin(), open.end(), std::greater<>()); };
  dealing.seconds = [](std::int64_t t) { return 0.001 * static_cast<double>(t); };
  dealing.settle = [&](Attempt const& attempt, core::Bytes const&, bool counts) {
    EXPECT_TRUE(counts);
    order.push_back(attempt.task);
  };
  deal_to_teams(world, tasks, dealing);
  expect_each_once();
  if (!world.root()) return;
  ASSERT_EQ(std::ssize(order), n);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), std::greater<>()));
}

// A rank is told of tasks by numbers that go round.
TEST_F(TeamDeal, DoesManyTasks) {
  tasks.assign(world.size() == 1 ? 2'000 : 1'000, TeamTask{});
  dealing.task = [](Attempt const& attempt) { return pack({static_cast<double>(attempt.task)}); };
  deal_to_teams(world, tasks, dealing);
  EXPECT_EQ(world.sum(std::ssize(times)), std::ssize(tasks));
  for (auto const& [t, many] : times) EXPECT_EQ(many, 1) << t;
}

TEST_F(TeamDeal, EndsWithoutTasks) {
  tasks.clear();
  deal_to_teams(world, tasks, dealing);
  EXPECT_EQ(mine, 0);
}

TEST_F(TeamDeal, BeginsNoFurtherTaskAfterASignal) {
  bool asked = false;
  dealing.stop = [&] { return asked; };
  auto const work = dealing.task;
  dealing.task = [&](Attempt const& attempt) {
    asked = true;
    return work(attempt);
  };
  deal_to_teams(world, tasks, dealing);
  EXPECT_GE(world.sum(mine), 1);
  EXPECT_LE(mine, 1 + world.size());
  for (auto const& [t, many] : times) EXPECT_EQ(many, 1) << t;
}

TEST_F(TeamDeal, EndsOnAllRanksWithTheErrorOfATask) {
  auto const work = dealing.task;
  dealing.task = [&](Attempt const& attempt) {
    if (attempt.task == 31) throw core::RunError("task 31 has failed");
    return work(attempt);
  };
  try {
    deal_to_teams(world, tasks, dealing);
    FAIL() << "accepted";
  } catch (core::RunError const& error) {
    EXPECT_STREQ(error.what(), "task 31 has failed");
  }
}

}  // namespace
}  // namespace tessera::run
