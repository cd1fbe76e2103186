// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/daily.hpp"

#include "core/error.hpp"
#include "run/models/rating/joint_currents.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace tessera::run::rating {
namespace {

constexpr double day = 86400;

double mean_square(Circuit const& circuit) {
  if (circuit.load.empty()) return 1;
  double sum = 0;
  for (double s : circuit.load) sum += s * s;
  return sum / static_cast<double>(circuit.load.size());
}

/// The steps of a day: so many that every change of a load curve lies between two of them.
std::size_t steps_a_day(Site const& site, double step) {
  std::size_t parts = 1;
  for (auto const& c : site.circuits) parts = std::lcm(parts, std::max<std::size_t>(1, c.load.size()));
  return parts * static_cast<std::size_t>(std::ceil(day / static_cast<double>(parts) / step - 1e-9));
}

/// A day that is like the one before.
class Day {
 public:
  Day(InTime const& of, std::size_t steps) : of_(of), steps_(steps) {}

  /// States at the ends of the steps of a day; the first is that at midnight. None: the losses have no such day.
  std::optional<std::vector<State>> at(std::vector<double> const& peaks) const {
    auto mean = peaks;
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] *= std::sqrt(mean_square(of_.site.circuits[c]));
    auto const start = at_currents(of_.site, of_.responses, mean);
    if (!start) return std::nullopt;
    std::vector<State> states(steps_ + 1, *start);
    for (std::size_t n = 0; n < steps_; ++n) states[n + 1].currents = currents(peaks, n);
    states.front().currents = states.back().currents;
    constexpr int most = 1000;
    constexpr double melts = 2000;  // [C]
    for (int iteration = 0; iteration < most; ++iteration) {
      double const change = again(states);
      if (change < 1e-7) return states;
      if (!(change < melts)) break;
    }
    return std::nullopt;
  }

 private:
  /// Share of its peak that a circuit carries in a step.
  double share(Circuit const& circuit, std::size_t step) const {
    if (circuit.load.empty()) return 1;
    return circuit.load[step * circuit.load.size() / steps_];
  }
  std::vector<double> currents(std::vector<double> const& peaks, std::size_t step) const {
    auto result = peaks;
    for (std::size_t c = 0; c < result.size(); ++c) result[c] *= share(of_.site.circuits[c], step);
    return result;
  }
  /// Losses at the temperatures of the states, and the temperatures that these give. Returns the largest change [K].
  double again(std::vector<State>& states) const {
    std::vector<std::vector<double>> heat;
    for (std::size_t n = 0; n < steps_; ++n) {
      State mean = states[n + 1];
      set_losses_between(of_.site, states[n], states[n + 1], mean);
      heat.push_back(mean.heat(of_.responses));
    }
    double const step = day / static_cast<double>(steps_);
    auto x = of_.modes.periodic(heat, step);
    double change = set(states.front(), x, heat.back());
    for (std::size_t n = 0; n < steps_; ++n) {
      of_.modes.advance(x, heat[n], step);
      change = std::max(change, set(states[n + 1], x, heat[n]));
    }
    return change;
  }
  double set(State& state, Modes::Amplitudes const& x, std::vector<double> const& heat) const {
    return set_temperatures(of_.site, of_.responses.cables, of_.modes.rises(x, heat), state);
  }

  InTime of_;
  std::size_t steps_;
};

}  // namespace

DailyRating rate_daily(InTime const& of, State const& steady, double step) {
  std::size_t const steps = steps_a_day(of.site, step);
  Day const days(of, steps);
  Highest const highest = [&](std::vector<double> const& peaks) -> std::optional<std::vector<double>> {
    auto const states = days.at(peaks);
    if (!states) return std::nullopt;
    auto result = states->front().highest(of.site);
    for (auto const& state : *states) {
      auto const now = state.highest(of.site);
      for (std::size_t c = 0; c < now.size(); ++c) result[c] = std::max(result[c], now[c]);
    }
    return result;
  };
  DailyRating rating;
  rating.peaks = seek(of.site, highest, steady.currents, 1e-4);
  rating.highest = *highest(rating.peaks);
  for (std::size_t c = 0; c < rating.peaks.size(); ++c)  // a given current is the peak's, also where that is none
    rating.factors.push_back(rating.peaks[c] == steady.currents[c] ? 1 : rating.peaks[c] / steady.currents[c]);
  auto const states = *days.at(rating.peaks);
  for (std::size_t n = 1; n <= steps; ++n)
    rating.day.push_back(
        {24.0 * static_cast<double>(n) / static_cast<double>(steps), states[n].currents, states[n].highest(of.site)});
  return rating;
}

}  // namespace tessera::run::rating
