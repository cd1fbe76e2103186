// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums along a row in lanes that do not depend on the machine, so that results keep their bits.
#include "core/grid/exact_sum.hpp"
#include "solvers/multigrid/slab.hpp"

#include <cstring>
#include <span>

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
  Vector sum{};
  auto const load = [](T const* from, int count) {
    Vector v{};
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

/// Exact sums of numbers a row over the parts of all ranks; every row is there once. Collective on total().
template <std::size_t N>
class RowSums {
 public:
  explicit RowSums(Slab const& slab) : slab_(slab) {}
  void add(std::size_t n, double x) { sums_[n].add(x); }
  std::array<double, N> total() {
    if (!slab_.starts().empty()) core::ExactSum::all_reduce(slab_.comm(), sums_);
    std::array<double, N> result;
    for (std::size_t n = 0; n < N; ++n) result[n] = sums_[n].round();
    return result;
  }

 private:
  Slab const& slab_;
  std::array<core::ExactSum, N> sums_;
};

}  // namespace tessera::solvers::multigrid
