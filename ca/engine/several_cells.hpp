// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/lanes.avx512.hpp"
#include "ca/engine/near.hpp"
#include "core/grid/folds.hpp"

#include <bit>

namespace tessera::ca {

/// A rule that also computes several cells at once, by the same text: its state comes of a template, of members that are double
/// or uint8, and its operator takes that of one cell or of several,
///   template <template <class> class Of> struct Cells { Of<double> u, v; static constexpr auto fields = names("u", "v"); };
///   using State = Cells<One>;
///   template <class C, class N> KOKKOS_FORCEINLINE_FUNCTION C operator()(C const& centre, N const& near) const;
/// It branches by `condition ? a : b` alone.
template <class R>
concept BySeveral = cells_at_once >
1 && requires { typename R::template Cells<SeveralOf>; };

namespace detail {

/// Whether rows are computed several cells at once, where rules can: not where the environment says TESSERA_KERNELS=portable.
bool several_wanted();

/// Numbers that follow each other in a line of the cache, as so many times several cells.
inline constexpr int several_a_line = 8 / cells_at_once;

/// Bytes of states of two generations from which on new ones go past the caches: what a core has of them at best.
inline constexpr std::size_t beyond_caches = std::size_t{16} << 20;

/// What such a rule sees round several cells, as Near of one; of a cell's place it knows nothing.
template <class R>
class NearSeveral {
 public:
  using Value = StateOf<R>;
  using Cells = typename R::template Cells<SeveralOf>;
  using Row = FieldsRow<Value, false>;
  KOKKOS_FORCEINLINE_FUNCTION NearSeveral(Row const& row, core::Count i, Strides<Value> const& strides,
                                          Scene const& scene)
      : row_(&row),
        i_(i),
        strides_(&strides),
        scene_(&scene) {}

  KOKKOS_FORCEINLINE_FUNCTION Cells operator()(int di, int dj = 0, int dk = 0) const {
    return at(di, dj, dk, Sequence<Value>());
  }
  template <std::size_t q>
  KOKKOS_FORCEINLINE_FUNCTION auto get(int di, int dj = 0, int dk = 0) const {
    return load_several(static_cast<MemberOf<q, Value> const*>(row_->at[q]) + dk * strides_->layer[q] +
                        dj * strides_->row[q] + (i_ + di));
  }
  core::Index cells() const { return scene_->cells; }
  std::int64_t step() const { return scene_->step; }
  int phase() const { return scene_->phase; }

 private:
  template <std::size_t... q>
  KOKKOS_FORCEINLINE_FUNCTION Cells at(int di, int dj, int dk, std::index_sequence<q...>) const {
    Cells cells;
    ((member<q>(cells) = get<q>(di, dj, dk)), ...);
    return cells;
  }

  Row const* row_;
  core::Count i_;
  Strides<Value> const* strides_;
  Scene const* scene_;
};

/// Sets the states of several cells of a row from i on, field by field; past the caches where i is the tile's first cell, or a
/// multiple of a line of the cache after it: a line that comes in two parts with others between them is written twice.
template <bool past, class S, class Cells, int n, std::size_t... q>
KOKKOS_FORCEINLINE_FUNCTION void put_several(FieldsRow<S, true> const& row, int i, Cells const (&cells)[n],
                                             std::index_sequence<q...>) {
  auto const put = [&]<std::size_t f>(std::integral_constant<std::size_t, f>) {
    for (int v = 0; v < n; ++v)
      store_several<past>(static_cast<MemberOf<f, S>*>(row.at[f]) + i + v * cells_at_once, member<f>(cells[v]));
  };
  (put(std::integral_constant<std::size_t, q>()), ...);
}
/// How many of several cells differ.
template <class Cells, std::size_t... q>
KOKKOS_FORCEINLINE_FUNCTION int count_unlike(Cells const& a, Cells const& b, std::index_sequence<q...>) {
  return std::popcount((unlike(member<q>(a), member<q>(b)) | ...));
}

/// Calls done(i, centre, next) with the states of n times several cells from i on, now and next, for all of first <= i < last of
/// a row that are as many. Returns where the cells begin that are left.
template <int n, BySeveral R, class S, class F>
KOKKOS_FORCEINLINE_FUNCTION int for_several(R const& rule, FieldsRow<S, false> const& row, Strides<S> const& strides,
                                            Scene const& scene, int first, int last, F const& done) {
  int i = first;
  for (; i + n * cells_at_once <= last; i += n * cells_at_once) {
    typename R::template Cells<SeveralOf> centre[n], next[n];
    TESSERA_UNROLL(1)
    for (int v = 0; v < n; ++v) {
      NearSeveral<R> const near(row, i + v * cells_at_once, strides, scene);
      centre[v] = near(0);
      next[v] = rule(centre[v], near);
    }
    done(i, centre, next);
  }
  return i;
}

}  // namespace detail
}  // namespace tessera::ca
