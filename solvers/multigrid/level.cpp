// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/level.hpp"

#include "core/error.hpp"
#include "core/grid/folds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace tessera::solvers::multigrid {
namespace detail {

template <class T>
struct FirstStep {
  ArrayView<T const> inverse, r;
  ArrayView<T> z;
  T weight;
  struct Row {
    T weight;
    T const *d, *b;
    T* x;
    KOKKOS_FUNCTION void operator()(int i) const { x[i] = weight * d[i] * b[i]; }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {weight, inverse.row(k, j), r.row(k, j), z.row(k, j)}; }
};

/// A pass over a matrix of K couplings a cell.
template <class T, Pass kind, int K>
struct StencilPass {
  CouplingsView<T, K> couplings;
  ArrayView<T const> m, inverse, b, x;
  ArrayView<T> to;
  T weight;
  struct Row {
    typename CouplingsView<T, K>::Row f;
    T weight;
    T const *m, *d, *r, *z;
    T* out;
    KOKKOS_FUNCTION void operator()(int i) const {
      // s = r - A z, or -A z
      T s = (kind == Pass::product ? T(0) : r[i]) - m[i] * z[i];
      TESSERA_UNROLL(13)
      for (int c = 0; c < K; ++c)
        s -= f.lower(c, i) * (z[i] - z[i - f.step[c]]) + f.upper(c, i) * (z[i] - z[i + f.step[c]]);
      out[i] = kind == Pass::relax ? z[i] + weight * d[i] * s : kind == Pass::residual ? s : -s;
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    return {couplings.row(k, j), weight,      m.row(k, j), kind == Pass::relax ? inverse.row(k, j) : nullptr,
            b.row(k, j),         x.row(k, j), to.row(k, j)};
  }
};

/// a_ii, or 1 / D_ii of the smoother.
template <class T, bool inverse, int K>
struct SetDiagonal {
  CouplingsView<T, K> couplings;
  ArrayView<T const> m;
  ArrayView<T> to;
  struct Row {
    typename CouplingsView<T, K>::Row f;
    T const* m;
    T* out;
    KOKKOS_FUNCTION void operator()(int i) const {
      T d = m[i], sum = 0;
      TESSERA_UNROLL(13)
      for (int c = 0; c < K; ++c) {
        T const lower = f.lower(c, i), upper = f.upper(c, i);
        d += lower + upper;
        sum += (lower < 0 ? -lower : lower) + (upper < 0 ? -upper : upper);
      }
      T const half = T(0.5) * (d + sum);
      out[i] = inverse ? 1 / (d < half ? half : d) : d;
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {couplings.row(k, j), m.row(k, j), to.row(k, j)}; }
};

}  // namespace detail

Neighbourhood::Neighbourhood(core::Grid::Shape const& cells) {
  int const w[3] = {cells[0] > 1, cells[1] > 1, cells[2] > 1};
  stride_ = {w[0], w[1] * (2 * w[0] + 1), w[2] * (2 * w[0] + 1) * (2 * w[1] + 1)};
  for (int k = -w[2]; k <= w[2]; ++k)
    for (int j = -w[1]; j <= w[1]; ++j)
      for (int i = -w[0]; i <= w[0]; ++i) offsets_.push_back({i, j, k});
}

template <class T>
std::vector<T> chebyshev_weights(int steps, bool solid) {
  double const low = solid ? 0.4 : 0.6, high = 2;
  std::vector<T> weights;
  for (int n = 0; n < steps; ++n)
    weights.push_back(
        static_cast<T>(2 / (high + low + (high - low) * std::cos(std::numbers::pi * (2 * n + 1) / (2.0 * steps)))));
  return weights;
}

template <class T>
Level<T>::Level(Slab slab, std::vector<int> numbers) : slab_(std::move(slab)),
                                                       around_(slab_.cells()),
                                                       m_(slab_) {
  set_numbers(std::move(numbers));
}

template <class T>
void Level<T>::set_numbers(std::vector<int> numbers) {
  numbers_ = std::move(numbers);
  for (std::size_t n = 0; n < numbers_.size(); ++n) f_.emplace_back(slab_);
}

template <class T>
template <class U>
Level<T> Level<T>::from(Level<U>& other) {
  Level level(other.slab_, {});
  level.numbers_ = other.numbers_;
  // one array after the other, so that both precisions are never there at once
  for (auto& f : other.f_) {
    level.f_.push_back(converted<T>(level.slab_, f));
    f = {};
  }
  level.m_ = converted<T>(level.slab_, other.m_);
  other.m_ = {};
  return level;
}

template <class T>
Array<T> const* Level<T>::conductance(int number) const {
  auto const found = std::find(numbers_.begin(), numbers_.end(), number);
  return found == numbers_.end() ? nullptr : &f_[found - numbers_.begin()];
}

template <class T>
void Level<T>::set_inverse() {
  if (inverse_.empty()) inverse_ = Array<T>(slab_);
  detail::with_couplings(f_.size(), [&](auto K) {
    slab_.for_each_cell("1/D", slab_.lines(0),
                        detail::SetDiagonal<T, true, K()>{couplings<K()>(), std::as_const(m_).view(), inverse_.view()});
  });
  slab_.complete(inverse_);
}

template <class T>
Array<T> Level<T>::diagonal() const {
  Array<T> result(slab_);
  // one line beyond the own ones: the Galerkin product reads it there
  detail::with_couplings(f_.size(), [&](auto K) {
    slab_.for_each_cell("diagonal", slab_.lines(1),
                        detail::SetDiagonal<T, false, K()>{couplings<K()>(), m_.view(), result.view()});
  });
  slab_.wrap(result, slab_.lines(1));
  return result;
}

template <class T>
void Level<T>::allocate_vectors() {
  r = Array<T>(slab_);
  z = Array<T>(slab_);
  t = Array<T>(slab_);
}

template <class T>
void Level<T>::move_to_host() {
  slab_ = slab_.on_device(false);
  auto const move = [this](Array<T>& a) {
    Array<T> here(slab_);
    here.copy(a);
    a = std::move(here);
  };
  for (auto& f : f_) move(f);
  move(m_);
}

template <class T>
std::size_t Level<T>::bytes() const {
  std::size_t sum = m_.bytes() * !m_.empty() + inverse_.bytes() + r.bytes() + z.bytes() + t.bytes();
  for (auto const& f : f_) sum += f.bytes();
  return sum;
}

template <class T>
void Level<T>::first_step(T weight, Array<T> const& from, Array<T>& to, int extra) const {
  slab_.for_each_cell("first step", slab_.lines(extra),
                      detail::FirstStep<T>{inverse_.view(), from.view(), to.view(), weight});
  slab_.wrap(to, slab_.lines(extra));
}

template <class T>
void Level<T>::step(T weight, Array<T> const& b, Array<T> const& x, Array<T>& to, int extra) const {
  pass<Pass::relax>(weight, b, x, to, extra);
}

template <class T>
void Level<T>::product(Array<T> const& x, Array<T>& to, int extra) const {
  pass<Pass::product>(0, x, x, to, extra);
}

template <class T>
void Level<T>::residual(Array<T> const& b, Array<T> const& x, Array<T>& to, int extra) const {
  pass<Pass::residual>(0, b, x, to, extra);
}

template <class T>
template <Pass kind>
void Level<T>::pass(T weight, Array<T> const& b, Array<T> const& x, Array<T>& to, int extra) const {
  detail::with_couplings(f_.size(), [&](auto K) {
    slab_.for_each_cell("pass of a level", slab_.lines(extra),
                        detail::StencilPass<T, kind, K()>{couplings<K()>(), m_.view(), inverse_.view(), b.view(),
                                                          x.view(), to.view(), weight});
  });
  slab_.wrap(to, slab_.lines(extra));
}

template std::vector<float> chebyshev_weights(int, bool);
template std::vector<double> chebyshev_weights(int, bool);
template class Level<float>;
template class Level<double>;
template Level<float> Level<float>::from(Level<double>&);

}  // namespace tessera::solvers::multigrid
