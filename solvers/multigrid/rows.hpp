// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums along a row in lanes that do not depend on the machine, so that results keep their bits.
#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/wide.hpp"
#include "solvers/multigrid/slab.hpp"

#include <cstring>
#include <vector>

namespace tessera::solvers::multigrid {

/// Sum over i of f(vectors of 16 values of each row); rows may be of float or double. Lane l holds the columns l, l + 16,
/// ...; the lanes are added in order.
template <class T, class F, class... Rows>
double sum_row(int n, F const& f, Rows... rows) {
  constexpr int lanes = 16;
  using Sixteen = core::Wide<T, lanes>;
  Sixteen sum{};
  int i = 0;
  for (; i + lanes <= n; i += lanes) sum += f(Sixteen::load(rows + i)...);
  auto const rest = [&](T const* from) {
    T values[lanes] = {};
    std::memcpy(values, from + i, static_cast<std::size_t>(n - i) * sizeof(T));
    return Sixteen::load(values);
  };
  if (i < n) sum += f(rest(rows)...);
  double total = 0;
  for (int l = 0; l < lanes; ++l) total += static_cast<double>(sum[l]);
  return total;
}
template <class T>
double sum_of(T const* a, int n) {
  return sum_row<T>(
      n, [](auto const& x) { return x; }, a);
}
template <class T>
double sum_of_magnitudes(T const* a, int n) {
  return sum_row<T>(
      n, [](auto const& x) { return core::magnitude(x); }, a);
}
template <class T>
double dot(T const* a, T const* b, int n) {
  return sum_row<T>(
      n, [](auto const& x, auto const& y) { return x * y; }, a, b);
}

/// Exact sum over the parts of all ranks of numbers a row, of which every one is there once.
class RowSums {
 public:
  explicit RowSums(Slab const& slab) : slab_(slab), part_(slab.part()) {
    auto const [layers, rows] = slab.rows(part_);
    first_ = {rows.first, layers.first};
    rows_ = rows.last - rows.first;
    values_.resize(rows_ * (layers.last - layers.first));
  }
  /// Sets the number of a row. Rows may be set by different threads.
  void set(int k, int j, double x) { values_[(k - first_[1]) * rows_ + j - first_[0]] = x; }
  /// Whether the line of a 2-D slab is one of the part.
  bool has(int line) const { return line >= part_.first && line < part_.last; }
  /// Collective.
  double total() const {
    std::array<core::ExactSum, 1> sum;
    for (double x : values_) sum[0].add(x);
    if (!slab_.starts().empty()) core::ExactSum::all_reduce(slab_.comm(), sum);
    return sum[0].round();
  }

 private:
  Slab const& slab_;
  Range part_;
  std::array<int, 2> first_;
  int rows_;
  std::vector<double> values_;
};

/// What is summed over the cells of two arrays.
enum class Term { value, magnitude, product };

namespace detail {
/// Sums of rows with the bits of sum_row, on a device: 16 threads a row, one a lane.
template <Term term, class T>
struct SumsOfRows {
  static constexpr int lanes = 16, rows_of_a_team = 16;
  ArrayView<T const> a, b;
  int rows, of_a_layer, columns;
  double* sums;
  static std::size_t scratch() { return core::team_bytes<T>(lanes * rows_of_a_team); }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    T* const lane_sums = core::of_team<T>(team, lanes * rows_of_a_team);
    int const first = team.league_rank() * rows_of_a_team;
    int const n = rows - first < rows_of_a_team ? rows - first : rows_of_a_team;
    core::over_team(team, n * lanes, [&](int q) {
      int const row = first + q / lanes, k = row / of_a_layer, j = row % of_a_layer;
      T const *const x = a.row(k, j), *const y = b.row(k, j);
      T sum = 0;
      for (int i = q % lanes; i < columns; i += lanes)
        sum += term == Term::product ? x[i] * y[i] : term == Term::magnitude && x[i] < 0 ? -x[i] : x[i];
      lane_sums[q] = sum;
    });
    team.team_barrier();
    core::over_team(team, n, [&](int r) {
      double total = 0;
      for (int l = 0; l < lanes; ++l) total += static_cast<double>(lane_sums[r * lanes + l]);
      sums[first + r] = total;
    });
  }
};
}  // namespace detail

/// Exact sum of a term over the cells of the parts of all ranks. Collective.
template <Term term, class T>
double sum_over_cells(Slab const& slab, Array<T> const& a, Array<T> const& b) {
  int const n = slab.held(0);
  RowSums sums(slab);
  if constexpr (!core::on_host)
    if (slab.is_on_device()) {
      int const of_a_layer = slab.held(1), rows = of_a_layer * slab.held(2);
      auto const bytes = static_cast<std::size_t>(rows) * sizeof(double);
      using Kernel = detail::SumsOfRows<term, T>;
      core::for_each_team(
          "sums of rows", (rows + Kernel::rows_of_a_team - 1) / Kernel::rows_of_a_team,
          Kernel{a.view(), b.view(), rows, of_a_layer, n, reinterpret_cast<double*>(core::device_workspace(bytes))});
      auto const* const values = reinterpret_cast<double const*>(core::workspace_on_host(bytes));
      for (int r = 0; r < rows; ++r) sums.set(r / of_a_layer, r % of_a_layer, values[r]);
      return sums.total();
    }
  slab.for_each_row(slab.part(), [&](int k, int j) {
    T const *const x = a.row(k, j), *const y = b.row(k, j);
    sums.set(k, j,
             term == Term::value       ? sum_of(x, n)
             : term == Term::magnitude ? sum_of_magnitudes(x, n)
                                       : dot(x, y, n));
  });
  return sums.total();
}

}  // namespace tessera::solvers::multigrid
