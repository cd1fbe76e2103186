// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/coarsening.hpp"

#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace tessera::solvers::multigrid {
namespace detail {

/// log2 to about 0.01, in arithmetic that gives the same bits everywhere and vectorises; x > 0.
KOKKOS_INLINE_FUNCTION double rough_log2(double x) {
  std::int64_t bits, mantissa_bits, exponent_bits;
  double mantissa, exponent;
  std::memcpy(&bits, &x, sizeof bits);
  mantissa_bits = (bits & 0xfffffffffffff) | 0x3ff0000000000000;
  exponent_bits = (bits >> 52) | 0x4330000000000000;
  std::memcpy(&mantissa, &mantissa_bits, sizeof mantissa);  // 1 .. 2
  std::memcpy(&exponent, &exponent_bits, sizeof exponent);
  return exponent - 4503599627370496.0 - 1023 + (mantissa - 1) * (1.3465 - 0.3465 * (mantissa - 1));
}

/// Axes of a level with K couplings a cell.
constexpr int axes_of(int K) { return K == 0 ? 0 : K == 1 ? 1 : K == 2 || K == 4 ? 2 : 3; }

/// What the couplings of a cell tell: s_d are those across the axis d.
template <int A>
struct CellFacts {
  double log[A + 1];    ///< log2(s_d h_d^2), and 1 at last, if there are couplings across all axes; else zeros
  double ratio[A + 1];  ///< of the couplings within the cell's line to s_d
};

/// The facts of a row, by lanes: lane l has the columns l, l + 16, ...
template <int A>
struct RowFacts {
  static constexpr int lanes = 16;
  double sums[A + 1][lanes] = {};
  double worst[A + 1][lanes] = {};  ///< the largest ratio
  KOKKOS_FORCEINLINE_FUNCTION void add(int lane, CellFacts<A> const& cell) {
    for (int d = 0; d <= A; ++d) sums[d][lane] += cell.log[d];
    for (int d = 0; d < A; ++d) worst[d][lane] = worst[d][lane] < cell.ratio[d] ? cell.ratio[d] : worst[d][lane];
  }
};
/// The sums of the lanes in order, and the largest of all.
template <int A>
struct RowTotals {
  double sums[A + 1] = {}, worst[A + 1] = {};
  KOKKOS_FUNCTION explicit RowTotals(RowFacts<A> const& row) {
    for (int d = 0; d <= A; ++d)
      for (int l = 0; l < RowFacts<A>::lanes; ++l) {
        sums[d] += row.sums[d][l];
        worst[d] = worst[d] < row.worst[d][l] ? row.worst[d][l] : worst[d];
      }
  }
};

/// Looks at the cells of rows. Axes are those that are not thin.
template <int K>
struct CellCouplings {
  static constexpr int A = axes_of(K);
  CouplingsView<double, K> couplings;
  double across[A + 1][K + 1];  ///< 1: the coupling leads across the axis
  double const* widths[A + 1];  ///< of lines, from the slab's first on
  int axis[A + 1];
  struct Row {
    CellCouplings const& of;
    typename CouplingsView<double, K>::Row f;
    double h[A + 1];
    KOKKOS_FORCEINLINE_FUNCTION CellFacts<A> operator()(int i) const {
      constexpr double least = std::numeric_limits<double>::min();
      double all = 0, s[A + 1] = {};
      CellFacts<A> cell{};
      TESSERA_UNROLL(13)
      for (int c = 0; c < K; ++c) {
        double const both = f.lower(c, i) + f.upper(c, i);
        all += both;
        for (int d = 0; d < A; ++d) s[d] += of.across[d][c] * both;
      }
      bool good = true;
      for (int d = 0; d < A; ++d) {
        double const width = d == 0 && of.axis[0] == 0 ? of.widths[0][i] : h[d], x = s[d] * width * width;
        good = good && s[d] > 0;
        cell.log[d] = rough_log2(x < least ? least : x);
        double const weak = 1e-12 * all + least;
        cell.ratio[d] = (all - s[d]) / (s[d] < weak ? weak : s[d]);
      }
      for (int d = 0; d < A; ++d) cell.log[d] = good ? cell.log[d] : 0;
      cell.log[A] = good ? 1 : 0;
      return cell;
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    Row result{*this, couplings.row(k, j), {}};
    for (int d = 0; d < A; ++d) result.h[d] = axis[d] == 0 ? 0 : widths[d][axis[d] == 1 ? j : k];
    return result;
  }
};

/// The totals of rows on a device: a thread a lane. The largest ratio of a column is found by bits, as of whole numbers: ratios below
/// zero do not count.
template <int K>
struct TotalsOfRows {
  static constexpr int A = axes_of(K), lanes = RowFacts<A>::lanes, rows_of_a_team = 8;
  CellCouplings<K> cells;
  int rows, of_a_layer, columns;
  RowTotals<A>* totals;
  unsigned long long* of_columns;
  static std::size_t scratch() { return core::team_bytes<RowFacts<A>>(rows_of_a_team); }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    RowFacts<A>* const facts = core::of_team<RowFacts<A>>(team, rows_of_a_team);
    int const first = team.league_rank() * rows_of_a_team;
    int const n = rows - first < rows_of_a_team ? rows - first : rows_of_a_team;
    core::over_team(team, n * lanes, [&](int q) {
      int const number = first + q / lanes;
      int const lane = q % lanes;
      auto const row = cells.row(number / of_a_layer, number % of_a_layer);
      RowFacts<A>& of = facts[q / lanes];
      for (int d = 0; d <= A; ++d) of.sums[d][lane] = of.worst[d][lane] = 0;
      for (int i = lane; i < columns; i += lanes) {
        CellFacts<A> const cell = row(i);
        of.add(lane, cell);
        if (cells.axis[0] == 0) raise(of_columns + i, cell.ratio[0]);
      }
    });
    team.team_barrier();
    core::over_team(team, n, [&](int r) { totals[first + r] = RowTotals<A>(facts[r]); });
  }
  KOKKOS_FUNCTION static void raise(unsigned long long* largest, double ratio) {
    double now;
    std::memcpy(&now, largest, sizeof now);
    if (!(ratio > now)) return;
    unsigned long long bits;
    std::memcpy(&bits, &ratio, sizeof bits);
    Kokkos::atomic_fetch_max(largest, bits);
  }
};

}  // namespace detail
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

