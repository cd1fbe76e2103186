// SPDX-License-Identifier: Apache-2.0
#include "run/plan/fits.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::run {

bool enough_runs(std::vector<Times> const& runs, int least) {
  int const n = static_cast<int>(runs.size());
  if (n < least) return false;
  if (least == 1 || n >= 4 * least) return true;
  std::vector<double> rounds;
  for (Times const& run : runs) rounds.push_back(run.round);
  std::sort(rounds.begin(), rounds.end());
  return rounds[1] <= 1.03 * rounds[0];
}

Times fastest_of(std::vector<Times> const& runs) {
  Times best = runs.front();
  for (auto const kind : {&Times::round, &Times::other, &Times::boot, &Times::compute})
    for (Times const& run : runs) best.*kind = std::min(best.*kind, run.*kind);
  return best;
}

double PowerLaw::operator()(double x) const { return factor * std::pow(x, exponent); }

PowerLaw fit_power(std::vector<std::pair<double, double>> const& points) {
  auto const fit = [](std::vector<std::pair<double, double>> const& all) {
    double const n = static_cast<double>(all.size());
    double sx = 0, sy = 0, sxx = 0, sxy = 0, mean = 0;
    for (auto const& [x, y] : all) {
      sx += std::log(x), sy += std::log(y), sxx += std::log(x) * std::log(x), sxy += std::log(x) * std::log(y);
      mean += y / n;
    }
    double const spread = n * sxx - sx * sx;
    PowerLaw law;
    law.exponent = all.size() > 1 && spread > 1e-12 ? (n * sxy - sx * sy) / spread : 0;
    if (std::abs(law.exponent) < 0.1) {
      law.exponent = 0;
      law.factor = mean;
    } else {
      law.factor = std::exp((sy - law.exponent * sx) / n);
    }
    return law;
  };
  core::expect(!points.empty(), "a power law goes through at least one point");
  PowerLaw law = fit(points);
  law.error = points.size() < 3 ? std::nan("") : 0;
  for (std::size_t n = 0; points.size() >= 3 && n < points.size(); ++n) {
    auto others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
    law.error = std::max(law.error, std::abs(fit(others)(points[n].first) / points[n].second - 1));
  }
  return law;
}

ExchangeLaw fit_exchange(Exchange const& small, Exchange const& large) {
  double const det = large.cut * small.cells - small.cut * large.cells;
  ExchangeLaw law;
  if (det != 0) {
    law.a_cell = (large.cut * small.bytes - small.cut * large.bytes) / det;
    law.a_cut = (large.bytes * small.cells - small.bytes * large.cells) / det;
  }
  // parts of one shape tell nothing apart; what is a fiftieth of all is noise of the tiles' borders
  if (det == 0 || law.a_cell * large.cells < 0.02 * large.bytes)
    return {large.cut > 0 ? large.bytes / large.cut : 0, 0};
  if (law.a_cut < 0) return {0, large.cells > 0 ? large.bytes / large.cells : 0};
  return law;
}

WaitLaw fit_wait(std::vector<std::pair<double, double>> const& points) {
  auto const& [most, seconds] = points.back();
  auto const& [less, before] = points.size() > 1 ? points[points.size() - 2] : points.back();
  double const share = most > less ? std::max(0.0, (seconds - before) / (most - less)) : -1;
  double const constant = seconds - share * most;
  if (share < 0 || constant < 0) return {most > 0 ? seconds / most : 0, 0};
  return {share, constant};
}

Line fit_line(std::pair<double, double> const& small, std::pair<double, double> const& large) {
  double const across = large.first - small.first;
  double const slope = across > 0 ? std::max(0.0, (large.second - small.second) / across) : 0;
  return {large.second - slope * large.first, slope};
}

}  // namespace tessera::run
