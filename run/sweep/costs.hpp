// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/sweep/rounds.hpp"

#include <map>
#include <span>

namespace tessera::run {

/// What a task took, and on which team: -1 for all of earlier runs.
struct MeasuredTask {
  Point point;
  double seconds = 0;
  int team = -1;
};
/// A few hundred of those that did not fail, from all over the list; what they would take on so many ranks, if all were used
/// as well as those that they had.
std::vector<MeasuredTask> measured_in(Results const& results, int ranks = 1);

/// What tasks will cost, from those that are done: the mean of the two nearest in the space of the axes (of those at the very
/// place, if there are any), where a number's distance is relative to the largest of its axis, and another text is equal (0) or
/// not (1). Teams may be unequal: the rate of each is what its tasks would take elsewhere over what they took, which is the
/// answer to a few rounds of predicting all tasks from the others and comparing.
/// Source: Teodoro et al. 2012, Cluster Computing 15(2):125, the estimator by nearest neighbours.
class Costs {
 public:
  Costs(Axes const& axes, std::vector<MeasuredTask> const& measured);
  /// [s] on a team of rate 1; NaN where nothing is known.
  double predict(Point const& point) const { return predict_at(place(point)); }
  /// 1 for a team as fast as all on the whole, and where nothing is known of it.
  double rate(int team) const;
  /// Mean of |predicted - measured| over the mean measured, each task left out of its own prediction; NaN below three tasks.
  double error() const;
  /// Puts the numbers of points in order, the longest task first; of those that are predicted alike that which lies farthest from
  /// what is known, as it may cost most. Where nothing is known a few from all over the list come first, its last one before
  /// the others: they tell what the rest costs.
  void longest_first(std::span<std::int64_t> tasks, std::vector<Point> const& points) const;

 private:
  using Place = std::vector<std::pair<double, std::string>>;  ///< a number relative to its axis, or a text
  struct Known {
    Place place;
    double seconds;
    int team;
  };
  Place place(Point const& point) const;
  struct Nearest {
    std::vector<std::size_t> tasks;  ///< numbers of known ones
    double distance = 0;             ///< of the nearest, squared
  };
  /// None where there are no others than `without`.
  Nearest nearest(Place const& place, std::size_t without) const;
  double mean_of(std::vector<std::size_t> const& tasks) const;
  double predict_at(Place const& place) const { return mean_of(nearest(place, known_.size()).tasks); }
  void rate_teams();
  std::vector<double> largest_;  ///< of each axis
  std::vector<Known> known_;
  std::map<int, double> rates_;
};

}  // namespace tessera::run
