// SPDX-License-Identifier: Apache-2.0
#include "run/ensemble.hpp"

#include "core/comm/ask_ahead.hpp"
#include "core/comm/delay.hpp"
#include "core/comm/task_mail.hpp"
#include "core/comm/task_queue.hpp"
#include "core/error.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace tessera::run {
namespace {

class Deal {
 public:
  Deal(core::Comm const& comm, std::int64_t n, Dealing const& dealing, core::Comm const& team)
      : comm_(comm),
        n_(n),
        dealing_(dealing),
        team_(team),
        teams_(comm.sum(team.root() ? 1 : 0)),
        copies_(dealing.late && teams_ > 1),
        numbers_(comm, core::TaskQueue::numbers(n) + (copies_ ? core::WorkBoard::numbers(comm, n) : 0)),
        queue_(comm, numbers_, n),
        mail_(
            comm, [this](std::int64_t t, core::Bytes const& bytes) { finished(t, bytes); }, teams_) {
    if (copies_) board_.emplace(comm, numbers_, core::TaskQueue::numbers(n), n, team.root());
    order();
    comm.barrier();
  }

  Dealt run() {
    io::Failure failure;
    try {
      take_tasks();
    } catch (...) {
      failure = io::Failure::caught();
    }
    queue_.close();
    if (board_) try {
        if (team_.root()) board_->leave();
        if (!failure) take_late_ones();
      } catch (...) {
        failure = io::Failure::caught();
      }
    core::Timed const timed(core::Part::idle);
    if (team_.root()) try {
        mail_.close(true);
      } catch (...) {
        if (!failure) failure = io::Failure::caught();
        mail_.close(false);
      }
    comm_.barrier();
    io::agree(comm_, failure);
    dealt_.in_flight = ask_ahead_.in_flight();
    return dealt_;
  }

 private:
  void order() {
    if (comm_.root() && dealing_.order)
      order_anew_.when_due(done_, core::Delay::now, [&] { queue_.reorder(dealing_.order); });
  }
  void finished(std::int64_t t, core::Bytes const& bytes) {
    dealing_.finished(t, bytes);
    ++done_;
    order();
  }
  bool stops() const { return dealing_.stop && dealing_.stop(); }

  /// The next task on all ranks of the team, n where there is none.
  std::int64_t next() {
    std::int64_t t = n_;
    if (team_.root() && !stops()) {
      t = queue_.take();
      while (t < n_ && queue_.asked() < ask_ahead_.ahead()) queue_.ask();
    }
    if (team_.size() > 1) team_.broadcast(t);
    return t;
  }
  void take_tasks() {
    for (double free = core::Delay::now();;) {
      std::int64_t const t = next();
      if (t >= n_) return;
      double const begin = core::Delay::now();
      if (team_.root() && board_) board_->begin(t);
      attempt(t, false);
      double const end = core::Delay::now();
      dealt_.waited += begin - free;
      dealt_.worked += end - begin;
      free = end;
      if (team_.root()) ask_ahead_.worked(queue_.latency(), end - begin);
    }
  }

  /// Waits until there is a task that this team shall begin, too; n where all teams have left. On all ranks of the team.
  std::int64_t next_late() {
    core::Timed const timed(core::Part::idle);
    std::int64_t t = n_;
    auto const there = [&] {
      mail_.go_on();
      auto const view = board_->read();
      // a signal may have reached others alone, so far
      if (view.over || queue_.was_cut() || stops()) return true;
      auto const late = dealing_.late(view);
      if (late && board_->begin_copy(*late)) t = *late;
      return t < n_;
    };
    std::chrono::microseconds pause(50);
    for (; team_.root() && !there(); pause = std::min(2 * pause, std::chrono::microseconds(5000)))
      std::this_thread::sleep_for(pause);
    if (team_.size() > 1) team_.broadcast(t);
    return t;
  }
  void take_late_ones() {
    for (std::int64_t t; (t = next_late()) < n_;) {
      dealt_.copies += team_.root() ? 1 : 0;
      dealt_.won += attempt(t, true) ? 1 : 0;
    }
  }

  /// Whether it counts, on the team's first rank.
  bool attempt(std::int64_t t, bool copy) {
    Attempt attempt{t};
    if (board_ && team_.root())
      attempt.called_back = [this, t, looked = core::Delay::now()]() mutable {
        constexpr double pause = 0.02;
        double const now = core::Delay::now();
        if (now < looked + pause) return false;
        looked = now;
        return board_->is_done(t);
      };
    Given const given = dealing_.task(attempt);
    if (!team_.root()) return false;
    bool const nothing = given.as == Given::As::nothing;
    if (board_ && nothing && !copy) board_->give_up();
    bool const counts = !nothing && (!board_ || board_->end(t, copy, given.as == Given::As::failure));
    if (dealing_.settle) dealing_.settle(attempt, given.bytes, counts);
    if (counts) mail_.add(t, given.bytes);
    return counts;
  }

  core::Comm const& comm_;
  std::int64_t const n_;
  Dealing const& dealing_;
  core::Comm const& team_;
  std::int64_t const teams_;
  bool const copies_;
  core::RootNumbers numbers_;
  core::TaskQueue queue_;
  core::TaskMail mail_;
  std::optional<core::WorkBoard> board_;
  core::AskAhead ask_ahead_;
  OrderAnew order_anew_;
  std::int64_t done_ = 0;  ///< on the root
  Dealt dealt_;
};

}  // namespace

Dealt deal(core::Comm const& comm, std::int64_t n, Dealing const& dealing, core::Comm const& team) {
  return Deal(comm, n, dealing, team).run();
}

core::Bytes pack(std::vector<double> const& values) {
  core::Bytes bytes;
  core::append(bytes, std::span<double const>(values));
  return bytes;
}

std::vector<double> unpack(core::Bytes const& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  core::ByteReader(bytes).take(std::span<double>(values));
  return values;
}

Mean mean_of(std::vector<double> const& samples) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Mean result{0, nan, nan};
  double sum = 0;
  for (double x : samples)
    if (!std::isnan(x)) {
      ++result.samples;
      sum += x;
    }
  if (result.samples == 0) return result;
  auto const n = static_cast<double>(result.samples);
  result.mean = sum / n;
  double squares = 0;
  for (double x : samples)
    if (!std::isnan(x)) squares += (x - result.mean) * (x - result.mean);
  if (result.samples > 1) result.error = std::sqrt(squares / (n * (n - 1)));
  return result;
}

core::Report::Json finite_or_null(double x) { return std::isfinite(x) ? core::Report::Json(x) : core::Report::Json(); }

}  // namespace tessera::run
