// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/costs.hpp"

#include "run/sweep/expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::run {
namespace {

/// More would say little that these do not, and each prediction looks at all of them.
constexpr std::size_t most_known = 200;

}  // namespace

Costs::Costs(Axes const& axes, Results const& results) : largest_(axes.all().size(), 0) {
  std::vector<std::pair<Point const*, Row const*>> rows;
  for (Point const& point : results.points())
    if (Row const* row = results.find(point); row && row->error.empty()) rows.emplace_back(&point, row);
  for (auto const& [point, row] : rows)
    for (std::size_t n = 0; n < point->size(); ++n)
      if (double const x = std::abs(number_in((*point)[n])); x > largest_[n]) largest_[n] = x;
  std::size_t const every = rows.size() / most_known + 1;
  for (std::size_t n = 0; n < rows.size(); n += every)
    known_.push_back({place(*rows[n].first), rows[n].second->seconds});
  // what samples cost has nothing to do with their numbers
  if (axes.samples() >= 0) {
    largest_[axes.samples()] = std::numeric_limits<double>::infinity();
    for (Known& known : known_) known.place[axes.samples()] = {0, ""};
  }
}

Costs::Place Costs::place(Point const& point) const {
  Place result;
  for (std::size_t n = 0; n < point.size(); ++n) {
    double const x = number_in(point[n]);
    if (std::isnan(x))
      result.emplace_back(0, point[n]);
    else
      result.emplace_back(largest_[n] > 0 ? x / largest_[n] : 0, "");
  }
  return result;
}

double Costs::predict(Place const& place, std::size_t without) const {
  struct Near {
    double distance = std::numeric_limits<double>::infinity(), seconds = 0;
  } first, second;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    if (k == without) continue;
    double distance = 0;
    for (std::size_t n = 0; n < place.size(); ++n) {
      double const apart = place[n].first - known_[k].place[n].first;
      distance += apart * apart + (place[n].second == known_[k].place[n].second ? 0 : 1);
    }
    Near const near{distance, known_[k].seconds};
    if (distance < first.distance)
      second = std::exchange(first, near);
    else if (distance < second.distance)
      second = near;
  }
  if (std::isinf(first.distance)) return std::numeric_limits<double>::quiet_NaN();
  bool const alone = std::isinf(second.distance) || (first.distance == 0 && second.distance > 0);
  return alone ? first.seconds : (first.seconds + second.seconds) / 2;
}

double Costs::error() const {
  if (known_.size() < 3) return std::numeric_limits<double>::quiet_NaN();
  double off = 0, all = 0;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    off += std::abs(predict(known_[k].place, k) - known_[k].seconds);
    all += known_[k].seconds;
  }
  return off / all;
}

void Costs::longest_first(std::span<std::int64_t> tasks, std::vector<Point> const& points) const {
  std::vector<std::pair<double, std::int64_t>> order;
  std::map<Place, double> seen;  // samples of one kind are many
  constexpr std::size_t first = 16;
  std::size_t const every = tasks.size() / first + 1;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    double cost = 0;
    if (known_.empty()) {
      std::size_t const from_end = tasks.size() - 1 - n;
      cost = from_end % every == 0 ? static_cast<double>(n + 1) : 0;
    } else {
      auto const where = place(points[tasks[n]]);
      auto [found, is_new] = seen.emplace(where, 0);
      if (is_new) found->second = predict(where, known_.size());
      cost = found->second;
    }
    order.emplace_back(-cost, tasks[n]);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t n = 0; n < tasks.size(); ++n) tasks[n] = order[n].second;
}

}  // namespace tessera::run
