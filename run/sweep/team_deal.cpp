// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/team_deal.hpp"

#include "core/comm/delay.hpp"
#include "core/comm/node.hpp"
#include "core/comm/task_mail.hpp"
#include "core/comm/team_board.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "run/sweep/backfill.hpp"

#include <bit>
#include <chrono>
#include <map>
#include <thread>

namespace tessera::run {
namespace {

using Board = core::TeamBoard;

/// Tasks by the number of ranks that they want.
std::vector<std::vector<std::int64_t>> lanes_of(std::vector<TeamTask> const& tasks) {
  std::map<int, std::vector<std::int64_t>, std::greater<>> by_ranks;
  for (std::size_t t = 0; t < tasks.size(); ++t) by_ranks[tasks[t].ranks].push_back(static_cast<std::int64_t>(t));
  std::vector<std::vector<std::int64_t>> lanes;
  for (auto& [ranks, lane] : by_ranks) lanes.push_back(std::move(lane));
  return lanes;
}

std::int64_t inputs_of(std::vector<TeamTask> const& tasks) {
  std::int64_t last = -1;
  for (TeamTask const& task : tasks) last = std::max(last, task.input);
  return last + 1;
}

class TeamDeal {
 public:
  TeamDeal(core::Comm const& comm, std::vector<TeamTask> const& tasks, Dealing const& dealing)
      : comm_(comm),
        tasks_(tasks),
        dealing_(dealing),
        nodes_(core::memory_nodes(comm)),
        board_(comm, lanes_of(tasks), inputs_of(tasks)),
        mail_(
            comm, [this](std::int64_t t, core::Bytes const& bytes) { finished(t, bytes); }, comm.size()) {
    order();
    comm.barrier();
  }

  Dealt run() {
    io::Failure failure;
    try {
      if (comm_.root()) board_.locked([&](Board::View& view) { decide(view); });
      work();
    } catch (...) {
      failure = io::Failure::caught();
      board_.locked([&](Board::View& view) {
        view.closed = true;
        view.send_home();
      });
    }
    core::Timed const timed(core::Part::idle);
    try {
      mail_.close(true);
    } catch (...) {
      if (!failure) failure = io::Failure::caught();
      mail_.close(false);
    }
    comm_.barrier();
    io::agree(comm_, failure);
    return dealt_;
  }

 private:
  void order() {
    if (!comm_.root()) return;
    auto const sort = [&](std::span<std::int64_t> open) {
      if (dealing_.order) dealing_.order(open);
    };
    auto const seconds = [&](std::int64_t t) {
      return dealing_.seconds ? dealing_.seconds(t) : std::numeric_limits<double>::quiet_NaN();
    };
    order_anew_.when_due(done_, core::Delay::now, [&] { board_.reorder(sort, seconds); });
  }
  void finished(std::int64_t t, core::Bytes const& bytes) {
    dealing_.finished(t, bytes);
    ++done_;
    order();
  }

  /// What may begin begins; who has nothing to wait for goes home.
  void decide(Board::View& view) const {
    view.closed = view.closed || (dealing_.stop && dealing_.stop());
    if (!view.closed && view.left > 0) {
      std::vector<Waiting> waiting;
      std::vector<std::size_t> places(view.open.size());
      std::iota(places.begin(), places.end(), std::size_t{0});
      // the longest first, and before them those of which nothing is known; the order within a lane stays
      auto const key = [&](std::size_t n) { return view.open[n].seconds >= 0 ? -view.open[n].seconds : -1e300; };
      std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return key(a) < key(b); });
      for (std::size_t const n : places) {
        TeamTask const& task = tasks_[static_cast<std::size_t>(view.open[n].task)];
        waiting.push_back({view.open[n].task, task.ranks, view.open[n].seconds, task.input});
      }
      std::vector<RankState> ranks;
      for (std::size_t r = 0; r < view.ranks.size(); ++r) {
        auto const& rank = view.ranks[r];
        // what runs for longer than expected is taken to run for as much longer again
        double const until = rank.until > view.now ? rank.until : view.now + (view.now - rank.begun);
        ranks.push_back({rank.free, until, nodes_[r]});
      }
      std::vector<int> last_read;
      for (std::int64_t const mark : view.marks) last_read.push_back(static_cast<int>(mark) - 1);
      for (auto const& [place, first] : backfill(waiting, ranks, last_read, view.now)) {
        Waiting const& task = waiting[place];
        if (task.input >= 0)
          view.marks[static_cast<std::size_t>(task.input)] = nodes_[static_cast<std::size_t>(first)] + 1;
        view.begin(places[place], first, task.ranks);
      }
    }
    if (view.closed || view.left == 0) view.send_home();
  }

  Board::Command wait() {
    core::Timed const timed(core::Part::idle);
    for (std::chrono::microseconds pause(50);; pause = std::min(2 * pause, std::chrono::microseconds(5000))) {
      mail_.go_on();
      if (auto const command = board_.told()) return *command;
      std::this_thread::sleep_for(pause);
    }
  }

  void work() {
    for (double free = core::Delay::now();;) {
      auto const [task, ranks] = wait();
      if (task == Board::Command::go_home) return;
      double const begin = core::Delay::now();
      attempt(task, ranks);
      double const end = core::Delay::now();
      dealt_.waited += begin - free;
      dealt_.worked += end - begin;
      free = end;
      int const first = comm_.rank() / ranks * ranks;
      if (comm_.rank() == first)
        board_.locked([&, ranks = ranks](Board::View& view) {
          view.free(first, ranks);
          decide(view);
        });
    }
  }

  void attempt(std::int64_t task, int ranks) {
    Attempt const attempt{task, {}, ranks};
    Given const given = dealing_.task(attempt);
    if (comm_.rank() % ranks != 0) return;
    bool const counts = given.as != Given::As::nothing;
    if (dealing_.settle) dealing_.settle(attempt, given.bytes, counts);
    if (counts) mail_.add(task, given.bytes);
  }

  core::Comm const& comm_;
  std::vector<TeamTask> const& tasks_;
  Dealing const& dealing_;
  std::vector<int> const nodes_;
  Board board_;
  core::TaskMail mail_;
  OrderAnew order_anew_;
  std::int64_t done_ = 0;  ///< on the root
  Dealt dealt_;
};

}  // namespace

Teams::Teams(core::Comm const& comm) {
  for (int ranks = 1; ranks <= largest_block(comm.size()); ranks *= 2) {
    int const first = comm.rank() / ranks * ranks;
    teams_.push_back(first + ranks <= comm.size() ? std::make_unique<core::Team>(comm, first, ranks) : nullptr);
  }
}

core::Team const& Teams::of(int ranks) const {
  return *teams_[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(ranks)))];
}

Dealt deal_to_teams(core::Comm const& comm, std::vector<TeamTask> const& tasks, Dealing const& dealing) {
  return TeamDeal(comm, tasks, dealing).run();
}

}  // namespace tessera::run
