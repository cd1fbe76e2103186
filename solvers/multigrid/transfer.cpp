// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/transfer.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tessera::solvers::multigrid {
namespace detail {

/// Weights at the offsets -1, 0, 1 along x of each offset along z and y.
template <class T>
struct DeviceWeights {
  ArrayView<T const> of[3][3][3];  ///< z, y, x
  struct Row {
    T const *before = nullptr, *at = nullptr, *after = nullptr;
  };
  KOKKOS_FUNCTION Row row(int oz, int oy, int k, int j) const {
    auto const& w = of[oz + 1][oy + 1];
    auto const row_of = [&](ArrayView<T const> const& a) { return a.first == nullptr ? nullptr : a.row(k, j); };
    return {row_of(w[0]), row_of(w[1]), row_of(w[2])};
  }
};

/// r = P^T t cell by cell, in the order of Transfer::gather_row.
template <class T, bool solid>
struct Restrict {
  static constexpr int rows = solid ? 9 : 3;
  ArrayView<T const> t;
  ArrayView<T> r;
  DeviceWeights<T> weights;
  LinesView x, y, z;
  struct Row {
    T const* in[rows];
    typename DeviceWeights<T>::Row w[rows];
    int const* columns;  ///< none: x is not coarsened
    T* out;
    KOKKOS_FUNCTION void operator()(int c) const {
      int const i = columns == nullptr ? c : columns[c];
      T sum = 0;
      for (int n = 0; n < rows; ++n) {
        if (in[n] == nullptr) continue;
        T const own = (w[n].at == nullptr ? T(1) : w[n].at[c]) * in[n][i];
        sum += columns == nullptr ? own : own + w[n].before[c] * in[n][i - 1] + w[n].after[c] * in[n][i + 1];
      }
      out[c] = sum;
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    Row result{};
    int const fine_k = z.at[k], fine_j = y.at[j];
    for (int n = 0; n < rows; ++n) {
      int const oz = solid ? n / 3 - 1 : 0, oy = n % 3 - 1;
      bool const there = (oz == 0 || z.removed(fine_k + oz)) && (oy == 0 || y.removed(fine_j + oy));
      result.in[n] = there ? t.row(fine_k + oz, fine_j + oy) : nullptr;
      if (there) result.w[n] = weights.row(oz, oy, k, j);
    }
    result.columns = x.coarsened ? x.at : nullptr;
    result.out = r.row(k, j);
    return result;
  }
};

/// z += P e cell by cell, in the order of Transfer::scatter_row.
template <class T, bool solid>
struct Interpolate {
  static constexpr int rows = solid ? 4 : 2;
  ArrayView<T const> e;
  ArrayView<T> to;
  DeviceWeights<T> weights;
  LinesView x, y, z;
  struct Row {
    T const* in[rows];
    typename DeviceWeights<T>::Row w[rows];
    LinesView x;
    T* out;
    KOKKOS_FUNCTION void operator()(int i) const {
      int const c = x.coarsened ? x.below[i] : i;
      bool const kept = !x.coarsened || !x.removed(i);
      T sum = out[i];
      for (int n = 0; n < rows; ++n) {
        if (in[n] == nullptr) continue;
        if (kept)
          sum += (w[n].at == nullptr ? T(1) : w[n].at[c]) * in[n][c];
        else
          sum += w[n].after[c - 1] * in[n][c - 1] + w[n].before[c] * in[n][c];
      }
      out[i] = sum;
    }
  };
  /// The n-th kept line, 0 or 1, that a fine one takes its values from, if there is one, and the offset from there.
  struct Source {
    int line, offset;
    bool exists;
  };
  KOKKOS_FUNCTION static Source source(LinesView const& lines, int line, int n) {
    int const after = lines.below[line];
    if (!lines.removed(line)) return {lines.held(after), 0, n == 0};
    int const kept = n == 0 ? after - 1 : after;
    return {lines.held(kept), n == 0 ? 1 : -1, lines.exists(kept)};
  }
  KOKKOS_FUNCTION Row row(int k, int j) const {
    Row result{};
    for (int n = 0; n < rows; ++n) {
      Source const in_z = solid ? source(z, k, n / 2) : Source{k, 0, true}, in_y = source(y, j, n % 2);
      if (!in_z.exists || !in_y.exists) continue;
      result.in[n] = e.row(in_z.line, in_y.line);
      result.w[n] = weights.row(in_z.offset, in_y.offset, in_z.line, in_y.line);
    }
    result.x = x;
    result.out = to.row(k, j);
    return result;
  }
};

}  // namespace detail

template <class T>
Transfer<T>::Transfer(Slab const& fine, Slab const& coarse, AllLines lines)
    : fine_(fine),
      coarse_(coarse),
      around_(fine.cells()),
      lines_(std::move(lines)),
      weights_(static_cast<std::size_t>(around_.count())),
      tables_{LineTable(fine, coarse, 0, lines_[0]), LineTable(fine, coarse, 1, lines_[1]),
              LineTable(fine, coarse, 2, lines_[2])} {
  Lines const& x = lines_[0];
  for (core::Count c = 0; c < x.coarse(); ++c) columns_.push_back(static_cast<int>(x.at(c)));
  if (x.coarsened()) find_runs();
}

template <class T>
void Transfer<T>::find_runs() {
  Lines const& x = lines_[0];
  for (int c = 0; c < static_cast<int>(columns_.size()); ++c) {
    int const i = columns_[c], step = c > 0 ? i - columns_[c - 1] : 0;
    if (c > 0 && (runs_.back().count == 1 || runs_.back().step == step)) {
      runs_.back().step = step;
      ++runs_.back().count;
    } else {
      runs_.push_back({c, i, 1, 1});
    }
  }
  std::vector<bool> within(static_cast<std::size_t>(x.fine()), false);
  for (Run const& run : runs_)
    for (int m = 1; m < run.count && run.step == 2; ++m) within[run.i + 2 * m - 1] = true;
  for (core::Count i = 0; i < x.fine(); ++i)
    if (x.removed(i) && !within[i]) removed_.push_back({static_cast<int>(x.below(i)), static_cast<int>(i)});
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
    s.line[s.count] = l.beside_itself() ? 0 : local(coarse_, axis, kept);
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
template <template <class, bool> class Kernel>
void Transfer<T>::on_device(char const* label, Slab const& of, Range range, Array<T> const& from, Array<T>& to) const {
  bool const solid = !fine_.thin(2);
  auto const x = tables_[0].view(), y = tables_[1].view(), z = tables_[2].view();
  detail::DeviceWeights<T> weights{};
  for (int oz = solid ? -1 : 0; oz <= (solid ? 1 : 0); ++oz)
    for (int oy = fine_.thin(1) ? 0 : -1; oy <= (fine_.thin(1) ? 0 : 1); ++oy)
      for (int ox = lines_[0].coarsened() ? -1 : 0; ox <= (lines_[0].coarsened() ? 1 : 0); ++ox)
        weights.of[oz + 1][oy + 1][ox + 1] = std::as_const(weights_[around_.number({ox, oy, oz})]).view();
  if (solid)
    of.for_each_cell(label, range, Kernel<T, true>{from.view(), to.view(), weights, x, y, z});
  else
    of.for_each_cell(label, range, Kernel<T, false>{from.view(), to.view(), weights, x, y, z});
}

template <class T>
void Transfer<T>::restrict_to(Array<T>& r, Array<T> const& t) const {
  if (fine_.is_on_device()) return on_device<detail::Restrict>("restrict", coarse_, coarse_.part(), t, r);
  coarse_.for_each_row(coarse_.part(), [&](int k, int j) {
    restrict_row(r.row(k, j), k, j, [&](int fine_k, int fine_j) { return t.row(fine_k, fine_j); });
  });
}

template <class T>
void Transfer<T>::interpolate(Array<T> const& e, Array<T>& z, int extra) const {
  Range const range = fine_.lines(extra);
  if (fine_.is_on_device())
    on_device<detail::Interpolate>("interpolate", fine_, range, e, z);
  else
    fine_.for_each_row(range, [&](int k, int j) { interpolate_row(e, z.row(k, j), k, j); });
  fine_.wrap(z, range);
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
  int const kept = coarse_.held(0);
  auto const sum = [&](auto const& at) {
    if (!lines_[0].coarsened()) {
      TESSERA_INDEPENDENT
      for (int c = 0; c < kept; ++c) out[c] += at(c) * in[c];
    }
    for (Run const& run : runs_) {
      auto const along = [&, first = run.c, from = run.i, n = run.count](auto step) {
        TESSERA_INDEPENDENT
        for (int m = 0; m < n; ++m) {
          int const c = first + m, i = from + step * m;
          out[c] += at(c) * in[i] + w.before[c] * in[i - 1] + w.after[c] * in[i + 1];
        }
      };
      run.step == 2 ? along(std::integral_constant<int, 2>()) : along(std::integral_constant<int, 1>());
    }
  };
  if (w.at == nullptr)
    sum([](int) { return T(1); });
  else
    sum([at = w.at](int c) { return at[c]; });
}

/// The transpose: out += weight x e over the cells of one fine row.
template <class T>
void Transfer<T>::scatter_row(T* out, T const* e, RowWeights const& w) const {
  auto const between = [&](int c) { return w.after[c - 1] * e[c - 1] + w.before[c] * e[c]; };
  int const kept = coarse_.held(0);
  auto const add = [&](auto const& at) {
    if (!lines_[0].coarsened()) {
      TESSERA_INDEPENDENT
      for (int c = 0; c < kept; ++c) out[c] += at(c) * e[c];
    }
    for (Run const& run : runs_) {
      int const first = run.c, n = run.count;
      T* const to = out + run.i;
      if (run.step == 1) {
        TESSERA_INDEPENDENT
        for (int m = 0; m < n; ++m) to[m] += at(first + m) * e[first + m];
        continue;
      }
      to[0] += at(first) * e[first];
      TESSERA_INDEPENDENT
      for (int m = 1; m < n; ++m) {
        to[2 * m - 1] += between(first + m);
        to[2 * m] += at(first + m) * e[first + m];
      }
    }
    for (Removed const& column : removed_) out[column.i] += between(column.c);
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
