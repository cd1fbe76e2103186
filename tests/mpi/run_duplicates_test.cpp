// SPDX-License-Identifier: Apache-2.0
// Tasks that are late are begun twice: by ranks whose work never ends unless another has done it.
#include "core/comm/team.hpp"
#include "core/error.hpp"
#include "run/ensemble.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace tessera::run {
namespace {

namespace fs = std::filesystem;

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

/// Eight tasks; the last team gets the first one that it was the first to begin, and does not end it by itself.
class Duplicates : public testing::Test {
 protected:
  void SetUp() override {
    if (world.root()) fs::remove_all(folder), fs::create_directory(folder);
    world.barrier();
  }
  Duplicates() : folder("duplicates_test_" + std::to_string(world.size())) {
    dealing.finished = [this](std::int64_t t, core::Bytes const& bytes) {
      ++times[t];
      EXPECT_EQ(unpack(bytes), std::vector<double>{static_cast<double>(t)});
    };
    dealing.late = [](core::WorkBoard::View const& view) {
      return view.in_work.empty() ? std::nullopt : std::optional(view.in_work.front().task);
    };
    dealing.settle = [this](Attempt const& attempt, core::Bytes const&, bool counts) {
      counts ? ++counted : ++dropped;
      if (!counts) note("dropped", attempt.task);
    };
  }
  /// Tells other processes that something has happened to a task.
  void note(std::string const& what, std::int64_t t) const {
    std::ofstream(folder / (what + std::to_string(t))) << "\n";
  }
  bool noted(std::string const& what, std::int64_t t) const { return fs::exists(folder / (what + std::to_string(t))); }
  /// Begins an attempt, of the last team or not. Whether it is the second: the first has noted that it began. The others begin
  /// once the last team has.
  bool begin(std::int64_t t, bool last) const {
    bool const copy = noted("begun", t);
    note("begun", t);
    if (last) note("last", 0);
    while (!noted("last", 0)) nap();
    return copy;
  }

  Dealt run(core::Comm const& team) {
    auto dealt = deal(world, n, dealing, team);
    dealt.copies = world.sum(dealt.copies);
    dealt.won = world.sum(dealt.won);
    EXPECT_EQ(times, std::vector<int>(n, world.root() ? 1 : 0));
    EXPECT_EQ(world.sum(counted), n);
    EXPECT_EQ(world.sum(dropped), dealt.copies);
    return dealt;
  }

  static constexpr std::int64_t n = 8;
  core::Comm world;
  bool const several = world.size() > 1, last = world.rank() == world.size() - 1;
  fs::path folder;
  std::vector<int> times = std::vector<int>(n);
  std::int64_t counted = 0, dropped = 0;
  Dealing dealing;
};

TEST_F(Duplicates, EndWhatARankWouldNeverEnd) {
  dealing.task = [&](Attempt const& attempt) {
    bool const copy = begin(attempt, last);
    while (several && last && !copy && !attempt.called_back()) nap();
    return pack({static_cast<double>(attempt)});
  };
  auto const dealt = run(core::Comm(MPI_COMM_SELF));
  EXPECT_EQ(dealt.won > 0, several);
  EXPECT_EQ(dropped > 0, several && last);
}

TEST_F(Duplicates, EndWhatATeamOfTwoRanksWouldNeverEnd) {
  int const first = world.rank() / 2 * 2, size = std::min(2, world.size() - first);
  core::Team const team(world, first, size);
  bool const of_last = first + size == world.size();
  dealing.task = [&](Attempt const& attempt) {
    bool const copy = team.comm().any(team.comm().root() && begin(attempt, of_last));
    while (world.size() > 2 && of_last && !copy && !team.comm().any(attempt.called_back && attempt.called_back()))
      nap();
    return pack({static_cast<double>(attempt)});
  };
  EXPECT_EQ(run(team.comm()).won > 0, world.size() > 2);
}

TEST_F(Duplicates, ThatAllFailAreRecordedOnce) {
  dealing.task = [&](Attempt const& attempt) {
    bool const copy = begin(attempt, last);
    if (copy) note("twice", attempt);
    while (several && last && !copy && !noted("twice", attempt)) nap();
    return Given(pack({static_cast<double>(attempt)}), Given::As::failure);
  };
  EXPECT_EQ(run(core::Comm(MPI_COMM_SELF)).copies > 0, several);
}

// The copy fails, as on a machine with too little memory, the first attempt does not.
TEST_F(Duplicates, ThatFailDoNotCountWhereTheFirstAttemptEndsWell) {
  dealing.task = [&](Attempt const& attempt) {
    bool const copy = begin(attempt, last);
    while (several && last && !copy && !noted("dropped", attempt)) nap();
    if (copy) return Given(pack({-1}), Given::As::failure);
    return Given(pack({static_cast<double>(attempt)}));
  };
  auto const dealt = run(core::Comm(MPI_COMM_SELF));
  EXPECT_EQ(dealt.copies > 0, several);
  EXPECT_EQ(dealt.won, 0);
}

TEST_F(Duplicates, AreNotBegunAfterASignal) {
  bool asked = false;
  std::int64_t mine = 0, kept = 0;
  dealing.stop = [&] { return asked; };
  dealing.finished = [&](std::int64_t, core::Bytes const&) { ++kept; };
  dealing.task = [&](Attempt const& attempt) {
    ++mine;
    begin(attempt, last);
    // none asks for its first task when others have stopped
    note("rank", world.rank());
    for (int rank = 0; rank < world.size(); ++rank)
      while (!noted("rank", rank)) nap();
    for (int k = 0; last && k < 60; ++k) nap();
    asked = true;
    return Given(pack({0}), last ? Given::As::nothing : Given::As::result);
  };
  EXPECT_EQ(deal(world, n, dealing).copies, 0);
  EXPECT_EQ(mine, 1);
  EXPECT_EQ(kept, world.root() ? world.size() - 1 : 0);
}

// Others have got the signal and closed the deal, the first rank is at its task still, and the last asks for its first one then.
TEST_F(Duplicates, AreNotBegunWhereASignalHasReachedAnotherRank) {
  if (world.size() < 3) GTEST_SKIP() << "on three ranks and more";
  bool asked = false;
  dealing.finished = [](std::int64_t, core::Bytes const&) {};
  dealing.settle = nullptr;
  dealing.stop = [&] {
    if (!last) return asked;
    while (!noted("ended", 0)) nap();
    for (int k = 0; k < 20; ++k) nap();
    return false;
  };
  dealing.task = [&](Attempt const&) {
    for (int k = 0; world.root() && k < 100; ++k) nap();
    note("ended", 0);
    asked = true;
    return Given(pack({0}));
  };
  EXPECT_EQ(deal(world, n, dealing).copies, 0);
}

TEST_F(Duplicates, EndWithTheErrorOfACopyThatThrows) {
  if (!several) GTEST_SKIP();
  dealing.finished = [](std::int64_t, core::Bytes const&) {};
  dealing.task = [&](Attempt const& attempt) {
    bool const copy = begin(attempt, last);
    if (copy) note("thrown", attempt);
    if (copy) throw core::RunError("a copy failed");
    while (last && !noted("thrown", attempt)) nap();
    return pack({0});
  };
  try {
    deal(world, n, dealing);
    FAIL() << "accepted";
  } catch (core::RunError const& error) {
    EXPECT_STREQ(error.what(), "a copy failed");
  }
}

}  // namespace
}  // namespace tessera::run