/// What one pass over a level tells of its couplings.
class Couplings {
 public:
  /// Collective.
  Couplings(Level<double> const& level, Widths const& widths) : level_(level) {
    Slab const& slab = level.slab();
    for (std::size_t d = 0; d < 3; ++d) {
      isolation[d].assign(widths[d].size(), 0.0);
      if (slab.cells()[d] > 1) axes_.push_back(d);
    }
    detail::with_couplings(level.numbers().size(), [&](auto K) { look<K()>(widths); });
    if (!slab.whole() || !slab.starts().empty()) {
      core::ExactSum::all_reduce(slab.comm(), sums_);
      for (std::size_t d : axes_) slab.comm().max(std::span<double>(isolation[d]));
    }
    double const cells = sums_[3].round();
    for (std::size_t d : axes_) mean[d] = cells > 0 ? sums_[d].round() / cells : 0;
  }
  std::vector<std::size_t> const& axes() const { return axes_; }

  /// Mean of log2(s_d h_d^2) over the cells with couplings in all directions, s_d those across d; nothing where there
  /// are none.
  std::array<double, 3> mean{};
  /// The largest ratio, over the cells of a line, of the couplings within the line to those across it.
  std::array<std::vector<double>, 3> isolation;

 private:
  template <int K>
  void look(Widths const& widths) {
    constexpr int A = detail::axes_of(K);
    core::expect(axes_.size() == A, "a level of multigrid has couplings of other axes than its own");
    Slab const& slab = level_.slab();
    detail::CellCouplings<K> cells{level_.template couplings<K>(), {}, {}, {}};
    std::array<Table<double>, 3> tables;
    for (int d = 0; d < A; ++d) {
      int const axis = cells.axis[d] = static_cast<int>(axes_[d]);
      for (int c = 0; c < K; ++c) cells.across[d][c] = level_.around()[level_.numbers()[c]][axis] != 0;
      auto const first = widths[axis].begin() + (axis == slab.outer() ? slab.first() : 0);
      tables[d] = Table<double>(slab, "widths", {first, first + slab.held(axis)});
      cells.widths[d] = tables[d].data();
    }
    if constexpr (!core::on_host)
      if (slab.is_on_device()) return look_on_device(cells);
    // each thread has its own lines, and its own numbers
    int const parts = core::host_threads_for(slab.total());
    std::vector<Couplings> of(parts, *this);
    core::for_each_by_threads("couplings", parts, slab.total(), [&](core::Count n) {
      slab.for_each_row_in_order(share(slab.part(), static_cast<int>(n), parts),
                                 [&](int k, int j) { of[n].look_at_row(cells, k, j); });
    });
    for (Couplings const& part : of) {
      for (std::size_t d = 0; d < 4; ++d) sums_[d].add(part.sums_[d]);
      for (std::size_t d : axes_)
        for (std::size_t i = 0; i < isolation[d].size(); ++i)
          isolation[d][i] = std::max(isolation[d][i], part.isolation[d][i]);
    }
  }

