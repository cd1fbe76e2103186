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

/// Where the cells of tiles lie in a slab that has all of them.
struct InSlab {
  core::TileInfo const* info;
  core::Index first;  ///< of the slab
  struct Place {
    int layer, row;
    core::Count column;
  };
  explicit InSlab(core::Tiles const& tiles, Slab const& slab)
      : info(tiles.info.data()),
        first{0, slab.outer() == 1 ? slab.first() : 0, slab.outer() == 2 ? slab.first() : 0} {}
  KOKKOS_FUNCTION Place operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    return {static_cast<int>(x.k - first.k), static_cast<int>(x.j - first.j), x.i};
  }
};

/// Cells of tiles into such a slab.
template <class T>
struct LoadCell {
  core::FieldView<double const> from;
  ArrayView<T> to;
  InSlab in_slab;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    auto const at = in_slab(slot, k, j, i);
    to.row(at.layer, at.row)[at.column] = static_cast<T>(from(slot, k, j, i));
  }
};

/// to += x + alpha p, from such slabs to the cells of tiles
template <class T>
struct AddCell {
  ArrayView<double const> x;
  ArrayView<T const> p;
  core::FieldView<double> to;
  InSlab in_slab;
  double alpha;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    auto const at = in_slab(slot, k, j, i);
    to(slot, k, j, i) +=
        x.row(at.layer, at.row)[at.column] + alpha * static_cast<double>(p.row(at.layer, at.row)[at.column]);
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
  if (!slab().is_on_device()) return redistribution.load(field, level_.r);
  if (!redistribution.is_local()) {
    Array<T> there(redistribution.slab());
    redistribution.load(field, there);
    return level_.r.copy(there);
  }
  auto const& tiles = field.layout().all();
  core::for_each("tiles to slab", tiles,
                 detail::LoadCell<T>{field.view(), level_.r.view(), detail::InSlab(tiles, slab())});
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
  double const factor = static_cast<double>(alpha);
  auto const add = [&](Array<double> const& x, Array<T> const& p) {
    redistribution.add(
        [&](int k, int j) {
          return [x = x.row(k, j), p = p.row(k, j), factor](core::Count i) {
            return x[i] + factor * static_cast<double>(p[i]);
          };
        },
        field);
  };
  if (!slab().is_on_device()) return add(x_, p_);
  if (!redistribution.is_local()) {
    Array<double> x(redistribution.slab());
    Array<T> p(redistribution.slab());
    x.copy(x_);
    p.copy(p_);
    return add(x, p);
  }
  auto const& tiles = field.layout().all();
  core::for_each("slab to tiles", tiles,
                 detail::AddCell<T>{x_.view(), p_.view(), field.view(), detail::InSlab(tiles, slab()), factor});
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
