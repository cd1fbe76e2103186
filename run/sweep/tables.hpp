// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/sweep/rounds.hpp"

namespace tessera::run {

/// A line of CSV: cells in quotes where they would be read as something else.
std::string csv_line(std::vector<std::string> const& cells);

/// What a sweep found, as tables: CSV, a line with the names of the columns, then a line a row. The same bytes for the same
/// results. Columns are what tasks found under these names (all names where there are none), in the order of the reports.
class Tables {
 public:
  /// Throws core::Error, at `wanted`, for a name that no task found.
  Tables(Axes const& axes, Rounds const& rounds, Results const& results, std::vector<std::string> wanted,
         core::Dictionary const& dictionary);

  /// A row a task: its axes, what it found, why it failed.
  std::string tasks() const;
  /// A row a group: its axes, the number of samples, and of each column mean, standard error and standard deviation.
  std::string statistics() const;
  /// A row a bracket: its axes, the lower and the upper end, and what was found at the upper end.
  std::string thresholds() const;
  /// A row a task: its axes and the seconds that it took, which are others every time.
  std::string costs() const;
  /// Statistics for the report.
  core::Report::Json json() const;
  /// A line a group for the log: the first few quantities.
  std::vector<std::string> lines() const;

 private:
  bool numeric(std::string const& column) const;
  std::vector<double> values(Group const& group, std::string const& column) const;
  std::vector<std::string> group_columns() const;
  std::string places(Point const& point, std::initializer_list<int> without) const;
  Axes const& axes_;
  Rounds const& rounds_;
  Results const& results_;
  std::vector<std::string> columns_;
};

}  // namespace tessera::run
