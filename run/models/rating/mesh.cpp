// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/mesh.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::run::rating {
namespace {

/// A stretch of the axis where h is linear, seen from its fine end: h = first + slope d.
struct Stretch {
  double from, to;  ///< `from` is the fine end
  double first, slope;
  double length() const { return std::abs(to - from); }
  /// Integral of 1 / h from the fine end to the distance d.
  double integral(double d) const { return slope == 0 ? d / first : std::log1p(slope * d / first) / slope; }
  double distance(double integral) const {
    return slope == 0 ? integral * first : std::expm1(slope * integral) * first / slope;
  }
};

std::vector<std::pair<double, double>> merged(std::vector<std::pair<double, double>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<std::pair<double, double>> result;
  for (auto const& i : intervals) {
    if (result.empty() || i.first > result.back().second)
      result.push_back(i);
    else
      result.back().second = std::max(result.back().second, i.second);
  }
  return result;
}

std::vector<Stretch> stretches(double low, double high, std::vector<std::pair<double, double>> const& fine,
                               Sizes const& s) {
  std::vector<Stretch> all;
  auto const add = [&](double from, double to, double slope) {
    if (std::abs(to - from) > 1e-9 * s.finest) all.push_back({from, to, s.finest, slope});
  };
  add(fine.front().first, low, s.growth);
  for (std::size_t n = 0; n < fine.size(); ++n) {
    add(fine[n].first, fine[n].second, 0);
    double const next = n + 1 < fine.size() ? 0.5 * (fine[n].second + fine[n + 1].first) : high;
    add(fine[n].second, next, s.growth);
    if (n + 1 < fine.size()) add(fine[n + 1].first, next, s.growth);
  }
  return all;
}

double integral(std::vector<Stretch> const& all) {
  double total = 0;
  for (auto const& s : all) total += s.integral(s.length());
  return total;
}

core::Count cells_in(double integral) {
  return std::max<core::Count>(1, static_cast<core::Count>(std::ceil(integral - 1e-9)));
}

/// An axis before its cells are made.
struct Extent {
  double low, high;
  std::vector<std::pair<double, double>> fine;
  core::Count cells(Sizes const& sizes) const { return cells_in(integral(stretches(low, high, merged(fine), sizes))); }
};

std::vector<std::pair<double, double>> near_cables(Site const& site, std::size_t axis) {
  std::vector<std::pair<double, double>> result;
  for (auto const& cable : site.buried()) {
    double const r = site.type(cable).outer();
    result.emplace_back(cable.position[axis] - r, cable.position[axis] + r);
  }
  return result;
}

}  // namespace

core::Axis graded_axis(double low, double high, std::vector<std::pair<double, double>> fine, Sizes const& sizes) {
  auto const all = stretches(low, high, merged(std::move(fine)), sizes);
  double const total = integral(all);
  core::Count const cells = cells_in(total);
  std::vector<double> faces{low};
  double done = 0;
  std::size_t n = 0;
  for (core::Count i = 1; i < cells; ++i) {
    double const wanted = total * static_cast<double>(i) / static_cast<double>(cells);
    while (done + all[n].integral(all[n].length()) < wanted) {
      done += all[n].integral(all[n].length());
      ++n;
    }
    Stretch const& s = all[n];
    bool const upwards = s.to > s.from;
    double const along = wanted - done, whole = s.integral(s.length());
    faces.push_back(upwards ? s.from + s.distance(along) : s.from - s.distance(whole - along));
  }
  faces.push_back(high);
  return core::Axis(std::move(faces));
}

namespace {

std::array<Extent, 2> extents(Site const& site, double far) {
  auto const x = near_cables(site, 0), y = near_cables(site, 1);
  double left = x.front().first, right = x.front().second, bottom = y.front().first;
  for (auto const& [from, to] : x) left = std::min(left, from), right = std::max(right, to);
  for (auto const& [from, to] : y) bottom = std::min(bottom, from);
  return {{{left - far, right + far, x}, {bottom - far, 0, y}}};
}

}  // namespace

core::Grid make_grid(Site const& site, double far, Sizes const& sizes) {
  auto const [x, y] = extents(site, far);
  core::Grid grid({graded_axis(x.low, x.high, x.fine, sizes), graded_axis(y.low, y.high, y.fine, sizes),
                   core::Axis::make_uniform(1, -0.5, 1)});
  grid.name_patch(core::Side::top, "surface");
  return grid;
}

double finest_width(Site const& site, double far, double growth, core::Count cells) {
  auto const [x, y] = extents(site, far);
  double small = 1e-6, large = 1;
  for (int n = 0; n < 60; ++n) {
    double const middle = std::sqrt(small * large);
    Sizes const sizes{middle, growth};
    (x.cells(sizes) * y.cells(sizes) > cells ? small : large) = middle;
  }
  return large;
}

}  // namespace tessera::run::rating
