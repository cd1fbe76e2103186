// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/team.hpp"
#include "run/ensemble.hpp"
#include "run/restart/task_record.hpp"
#include "run/run.hpp"
#include "run/sweep/rounds.hpp"

#include <set>

namespace tessera::run {

/// Where a sweep keeps what is finished, and what makes it the same sweep.
struct SweepFolder {
  std::string path;                ///< CASE/sweep
  std::set<std::string> identity;  ///< see TaskRecord
  std::string shard = {};          ///< "IofN." in the names of a shard of a sweep
  /// Of one team: `tasks.N`, N its first rank.
  std::string record(int rank) const;
  /// Of one team: `scratch.N`, where its attempt in work writes.
  std::string scratch(int rank) const;
  /// Where results of a task are kept: named by its axes' values.
  std::string of(Axes const& axes, Point const& point) const;
  /// Tables of an earlier sweep are none of one that begins, which may have other axes; what is finished makes them anew.
  void forget_tables() const;
};

/// Rows as they are kept and sent: a line of JSON.
std::string text_of(std::string const& key, Row const& row);
std::string text_in(core::Bytes const& bytes);
/// The key and the row; an empty key where the text is damaged.
std::pair<std::string, Row> row_in(std::string const& text);

/// Adds numbers, yes or no, and texts of a report's part to `found`, by their names from its top (`solvers.T.setups`) behind
/// `path`; those of lists by their numbers (`ensemble.0.spans.mean`), as in a case's file `expect`.
void flatten(core::Report::Json const& part, std::string const& path, core::Report::Json& found);

/// Runs tasks of a sweep on teams that this rank is one of.
class Worker {
 public:
  /// `rank`: of the run.
  Worker(int rank, RunOptions const& options, Axes const& axes, SweepFolder const& folder, bool keeps, bool goes_on);

  /// The row of a point, as text_of has it, on the team's first rank; nothing where a signal came before its end. A task that
  /// fails is a row with an error; where it fails on some ranks of the team alone, this throws. Collective in the team.
  Given operator()(core::Team const& team, Point const& point, Attempt const& attempt);
  /// Puts what the last attempt gave where it belongs: one that does not count leaves nothing. On the team's first rank.
  void settle(Point const& point, core::Bytes const& row, bool counts);

 private:
  /// `thrown`: it failed, maybe for the machine's sake; what only did not converge does so everywhere.
  Row run(core::Team const& team, Point const& point, TaskOptions const& task, bool& thrown) const;
  RunOptions const& options_;
  Axes const& axes_;
  SweepFolder const& folder_;
  CaseTexts texts_;
  bool keeps_, goes_on_;
  bool finished_ = false;  ///< the last attempt found what it was to find
  std::optional<TaskRecord> record_;
  int rank_;
};

}  // namespace tessera::run
