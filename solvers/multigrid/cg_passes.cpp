// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/cg_passes.hpp"

#include "solvers/multigrid/rows.hpp"

#include <utility>

namespace tessera::solvers::multigrid {

template <class T>
CgPasses<T>::CgPasses(Hierarchy<T>& levels, bool streamed) : levels_(levels),
                                                             level_(levels.level(0)) {
  bool const by_rows = streamed && Stream<T>::can(levels);
  levels.allocate_finest(!by_rows);
  p_ = Array<T>(slab());
  x_ = Array<double>(slab());
  if (by_rows) stream_.emplace(levels);
  mass_ = sum(level_.row_sums());
}

template <class T>
std::size_t CgPasses<T>::bytes() const {
  return p_.bytes() + x_.bytes();
}

template <class T>
void CgPasses<T>::start(double x) {
  start_ = x;
  fresh_ = true;
}

template <class T>
void CgPasses<T>::forget() {
  p_.fill(0);
  level_.z.fill(0);
}

template <class T>
double CgPasses<T>::update(T alpha) {
  int const n = slab().held(0);
  slab().for_each_row(slab().lines(0), [&](int k, int j) {
    T* const r = level_.r.row(k, j);
    T const* const w = level_.z.row(k, j);
    TESSERA_INDEPENDENT
    for (int i = 0; i < n; ++i) r[i] -= alpha * w[i];
  });
  return sum_over_rows(slab(), [&](int k, int j) { return sum_of_magnitudes(level_.r.row(k, j), n); });
}

template <class T>
double CgPasses<T>::update_and_descend(T alpha) {
  if (stream_) return stream_->update_and_descend(alpha, level_.z);
  double const norm = update(alpha);
  if (levels_.levels() > 1) levels_.descend(0);
  return norm;
}

template <class T>
void CgPasses<T>::coarse(Cycle how) {
  if (levels_.levels() > 1)
    levels_.coarse(1, how);
  else
    levels_.cycle(0, how);
}

template <class T>
double CgPasses<T>::ascend() {
  if (stream_) return stream_->ascend();
  if (levels_.levels() > 1) levels_.ascend(0);
  if (levels_.singular()) remove_mean(level_.z);
  int const n = slab().held(0);
  return sum_over_rows(slab(), [&](int k, int j) { return dot(level_.r.row(k, j), level_.z.row(k, j), n); });
}

template <class T>
double CgPasses<T>::direction(T alpha, T beta) {
  if (stream_) {
    // the first x is a number, which saves reading it
    auto const first = std::exchange(fresh_, false) ? &start_ : nullptr;
    return stream_->direction(alpha, beta, p_, level_.z, x_, first);
  }
  if (std::exchange(fresh_, false)) x_.fill(start_);
  int const n = slab().held(0);
  slab().for_each_row(slab().lines(0), [&](int k, int j) {
    T* const p = p_.row(k, j);
    T const* const z = level_.z.row(k, j);
    double* const x = x_.row(k, j);
    TESSERA_INDEPENDENT
    for (int i = 0; i < n; ++i) {
      x[i] += static_cast<double>(alpha) * static_cast<double>(p[i]);
      p[i] = z[i] + beta * p[i];
    }
  });
  slab().complete(p_, 1);
  level_.product(p_, level_.z, 0);
  return sum_over_rows(slab(), [&](int k, int j) { return dot(p_.row(k, j), level_.z.row(k, j), n); });
}

template <class T>
void CgPasses<T>::add_to(core::Field<double>& field, T alpha, Redistribution const& redistribution) const {
  redistribution.add(
      [&](int k, int j) {
        return [x = x_.row(k, j), p = p_.row(k, j), factor = static_cast<double>(alpha)](core::Count i) {
          return x[i] + factor * static_cast<double>(p[i]);
        };
      },
      field);
}

template <class T>
double CgPasses<T>::sum(Array<T> const& a) const {
  return sum_over_rows(slab(), [&](int k, int j) { return sum_of(a.row(k, j), slab().held(0)); });
}

template <class T>
void CgPasses<T>::subtract_row_sums(T c) {
  int const n = slab().held(0);
  slab().for_each_row(slab().lines(0), [&](int k, int j) {
    T* const r = level_.r.row(k, j);
    T const* const m = level_.row_sums().row(k, j);
    TESSERA_INDEPENDENT
    for (int i = 0; i < n; ++i) r[i] -= c * m[i];
  });
}

template <class T>
void CgPasses<T>::remove_mean(Array<T>& a) {
  int const n = slab().held(0);
  T const mean = static_cast<T>(sum(a) / static_cast<double>(slab().total()));
  slab().for_each_row(slab().lines(0), [&](int k, int j) {
    T* const row = a.row(k, j);
    TESSERA_INDEPENDENT
    for (int i = 0; i < n; ++i) row[i] -= mean;
  });
}

template class CgPasses<float>;
template class CgPasses<double>;

}  // namespace tessera::solvers::multigrid
