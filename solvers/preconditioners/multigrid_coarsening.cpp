// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/multigrid_coarsening.hpp"

#include "core/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::solvers::multigrid {
namespace {

/// log2 to about 0.01, in arithmetic that gives the same bits everywhere and vectorises; x > 0.
double rough_log2(double x) {
  auto const bits = std::bit_cast<std::int64_t>(x);
  double const mantissa = std::bit_cast<double>((bits & 0xfffffffffffff) | 0x3ff0000000000000);  // 1 .. 2
  double const exponent = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - 4503599627370496.0;
  return exponent - 1023 + (mantissa - 1) * (1.3465 - 0.3465 * (mantissa - 1));
}

/// Mean of log2(s_d h_d^2) over the cells with couplings in all directions; nothing where there are none.
class Conductivities {
 public:
  Conductivities(Level<double> const& level, Widths const& widths) : level_(level), widths_(widths) {
    for (std::size_t d = 0; d < 3; ++d)
      if (level.slab().cells()[d] > 1) axes_.push_back(d);
    std::array<core::ExactSum, 4> sums;
    Slab const& slab = level.slab();
    slab.for_each_row(slab.part(), [&](int k, int j) { add_row(k, j, sums); });
    if (!slab.whole() || !slab.starts().empty()) core::ExactSum::all_reduce(slab.comm(), sums);
    double const cells = sums[3].round();
    for (std::size_t d : axes_) mean[d] = cells > 0 ? sums[d].round() / cells : 0;
  }
  std::vector<std::size_t> const& axes() const { return axes_; }
  std::array<double, 3> mean{};

 private:
  void add_row(int k, int j, std::array<core::ExactSum, 4>& sums) {
    Slab const& slab = level_.slab();
    auto const n = static_cast<std::size_t>(slab.held(0));
    std::array<std::vector<double>, 3>& s = towards_;
    for (std::size_t d : axes_) s[d].assign(n, 0.0);
    for (std::size_t c = 0; c < level_.numbers().size(); ++c) {
      Offset const& e = level_.around()[level_.numbers()[c]];
      double const *const f = level_.conductances()[c].row(k, j), *const upper = f - level_.row_sums().step(e);
      for (std::size_t d : axes_)
        if (e[d] != 0)
          for (std::size_t i = 0; i < n; ++i) s[d][i] += f[i] + upper[i];
    }
    // a line of the outer axis is numbered from the start of the level
    std::array<core::Count, 3> at{0, j, k};
    at[static_cast<std::size_t>(slab.outer())] += slab.first();
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
    for (std::size_t d = 0; d < 4; ++d) sums[d].add(total[d]);
  }

  Level<double> const& level_;
  Widths const& widths_;
  std::vector<std::size_t> axes_;
  std::array<std::vector<double>, 3> towards_;
};

}  // namespace

std::array<Lines, 3> choose_lines(Level<double> const& level, Widths const& widths) {
  constexpr double theta = 2.5;
  Conductivities const conductivity(level, widths);
  auto const& axes = conductivity.axes();
  double mean = 0;
  for (std::size_t d : axes) mean += conductivity.mean[d] / static_cast<double>(axes.size());
  // factors sqrt(K / kappa_d), and the thinnest line of all directions
  std::array<double, 3> factor{1, 1, 1};
  double thinnest = std::numeric_limits<double>::infinity();
  for (std::size_t d : axes) {
    factor[d] = std::exp2(0.5 * (mean - conductivity.mean[d]));
    thinnest = std::min(thinnest, factor[d] * *std::min_element(widths[d].begin(), widths[d].end()));
  }
  auto const lines = [&](std::size_t d) {
    return Lines(widths[d], level.slab().periodic(static_cast<int>(d)), theta * thinnest / factor[d] * (1 + 1e-9));
  };
  return {lines(0), lines(1), lines(2)};
}

}  // namespace tessera::solvers::multigrid
