// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums along a row in lanes that do not depend on the machine, so that results keep their bits.
#include "core/grid/exact_sum.hpp"
#include "solvers/multigrid/slab.hpp"

#include <cstring>
#include <vector>

// vectors are handed over inside one translation unit only, so it does not matter how a call would pass them
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tessera::solvers::multigrid {

template <class T>
struct SixteenOf;
template <>
struct SixteenOf<float> {
  using Vector = float __attribute__((vector_size(16 * sizeof(float))));
};
template <>
struct SixteenOf<double> {
  using Vector = double __attribute__((vector_size(16 * sizeof(double))));
};

/// Sum over i of f(vectors of 16 values of each row); rows may be of float or double. Lane l holds the columns l, l + 16,
/// ...; the lanes are added in order.
template <class T, class F, class... Rows>
double sum_row(int n, F const& f, Rows... rows) {
  constexpr int lanes = 16;
  using Vector = typename SixteenOf<T>::Vector;
  Vector sum;
  std::memset(&sum, 0, sizeof sum);
  auto const load = [](T const* from, int count) {
    Vector v;
    std::memset(&v, 0, sizeof v);
    std::memcpy(&v, from, static_cast<std::size_t>(count) * sizeof(T));
    return v;
  };
  int i = 0;
  for (; i + lanes <= n; i += lanes) sum += f(load(rows + i, lanes)...);
  if (i < n) sum += f(load(rows + i, n - i)...);
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
      n, [](auto const& x) { return x < 0 ? -x : x; }, a);
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
/// Exact sum of f(k, j) over the rows of the parts of all ranks. Collective.
template <class F>
double sum_over_rows(Slab const& slab, F const& f) {
  RowSums sums(slab);
  slab.for_each_row(slab.part(), [&](int k, int j) { sums.set(k, j, f(k, j)); });
  return sums.total();
}

}  // namespace tessera::solvers::multigrid
