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

std::vector<MeasuredTask> measured_in(Results const& results, int ranks) {
  std::vector<std::pair<Point const*, Row const*>> rows;
  for (Point const& point : results.points())
    if (Row const* row = results.find(point); row && row->error.empty()) rows.emplace_back(&point, row);
  std::vector<MeasuredTask> measured;
  std::size_t const every = rows.size() / most_known + 1;
  for (std::size_t n = 0; n < rows.size(); n += every) {
    Row const& row = *rows[n].second;
    measured.push_back({*rows[n].first, row.seconds * row.ranks / ranks, row.team});
  }
  return measured;
}

Costs::Costs(Axes const& axes, std::vector<MeasuredTask> const& measured) : largest_(axes.all().size(), 0) {
  for (MeasuredTask const& task : measured)
    for (std::size_t n = 0; n < task.point.size(); ++n)
      if (double const x = std::abs(number_in(task.point[n])); x > largest_[n]) largest_[n] = x;
  // what samples cost has nothing to do with their numbers
  if (axes.samples() >= 0) largest_[axes.samples()] = std::numeric_limits<double>::infinity();
  for (MeasuredTask const& task : measured) known_.push_back({place(task.point), task.seconds, task.team});
  rate_teams();
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

Costs::Nearest Costs::nearest(Place const& place, std::size_t without) const {
  struct Near {
    double distance = std::numeric_limits<double>::infinity();
    std::size_t task = 0;
  } first, second;
  std::vector<std::size_t> same;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    if (k == without) continue;
    double distance = 0;
    for (std::size_t n = 0; n < place.size(); ++n) {
      double const apart = place[n].first - known_[k].place[n].first;
      distance += apart * apart + (place[n].second == known_[k].place[n].second ? 0 : 1);
    }
    if (distance == 0) same.push_back(k);
    Near const near{distance, k};
    if (distance < first.distance)
      second = std::exchange(first, near);
    else if (distance < second.distance)
      second = near;
  }
  if (!same.empty()) return {same, 0};
  if (std::isinf(first.distance)) return {};
  if (std::isinf(second.distance)) return {{first.task}, first.distance};
  return {{first.task, second.task}, first.distance};
}

double Costs::mean_of(std::vector<std::size_t> const& tasks) const {
  double sum = 0;
  for (std::size_t const k : tasks) sum += known_[k].seconds * rate(known_[k].team);
  return sum / static_cast<double>(tasks.size());
}

double Costs::rate(int team) const {
  auto const place = rates_.find(team);
  return place == rates_.end() ? 1 : place->second;
}

void Costs::rate_teams() {
  std::map<int, double> took;
  double all = 0;
  for (Known const& known : known_) {
    took[known.team] += known.seconds;
    all += known.seconds;
  }
  if (took.size() < 2 || !(all > 0)) return;
  std::vector<std::vector<std::size_t>> others;
  for (std::size_t k = 0; k < known_.size(); ++k) others.push_back(nearest(known_[k].place, k).tasks);
  for (int round = 0; round < 30; ++round) {
    std::map<int, double> elsewhere;
    double sum = 0;
    for (std::size_t k = 0; k < known_.size(); ++k) {
      double const predicted = mean_of(others[k]);
      elsewhere[known_[k].team] += predicted;
      sum += predicted;
    }
    for (auto const& [team, seconds] : took)
      if (seconds > 0) rates_[team] = elsewhere[team] / seconds * all / sum;
  }
}

double Costs::error() const {
  if (known_.size() < 3) return std::numeric_limits<double>::quiet_NaN();
  double off = 0, all = 0;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    double const work = mean_of({k});
    off += std::abs(mean_of(nearest(known_[k].place, k).tasks) - work);
    all += work;
  }
  return off / all;
}

void Costs::longest_first(std::span<std::int64_t> tasks, std::vector<Point> const& points) const {
  using Rank =
      std::pair<double, double>;  // what is predicted, and how far from what is known, both from the largest on
  std::vector<std::pair<Rank, std::int64_t>> order;
  std::map<Place, Rank> seen;  // samples of one kind are many
  constexpr std::size_t first = 16;
  std::size_t const every = tasks.size() / first + 1;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    Rank rank;
    if (known_.empty()) {
      std::size_t const from_end = tasks.size() - 1 - n;
      rank.first = from_end % every == 0 ? -static_cast<double>(n + 1) : 0;
    } else {
      auto const where = place(points[tasks[n]]);
      auto [found, is_new] = seen.emplace(where, Rank());
      if (is_new) {
        auto const by = nearest(where, known_.size());
        found->second = {-mean_of(by.tasks), -by.distance};
      }
      rank = found->second;
    }
    order.emplace_back(rank, tasks[n]);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t n = 0; n < tasks.size(); ++n) tasks[n] = order[n].second;
}

}  // namespace tessera::run
