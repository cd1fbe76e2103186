// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/transfer.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers::multigrid {

template <class T>
Transfer<T>::Transfer(Slab const& fine, Slab const& coarse, AllLines lines)
    : fine_(fine),
      coarse_(coarse),
      around_(fine.cells()),
      lines_(std::move(lines)),
      weights_(static_cast<std::size_t>(around_.count())) {
  Lines const& x = lines_[0];
  for (core::Count c = 0; c < x.coarse(); ++c) columns_.push_back(static_cast<int>(x.at(c)));
  if (x.coarsened() && !x.regular())
    for (core::Count i = 0; i < x.fine(); ++i) before_.push_back(static_cast<int>(x.below(i)));
}

template <class T>
template <class U>
Transfer<T> Transfer<T>::from(Transfer<U>& other) {
  Transfer result(other.fine_, other.coarse_, other.lines_);
  for (std::size_t n = 0; n < result.weights_.size(); ++n) {
    result.weights_[n] = converted<T>(other.coarse_, other.weights_[n]);
    other.weights_[n] = {};
  }
  return result;
}

template <class T>
std::size_t Transfer<T>::bytes() const {
  std::size_t sum = 0;
  for (auto const& w : weights_) sum += w.bytes();
  return sum;
}

/// The kept lines that a fine line takes its values from: itself, or the ones before and after; `offset` from there.
template <class T>
struct Transfer<T>::Sources {
  int count = 0;
  int line[2], offset[2];
};

template <class T>
typename Transfer<T>::Sources Transfer<T>::sources(int axis, int line) const {
  Lines const& l = lines(axis);
  core::Count const at = global(fine_, axis, line), after = l.below(at);
  Sources s;
  auto const add = [&](core::Count kept, int offset) {
    if (!l.exists(kept)) return;
    s.line[s.count] = local(coarse_, axis, kept);
    s.offset[s.count++] = offset;
  };
  if (l.removed(at)) {
    add(after - 1, 1);
    add(after, -1);
  } else {
    add(after, 0);
  }
  return s;
}

template <class T>
typename Transfer<T>::RowWeights Transfer<T>::row_weights(int oz, int oy, int k, int j) const {
  auto const row = [&](int ox) -> T const* {
    if (ox != 0 && !lines_[0].coarsened()) return nullptr;
    auto const& w = weights(around_.number({ox, oy, oz}));
    return w.empty() ? nullptr : w.row(k, j);
  };
  return {row(-1), row(0), row(1)};
}

template <class T>
void Transfer<T>::restrict_to(Array<T>& r, Array<T> const& t) const {
  coarse_.for_each_row(coarse_.part(), [&](int k, int j) {
    restrict_row(r.row(k, j), k, j, [&](int fine_k, int fine_j) { return t.row(fine_k, fine_j); });
  });
}

template <class T>
void Transfer<T>::interpolate(Array<T> const& e, Array<T>& z, int extra) const {
  fine_.for_each_row(fine_.lines(extra), [&](int k, int j) { interpolate_row(e, z.row(k, j), k, j); });
  fine_.wrap(z, fine_.lines(extra));
}

template <class T>
void Transfer<T>::interpolate_row(Array<T> const& e, T* z, int k, int j) const {
  Sources const in_z = sources(2, k), in_y = sources(1, j);
  for (int a = 0; a < in_z.count; ++a)
    for (int b = 0; b < in_y.count; ++b)
      scatter_row(z, e.row(in_z.line[a], in_y.line[b]),
                  row_weights(in_z.offset[a], in_y.offset[b], in_z.line[a], in_y.line[b]));
}

/// out_c += sum over the three fine cells around kept cell c, in one fine row, of weight x in. Without `at` these are the
/// rows of the kept cells themselves, where their own weight is 1.
template <class T>
void Transfer<T>::gather_row(T* out, T const* in, RowWeights const& w) const {
  int const n = coarse_.held(0);
  auto const sum = [&](auto const& at, auto const& column) {
    if (!lines_[0].coarsened()) {
      TESSERA_INDEPENDENT
      for (int c = 0; c < n; ++c) out[c] += at(c) * in[c];
      return;
    }
    TESSERA_INDEPENDENT
    for (int c = 0; c < n; ++c) {
      int const i = column(c);
      out[c] += at(c) * in[i] + w.before[c] * in[i - 1] + w.after[c] * in[i + 1];
    }
  };
  auto const with_columns = [&](auto const& at) {
    if (lines_[0].regular())
      sum(at, [](int c) { return 2 * c + 1; });
    else
      sum(at, [columns = columns_.data()](int c) { return columns[c]; });
  };
  if (w.at == nullptr)
    with_columns([](int) { return T(1); });
  else
    with_columns([at = w.at](int c) { return at[c]; });
}

/// The transpose: out += weight x e over the cells of one fine row.
template <class T>
void Transfer<T>::scatter_row(T* out, T const* e, RowWeights const& w) const {
  int const n = coarse_.held(0), fine = fine_.held(0);
  auto const add = [&](auto const& at) {
    if (!lines_[0].coarsened()) {
      TESSERA_INDEPENDENT
      for (int c = 0; c < n; ++c) out[c] += at(c) * e[c];
    } else if (lines_[0].regular()) {
      TESSERA_INDEPENDENT
      for (int c = 0; c < n; ++c) {
        out[2 * c] += w.after[c - 1] * e[c - 1] + w.before[c] * e[c];
        out[2 * c + 1] += at(c) * e[c];
      }
      if (fine > 2 * n) out[2 * n] += w.after[n - 1] * e[n - 1] + w.before[n] * e[n];
    } else {
      for (int i = 0; i < fine; ++i) {
        int const c = before_[i];
        bool const kept = c < n && columns_[c] == i;
        out[i] += kept ? at(c) * e[c] : w.after[c - 1] * e[c - 1] + w.before[c] * e[c];
      }
    }
  };
  if (w.at == nullptr)
    add([](int) { return T(1); });
  else
    add([at = w.at](int c) { return at[c]; });
}

template <class T>
void Transfer<T>::add_rows(T* r, T const* const (&rows)[9], int coarse_k, int coarse_j) const {
  std::fill_n(r, coarse_.held(0), T(0));
  for (int o = 0; o < 9; ++o)
    if (rows[o] != nullptr) gather_row(r, rows[o], row_weights(o / 3 - 1, o % 3 - 1, coarse_k, coarse_j));
}

template class Transfer<float>;
template class Transfer<double>;
template Transfer<float> Transfer<float>::from(Transfer<double>&);

}  // namespace tessera::solvers::multigrid
