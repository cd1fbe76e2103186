// SPDX-License-Identifier: Apache-2.0
// Tasks that want ranks of different numbers: decisions one by one, and whole runs on a clock of their own.
#include "core/random.hpp"
#include "run/sweep/backfill.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>

namespace tessera::run {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::vector<RankState> ranks_until(std::vector<double> const& until) {
  std::vector<RankState> ranks;
  for (double const t : until) ranks.push_back({t == 0, t, 0});
  return ranks;
}
using Begun = std::vector<std::pair<std::int64_t, int>>;
/// Task and first rank.
Begun begun(std::vector<Waiting> const& waiting, std::vector<RankState> const& ranks,
            std::vector<int> const& last_read = {}) {
  Begun all;
  for (auto const& [place, first] : backfill(waiting, ranks, last_read, 0))
    all.emplace_back(waiting[place].task, first);
  return all;
}

TEST(Backfill, BeginsWhatFitsInTheOrderOfTheList) {
  EXPECT_EQ(begun({{7, 2, 5}, {8, 1, 3}, {9, 1, 1}}, ranks_until({0, 0, 0, 0})), (Begun{{7, 0}, {8, 2}, {9, 3}}));
  EXPECT_EQ(begun({{7, 1, 5}}, ranks_until({3, 4})), Begun());
  EXPECT_EQ(begun({}, ranks_until({0, 0})), Begun());
}

TEST(Backfill, TakesBlocksThatBreakUpTheLeast) {
  // rank 3 is alone already; of ranks 0 and 1 one would be left
  EXPECT_EQ(begun({{1, 1, 1}}, ranks_until({0, 0, 9, 0})), (Begun{{1, 3}}));
}

TEST(Backfill, KeepsTheBlockThatIsFreeFirstForTheTaskWhoseTurnItIs) {
  // four ranks are free first from 4 on at 10; from 0 on at 20
  auto const ranks = ranks_until({0, 20, 0, 0, 0, 10, 0, 10});
  // what would take longer than until 10 stays out of ranks 4 to 7
  EXPECT_EQ(begun({{1, 4, 50}, {2, 1, 11}, {3, 1, 11}, {4, 1, 11}, {5, 1, 11}}, ranks),
            (Begun{{2, 0}, {3, 2}, {4, 3}}));
  // what has ended by then does not, nor does it where nobody knows how long it takes
  EXPECT_EQ(begun({{1, 4, 50}, {2, 1, 11}, {3, 2, 11}, {4, 1, 9}, {5, 1, unknown}}, ranks),
            (Begun{{2, 0}, {3, 2}, {4, 4}}));
}

TEST(Backfill, ReservesForOneTaskAlone) {
  auto const ranks = ranks_until({0, 5, 0, 30});
  // the second of the wide ones gets nothing; the narrow one would disturb the first alone on ranks 0 and 1
  EXPECT_EQ(begun({{1, 2, 50}, {2, 2, 50}, {3, 1, 90}}, ranks), (Begun{{3, 2}}));
}

TEST(Backfill, SendsTasksWhereTheirFilesAre) {
  std::vector<RankState> ranks{{true, 0, 0}, {true, 0, 0}, {true, 0, 1}, {true, 0, 1}};
  // file 0 was read on node 1, file 1 nowhere
  std::vector<Waiting> const two{{1, 1, 5, 0}, {2, 1, 5, 1}};
  EXPECT_EQ(begun(two, ranks, {1, -1}), (Begun{{1, 2}, {2, 3}}));
  ranks[2].free = ranks[3].free = false;
  // a free block of node 0 goes to a file that no node has, before one of node 1
  EXPECT_EQ(begun(two, {{true, 0, 0}, ranks[3]}, {1, -1}), (Begun{{2, 0}}));
  // but not to a task that is much shorter
  EXPECT_EQ(begun({{1, 1, 5, 0}, {2, 1, 2, 1}}, {{true, 0, 0}, ranks[3]}, {1, -1}), (Begun{{1, 0}}));
}

struct Task {
  int ranks;
  double seconds;
  std::int64_t input = -1;
};

/// Whole runs. `known` yes: what tasks take is known before; no: nothing is.
struct Simulation {
  std::vector<Task> tasks;
  int ranks, ranks_of_a_node;
  bool known = true;
  std::int64_t reads = 0;  ///< of files on nodes that had read another one last, or nothing

