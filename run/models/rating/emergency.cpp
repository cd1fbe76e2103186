// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/emergency.hpp"

#include "core/error.hpp"
#include "core/registry.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::run::rating {
namespace {

/// Overloads a circuit until its limit or for a time. Steps grow with time: a twentieth of it or less.
class Overload {
 public:
  Overload(InTime const& of, State const& before, Emergency const& emergency)
      : of_(of),
        before_(before),
        emergency_(emergency) {}

  EmergencyRating until_limit(double current) const {
    auto result = begin(current);
    auto const all = currents(current);
    Course course(of_, before_);
    for (double time = 0; time < emergency_.longest;) {
      double const step = std::min(longest_step(time), emergency_.longest - time);
      Course const was = course;
      double const now = temperature(course.step(all, step));
      if (now >= emergency_.limit) {
        time += when(was, all, step);
        add(result, time, emergency_.limit);
        result.seconds = time;
        return result;
      }
      time += step;
      add(result, time, now);
    }
    result.reached = false;
    result.seconds = emergency_.longest;
    return result;
  }

  EmergencyRating for_time(double current, double duration) const {
    auto result = begin(current);
    auto const all = currents(current);
    Course course(of_, before_);
    for (double time = 0; time < duration;) {
      double const left = duration - time, step = longest_step(time);
      time = step < left ? time + step : duration;
      add(result, time, temperature(course.step(all, std::min(step, left))));
    }
    result.seconds = duration;
    return result;
  }

 private:
  static double longest_step(double time) { return std::max(5.0, time / 20); }
  double temperature(State const& state) const { return state.highest(of_.site)[emergency_.circuit]; }
  /// How long after a state, within a step, the limit is reached (by halves).
  double when(Course const& was, std::vector<double> const& all, double step) const {
    double low = 0, high = step;
    for (int n = 0; n < 40; ++n) {
      double const middle = (low + high) / 2;
      Course there = was;
      (temperature(there.step(all, middle)) < emergency_.limit ? low : high) = middle;
    }
    return high;
  }
  EmergencyRating begin(double current) const {
    EmergencyRating result;
    result.circuit = emergency_.circuit;
    result.sought_current = !emergency_.current;
    result.current = current;
    add(result, 0, temperature(before_));
    return result;
  }
  static void add(EmergencyRating& result, double time, double temperature) {
    result.temperature = temperature;
    result.curve.push_back({time, temperature});
  }
  std::vector<double> currents(double current) const {
    auto result = before_.currents;
    result[emergency_.circuit] = current;
    return result;
  }

  InTime of_;
  State const& before_;
  Emergency const& emergency_;
};

}  // namespace

Emergency::Emergency(core::Dictionary const& in, Site const& site) {
  auto const name = in.get<std::string>("circuit");
  std::vector<std::string> names;
  for (auto const& c : site.circuits) names.push_back(c.name);
  auto const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) in.fail("circuit", core::unknown_name("circuit", name, names));
  circuit = static_cast<std::size_t>(found - names.begin());
  if (site.circuits[circuit].trough)
    in.fail_expected("circuit", "one in the ground: how fast a trough gets warm is not known, its rating is steady");
  if (in.contains("current") == in.contains("duration"))
    in.fail("current",
            "expected one of current [A], for how long it may flow, and duration [s], for what may flow so long");
  if (in.contains("current")) current = in.get_in<double>("current", {0, 1e6});
  if (in.contains("duration")) duration = in.get_in<double>("duration", {1, longest});
  auto const& of = site.circuits[circuit];
  own_limit = !in.contains("limit");
  limit = in.get_in<double>("limit", {-60, 300}, of.limit);
  where = in.location("limit");
  if (!of.current && limit <= of.limit) {
    auto const wanted =
        fmt::format("more than {} C, which the conductors of circuit {} have before the emergency, as its "
                    "current is rated",
                    of.limit, name);
    if (own_limit) in.fail("limit", "expected a limit of " + wanted);
    in.fail_expected("limit", wanted);
  }
}

EmergencyRating rate_emergency(InTime const& of, State const& before, Emergency const& emergency) {
  Overload const overload(of, before, emergency);
  double const start = before.highest(of.site)[emergency.circuit];
  if (start >= emergency.limit)
    throw core::Error(fmt::format(
        "{}: circuit {} has conductors at {:.1f} C before the emergency, expected less than the limit, {:.1f} C",
        emergency.where, of.site.circuits[emergency.circuit].name, start, emergency.limit));
  if (emergency.current) return overload.until_limit(*emergency.current);
  // the rise is nearly proportional to the square of the current: secants
  double const own = std::max(before.currents[emergency.circuit], 1.0);
  double low = own * own, rise_low = start - emergency.limit, square = 2 * low;
  for (int iteration = 0; iteration < 100; ++iteration) {
    auto result = overload.for_time(std::sqrt(square), *emergency.duration);
    double const miss = result.temperature - emergency.limit;
    if (std::abs(miss) < 1e-6) return result;
    double const slope = (miss - rise_low) / (square - low);
    low = square;
    rise_low = miss;
    square = std::clamp(square - miss / slope, 0.2 * square, 20 * square);
  }
  throw core::RunError("the current of the emergency was not found");
}

}  // namespace tessera::run::rating
