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
  ArrayView<T const> f[K + 1];
  core::Count step[K + 1];  ///< from a cell to its upper neighbour
  ArrayView<T const> m, inverse, b, x;
  ArrayView<T> to;
  T weight;
  struct Row {
    T const* f[K + 1];
    core::Count step[K + 1];
    T weight;
    T const *m, *d, *r, *z;
    T* out;
    KOKKOS_FUNCTION void operator()(int i) const {
      // s = r - A z, or -A z
      T s = (kind == Pass::product ? T(0) : r[i]) - m[i] * z[i];
      TESSERA_UNROLL(13)
      for (int c = 0; c < K; ++c) s -= f[c][i] * (z[i] - z[i - step[c]]) + f[c][i + step[c]] * (z[i] - z[i + step[c]]);
      out[i] = kind == Pass::relax ? z[i] + weight * d[i] * s : kind == Pass::residual ? s : -s;
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    Row result{};
    for (int c = 0; c < K; ++c) {
      result.f[c] = f[c].row(k, j);
      result.step[c] = step[c];
    }
    result.weight = weight;
    result.m = m.row(k, j);
    result.d = kind == Pass::relax ? inverse.row(k, j) : nullptr;
    result.r = b.row(k, j);
    result.z = x.row(k, j);
    result.out = to.row(k, j);
    return result;
  }
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
void Level<T>::take_matrix(Level&& other) {
  core::expect(numbers_ == other.numbers_, "the matrices of a level have other neighbours");
  f_ = std::move(other.f_);
  m_ = std::move(other.m_);
  inverse_ = std::move(other.inverse_);
}

template <class T>
Array<T> const* Level<T>::conductance(int number) const {
  auto const found = std::find(numbers_.begin(), numbers_.end(), number);
  return found == numbers_.end() ? nullptr : &f_[found - numbers_.begin()];
}

template <class T>
void Level<T>::set_inverse() {
  if (inverse_.empty()) inverse_ = Array<T>(slab_);
  int const n = slab_.held(0);
  slab_.for_each_row(slab_.lines(0), [&](int k, int j) {
    std::vector<T> magnitudes(n);
    T *const d = inverse_.row(k, j), *const sum = magnitudes.data();
    T const* const m = m_.row(k, j);
    std::copy_n(m, n, d);
    for (std::size_t c = 0; c < f_.size(); ++c) {
      T const *const f = f_[c].row(k, j), *const upper = f - f_[c].step(around_[numbers_[c]]);
      TESSERA_INDEPENDENT
      for (int i = 0; i < n; ++i) {
        d[i] += f[i] + upper[i];
        sum[i] += std::abs(f[i]) + std::abs(upper[i]);
      }
    }
    TESSERA_INDEPENDENT
    for (int i = 0; i < n; ++i) {
      T const half = T(0.5) * (d[i] + sum[i]);
      d[i] = 1 / (d[i] < half ? half : d[i]);
    }
  });
  slab_.complete(inverse_);
}

template <class T>
Array<T> Level<T>::diagonal() const {
  Array<T> result(slab_);
  int const n = slab_.held(0);
  // one line beyond the own ones: the Galerkin product reads it there
  slab_.for_each_row(slab_.lines(1), [&](int k, int j) {
    T* const d = result.row(k, j);
    T const* const m = m_.row(k, j);
    std::copy_n(m, n, d);
    for (std::size_t c = 0; c < f_.size(); ++c) {
      T const *const f = f_[c].row(k, j), *const upper = f - f_[c].step(around_[numbers_[c]]);
      TESSERA_INDEPENDENT
      for (int i = 0; i < n; ++i) d[i] += f[i] + upper[i];
    }
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
void Level<T>::move_to_device() {
  slab_ = slab_.on_device();
  auto const move = [this](Array<T>& a, bool values) {
    if (a.empty()) return;
    Array<T> there(slab_);
    if (values) there.copy(a);
    a = std::move(there);
  };
  for (auto& f : f_) move(f, true);
  move(m_, true);
  move(inverse_, true);
  for (auto* vector : {&r, &z, &t}) move(*vector, false);
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
  switch (f_.size()) {
  case 0:
    pass_of<kind, 0>(weight, b, x, to, extra);
    break;
  case 1:
    pass_of<kind, 1>(weight, b, x, to, extra);
    break;
  case 2:
    pass_of<kind, 2>(weight, b, x, to, extra);
    break;
  case 3:
    pass_of<kind, 3>(weight, b, x, to, extra);
    break;
  case 4:
    pass_of<kind, 4>(weight, b, x, to, extra);
    break;
  default:
    core::expect(f_.size() == 13, "a stencil of multigrid has 0 to 4 or 13 couplings a cell");
    pass_of<kind, 13>(weight, b, x, to, extra);
  }
  slab_.wrap(to, slab_.lines(extra));
}

template <class T>
template <Pass kind, int K>
void Level<T>::pass_of(T weight, Array<T> const& b, Array<T> const& x, Array<T>& to, int extra) const {
  detail::StencilPass<T, kind, K> kernel{};
  for (int c = 0; c < K; ++c) {
    kernel.f[c] = std::as_const(f_[c]).view();
    kernel.step[c] = -m_.step(around_[numbers_[c]]);
  }
  kernel.m = m_.view();
  kernel.inverse = inverse_.view();
  kernel.b = b.view();
  kernel.x = x.view();
  kernel.to = to.view();
  kernel.weight = weight;
  slab_.for_each_cell("pass of a level", slab_.lines(extra), kernel);
}

template std::vector<float> chebyshev_weights(int, bool);
template std::vector<double> chebyshev_weights(int, bool);
template class Level<float>;
template class Level<double>;
template Level<float> Level<float>::from(Level<double>&);

}  // namespace tessera::solvers::multigrid
