// SPDX-License-Identifier: Apache-2.0
#include "partition/speed.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::partition {

void SpeedCurve::add(double work, double seconds) {
  if (!(work > 0) || !(seconds > 0)) return;
  if (known()) {
    double const ratio = seconds / this->seconds(work);
    bool const changed = std::abs(ratio - 1) > 0.25, same_work = std::abs(work - last_work_) < 0.01 * work;
    if (changed || same_work)
      for (Point& p : points_) p.seconds *= changed ? ratio : 0.5 * (1 + ratio);
    if (same_work) return;
  }
  last_work_ = work;
  std::erase_if(points_, [&](Point const& p) { return std::abs(p.work - work) < 0.1 * work; });
  auto const place = std::find_if(points_.begin(), points_.end(), [&](Point const& p) { return p.work > work; });
  points_.insert(place, {work, seconds});
  make_monotonic();
}

SpeedCurve SpeedCurve::through(std::vector<Point> points) {
  Point last{0, 0};
  for (Point const& p : points) {
    core::expect(p.work > last.work && p.seconds > last.seconds, "the points of a speed curve rise");
    last = p;
  }
  SpeedCurve curve;
  curve.points_ = std::move(points);
  return curve;
}

SpeedCurve SpeedCurve::times_as_fast(double factor) const {
  SpeedCurve curve = *this;
  for (Point& p : curve.points_) p.seconds /= factor;
  return curve;
}

void SpeedCurve::make_monotonic() {
  // more work in less time is noise: such neighbours become one point
  for (std::size_t n = 1; n < points_.size();) {
    if (points_[n].seconds > points_[n - 1].seconds) {
      ++n;
      continue;
    }
    points_[n - 1] = {0.5 * (points_[n - 1].work + points_[n].work),
                      0.5 * (points_[n - 1].seconds + points_[n].seconds)};
    points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(n));
    n = std::max<std::size_t>(n - 1, 1);
  }
}

double SpeedCurve::seconds(double work) const {
  core::expect(known(), "a speed curve has at least one point");
  Point low{0, 0};
  for (std::size_t n = 0;; ++n) {
    Point const high = points_[n];
    if (work <= high.work || n + 1 == points_.size())
      return low.seconds + (work - low.work) * (high.seconds - low.seconds) / (high.work - low.work);
    low = high;
  }
}

double SpeedCurve::work(double seconds) const {
  core::expect(known(), "a speed curve has at least one point");
  Point low{0, 0};
  for (std::size_t n = 0;; ++n) {
    Point const high = points_[n];
    if (seconds <= high.seconds || n + 1 == points_.size())
      return low.work + (seconds - low.seconds) * (high.work - low.work) / (high.seconds - low.seconds);
    low = high;
  }
}

std::vector<double> equal_time_shares(std::span<SpeedCurve const> curves, double total) {
  auto const done_in = [&](double seconds) {
    double sum = 0;
    for (auto const& curve : curves) sum += curve.work(seconds);
    return sum;
  };
  double high = 0;
  for (auto const& curve : curves) high = std::max(high, curve.seconds(total));
  double low = 0;
  for (int n = 0; n < 60; ++n) {
    double const middle = 0.5 * (low + high);
    (done_in(middle) < total ? low : high) = middle;
  }
  std::vector<double> shares;
  double const sum = done_in(high);
  for (auto const& curve : curves) shares.push_back(curve.work(high) * total / sum);
  return shares;
}

}  // namespace tessera::partition
