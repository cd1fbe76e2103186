// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/stream.hpp"

#include "solvers/multigrid/rows.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::solvers::multigrid {

template <class T>
Window<T>::Window(int columns) {
  constexpr core::Count align = 64 / static_cast<core::Count>(sizeof(T));
  stride_ = (columns + 2 + align - 1) / align * align;
  values_.assign(rows * stride_ + 3 * align, T(0));
  auto const address = reinterpret_cast<std::uintptr_t>(values_.data()) / sizeof(T);
  first_ = values_.data() + align + (align - static_cast<core::Count>(address) % align) % align;
}

template <class T>
bool Stream<T>::can(Hierarchy<T> const& levels) {
  Slab const& slab = levels.level(0).slab();
  return levels.levels() > 1 && slab.outer() == 1 && !slab.thin(0) && !slab.thin(1) && levels.weights().size() == 2 &&
         !levels.singular() && !slab.is_on_device();
}

template <class T>
Stream<T>::Stream(Hierarchy<T>& levels)
    : levels_(levels),
      level_(levels.level(0)),
      slab_(level_.slab()),
      columns_(slab_.held(0)) {
  auto const& transfer = levels_.transfer(0);
  Slab const& coarse = transfer.coarse();
  Range const all = slab_.lines(0);
  // a thread computes six lines anew: with eight times as many of its own, that is little
  int const threads = std::clamp((all.last - all.first) / 48, 1, core::host_threads_for(slab_.total()));
  int next = coarse.part().first;
  for (int n = 0; n < threads; ++n) {
    Range const lines = share(all, n, threads);
    Range kept{next, n + 1 < threads ? next : coarse.part().last};
    while (kept.last < coarse.part().last &&
           transfer.lines(1).at(kept.last + coarse.first()) - slab_.first() < lines.last)
      ++kept.last;
    next = kept.last;
    workers_.push_back({lines, kept, Window<T>(columns_), Window<T>(columns_), Window<T>(columns_)});
  }
}

template <class T>
bool Stream<T>::Worker::has(Slab const& slab, int line, int extra) const {
  Range const held = slab.lines(extra);
  return line >= std::max(lines.first - extra, held.first) && line < std::min(lines.last + extra, held.last);
}

template <class T>
template <class F>
void Stream<T>::work(char const* label, F const& f) {
  core::for_each_by_threads(label, static_cast<core::Count>(workers_.size()), slab_.total(),
                            [&](core::Count n) { f(workers_[n]); });
}

/// What a row of the matrix needs: conductances to the south and to the west (of this row and of the one above), ...
template <class T>
struct Stream<T>::Rows {
  T const *south, *north, *west, *mass, *inverse, *r;
};

template <class T>
typename Stream<T>::Rows Stream<T>::rows(int j) const {
  auto const& f = level_.conductances();
  return {
      f[0].row(0, j),    f[0].row(0, j + 1), f[1].row(0, j), level_.row_sums().row(0, j), level_.inverse().row(0, j),
      level_.r.row(0, j)};
}

template <class T>
void Stream<T>::wrap(T* row) const {
  if (!slab_.periodic(0)) return;
  row[-1] = row[columns_ - 1];
  row[columns_] = row[0];
}

/// z = weight D^-1 r
template <class T>
void Stream<T>::first_step(int j, T* z) const {
  Rows const a = rows(j);
  T const weight = levels_.weights()[0];
  TESSERA_INDEPENDENT
  for (int i = 0; i < columns_; ++i) z[i] = weight * a.inverse[i] * a.r[i];
  wrap(z);
}

namespace {

/// -A z of the cell i plus `start`, in the order of Level::pass_of.
template <class Rows, class T>
inline T minus_product(Rows const& a, T start, T const* z, T const* below, T const* above, int i) {
  T s = start - a.mass[i] * z[i];
  s -= a.south[i] * (z[i] - below[i]) + a.north[i] * (z[i] - above[i]);
  s -= a.west[i] * (z[i] - z[i - 1]) + a.west[i + 1] * (z[i] - z[i + 1]);
  return s;
}

}  // namespace

/// to = z + weight D^-1 (r - A z)
template <class T>
void Stream<T>::relax(T weight, int j, Window<T>& from, T* to) const {
  Rows const a = rows(j);
  T const *const z = from.row(j), *const below = from.row(j - 1), *const above = from.row(j + 1);
  TESSERA_INDEPENDENT
  for (int i = 0; i < columns_; ++i)
    to[i] = z[i] + weight * a.inverse[i] * minus_product(a, a.r[i], z, below, above, i);
  wrap(to);
}

/// to = r - A z
template <class T>
void Stream<T>::residual(int j, Window<T>& from, T* to) const {
  Rows const a = rows(j);
  T const *const z = from.row(j), *const below = from.row(j - 1), *const above = from.row(j + 1);
  TESSERA_INDEPENDENT
  for (int i = 0; i < columns_; ++i) to[i] = minus_product(a, a.r[i], z, below, above, i);
  wrap(to);
}

