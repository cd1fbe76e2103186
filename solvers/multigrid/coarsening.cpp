// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/coarsening.hpp"

#include "core/grid/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::solvers::multigrid {
namespace {

// Directions whose cells differ by less are coarsened alike: just above it a cell of 2 by 1 becomes one of 2 by 2.
constexpr double theta = 1.9;
// A level has at most this share of the cells of the finer one, and lines `thicker` times as thick may go until it has.
// Measured on the cables of cases/cables with 60 000 to 10^6 cells: the work to solve halves with 0.8 and hardly differs
// from 0.75 to 0.85 or with other steps.
constexpr double fewer = 0.8, thicker = 1.25;
// Couplings along a line over those across it. Where a line may be removed they are below 2 theta^2 in a medium without
// jumps.
constexpr double isolated = 20;

/// log2 to about 0.01, in arithmetic that gives the same bits everywhere and vectorises; x > 0.
double rough_log2(double x) {
  auto const bits = std::bit_cast<std::int64_t>(x);
  double const mantissa = std::bit_cast<double>((bits & 0xfffffffffffff) | 0x3ff0000000000000);  // 1 .. 2
  double const exponent = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - 4503599627370496.0;
  return exponent - 1023 + (mantissa - 1) * (1.3465 - 0.3465 * (mantissa - 1));
}

/// What one pass over a level tells of its couplings.
class Couplings {
 public:
  /// Collective.
  Couplings(Level<double> const& level, Widths const& widths) : level_(level), widths_(widths) {
    Slab const& slab = level.slab();
    for (std::size_t d = 0; d < 3; ++d) {
      isolation[d].assign(widths[d].size(), 0.0);
      if (slab.cells()[d] > 1) axes_.push_back(d);
    }
    // each thread has its own lines, and its own numbers
    int const parts = core::host_threads_for(slab.total());
    std::vector<Couplings> of(parts, *this);
    core::for_each_by_threads("couplings", parts, slab.total(), [&](core::Count n) {
      slab.for_each_row_in_order(share(slab.part(), static_cast<int>(n), parts),
                                 [&](int k, int j) { of[n].add_row(k, j); });
    });
    std::array<core::ExactSum, 4> sums;
    for (Couplings const& part : of) {
      for (std::size_t d = 0; d < 4; ++d) sums[d].add(part.sums_[d]);
      for (std::size_t d : axes_)
        for (std::size_t i = 0; i < isolation[d].size(); ++i)
          isolation[d][i] = std::max(isolation[d][i], part.isolation[d][i]);
    }
    if (!slab.whole() || !slab.starts().empty()) {
      core::ExactSum::all_reduce(slab.comm(), sums);
      for (std::size_t d : axes_) slab.comm().max(std::span<double>(isolation[d]));
    }
    double const cells = sums[3].round();
    for (std::size_t d : axes_) mean[d] = cells > 0 ? sums[d].round() / cells : 0;
  }
  std::vector<std::size_t> const& axes() const { return axes_; }

  /// Mean of log2(s_d h_d^2) over the cells with couplings in all directions, s_d those across d; nothing where there
  /// are none.
  std::array<double, 3> mean{};
  /// The largest ratio, over the cells of a line, of the couplings within the line to those across it.
  std::array<std::vector<double>, 3> isolation;

 private:
  void add_row(int k, int j) {
    Slab const& slab = level_.slab();
    auto const n = static_cast<std::size_t>(slab.held(0));
    std::array<std::vector<double>, 3>& s = across_;
    for (std::size_t d : axes_) s[d].assign(n, 0.0);
    all_.assign(n, 0.0);
    for (std::size_t c = 0; c < level_.numbers().size(); ++c) {
      Offset const& e = level_.around()[level_.numbers()[c]];
      double const *const f = level_.conductances()[c].row(k, j), *const upper = f - level_.row_sums().step(e);
      for (std::size_t i = 0; i < n; ++i) all_[i] += f[i] + upper[i];
      for (std::size_t d : axes_)
        if (e[d] != 0)
          for (std::size_t i = 0; i < n; ++i) s[d][i] += f[i] + upper[i];
    }
    // a line of the outer axis is numbered from the start of the level
    std::array<core::Count, 3> at{0, j, k};
    at[slab.outer()] += slab.first();
    for (std::size_t d : axes_) add_isolation(d, d == 0 ? -1 : at[d]);
    double total[4] = {};
    for (std::size_t i = 0; i < n; ++i) {
      bool good = true;
      double log[3] = {};
      for (std::size_t d : axes_) {
        double const h = widths_[d][d == 0 ? i : static_cast<std::size_t>(at[d])];
        good = good && s[d][i] > 0;
        log[d] = rough_log2(std::max(s[d][i] * h * h, std::numeric_limits<double>::min()));
      }
      for (int d = 0; d < 3; ++d) total[d] += good ? log[d] : 0;
      total[3] += good ? 1 : 0;
    }
    for (std::size_t d = 0; d < 4; ++d) sums_[d].add(total[d]);
  }

