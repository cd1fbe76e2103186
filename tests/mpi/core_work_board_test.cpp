// SPDX-License-Identifier: Apache-2.0
#include "core/comm/work_board.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

namespace tessera::core {
namespace {

/// A board for ten tasks; the last rank has tasks, the others look.
class Board : public testing::Test {
 protected:
  Comm world;
  RootNumbers numbers{world, 7 + WorkBoard::numbers(world, 10)};
  WorkBoard board{world, numbers, 7, 10, true};
  bool const last = world.rank() == world.size() - 1;
  bool alone = world.size() == 1;

  void pass(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    world.barrier();
  }
  std::vector<std::int64_t> in_work() const {
    std::vector<std::int64_t> tasks;
    for (auto const& work : board.read().in_work) tasks.push_back(work.task);
    return tasks;
  }
  /// On how many ranks something holds.
  std::int64_t number(bool x) const { return world.sum(x ? 1 : 0); }
};

TEST_F(Board, ShowsWhatOthersHaveInWorkForSomeTimeOnce) {
  if (last) board.begin(4);
  pass(1.5 * WorkBoard::least_running);
  using Tasks = std::vector<std::int64_t>;
  EXPECT_EQ(in_work(), last ? Tasks() : Tasks{4});
  if (!last) {
    EXPECT_GE(board.read().in_work.front().running, WorkBoard::least_running);
    EXPECT_EQ(board.read().in_work.front().by, world.size() - 1);
  }
  world.barrier();
  bool const copies = !last && board.begin_copy(4);
  EXPECT_EQ(number(copies), alone ? 0 : 1);
  EXPECT_EQ(in_work(), Tasks());  // it is begun twice now
  EXPECT_FALSE(board.is_done(4));
  world.barrier();
  bool const counts = copies && board.end(4, true, false);
  EXPECT_EQ(number(counts), alone ? 0 : 1);
  EXPECT_EQ(board.is_done(4), !alone);
  world.barrier();
  bool const late = last && board.end(4, false, false);
  EXPECT_EQ(number(late), alone ? 1 : 0);
  auto const measured = board.read().measured;
  EXPECT_EQ(std::ssize(measured), 1);
  EXPECT_EQ(measured.front().task, 4);
}

TEST_F(Board, HasNoCopyOfWhatHasEnded) {
  for (std::int64_t const task : {0, 1, 2}) {
    if (last) {
      board.begin(task);
      // the first at once, so that nobody is asked
      if (task > 0) std::this_thread::sleep_for(std::chrono::duration<double>(WorkBoard::least_running));
      EXPECT_TRUE(board.end(task, false, task == 2));
    }
    world.barrier();
    EXPECT_FALSE(board.begin_copy(task));
    EXPECT_TRUE(in_work().empty());
    world.barrier();
  }
  EXPECT_EQ(std::ssize(board.read().measured), 2);  // one failed
}

// What fails counts once nobody else can do better, whoever fails first.
TEST_F(Board, LetsAFailureCountWhereNoOtherAttemptIsInWork) {
  if (alone) GTEST_SKIP();
  bool const other = world.rank() == 0;
  struct Ends {
    bool copy, failed, counts;
  };
  std::vector<std::array<Ends, 2>> const cases{
      {Ends{false, true, false}, {true, true, true}},  {Ends{true, true, false}, {false, true, true}},
      {Ends{true, true, false}, {false, false, true}}, {Ends{false, true, false}, {true, false, true}},
      {Ends{false, false, true}, {true, true, false}}, {Ends{true, false, true}, {false, false, false}}};
  for (std::int64_t task = 0; task < std::ssize(cases); ++task) {
    if (last) board.begin(task);
    world.barrier();
    // a second one that wants to is refused, and does not stand for an attempt
    if (other) {
      EXPECT_TRUE(board.begin_copy(task));
      EXPECT_FALSE(board.begin_copy(task));
    }
    pass(0.6 * WorkBoard::least_running);
    for (Ends const& ends : cases[task]) {
      if (ends.copy ? other : last) {
        EXPECT_EQ(board.end(task, ends.copy, ends.failed), ends.counts) << task << ' ' << ends.copy;
      }
      world.barrier();
    }
  }
}

TEST_F(Board, IsOverWhenAllHaveLeft) {
  EXPECT_FALSE(board.read().over);
  world.barrier();
  if (last) board.begin(1);
  if (!last) board.leave();
  pass(1.1 * WorkBoard::least_running);
  EXPECT_FALSE(board.read().over);
  world.barrier();
  if (last) board.give_up(), board.leave();
  world.barrier();
  EXPECT_TRUE(board.read().over);
  EXPECT_TRUE(in_work().empty());
}

TEST(RootNumbers, AreAddedToByAll) {
  Comm const world;
  RootNumbers numbers(world, 5);
  auto const before = numbers.add(2, 10);
  EXPECT_EQ(before % 10, 0);
  world.barrier();
  EXPECT_EQ(numbers.read(2, 1).front(), 10 * world.size());
  world.barrier();
  numbers.post_addition(2, 1);
  if (world.rank() == world.size() - 1) numbers.post(3, std::vector<std::int64_t>{-4, 1LL << 60});
  numbers.add(0, 0);  // an answer, so what was posted before is there
  world.barrier();
  EXPECT_EQ(numbers.read(1, 4), (std::vector<std::int64_t>{0, 11 * world.size(), -4, 1LL << 60}));
}

}  // namespace
}  // namespace tessera::core
