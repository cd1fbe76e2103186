// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/cg_passes.hpp"

#include "solvers/multigrid/rows.hpp"

#include <utility>

namespace tessera::solvers::multigrid {
namespace detail {

/// a -= factor b
template <class T>
struct SubtractMultiple {
  ArrayView<T const> b;
  ArrayView<T> a;
  T factor;
  struct Row {
    T factor;
    T const* b;
    T* a;
    KOKKOS_FUNCTION void operator()(int i) const { a[i] -= factor * b[i]; }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {factor, b.row(k, j), a.row(k, j)}; }
};

/// a -= value
template <class T>
struct SubtractValue {
  ArrayView<T> a;
  T value;
  struct Row {
    T value;
    T* a;
    KOKKOS_FUNCTION void operator()(int i) const { a[i] -= value; }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {value, a.row(k, j)}; }
};

/// x += alpha p;  p = z + beta p
template <class T>
struct TurnDirection {
  ArrayView<T const> z;
  ArrayView<T> p;
  ArrayView<double> x;
  T alpha, beta;
  struct Row {
    double alpha;
    T beta;
    T const* z;
    T* p;
    double* x;
    KOKKOS_FUNCTION void operator()(int i) const {
      x[i] += alpha * static_cast<double>(p[i]);
      p[i] = z[i] + beta * p[i];
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    return {static_cast<double>(alpha), beta, z.row(k, j), p.row(k, j), x.row(k, j)};
  }
};

}  // namespace detail

template <class T>
CgPasses<T>::CgPasses(Hierarchy<T>& levels, bool streamed) : levels_(levels),
                                                             level_(levels.level(0)) {
  // the two kinds of passes exchange in another order, and a rank on a device does not work row by row
  bool const by_rows = streamed && !slab().comm().any(!Stream<T>::can(levels));
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
void CgPasses<T>::load(core::Field<double> const& field, Redistribution const& redistribution) {
  redistribution.load(field, level_.r);
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
  slab().for_each_cell("update", slab().lines(0),
                       detail::SubtractMultiple<T>{std::as_const(level_.z).view(), level_.r.view(), alpha});
  return sum_over_cells<Term::magnitude>(slab(), level_.r, level_.r);
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
  return sum_over_cells<Term::product>(slab(), level_.r, level_.z);
}

template <class T>
double CgPasses<T>::direction(T alpha, T beta) {
  if (stream_) {
    // the first x is a number, which saves reading it
    auto const first = std::exchange(fresh_, false) ? &start_ : nullptr;
    return stream_->direction(alpha, beta, p_, level_.z, x_, first);
  }
  if (std::exchange(fresh_, false)) x_.fill(start_);
  slab().for_each_cell("direction", slab().lines(0),
                       detail::TurnDirection<T>{std::as_const(level_.z).view(), p_.view(), x_.view(), alpha, beta});
  slab().complete(p_, 1);
  level_.product(p_, level_.z, 0);
  return sum_over_cells<Term::product>(slab(), p_, level_.z);
}

template <class T>
void CgPasses<T>::add_to(core::Field<double>& field, T alpha, Redistribution const& redistribution) const {
  redistribution.add(x_, p_, static_cast<double>(alpha), field);
}

template <class T>
double CgPasses<T>::sum(Array<T> const& a) const {
  return sum_over_cells<Term::value>(slab(), a, a);
}

template <class T>
void CgPasses<T>::subtract_row_sums(T c) {
  slab().for_each_cell("row sums", slab().lines(0),
                       detail::SubtractMultiple<T>{std::as_const(level_).row_sums().view(), level_.r.view(), c});
}

template <class T>
void CgPasses<T>::remove_mean(Array<T>& a) {
  T const mean = static_cast<T>(sum(a) / static_cast<double>(slab().total()));
  slab().for_each_cell("mean", slab().lines(0), detail::SubtractValue<T>{a.view(), mean});
}

template class CgPasses<float>;
template class CgPasses<double>;

}  // namespace tessera::solvers::multigrid
