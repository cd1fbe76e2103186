// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/joint_currents.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tessera::run::rating {
namespace {

/// Newton's method on the squares of the currents that are sought.
class Search {
 public:
  Search(Site const& site, Highest const& highest, std::vector<double> begin, double by)
      : site_(site),
        highest_(highest),
        by_(by),
        currents_(std::move(begin)),
        begin_(currents_) {
    for (std::size_t c = 0; c < site.circuits.size(); ++c)
      if (!site.circuits[c].current) sought_.push_back(c);
  }

  std::vector<double> run(double tolerance) {
    if (auto const found = find(tolerance)) return *found;
    check_neighbours(tolerance);
    throw core::RunError("the currents at which all circuits are at their limits were not found");
  }

 private:
  /// Nothing where it does not settle.
  std::optional<std::vector<double>> find(double tolerance) {
    auto given = currents_;
    for (std::size_t c : sought_) given[c] = 0;
    auto const without = highest_(given);
    if (!without) throw core::RunError("thermal runaway: the given currents have no steady temperature");
    if (sought_.empty()) return given;
    check_reachable(*without);
    for (int iteration = 0; iteration < 200; ++iteration) {
      auto const found = highest_(currents_);
      if (!found) {
        scale(0.5);
        continue;
      }
      auto const miss = misses(*found);
      if (std::all_of(miss.begin(), miss.end(), [&](double m) { return std::abs(m) < tolerance; })) return currents_;
      step(miss);
    }
    return std::nullopt;
  }
  std::vector<double> misses(std::vector<double> const& highest) const {
    std::vector<double> result;
    for (std::size_t c : sought_) result.push_back(highest[c] - site_.circuits[c].limit);
    return result;
  }
  void check_reachable(std::vector<double> const& without) const {
    for (std::size_t c : sought_)
      if (without[c] >= site_.circuits[c].limit)
        throw core::Error(fmt::format("{}: circuit {} has conductors at {:.1f} C without a current of its own, by its "
                                      "surroundings and its voltage: its limit is {:.1f} C",
                                      site_.circuits[c].where, site_.circuits[c].name, without[c],
                                      site_.circuits[c].limit));
  }
  /// Throws core::Error for a circuit that is above its limit without a current, beside others at theirs.
  void check_neighbours(double tolerance) const {
    if (sought_.size() < 2) return;
    for (std::size_t const c : sought_) {
      Site others = site_;
      others.circuits[c].current = 0;
      auto begin = begin_;
      begin[c] = 0;
      std::optional<std::vector<double>> found;
      try {
        if (auto const currents = Search(others, highest_, std::move(begin), by_).find(tolerance))
          found = highest_(*currents);
      } catch (std::runtime_error const&) {
        continue;  // it is not this one
      }
      if (found && (*found)[c] >= site_.circuits[c].limit)
        throw core::Error(
            fmt::format("{}: circuit {} is at {:.1f} C without a current, beside circuits that carry what "
                        "their limits allow: above its own limit of {:.1f} C; give one of them a current",
                        site_.circuits[c].where, site_.circuits[c].name, (*found)[c], site_.circuits[c].limit));
    }
  }
  void scale(double factor) {
    for (std::size_t c : sought_) currents_[c] *= factor;
  }
  void step(std::vector<double> const& miss) {
    std::size_t const n = sought_.size();
    std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
    for (std::size_t col = 0; col < n; ++col) {
      auto moved = currents_;
      double const square = moved[sought_[col]] * moved[sought_[col]], by = by_ * square;
      moved[sought_[col]] = std::sqrt(square + by);
      auto const found = highest_(moved);
      if (!found) return scale(0.7);
      auto const there = misses(*found);
      for (std::size_t row = 0; row < n; ++row) a[row][col] = (there[row] - miss[row]) / by;
    }
    for (std::size_t row = 0; row < n; ++row) a[row][n] = -miss[row];
    eliminate(a);
    for (std::size_t row = 0; row < n; ++row) {
      double& current = currents_[sought_[row]];
      double const square = current * current;
      current = std::sqrt(std::clamp(square + a[row][n], 0.25 * square, 4 * square));
    }
  }
  /// Gauss' elimination; the diagonal leads, since a circuit heats itself most.
  static void eliminate(std::vector<std::vector<double>>& a) {
    std::size_t const n = a.size();
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = 0; r < n; ++r) {
        if (r == c) continue;
        double const factor = a[r][c] / a[c][c];
        for (std::size_t k = c; k <= n; ++k) a[r][k] -= factor * a[c][k];
      }
    for (std::size_t r = 0; r < n; ++r) a[r][n] /= a[r][r];
  }

  Site const& site_;
  Highest const& highest_;
  double by_;
  std::vector<double> currents_, begin_;
  std::vector<std::size_t> sought_;
};

}  // namespace

std::vector<double> seek(Site const& site, Highest const& highest, std::vector<double> begin, double tolerance,
                         double by) {
  return Search(site, highest, std::move(begin), by).run(tolerance);
}

}  // namespace tessera::run::rating
