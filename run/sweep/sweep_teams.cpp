// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/sweep_teams.hpp"

#include "core/comm/node.hpp"
#include "io/files/together.hpp"
#include "run/sweep/backfill.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::run {
namespace {

/// The axis of files that tasks share; -1 where each has its own.
int shared_files(Axes const& axes) {
  for (std::size_t n = 0; n < axes.all().size(); ++n) {
    Axis const& files = axes.at(n);
    auto const crosses = [&](Axis const& other) {
      bool const together = other.group >= 0 && other.group == files.group;
      return &other != &files && !together && (other.values.size() > 1 || other.samples);
    };
    if (files.files && std::any_of(axes.all().begin(), axes.all().end(), crosses)) return static_cast<int>(n);
  }
  return -1;
}

}  // namespace

SweepTeams::SweepTeams(core::Comm const& comm, Axes const& axes, TaskRanks& ranks, Task task)
    : comm_(comm),
      axes_(axes),
      ranks_(ranks),
      task_(std::move(task)) {
  auto const nodes = core::memory_nodes(comm);
  bool const several_nodes = std::any_of(nodes.begin(), nodes.end(), [&](int node) { return node != nodes.front(); });
  int const alike = ranks_.alike();
  shared_files_ = several_nodes && shared_files(axes) >= 0;
  if (alike == 0 || (shared_files_ && alike == largest_block(alike))) {
    teams_.emplace(comm);
    return;
  }
  int const first = comm.rank() / alike * alike;
  team_.emplace(comm, first, std::min(alike, comm.size() - first));
  sizes_ = {alike};
}

std::string SweepTeams::told() const {
  if (!team_) return fmt::format("on teams of 1 to {} ranks", largest_block(comm_.size()));
  int const ranks = ranks_.alike(), teams = (comm_.size() + ranks - 1) / ranks;
  return fmt::format("on {} team{} of {} rank{}", teams, teams == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s");
}

core::Report::Json SweepTeams::ranks_of_a_task() const {
  return sizes_.size() == 1 ? core::Report::Json(*sizes_.begin()) : core::Report::Json(sizes_);
}

std::vector<TeamTask> SweepTeams::team_tasks(std::vector<Point> const& tasks) {
  // what a task needs depends on what this process holds: one decides
  std::vector<int> ranks;
  io::on_root(comm_, [&] {
    core::Comm const alone(MPI_COMM_SELF);
    for (Point const& point : tasks)
      ranks.push_back(ranks_.of(point, [&](Point const& one) { return task_memory(alone, task_(one)); }));
  });
  comm_.broadcast(ranks);
  sizes_.insert(ranks.begin(), ranks.end());
  int const files = shared_files_ ? shared_files(axes_) : -1;
  std::vector<TeamTask> all;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    all.push_back({ranks[n], -1});
    if (files < 0) continue;
    auto const& names = axes_.at(static_cast<std::size_t>(files)).values;
    all.back().input = std::find(names.begin(), names.end(), tasks[n][static_cast<std::size_t>(files)]) - names.begin();
  }
  return all;
}

Dealt SweepTeams::deal(std::vector<Point> const& tasks, Dealing const& dealing) {
  if (team_) return run::deal(comm_, std::ssize(tasks), dealing, team_->comm());
  auto const of_teams = team_tasks(tasks);
  Dealing mine = dealing;
  mine.seconds = [&](std::int64_t t) { return dealing.seconds(t) / of_teams[static_cast<std::size_t>(t)].ranks; };
  return deal_to_teams(comm_, of_teams, mine);
}

}  // namespace tessera::run
