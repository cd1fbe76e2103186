// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/lanes.avx512.hpp"
#include "ca/engine/near.hpp"
#include "core/grid/folds.hpp"

#include <algorithm>
#include <bit>

namespace tessera::ca {

/// A rule that also computes several cells at once, by the same text: its state comes of a template, of members that are double
/// or uint8, and its operator takes that of one cell or of several,
///   template <template <class> class Of> struct Cells { Of<double> u, v; static constexpr auto fields = names("u", "v"); };
///   using State = Cells<One>;
///   template <class C, class N> KOKKOS_FORCEINLINE_FUNCTION C operator()(C const& centre, N const& near) const;
/// It takes one of two values by select(condition, a, b), and branches by `near.none()` alone, of which it says the field by
///   static constexpr std::size_t sparse = 0;
template <class R>
concept BySeveral = cells_at_once > 1 && requires { typename R::template Cells<SeveralOf>; };

namespace detail {

/// Whether rows are computed several cells at once, where rules can: not where the environment says TESSERA_KERNELS=portable.
bool several_wanted();

/// Bytes of states of two generations from which on new ones go past the caches: what a core has of them at best.
inline constexpr std::size_t beyond_caches = std::size_t{16} << 20;

/// Whether cells stay as they are, in all fields, where the rule's sparse field is not 0: it says so by
///   static constexpr bool sparse_stays = true;
template <class R>
constexpr bool sparse_stays() {
  return requires { requires R::sparse_stays; };
}

/// What such a rule sees round several cells, as Near of one; of a cell's place it knows nothing.
template <class R>
class NearSeveral {
 public:
  using Value = StateOf<R>;
  using Cells = typename R::template Cells<SeveralOf>;
  using Row = FieldsRow<Value, false>;
  KOKKOS_FORCEINLINE_FUNCTION NearSeveral(Row const& row, core::Count i, Strides<Value> const& strides,
                                          Scene const& scene, bool none)
      : row_(&row),
        i_(i),
        strides_(&strides),
        scene_(&scene),
        none_(none) {}

  KOKKOS_FORCEINLINE_FUNCTION Cells operator()(int di, int dj = 0, int dk = 0) const {
    return at(di, dj, dk, Sequence<Value>());
  }
  template <std::size_t q>
  KOKKOS_FORCEINLINE_FUNCTION auto get(int di, int dj = 0, int dk = 0) const {
    return load_several(static_cast<MemberOf<q, Value> const*>(row_->at[q]) + dk * strides_->layer[q] +
                        dj * strides_->row[q] + (i_ + di));
  }
  /// Whether the rule's sparse field is 0 in all of these cells and in their neighbours.
  bool none() const { return none_; }
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
  bool none_;
};

/// Of several cells, whether a rule's sparse field is 0 in all of them and their neighbours; whether it is 0 in none of them.
struct Sparseness {
  bool none, all;
};

/// Where the sparse field of a rule, of bytes, is 0 round cells of a row: found for many cells at once.
template <class R>
class SparseRow {
 public:
  using Value = StateOf<R>;
  /// Of several cells from i on, first <= i; asked in this order.
  KOKKOS_FORCEINLINE_FUNCTION Sparseness operator()(FieldsRow<Value, false> const& row, Strides<Value> const& strides,
                                                    int first, int i, int last) {
    if constexpr (!has_sparse) {
      return {false, false};
    } else {
      int const within = (i - first) % most;
      if (within == 0) look(row, strides, i, std::min(most, (last - i) / cells_at_once * cells_at_once));
      std::uint64_t around, here;
      std::memcpy(&around, any_ + within, sizeof around);
      std::memcpy(&here, static_cast<std::uint8_t const*>(row.at[R::sparse]) + i, sizeof here);
      constexpr std::uint64_t low = 0x0101010101010101;
      return {around == 0, ((here - low) & ~here & low << 7) == 0};
    }
  }

 private:
  static constexpr bool has_sparse = requires { R::sparse; };
  static constexpr int most = 128;

  void look(FieldsRow<Value, false> const& row, Strides<Value> const& strides, int i, int n) {
    constexpr std::size_t q = R::sparse;
    static_assert(sizeof(MemberOf<q, Value>) == 1, "a sparse field is of bytes");
    auto const* const centre = static_cast<MemberOf<q, Value> const*>(row.at[q]) + i;
    std::memcpy(any_, centre, static_cast<std::size_t>(n));
    for (int o = 0; o < R::stencil.size(); ++o) {
      core::Offset const at = R::stencil.offsets[o];
      auto const* const there = centre + at.k * strides.layer[q] + at.j * strides.row[q] + at.i;
      for (int x = 0; x < n; ++x) any_[x] |= there[x];
    }
  }
  std::uint8_t any_[most];
};

/// Sets the states of several cells of a row from i on, field by field; past the caches where i is a multiple of a line of the cache
/// after the tile's first cell.
template <bool past, class S, class Cells, std::size_t... q>
KOKKOS_FORCEINLINE_FUNCTION void put_several(FieldsRow<S, true> const& row, int i, Cells const& cells,
                                             std::index_sequence<q...>) {
  (store_several<past>(static_cast<MemberOf<q, S>*>(row.at[q]) + i, member<q>(cells)), ...);
}
/// How many of several cells change. Fields are read until one has told all of them, which mostly is the first or the second.
template <class R, class Cells, std::size_t... q>
KOKKOS_FORCEINLINE_FUNCTION int count_changed(Cells const& next, NearSeveral<R> const& near,
                                              std::index_sequence<q...>) {
  constexpr unsigned every = (1u << cells_at_once) - 1;
  unsigned changed = 0;
  ((changed |= unlike(member<q>(next), near.template get<q>(0)), changed == every) || ...);
  return std::popcount(changed);
}

/// The next states by a rule's operator, of the centre and what is near it or of the latter alone.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION auto next_of(R const& rule, NearSeveral<R> const& near) {
  if constexpr (requires { rule(near); })
    return rule(near);
  else
    return rule(near(0), near);
}

/// Calls done(i, near, next) with what several cells from i on see and their next states, for all of first <= i < last of a row
/// that are as many; not for those that all stay as they are, where `held`: next states have them already. Returns where the cells
/// begin that are left.
template <BySeveral R, class S, class F>
KOKKOS_FORCEINLINE_FUNCTION int for_several(R const& rule, FieldsRow<S, false> const& row, Strides<S> const& strides,
                                            Scene const& scene, bool held, int first, int last, F const& done) {
  int i = first;
  SparseRow<R> sparse;
  for (; i + cells_at_once <= last; i += cells_at_once) {
    Sparseness const here = sparse(row, strides, first, i, last);
    NearSeveral<R> const near(row, i, strides, scene, here.none);
    if constexpr (sparse_stays<R>())
      if (here.all) {
        if (!held) done(i, near, near(0));
        continue;
      }
    done(i, near, next_of(rule, near));
  }
  return i;
}

}  // namespace detail
}  // namespace tessera::ca
