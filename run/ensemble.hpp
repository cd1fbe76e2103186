// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/work_board.hpp"
#include "core/report.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::run {

/// Numbers that each task of an ensemble gives: `values[task]`, all of one length; NaN stands for undefined.
using TaskValues = std::vector<std::vector<double>>;

/// One attempt at a task.
struct Attempt {
  std::int64_t task;
  /// On the team's first rank, where it is there: whether another attempt has ended well, so that this one may give anything.
  std::function<bool()> called_back = {};
  int ranks = 0;  ///< of its team, where tasks have teams of their own sizes (deal_to_teams)
  operator std::int64_t() const { return task; }
};

/// What an attempt gave.
struct Given {
  enum class As { result, failure, nothing };
  core::Bytes bytes;
  As as = As::result;  ///< failure: another attempt may do better; nothing: it was ended before its time
  Given(core::Bytes b, As a = As::result) : bytes(std::move(b)), as(a) {}
};

/// What is done in an ensemble. What a task gives are bytes: see pack.
struct Dealing {
  /// Runs on the ranks of one team: it must not talk to others (layouts on the team, which is MPI_COMM_SELF without one). What
  /// it gives on the team's first rank must depend on the task alone; then the result is the same on any number of ranks.
  std::function<Given(Attempt const&)> task;
  /// On the root, once a task, in the order in which they come in: at the latest when the root ends its own task in work.
  std::function<void(std::int64_t, core::Bytes const&)> finished;
  /// On the root, if it is there: before the first task, then as OrderAnew says. Puts those that nobody has taken in the order
  /// in which they shall be; results do not depend on it.
  std::function<void(std::span<std::int64_t>)> order = {};
  /// On the root, if it is there, after `order`: what a task is expected to take on its team [s], NaN where that is not
  /// known. For deal_to_teams alone.
  std::function<double(std::int64_t)> seconds = {};
  /// On the first rank of each team before each of its tasks: whether it was asked to end the ensemble.
  std::function<bool()> stop;
  /// Where it is there, tasks may be begun twice. On the first rank of a team that finds no further task, again and again
  /// while others work: which of those in work it shall begin, too.
  std::function<std::optional<std::int64_t>(core::WorkBoard::View const&)> late = {};
  /// On the team's first rank, if it is there, after each attempt: whether it is the one that counts.
  std::function<void(Attempt const&, core::Bytes const&, bool counts)> settle = {};
};

/// When tasks are put in order anew: each time when a quarter more are finished, but not so often that it takes more than a
/// fiftieth of the time.
class OrderAnew {
 public:
  bool due(std::int64_t finished, double now) const { return finished >= next_ && now >= not_before_; }
  /// Does it where it is due, by this clock [s].
  template <class Clock, class F>
  void when_due(std::int64_t finished, Clock const& clock, F const& put_in_order) {
    double const begin = clock();
    if (!due(finished, begin)) return;
    put_in_order();
    done(finished, begin, clock());
  }
  /// It was done, between these times [s].
  void done(std::int64_t finished, double begin, double end) {
    next_ = std::max(finished + 1, finished + finished / 4);
    not_before_ = end + 49 * (end - begin);
  }

 private:
  std::int64_t next_ = 0;
  double not_before_ = 0;
};

/// How a team came by its tasks.
struct Dealt {
  double worked = 0, waited = 0;     ///< [s] in tasks, and for them; without copies
  int in_flight = 1;                 ///< requests for tasks that hide their latency, at the end: core::AskAhead
  std::int64_t copies = 0, won = 0;  ///< tasks of others that it began, too; those of them that counted
};

/// Deals tasks 0 .. n - 1 to the teams, in this order or that of `order`, to whoever is free, and collects what they give.
/// Where it takes long until a task comes, measured by what tasks take, teams ask for some ahead.
///
/// If a rank is asked to stop or a task throws, teams take no further tasks; what was in work is ended and handed to
/// `finished`. Then all throw the same error, if there was one. In a team of several ranks tasks throw on all of them.
/// Collective. Returns what holds for this rank's team.
/// Cost: core::TaskQueue::take for each task, ten messages to the root a second and team. Memory: 8 B a task on the root, as
/// much again where tasks may be begun twice.
Dealt deal(core::Comm const& comm, std::int64_t n, Dealing const& dealing,
           core::Comm const& team = core::Comm(MPI_COMM_SELF));

/// Numbers as what a task gives, and back.
core::Bytes pack(std::vector<double> const& values);
std::vector<double> unpack(core::Bytes const& bytes);

/// Mean of independent samples and its standard error, s / sqrt(n) with s^2 = sum (x - mean)^2 / (n - 1).
/// Undefined values (NaN) are left out; `mean` is NaN without samples, `error` with fewer than two.
struct Mean {
  std::int64_t samples = 0;
  double mean, error;
};
/// Adds in the order given, so equal samples give equal bits.
Mean mean_of(std::vector<double> const& samples);

/// A number for JSON: null where it is not finite.
core::Report::Json finite_or_null(double x);

}  // namespace tessera::run
