// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/work_board.hpp"
#include "run/sweep/costs.hpp"

#include <optional>

namespace tessera::run {

/// A task in work on some team.
struct Straggler {
  double predicted;  ///< [s] on a team of rate 1; NaN: unknown
  double running;    ///< [s] so far
  double rate;       ///< of its team
};
/// Which of these tasks a team of `rate` that has nothing to do shall begin a second time: of those that it would end clearly
/// sooner than they are expected to end, the one that is expected to end last. What runs for longer than predicted is taken to
/// run for as much longer again. Nothing where no copy pays.
///
/// Source: Zaharia et al. 2008, OSDI, "Improving MapReduce Performance in Heterogeneous Environments": copies by the time
/// that is left, longest first.
std::optional<std::size_t> worth_a_copy(std::vector<Straggler> const& tasks, double rate);

/// The tasks of a round that are late, for one team.
class Stragglers {
 public:
  /// `tasks`: of the round; `earlier`: what is known of others; `team`: the first rank of this one.
  Stragglers(Axes const& axes, std::vector<Point> const& tasks, std::vector<MeasuredTask> earlier, int team);
  /// The task that this team shall begin, too.
  std::optional<std::int64_t> operator()(core::WorkBoard::View const& view);

 private:
  Axes const& axes_;
  std::vector<Point> const& tasks_;
  std::vector<MeasuredTask> earlier_;
  int team_;
  std::vector<core::WorkBoard::Measured> measured_;  ///< that `costs_` is made of
  Costs costs_;
};

}  // namespace tessera::run
