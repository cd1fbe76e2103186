// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/bits.hpp"

namespace tessera::ca::bits {

/// States in bit planes, as binary numbers: bit p of a cell's state in of[p]. V: 64 cells of a word, 512 of eight words, or
/// the rows of words that these lie in.
template <class V, int planes>
struct Planes {
  V of[planes];
};

/// Cells that are alive in state 1 and, where there are more than two states, decay: one that does not survive becomes 2, that
/// 3 and so on, the last state 0. `Counts` (CountRule) says who of the others lives next, by how many of its neighbours are alive.
template <class Counts, int p>
struct Aging {
  static constexpr int planes = p;
  Counts counts;
  Word absent[p];  ///< all bits set for those that the last state has not

  /// So many states, more than 2^(p - 1) and at most 2^p.
  Aging(Counts const& by, int states) : counts(by) {
    for (int q = 0; q < p; ++q) absent[q] = all_or_none(((states - 1) >> q & 1) == 0);
  }

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static V decays(Planes<V, p> const& cells) {
    V any{};
    for (int q = 1; q < p; ++q) any = any | cells.of[q];
    return any;
  }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static V alive(Planes<V, p> const& cells) {
    if constexpr (p == 1)
      return cells.of[0];
    else
      return cells.of[0] & ~decays(cells);
  }

  KOKKOS_FUNCTION static Planes<Word, p> cells(Planes<Word const*, p> const& rows, int i) {
    Planes<Word, p> result;
    for (int q = 0; q < p; ++q) result.of[q] = rows.of[q][i];
    return result;
  }
  /// What is read of a row around its word i.
  KOKKOS_FUNCTION static typename Counts::template Row<Word> row(Planes<Word const*, p> const& rows, int i) {
    Word const before = alive(cells(rows, i - 1)), here = alive(cells(rows, i)), after = alive(cells(rows, i + 1));
    return Counts::row(here << 1 | before >> 63, here, here >> 1 | after << 63);
  }

  /// The next states of cells that are `own`, from their row and those below and above.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION Planes<V, p>
  next(typename Counts::template Row<V> const& below, typename Counts::template Row<V> const& here,
       typename Counts::template Row<V> const& above, Planes<V, p> const& own) const {
    V const lives = counts.next(below, here, above);
    if constexpr (p == 1) return {{lives}};
    // whoever is not what it is to be counts one up: a dead one that is born, an alive one that dies, all that decay
    V carry = decays(own) | (lives ^ own.of[0]), last = own.of[0] | (V{} + absent[0]);
    for (int q = 1; q < p; ++q) last = last & (own.of[q] | (V{} + absent[q]));
    Planes<V, p> result;
    for (int q = 0; q < p; ++q) {
      result.of[q] = (own.of[q] ^ carry) & ~last;
      carry = carry & own.of[q];
    }
    return result;
  }
};

}  // namespace tessera::ca::bits
