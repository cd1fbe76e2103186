// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/eight.avx512.hpp"
#include "core/grid/sweep.hpp"

#include <cstdint>

namespace tessera::ca::bits {

/// 64 cells that follow each other along x, the first in the lowest bit.
using Word = std::uint64_t;

/// Fields hold signed words; the bits are the same.
KOKKOS_INLINE_FUNCTION Word* words(std::int64_t* row) { return reinterpret_cast<Word*>(row); }
KOKKOS_INLINE_FUNCTION Word const* words(std::int64_t const* row) { return reinterpret_cast<Word const*>(row); }

KOKKOS_INLINE_FUNCTION constexpr Word all_or_none(bool on) { return on ? ~Word{0} : Word{0}; }
/// For a word of cells in a state: bit p of each.
KOKKOS_INLINE_FUNCTION constexpr Word bit_of(int state, int p) { return all_or_none((state >> p & 1) != 0); }
/// The first n bits, n < 64.
KOKKOS_INLINE_FUNCTION constexpr Word first_bits(int n) { return (Word{1} << n) - 1; }
/// Bit by bit, a where the mask is set and b elsewhere.
KOKKOS_INLINE_FUNCTION constexpr Word select(Word mask, Word a, Word b) { return b ^ (mask & (a ^ b)); }
/// The function of three bits whose value for a, b, c is bit 4 a + 2 b + c of the table.
template <int table>
KOKKOS_INLINE_FUNCTION constexpr Word of_three(Word a, Word b, Word c) {
  auto const at = [](int n) { return all_or_none((table >> n & 1) != 0); };
  return select(a, select(b, select(c, at(7), at(6)), select(c, at(5), at(4))),
                select(b, select(c, at(3), at(2)), select(c, at(1), at(0))));
}
/// How many bits are set.
KOKKOS_INLINE_FUNCTION constexpr int ones(Word x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>(x * 0x0101010101010101u >> 56);
}

KOKKOS_INLINE_FUNCTION Word parity(Word a, Word b, Word c) { return a ^ b ^ c; }
KOKKOS_INLINE_FUNCTION Word majority(Word a, Word b, Word c) { return (a & b) | (c & (a ^ b)); }

/// A number of two bits for each cell of a word, or of eight words: V.
template <class V>
struct Two {
  V low, high;
};
/// The sum of three bits.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION Two<V> add(V a, V b, V c) {
  return {parity(a, b, c), majority(a, b, c)};
}

/// What becomes of a cell, by its state and the number of living cells among its neighbours and itself:
/// a dead cell is born with n neighbours if bit n of `born` is set, n = 0 .. 8, a living one survives if bit n of `survives` is.
struct Totals {
  unsigned born = 0, survives = 0;
  bool operator==(Totals const&) const = default;
  KOKKOS_FUNCTION constexpr bool next(bool alive, int with_own) const {
    return alive ? with_own > 0 && (survives >> (with_own - 1) & 1u) != 0 : (born >> with_own & 1u) != 0;
  }
};

/// The same for 64 cells of a word at once, or 512 of eight (V): sums by adders, then what `Choice` makes of their bits.
template <class Choice>
struct CountRule {
  Choice choice;

  /// What is read of a row: the cells, and how many live of each and those on its left and right.
  template <class V>
  struct Row {
    V own;
    Two<V> sum;
  };
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static Row<V> row(V left, V own, V right) {
    return {own, add(own, left, right)};
  }
  /// The next state of the cells of a row, from the rows below and above, too.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V next(Row<V> const& below, Row<V> const& here, Row<V> const& above) const {
    auto const ones = add(below.sum.low, here.sum.low, above.sum.low);
    auto const twos = add(below.sum.high, here.sum.high, above.sum.high);
    V const carry = ones.high & twos.low;
    return choice(here.own, ones.low, V(ones.high ^ twos.low), V(twos.high ^ carry), V(twos.high & carry));
  }
};

/// The same on the four cells beside a cell, or on six: with those at the upper left and the lower right.
template <class Choice, bool six>
struct FewerCountRule {
  Choice choice;

  template <class V>
  struct Row {
    V left, own, right;
  };
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static Row<V> row(V left, V own, V right) {
    return {left, own, right};
  }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V next(Row<V> const& below, Row<V> const& here, Row<V> const& above) const {
    auto const across = add(here.left, here.own, here.right);
    auto const up = add(below.own, above.own, six ? above.left : V{});
    auto const ones = add(across.low, up.low, six ? below.right : V{});
    auto const twos = add(across.high, up.high, ones.high);
    return choice(here.own, ones.low, twos.low, twos.high, V{});
  }
};

/// Next states of any rule: a tree of choices over the bits of the number, n0 the lowest. Leaves depend on n0 and the own state.
struct AnyChoice {
  Word leaf[5][4];  ///< of the numbers 2 k and 2 k + 1, dead and alive
  explicit AnyChoice(Totals const& rule) {
    for (int k = 0; k < 5; ++k)
      for (int n = 0; n < 4; ++n) leaf[k][n] = all_or_none(rule.next((n & 1) != 0, 2 * k + n / 2));
  }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(V own, V n0, V n1, V n2, V n3) const {
    V const below_4 = select(n1, pair(1, own, n0), pair(0, own, n0)),
            below_8 = select(n1, pair(3, own, n0), pair(2, own, n0));
    return select(n3, pair(4, own, n0), select(n2, below_8, below_4));
  }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V pair(int k, V own, V n0) const {
    Word const* const l = leaf[k];
    return select(n0, select(own, V{} + l[3], V{} + l[2]), select(own, V{} + l[1], V{} + l[0]));
  }
};

/// Those of a rule that is known when the program is built: a few functions of three bits.
template <unsigned born, unsigned survives>
struct FixedChoice {
  /// By own state, n0 and n1, for numbers 4 k + ...; what cannot be is as 8 less or more, so that n3 is needed less often.
  static constexpr int table(int k) {
    int result = 0;
    for (int n = 0; n < 8; ++n) {
      bool const alive = (n & 1) != 0;
      int number = 4 * k + n / 2;
      if (number > 9 || (number == 9 && !alive)) number -= 8;
      if (number == 0 && alive) number = 8;
      result |= Totals{born, survives}.next(alive, number) ? 1 << n : 0;
    }
    return result;
  }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(V own, V n0, V n1, V n2, V n3) const {
    V const below_4 = of_three<table(0)>(n1, n0, own), below_8 = of_three<table(1)>(n1, n0, own);
    if constexpr (table(2) == table(0))
      return select(n2, below_8, below_4);
    else
      return select(n2, below_8, select(n3, of_three<table(2)>(n1, n0, own), below_4));
  }
};

}  // namespace tessera::ca::bits