  double run() {
    std::vector<Waiting> waiting;
    for (std::size_t t = 0; t < tasks.size(); ++t)
      waiting.push_back(
          {static_cast<std::int64_t>(t), tasks[t].ranks, known ? tasks[t].seconds : unknown, tasks[t].input});
    if (known)
      std::stable_sort(waiting.begin(), waiting.end(),
                       [](auto const& a, auto const& b) { return a.seconds > b.seconds; });
    std::vector<RankState> state;
    for (int r = 0; r < ranks; ++r) state.push_back({true, 0, r / ranks_of_a_node});
    std::int64_t files = 0;
    for (Task const& task : tasks) files = std::max(files, task.input + 1);
    std::vector<int> last_read(static_cast<std::size_t>(files), -1);
    std::set<std::pair<double, std::int64_t>> in_work;
    std::vector<int> first_of(tasks.size());
    double now = 0;
    for (;;) {
      std::set<std::size_t> gone;
      for (auto const& [place, first] : backfill(waiting, state, last_read, now)) {
        Task const& task = tasks[static_cast<std::size_t>(waiting[place].task)];
        EXPECT_EQ(first % task.ranks, 0);
        for (int r = first; r < first + task.ranks; ++r) {
          EXPECT_TRUE(state[static_cast<std::size_t>(r)].free);
          state[static_cast<std::size_t>(r)] = {false, known ? now + task.seconds : now, r / ranks_of_a_node};
        }
        if (task.input >= 0)
          reads += std::exchange(last_read[static_cast<std::size_t>(task.input)], first / ranks_of_a_node) !=
                   first / ranks_of_a_node;
        EXPECT_TRUE(gone.insert(place).second);
        first_of[static_cast<std::size_t>(waiting[place].task)] = first;
        in_work.emplace(now + task.seconds, waiting[place].task);
      }
      std::vector<Waiting> rest;
      for (std::size_t n = 0; n < waiting.size(); ++n)
        if (!gone.contains(n)) rest.push_back(waiting[n]);
      waiting = std::move(rest);
      if (in_work.empty()) break;
      auto const [end, task] = *in_work.begin();
      in_work.erase(in_work.begin());
      now = end;
      int const first = first_of[static_cast<std::size_t>(task)];
      for (int r = first; r < first + tasks[static_cast<std::size_t>(task)].ranks; ++r)
        state[static_cast<std::size_t>(r)].free = true;
    }
    EXPECT_TRUE(waiting.empty());
    return now;
  }
  /// The work of all over the ranks, or the longest task.
  double least() const {
    double work = 0, longest = 0;
    for (Task const& task : tasks) {
      work += task.ranks * task.seconds;
      longest = std::max(longest, task.seconds);
    }
    return std::max(work / ranks, longest);
  }
};

/// Tasks of 1 to `most` ranks whose times spread over a factor of 100.
std::vector<Task> mixed(int n, int most, std::uint64_t seed) {
  std::vector<Task> tasks;
  core::Random const random(seed, 0);
  for (int t = 0; t < n; ++t) {
    auto const at = static_cast<std::uint64_t>(2 * t);
    int const sizes = static_cast<int>(std::log2(most)) + 1;
    tasks.push_back({1 << static_cast<int>(random.uniform(at) * sizes), std::pow(100, random.uniform(at + 1))});
  }
  return tasks;
}

TEST(SimulatedTeams, TakeLittleMoreThanTheLeastTime) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Simulation mine{mixed(400, 8, seed), 32, 8};
    EXPECT_LT(mine.run() / mine.least(), 1.06) << seed;
    // without knowing what tasks take, in the order of the list, ranks rest for longer
    mine.known = false;
    EXPECT_LT(mine.run() / mine.least(), 1.6) << seed;
  }
}

TEST(SimulatedTeams, RunWideTasksAmongManyNarrowOnes) {
  // 60 tasks of one rank for each of all sixteen: nobody starves
  std::vector<Task> tasks;
  for (int t = 0; t < 240; ++t) tasks.push_back({1, 1 + t % 7 * 0.5});
  for (int t = 0; t < 4; ++t) tasks.push_back({16, 2});
  Simulation mine{tasks, 16, 16};
  EXPECT_LT(mine.run() / mine.least(), 1.10);
}

TEST(SimulatedTeams, ReadEachFileOnFewNodes) {
  // 32 files, 20 tasks each, on eight nodes
  std::vector<Task> tasks;
  for (int t = 0; t < 640; ++t) tasks.push_back({1, 1 + t % 5 * 0.1, t % 32});
  Simulation mine{tasks, 32, 4};
  EXPECT_LT(mine.run() / mine.least(), 1.06);
  EXPECT_LT(mine.reads, 3 * 32);
  // as they come, a file goes from node to node
  for (Task& task : tasks) task.input = -1;
}

TEST(SimulatedTeams, LeaveNoTaskOutOnRanksThatAreNoPowerOfTwo) {
  Simulation mine{mixed(100, 4, 9), 7, 7};
  EXPECT_GT(mine.run(), 0);
}

}  // namespace
}  // namespace tessera::run
