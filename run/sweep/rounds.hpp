// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "run/ensemble.hpp"
#include "run/sweep/axes.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace tessera::run {

/// What a task gave: names of its report with numbers, yes or no, or texts. Empty with an error.
struct Row {
  core::Report::Json found;
  std::string error;
  double seconds = 0;
  int team = -1;                                   ///< its first rank; -1: of an earlier run
  int ranks = 1;                                   ///< that it ran on
  std::map<std::string, std::string> inputs = {};  ///< files that it read, as they were then: Case::inputs
};

/// A number that was found, yes and no as 1 and 0; NaN where there is none.
double number_of(Row const& row, std::string const& name);

/// Rows of the points of a sweep, in the order in which points were asked for.
class Results {
 public:
  void ask(Point const& point);
  void add(Point const& point, Row row);
  std::vector<Point> const& points() const { return points_; }
  /// nullptr where the task has not been done.
  Row const* find(Point const& point) const;

 private:
  std::vector<Point> points_;
  std::map<Point, std::optional<Row>> rows_;
};

/// What there is of the points that were asked for, and what the first that failed says.
struct Tally {
  std::int64_t finished = 0, failed = 0;
  std::string first_error = {};
  std::int64_t all() const { return finished + failed; }
};
Tally tally_of(Results const& results, Axes const& axes);

/// `threshold { axis p; of spans; level 0.5; tolerance 1e-4; }`: where along an axis a quantity passes a level.
struct ThresholdSearch {
  int axis = -1;
  std::string of, where;  ///< FILE:LINE of `of`
  double level = 0.5, tolerance = 0;
};
/// Neighbouring points along the axis on either side of the level.
struct Bracket {
  Point low, high;
  double at = std::numeric_limits<double>::quiet_NaN();  ///< half way between; NaN: the level is not passed
  double width = 0;
  int passes = 0;  ///< how often neighbouring points lie on either side: more than once where the first is taken
  bool found() const { return !std::isnan(at); }
};

/// `until { of spans; error 0.001; most 10000; }` of an axis of samples: more samples where the standard error is larger.
struct ErrorSought {
  std::string of;     ///< or `threshold`
  std::string where;  ///< FILE:LINE of it
  double error = 0;
  std::int64_t most = 0;
};

/// A part of the points that differ in their sample alone: a row of statistics.
struct Group {
  Point point;                     ///< of the first; values of samples and of the axis of the threshold are empty
  std::vector<Row const*> rows;    ///< of the samples, in their order; of a bracket at its upper end
  std::vector<double> thresholds;  ///< of the samples
  std::int64_t samples = 0;        ///< asked for, with those that failed
};

/// Which points a sweep asks for: all of its axes, then round by round what the results ask for. That depends on the
/// results alone, so on no number of ranks, no order of tasks, and no restart.
class Rounds {
 public:
  /// Reads `threshold` and the `until` of the axis of samples. Throws core::Error.
  Rounds(core::Dictionary& dictionary, Axes const& axes);

  /// Points to add to those of `results`, which are all done; none at the end. Throws core::Error for a name of a number that
  /// none of them has found.
  std::vector<Point> next(Results const& results) const;

  bool seeks_threshold() const { return threshold_.axis >= 0; }
  std::string threshold_axis() const { return axes_.at(threshold_.axis).name; }
  /// One a combination of the other axes, in the order of their points.
  std::vector<Bracket> brackets(Results const& results) const;
  std::vector<Group> groups(Results const& results) const;

 private:
  void check_names(Results const& results) const;
  std::vector<Point> narrowed(Results const& results) const;
  std::vector<Point> sampled(Results const& results) const;
  Axes const& axes_;
  ThresholdSearch threshold_;
  std::optional<ErrorSought> error_;
  std::int64_t first_sample_ = 1;
};

}  // namespace tessera::run