  /// Of the cells of a row: each is of a line of its own (line -1: across x), or all are of one.
  void add_isolation(std::size_t d, core::Count line) {
    std::size_t const n = all_.size();
    double const* const s = across_[d].data();
    auto const ratio = [&](std::size_t i) {
      return (all_[i] - s[i]) / std::max(s[i], 1e-12 * all_[i] + std::numeric_limits<double>::min());
    };
    if (line < 0) {
      double* const worst = isolation[d].data();
      for (std::size_t i = 0; i < n; ++i) worst[i] = std::max(worst[i], ratio(i));
    } else {
      double& worst = isolation[d][line];
      double largest = worst;
      for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, ratio(i));
      worst = largest;
    }
  }

  Level<double> const& level_;
  Widths const& widths_;
  std::vector<std::size_t> axes_;
  std::array<std::vector<double>, 3> across_;
  std::vector<double> all_;
  std::array<core::ExactSum, 4> sums_;
};

/// Keeps the lines that are isolated, the most isolated ones where there are too many to reduce the level by nearly half.
Lines lines_of(std::vector<double> const& widths, bool periodic, double thin, std::vector<double> const& isolation) {
  Lines plain(widths, periodic, thin);
  if (!plain.coarsened()) return plain;
  core::Count const most = plain.coarse() + std::max<core::Count>(2, plain.coarse() / 8);
  for (double limit = isolated; limit < 1e12; limit *= 10) {
    std::vector<bool> keep;
    for (double x : isolation) keep.push_back(x > limit);
    if (std::find(keep.begin(), keep.end(), true) == keep.end()) break;
    Lines lines(widths, periodic, thin, keep);
    if (lines.coarsened() && lines.coarse() <= most) return lines;
  }
  return plain;
}

}  // namespace

std::array<Lines, 3> choose_lines(Level<double> const& level, Widths const& widths) {
  Couplings const couplings(level, widths);
  auto const& axes = couplings.axes();
  double mean = 0;
  for (std::size_t d : axes) mean += couplings.mean[d] / static_cast<double>(axes.size());
  // factors sqrt(K / kappa_d), and the thinnest and the thickest line of all directions
  std::array<double, 3> factor{1, 1, 1};
  double thinnest = std::numeric_limits<double>::infinity(), thickest = 0;
  for (std::size_t d : axes) {
    factor[d] = std::exp2(0.5 * (mean - couplings.mean[d]));
    auto const [least, largest] = std::minmax_element(widths[d].begin(), widths[d].end());
    thinnest = std::min(thinnest, factor[d] * *least);
    thickest = std::max(thickest, factor[d] * *largest);
  }
  auto const lines = [&](std::size_t d, double thick) {
    return lines_of(widths[d], level.slab().periodic(static_cast<int>(d)), thick * (1 + 1e-9) / factor[d],
                    couplings.isolation[d]);
  };
  double const most = fewer * static_cast<double>(level.slab().total());
  for (double thick = theta * thinnest;; thick *= thicker) {
    std::array<Lines, 3> all{lines(0, thick), lines(1, thick), lines(2, thick)};
    if (static_cast<double>(all[0].coarse() * all[1].coarse() * all[2].coarse()) <= most || thick > thickest)
      return all;
  }
}

}  // namespace tessera::solvers::multigrid
