// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

namespace tessera::partition {

/// How fast a rank is: the time a step takes it against the work it has, in any unit of work (cells).
///
/// Piecewise linear through measured points and the origin, never falling; beyond the last point with the slope of the
/// last piece. So a rank whose tiles no longer fit its cache may be slower by the cell with more cells.
/// Source: functional performance models, Lastovetsky & Reddy 2007, Int. J. High Perform. Comput. Appl. 21:76.
class SpeedCurve {
 public:
  /// Takes in that a step over `work` took `seconds`. Where the work is that of the time before, what differs is the
  /// machine: all points are scaled, by half of it as it may be noise, or by all of it where it is more than a quarter.
  /// With other work the point shows the shape of the curve, and replaces those near it (10 %); where it departs from
  /// the curve by more than a quarter the machine has changed, too.
  void add(double work, double seconds);
  bool known() const { return !points_.empty(); }
  /// Time of a step over `work`. Throws core::BrokenPromise before the first point.
  double seconds(double work) const;
  /// The most work that is done in `seconds`.
  double work(double seconds) const;

  struct Point {
    double work, seconds;
  };
  std::span<Point const> points() const { return points_; }
  /// The curve through known points. Throws core::BrokenPromise where they do not rise.
  static SpeedCurve through(std::vector<Point> points);
  /// The same machine with so many times the speed.
  SpeedCurve times_as_fast(double factor) const;

 private:
  void make_monotonic();
  std::vector<Point> points_;  // by work
  double last_work_ = 0;
};

/// Shares of `total` work with which all ranks finish together: bisection on the time of a step.
/// The sum of the result is `total`. Cost: about 60 times the number of ranks.
std::vector<double> equal_time_shares(std::span<SpeedCurve const> curves, double total);

}  // namespace tessera::partition
