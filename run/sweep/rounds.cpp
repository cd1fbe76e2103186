// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/rounds.hpp"

#include "core/error.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tessera::run {
namespace {

/// Points by what is left of them without some axes, in the order of the first of each.
class Parts {
 public:
  Parts(std::vector<Point> const& points, std::initializer_list<int> without) {
    for (Point const& point : points) {
      Point rest = point;
      for (int axis : without)
        if (axis >= 0) rest[axis].clear();
      auto const [place, is_new] = places_.emplace(rest, parts_.size());
      if (is_new) parts_.push_back({rest, {}});
      parts_[place->second].second.push_back(point);
    }
  }
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }

 private:
  std::vector<std::pair<Point, std::vector<Point>>> parts_;
  std::map<Point, std::size_t> places_;
};

}  // namespace

double number_of(Row const& row, std::string const& name) {
  auto const found = row.found.find(name);
  if (found == row.found.end()) return std::numeric_limits<double>::quiet_NaN();
  if (found->is_boolean()) return found->get<bool>() ? 1 : 0;
  return found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

void Results::ask(Point const& point) {
  if (rows_.emplace(point, std::nullopt).second) points_.push_back(point);
}

void Results::add(Point const& point, Row row) { rows_.at(point) = std::move(row); }

Row const* Results::find(Point const& point) const {
  auto const place = rows_.find(point);
  return place == rows_.end() || !place->second ? nullptr : &*place->second;
}

Tally tally_of(Results const& results, Axes const& axes) {
  Tally tally;
  for (Point const& point : results.points()) {
    Row const* row = results.find(point);
    if (!row) continue;
    ++(row->error.empty() ? tally.finished : tally.failed);
    if (!row->error.empty() && tally.first_error.empty()) tally.first_error = axes.name(point) + ": " + row->error;
  }
  return tally;
}

Rounds::Rounds(core::Dictionary& dictionary, Axes const& axes) : axes_(axes) {
  if (auto* search = dictionary.find_sub("threshold")) {
    auto const name = search->get<std::string>("axis");
    threshold_.axis = axes.find(name);
    if (threshold_.axis < 0) search->fail("axis", fmt::format("no axis is called '{}'", name));
    Axis const& axis = axes.at(threshold_.axis);
    bool const numbers = std::none_of(axis.values.begin(), axis.values.end(),
                                      [](std::string const& value) { return std::isnan(number_in(value)); });
    if (!numbers || axis.values.size() < 2 || axis.samples || axis.group >= 0)
      search->fail("axis", fmt::format("'{}' cannot be divided, expected an axis of two or more numbers, of no samples "
                                       "and together with no other",
                                       name));
    threshold_.of = search->get<std::string>("of");
    threshold_.where = search->location("of");
    threshold_.level = search->get_or<double>("level", 0.5);
    threshold_.tolerance = search->get_positive<double>("tolerance");
  }
  if (axes.samples() < 0) return;
  auto& samples = dictionary.sub("axes").sub(axes.at(axes.samples()).name);
  first_sample_ = std::stoll(axes.at(axes.samples()).values.front());
  if (auto* until = samples.find_sub("until")) {
    error_.emplace();
    error_->of = until->get<std::string>("of");
    error_->where = until->location("of");
    error_->error = until->get_positive<double>("error");
    error_->most = until->get_in<std::int64_t>("most", {std::ssize(axes.at(axes.samples()).values), 100'000'000});
    if (axes.at(axes.samples()).values.size() < 2)
      samples.fail("samples", "one sample has no error, expected two or more beside 'until'");
  }
}

std::vector<Bracket> Rounds::brackets(Results const& results) const {
  std::vector<Bracket> all;
  for (auto const& [rest, points] : Parts(results.points(), {threshold_.axis})) {
    std::vector<std::pair<double, Point const*>> places;
    for (Point const& point : points)
      if (Row const* row = results.find(point); row && !std::isnan(number_of(*row, threshold_.of)))
        places.emplace_back(number_in(point[threshold_.axis]), &point);
    std::sort(places.begin(), places.end());
    auto const above = [&](auto const& place) {
      return number_of(*results.find(*place.second), threshold_.of) >= threshold_.level;
    };
    Bracket bracket{rest, rest};
    for (std::size_t n = 0; n + 1 < places.size(); ++n)
      if (above(places[n]) != above(places[n + 1]) && bracket.passes++ == 0) {
        double const low = places[n].first, high = places[n + 1].first;
        bracket = {*places[n].second, *places[n + 1].second, low + (high - low) / 2, high - low, 1};
      }
    all.push_back(std::move(bracket));
  }
  return all;
}

std::vector<Point> Rounds::narrowed(Results const& results) const {
  std::vector<Point> points;
  for (Bracket const& bracket : brackets(results)) {
    if (!bracket.found() || bracket.width <= threshold_.tolerance) continue;
    Point point = bracket.low;
    point[threshold_.axis] = text_of_number(bracket.at);
    // nothing lies between neighbouring numbers, and a point that failed fails again
    bool const inside =
        bracket.at > number_in(bracket.low[threshold_.axis]) && bracket.at < number_in(bracket.high[threshold_.axis]);
    if (inside && !results.find(point)) points.push_back(std::move(point));
  }
  return points;
}

std::vector<Group> Rounds::groups(Results const& results) const {
  std::vector<Group> groups;
  int const samples = axes_.samples();
  if (!seeks_threshold()) {
    for (auto const& [rest, points] : Parts(results.points(), {samples})) {
      Group group{rest, {}, {}, std::ssize(points)};
      for (Point const& point : points)
        if (Row const* row = results.find(point); row && row->error.empty()) group.rows.push_back(row);
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::map<Point, std::size_t> places;
  for (Bracket const& bracket : brackets(results)) {
    Point rest = bracket.low;
    rest[threshold_.axis].clear();
    if (samples >= 0) rest[samples].clear();
    auto const [place, is_new] = places.emplace(rest, groups.size());
    if (is_new) groups.push_back({rest, {}, {}, 0});
    Group& group = groups[place->second];
    ++group.samples;
    if (!bracket.found()) continue;
    group.rows.push_back(results.find(bracket.high));
    group.thresholds.push_back(bracket.at);
  }
  return groups;
}

std::vector<Point> Rounds::sampled(Results const& results) const {
  std::vector<Point> points;
  int const samples = axes_.samples();
  for (Group const& group : groups(results)) {
    std::vector<double> values = group.thresholds;
    if (error_->of != "threshold") {
      values.clear();
      for (Row const* row : group.rows) values.push_back(number_of(*row, error_->of));
    }
    Mean const mean = mean_of(values);
    if (group.samples >= error_->most || mean.error <= error_->error) continue;
    // the error falls with the root of the number; what is seen of it so far may be off, so at most twice as many
    double const ratio = std::isnan(mean.error) ? 2 : mean.error / error_->error;
    double const wanted = std::ceil(1.05 * ratio * ratio * static_cast<double>(group.samples));
    auto const number = static_cast<std::int64_t>(
        std::min({wanted, 2.0 * static_cast<double>(group.samples), static_cast<double>(error_->most)}));
    for (std::int64_t n = group.samples; n < std::max(number, group.samples + 1); ++n) {
      Point point = group.point;
      point[samples] = std::to_string(first_sample_ + n);
      if (!seeks_threshold()) {
        points.push_back(point);
        continue;
      }
      for (auto const& value : axes_.at(threshold_.axis).values) {
        point[threshold_.axis] = value;
        points.push_back(point);
      }
    }
  }
  return points;
}

void Rounds::check_names(Results const& results) const {
  auto const check = [&](std::string const& of, std::string const& where) {
    std::set<std::string> others;  // until a task has it, most often the first
    for (Point const& point : results.points())
      if (Row const* row = results.find(point))
        for (auto const& [name, value] : row->found.items()) {
          if (!value.is_number() && !value.is_boolean()) continue;
          if (name == of) return;
          others.insert(name);
        }
    if (!others.empty())
      throw core::Error(where + ": " + core::unknown_name("number", of, {others.begin(), others.end()}));
  };
  if (seeks_threshold()) check(threshold_.of, threshold_.where);
  if (error_ && !(seeks_threshold() && error_->of == "threshold")) check(error_->of, error_->where);
}

std::vector<Point> Rounds::next(Results const& results) const {
  if (results.points().empty()) return axes_.points();
  check_names(results);
  if (seeks_threshold())
    if (auto points = narrowed(results); !points.empty()) return points;
  return error_ ? sampled(results) : std::vector<Point>();
}

}  // namespace tessera::run
