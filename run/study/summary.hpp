// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "run/study/design.hpp"

#include <limits>
#include <map>

namespace tessera::run {

/// One run of a point. Numbers that its report has not are NaN.
struct Measured {
  std::string error;  ///< why it failed; then nothing else holds
  double seconds = 0;
  double iterations = 0, seconds_per_iteration = 0;            ///< of the linear solver, a step
  double memory = 0;                                           ///< peak of the largest rank [B]
  core::Report::Json answer = core::Report::Json::object();    ///< what the study compares, by name
  core::Report::Json of_ranks = core::Report::Json::object();  ///< seconds of each rank, by part
};

/// Of a report. Throws core::Error at the place of `measure` or `proofs` where it has no number or nothing of a name.
Measured measured_in(core::Report::Json const& report, Design const& design);
/// A line of JSON, and back: as finished runs are kept. A damaged line has an error.
std::string text_of(std::string const& key, Measured const& run);
std::pair<std::string, Measured> run_in(std::string const& text);

/// What the runs of a point come to; NaN where there is nothing.
struct Summary {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Point point;
  int runs = 0, counted = 0;                      ///< finished; with the answer that they must have
  std::string why;                                ///< of the first run that does not count
  double seconds = nan, least = nan, most = nan;  ///< median
  double speed_up = nan, efficiency = nan;        ///< against the first point along the axis of the study
  double iterations = nan, seconds_per_iteration = nan, memory = nan;
  std::map<std::string, double> parts;  ///< medians of the means over ranks [s]
  Measured const* middle = nullptr;     ///< the run of the median time
};

/// One for each point; `runs`: of each point, in the order in which they were made.
std::vector<Summary> summarize(Design const& design, std::vector<Point> const& points,
                               std::vector<std::vector<Measured>> const& runs);

/// The middle one, or the mean of the two in the middle; NaN of none. NaN are left out.
double median_of(std::vector<double> values);

}  // namespace tessera::run