  template <int K>
  void look_at_row(detail::CellCouplings<K> const& cells, int k, int j) {
    constexpr int A = detail::axes_of(K), lanes = detail::RowFacts<A>::lanes;
    int const n = level_.slab().held(0);
    double* const of_columns = isolation[0].data();
    bool const across_x = A > 0 && cells.axis[0] == 0;
    auto const row = cells.row(k, j);
    detail::RowFacts<A> facts;
    auto const look_at = [&](int first, int count) {
      TESSERA_INDEPENDENT
      for (int l = 0; l < count; ++l) {
        auto const cell = row(first + l);
        facts.add(l, cell);
        double& worst = of_columns[first + l];
        worst = across_x && worst < cell.ratio[0] ? cell.ratio[0] : worst;
      }
    };
    int i = 0;
    for (; i + lanes <= n; i += lanes) look_at(i, lanes);
    look_at(i, n - i);
    add(detail::RowTotals<A>(facts), k, j);
  }

  template <int K>
  void look_on_device(detail::CellCouplings<K> const& cells) {
    Slab const& slab = level_.slab();
    using Kernel = detail::TotalsOfRows<K>;
    using Totals = detail::RowTotals<Kernel::A>;
    int const of_a_layer = slab.held(1), rows = of_a_layer * slab.held(2);
    Kokkos::View<unsigned long long*> const of_columns("isolation", slab.held(0));
    auto const bytes = static_cast<std::size_t>(rows) * sizeof(Totals);
    core::for_each_team("couplings", (rows + Kernel::rows_of_a_team - 1) / Kernel::rows_of_a_team,
                        Kernel{cells, rows, of_a_layer, slab.held(0),
                               reinterpret_cast<Totals*>(core::device_workspace(bytes)), of_columns.data()});
    auto const* const totals = reinterpret_cast<Totals const*>(core::workspace_on_host(bytes));
    for (int r = 0; r < rows; ++r) add(totals[r], r / of_a_layer, r % of_a_layer);
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_columns);
    std::memcpy(isolation[0].data(), found.data(), isolation[0].size() * sizeof(double));
  }

  template <int A>
  void add(detail::RowTotals<A> const& row, int k, int j) {
    Slab const& slab = level_.slab();
    // a line of the outer axis is numbered from the start of the level
    std::array<core::Count, 3> at{0, j, k};
    at[slab.outer()] += slab.first();
    for (int d = 0; d < A; ++d) {
      std::size_t const axis = axes_[d];
      sums_[axis].add(row.sums[d]);
      double& worst = isolation[axis][at[axis]];
      if (axis != 0) worst = std::max(worst, row.worst[d]);
    }
    sums_[3].add(row.sums[A]);
  }

  Level<double> const& level_;
  std::vector<std::size_t> axes_;
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
