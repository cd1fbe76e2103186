// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/files/text_table.hpp"
#include "run/sweep/rounds.hpp"

namespace tessera::run {

/// `histograms { of (backboneSites); bins 20; }`: how a quantity is spread over the samples.
struct Histograms {
  std::vector<std::string> of;
  int bins = 20;
};

/// What a sweep found, as tables: the same for the same results. Columns are what tasks found under these names (all names
/// where there are none), in the order of the reports.
class Tables {
 public:
  /// Throws core::Error for a name of `wanted` that no task found, where there are results, and for axes and columns that
  /// would have the same name in a table.
  Tables(Axes const& axes, Rounds const& rounds, Results const& results, std::vector<std::string> wanted,
         core::Dictionary const& dictionary);

  /// A row a task: its axes, what it found, why it failed.
  io::TextTable tasks() const;
  /// A row a group: its axes, the number of samples, and of each column mean, standard error and standard deviation.
  io::TextTable statistics() const;
  /// A row a bracket: its axes, the lower and the upper end, and what was found at the upper end.
  io::TextTable thresholds() const;
  /// A row a quantity, group and bin: its lower and upper end, and how many samples lie in it (at the lower end too, in the
  /// last bin also at the upper one). A quantity has the same bins in all groups, from its least value to its largest.
  /// Throws core::Error, at `of`, for a name that no task found or that is no number.
  io::TextTable histograms(Histograms const& histograms, core::Dictionary const& dictionary) const;
  /// A row a task: its axes and the seconds that it took, which are others every time.
  io::TextTable costs() const;
  /// Statistics for the report.
  core::Report::Json json() const;
  /// A line a group for the log: the first few quantities.
  std::vector<std::string> lines() const;

 private:
  void check_columns(core::Dictionary const& dictionary) const;
  bool numeric(std::string const& column) const;
  std::vector<double> values(Group const& group, std::string const& column) const;
  std::vector<std::string> group_columns() const;
  /// The values of a point, and the names of the axes, but for those of some axes.
  std::vector<std::string> places(Point const& point, std::initializer_list<int> without = {}) const;
  std::vector<std::string> axes_without(std::initializer_list<int> without = {}) const;
  Axes const& axes_;
  Rounds const& rounds_;
  Results const& results_;
  int searched_;  ///< axis of the threshold, or -1
  std::vector<std::string> columns_;
};

}  // namespace tessera::run
