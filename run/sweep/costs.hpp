// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/sweep/rounds.hpp"

#include <span>

namespace tessera::run {

/// What tasks will cost, from those that are done: the mean of the two nearest in the space of the axes (one alone, if it is
/// at the very place), where a number's distance is relative to the largest of its axis, and another text is equal (0) or not (1).
/// Source: Teodoro et al. 2012, Cluster Computing 15(2):125, the estimator by nearest neighbours.
class Costs {
 public:
  Costs(Axes const& axes, Results const& results);
  /// [s]; NaN where nothing is known.
  double predict(Point const& point) const { return predict(place(point), known_.size()); }
  /// Mean of |predicted - measured| over the mean measured, each task left out of its own prediction; NaN below three tasks.
  double error() const;
  /// Puts the numbers of points in order, the longest task first. Where nothing is known a few from all over the list come
  /// first, its last one before the others: they tell what the rest costs.
  void longest_first(std::span<std::int64_t> tasks, std::vector<Point> const& points) const;

 private:
  using Place = std::vector<std::pair<double, std::string>>;  ///< a number relative to its axis, or a text
  struct Known {
    Place place;
    double seconds;
  };
  Place place(Point const& point) const;
  double predict(Place const& place, std::size_t without) const;
  std::vector<double> largest_;  ///< of each axis
  std::vector<Known> known_;
};

}  // namespace tessera::run
