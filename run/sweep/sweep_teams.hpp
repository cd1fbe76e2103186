// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/sweep/task_ranks.hpp"
#include "run/sweep/team_deal.hpp"

#include <optional>

namespace tessera::run {

/// On which teams a sweep's tasks run: all of one size, which are dealt tasks as they become free, or each of its own
/// (deal_to_teams), as where `ranks` differ, and where tasks share files and the nodes are several.
class SweepTeams {
 public:
  using Task = std::function<TaskOptions(Point const&)>;
  /// Collective.
  SweepTeams(core::Comm const& comm, Axes const& axes, TaskRanks& ranks, Task task);

  /// Runs tasks: deal or deal_to_teams, whose `seconds` takes what `dealing` says for one rank. Collective.
  Dealt deal(std::vector<Point> const& tasks, Dealing const& dealing);
  /// The team of an attempt.
  core::Team const& of(Attempt const& attempt) const { return attempt.ranks > 0 ? teams_->of(attempt.ranks) : *team_; }
  /// Whether a task may be begun twice.
  bool may_copy() const { return team_ && comm_.size() > ranks_.alike(); }
  /// For the log, and for the report: a number, or the numbers that there were.
  std::string told() const;
  core::Report::Json ranks_of_a_task() const;

 private:
  std::vector<TeamTask> team_tasks(std::vector<Point> const& tasks);

  core::Comm const& comm_;
  Axes const& axes_;
  TaskRanks& ranks_;
  Task task_;
  bool shared_files_ = false;  ///< several tasks read a file
  std::optional<core::Team> team_;
  std::optional<Teams> teams_;
  std::set<int> sizes_;  ///< of teams that there were
};

}  // namespace tessera::run