/// The restriction to all coarse lines of the worker from `next` on that need no residual beyond line `known`.
template <class T>
void Stream<T>::restrict_lines(Worker& worker, int known, int& next) {
  auto const& transfer = levels_.transfer(0);
  Lines const& lines = transfer.lines(1);
  core::Count const first = transfer.coarse().first();
  for (; next < worker.coarse.last; ++next) {
    core::Count const line = lines.at(next + first);
    if (line + lines.removed(line + 1) - slab_.first() > known) return;
    transfer.restrict_row(levels_.level(1).r.row(0, next), 0, next, [&](int, int j) { return worker.third.row(j); });
  }
}

template <class T>
double Stream<T>::update_and_descend(T alpha, Array<T> const& w) {
  RowSums sums(slab_);
  auto const update = [&](int j) {
    T* const r = level_.r.row(0, j);
    T const* const v = w.row(0, j);
    if (alpha != 0) {
      TESSERA_INDEPENDENT
      for (int i = 0; i < columns_; ++i) r[i] -= alpha * v[i];
    }
    if (sums.has(j)) sums.set(0, j, sum_of_magnitudes(r, columns_));
  };
  // what the neighbours need goes first
  work("multigrid: edges of r", [&](Worker& mine) {
    for (int j = mine.lines.first; j < mine.lines.last; ++j)
      if (mine.at_edge(j, 3)) update(j);
  });
  slab_.complete(level_.r, 3);
  work("multigrid: residual, smoothing, restriction", [&](Worker& mine) {
    int next = mine.coarse.first;
    for (int j = mine.lines.first - 3; j < mine.lines.last + 5; ++j) {
      if (mine.has(slab_, j, 0) && !mine.at_edge(j, 3)) update(j);
      if (mine.has(slab_, j, 3)) first_step(j, mine.first.row(j));
      if (mine.has(slab_, j - 1, 2)) relax(levels_.weights()[1], j - 1, mine.first, mine.second.row(j - 1));
      if (!mine.has(slab_, j - 2, 1)) continue;
      residual(j - 2, mine.second, mine.third.row(j - 2));
      restrict_lines(mine, j - 2, next);
    }
  });
  Slab const& coarse = levels_.level(1).slab();
  if (coarse.whole()) coarse.collect(levels_.level(1).r, 0);
  return sums.total();
}

template <class T>
double Stream<T>::ascend() {
  RowSums sums(slab_);
  auto const& transfer = levels_.transfer(0);
  auto const& weights = levels_.weights();
  work("multigrid: interpolation, smoothing", [&](Worker& mine) {
    for (int j = mine.lines.first - 3; j < mine.lines.last + 6; ++j) {
      if (mine.has(slab_, j, 3)) first_step(j, mine.first.row(j));
      if (mine.has(slab_, j - 1, 2)) {
        T* const z = mine.second.row(j - 1);
        relax(weights[1], j - 1, mine.first, z);
        transfer.interpolate_row(levels_.level(1).z, z, 0, j - 1);
        wrap(z);
      }
      if (mine.has(slab_, j - 2, 1)) relax(weights[1], j - 2, mine.second, mine.third.row(j - 2));
      if (!mine.has(slab_, j - 3, 0)) continue;
      T* const z = level_.z.row(0, j - 3);
      relax(weights[0], j - 3, mine.third, z);
      if (sums.has(j - 3)) sums.set(0, j - 3, dot<T>(level_.r.row(0, j - 3), z, columns_));
    }
  });
  return sums.total();
}

template <class T>
double Stream<T>::direction(T alpha, T beta, Array<T>& p, Array<T>& w, Array<double>& x, double const* first) {
  RowSums sums(slab_);
  auto const update = [&](int j) {
    T* const to = p.row(0, j);
    T const* const z = level_.z.row(0, j);
    double* const solution = x.row(0, j);
    if (first != nullptr) {
      std::fill_n(solution, columns_, *first);
    } else {
      TESSERA_INDEPENDENT
      for (int i = 0; i < columns_; ++i) solution[i] += static_cast<double>(alpha) * static_cast<double>(to[i]);
    }
    TESSERA_INDEPENDENT
    for (int i = 0; i < columns_; ++i) to[i] = z[i] + beta * to[i];
    wrap(to);
  };
  work("multigrid: edges of p", [&](Worker& mine) {
    for (int j = mine.lines.first; j < mine.lines.last; ++j)
      if (mine.at_edge(j, 1)) update(j);
  });
  slab_.complete(p, 1);
  work("multigrid: direction and product", [&](Worker& mine) {
    for (int j = mine.lines.first; j <= mine.lines.last; ++j) {
      if (j < mine.lines.last && !mine.at_edge(j, 1)) update(j);
      if (j == mine.lines.first) continue;
      int const at = j - 1;
      Rows const a = rows(at);
      T const *const here = p.row(0, at), *const below = p.row(0, at - 1), *const above = p.row(0, at + 1);
      T* const to = w.row(0, at);
      TESSERA_INDEPENDENT
      for (int i = 0; i < columns_; ++i) to[i] = -minus_product(a, T(0), here, below, above, i);
      if (sums.has(at)) sums.set(0, at, dot<T>(here, to, columns_));
    }
  });
  return sums.total();
}

template class Window<float>;
template class Window<double>;
template class Stream<float>;
template class Stream<double>;

}  // namespace tessera::solvers::multigrid
