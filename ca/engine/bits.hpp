// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/sweep.hpp"

#include <cstdint>

namespace tessera::ca::bits {

/// 64 cells that follow each other along x, the first in the lowest bit.
using Word = std::uint64_t;

/// Fields hold signed words; the bits are the same.
KOKKOS_INLINE_FUNCTION Word* words(std::int64_t* row) { return reinterpret_cast<Word*>(row); }
KOKKOS_INLINE_FUNCTION Word const* words(std::int64_t const* row) { return reinterpret_cast<Word const*>(row); }

KOKKOS_INLINE_FUNCTION constexpr Word all_or_none(bool on) { return on ? ~Word{0} : Word{0}; }
/// The first n bits, n < 64.
KOKKOS_INLINE_FUNCTION constexpr Word first_bits(int n) { return (Word{1} << n) - 1; }
/// Bit by bit, a where the mask is set and b elsewhere.
KOKKOS_INLINE_FUNCTION constexpr Word select(Word mask, Word a, Word b) { return b ^ (mask & (a ^ b)); }
/// How many bits are set.
KOKKOS_INLINE_FUNCTION constexpr int ones(Word x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>(x * 0x0101010101010101u >> 56);
}

/// A number of two bits for each of 64 cells.
struct Two {
  Word low, high;
};
/// The sum of three bits.
KOKKOS_INLINE_FUNCTION Two add(Word a, Word b, Word c) { return {a ^ b ^ c, (a & b) | (c & (a ^ b))}; }
/// How many live of each cell and its neighbours on the left and on the right.
KOKKOS_INLINE_FUNCTION Two three_across(Word const* row, int i) {
  return add(row[i], row[i] << 1 | row[i - 1] >> 63, row[i] >> 1 | row[i + 1] << 63);
}

/// What becomes of a cell, by its state and the number of living cells in the 3 x 3 square, its own included:
/// a dead cell is born with n neighbours if bit n of `born` is set, n = 0 .. 8, a living one survives if bit n of `survives` is.
struct Totals {
  unsigned born = 0, survives = 0;
  bool operator==(Totals const&) const = default;
  KOKKOS_FUNCTION constexpr bool next(bool alive, int with_own) const {
    return alive ? with_own > 0 && (survives >> (with_own - 1) & 1u) != 0 : (born >> with_own & 1u) != 0;
  }
};

/// The same for 64 cells at once: a tree of choices over the bits of the number, whose leaves depend on the lowest bit and the
/// cell's own state. `leaf(k, low, own)` is the next state where the number is 2 k + low.
template <class Leaves>
struct Choice {
  Leaves leaves;
  KOKKOS_FUNCTION Word operator()(Word own, Word n0, Word n1, Word n2, Word n3) const {
    Word const below_4 = select(n1, leaf(1, own, n0), leaf(0, own, n0)),
               below_8 = select(n1, leaf(3, own, n0), leaf(2, own, n0));
    return select(n3, leaf(4, own, n0), select(n2, below_8, below_4));
  }

 private:
  KOKKOS_FUNCTION Word leaf(int k, Word own, Word n0) const {
    return select(n0, select(own, leaves(k, 1, 1), leaves(k, 1, 0)), select(own, leaves(k, 0, 1), leaves(k, 0, 0)));
  }
};

/// A rule on the counts of the 3 x 3 square for 64 cells at once, from what `row` finds in each of three rows of words.
/// Cost: 25 operations on vectors that have one for any function of three bits; a rule known to the compiler needs 4 more,
/// any other one 19.
template <class Leaves>
struct CountRule {
  Choice<Leaves> choice;
  struct Row {
    Word own;
    Two sum;
  };
  KOKKOS_FUNCTION Row row(Word const* cells, int i) const { return {cells[i], three_across(cells, i)}; }
  KOKKOS_FUNCTION Word next(Row const& below, Row const& here, Row const& above) const {
    Two const ones = add(below.sum.low, here.sum.low, above.sum.low),
              twos = add(below.sum.high, here.sum.high, above.sum.high);
    Word const carry = ones.high & twos.low;
    return choice(here.own, ones.low, ones.high ^ twos.low, twos.high ^ carry, twos.high & carry);
  }
};

/// Leaves of any rule, as words of equal bits.
struct AnyLeaves {
  Word value[5][2][2];
  explicit AnyLeaves(Totals const& rule) {
    for (int k = 0; k < 5; ++k)
      for (int low = 0; low < 2; ++low)
        for (int own = 0; own < 2; ++own) value[k][low][own] = all_or_none(rule.next(own != 0, 2 * k + low));
  }
  KOKKOS_FUNCTION Word operator()(int k, int low, int own) const { return value[k][low][own]; }
};

/// Leaves of a rule that is known when the program is built.
template <unsigned born, unsigned survives>
struct FixedLeaves {
  static constexpr Totals rule{born, survives};
  KOKKOS_FUNCTION constexpr Word operator()(int k, int low, int own) const {
    return all_or_none(rule.next(own != 0, 2 * k + low));
  }
};

/// Four rows of words at once, so that each row's sums are formed once for the three that read them: `in` are the rows from
/// one below the first to one above the last; the words next to [first, last) are read, too.
template <class Rule>
KOKKOS_INLINE_FUNCTION void four_rows(Rule const& rule, Word const* const (&in)[6], Word* const (&out)[4], int first,
                                      int last) {
  Rule const here = rule;
  Word const *const r0 = in[0], *const r1 = in[1], *const r2 = in[2], *const r3 = in[3], *const r4 = in[4],
                    *const r5 = in[5];
  Word *const o0 = out[0], *const o1 = out[1], *const o2 = out[2], *const o3 = out[3];
  TESSERA_INDEPENDENT
  for (int i = first; i < last; ++i) {
    auto const a = here.row(r0, i), b = here.row(r1, i), c = here.row(r2, i), d = here.row(r3, i),
               e = here.row(r4, i), f = here.row(r5, i);
    o0[i] = here.next(a, b, c);
    o1[i] = here.next(b, c, d);
    o2[i] = here.next(c, d, e);
    o3[i] = here.next(d, e, f);
  }
}

}  // namespace tessera::ca::bits
