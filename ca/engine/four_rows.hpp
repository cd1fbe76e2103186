// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/aging.hpp"

// g++ takes what computes several registers at once for larger than it is
#define TESSERA_INLINED __attribute__((always_inline))

namespace tessera::ca::bits {

/// Rows of words from one below four rows to one above them, and where the next generation of the four goes.
template <int planes>
struct FourRows {
  Planes<Word const*, planes> in[6];
  Planes<Word*, planes> out[4];
};

/// The words first <= i < last of the four, one by one; those beside them are read, too.
template <class Rule>
void advance_words(Rule const& rule, FourRows<Rule::planes> const& rows, int first, int last) {
  for (int i = first; i < last; ++i) {
    auto below = rule.row(rows.in[0], i), here = rule.row(rows.in[1], i);
    for (int n = 0; n < 4; ++n) {
      auto const above = rule.row(rows.in[n + 2], i);
      auto const next = rule.next(below, here, above, rule.cells(rows.in[n + 1], i));
      for (int p = 0; p < Rule::planes; ++p) rows.out[n].of[p][i] = next.of[p];
      below = here;
      here = above;
    }
  }
}

/// Four rows at once, so that what three rows need of a row is found once, a register at a time. Words are loaded as they
/// were stored, without one that crosses a line of the cache, and shifted in registers: a row may just have been made.
template <class Rule>
void advance(Rule const& rule, FourRows<Rule::planes> const& rows, int first, int last) {
  constexpr int planes = Rule::planes, some = words_at_once;
  using Counts = decltype(Rule::counts);
  Rule const r = rule;
  int const whole = last / some * some;
  if (whole <= 0) return advance_words(r, rows, first, last);
  advance_words(r, rows, first, 0);
  auto const load = [&](int n, int i) TESSERA_INLINED {
    Planes<Words, planes> all;
    for (int p = 0; p < planes; ++p) all.of[p] = bits::load<Words>(rows.in[n].of[p] + i);
    return all;
  };
  // the word beside a register's, which those need one cell of
  auto const alone = [&](int n, int i) TESSERA_INLINED { return all_words(r.alive(r.cells(rows.in[n], i))); };
  Words before[6], here[6];  // who is alive
  for (int n = 0; n < 6; ++n) {
    before[n] = alone(n, -1);
    here[n] = r.alive(load(n, 0));
  }
  for (int i = 0; i < whole; i += some) {
    bool const more = i + some < whole;
    Words after[6];
    for (int n = 0; n < 6; ++n) after[n] = more ? r.alive(load(n, i + some)) : alone(n, i + some);
    auto const row = [&](int n) TESSERA_INLINED {
      return Counts::row(cells_left(before[n], here[n]), here[n], cells_right(here[n], after[n]));
    };
    auto const store = [&](int n, auto const& below, auto const& own, auto const& above) TESSERA_INLINED {
      auto const next = r.template next<Words>(below, own, above, load(n + 1, i));
      for (int p = 0; p < planes; ++p) bits::store(rows.out[n].of[p] + i, next.of[p]);
    };
    auto const a = row(0), b = row(1), c = row(2), d = row(3), e = row(4), f = row(5);
    store(0, a, b, c);
    store(1, b, c, d);
    store(2, c, d, e);
    store(3, d, e, f);
    for (int n = 0; n < 6; ++n) {
      before[n] = here[n];
      here[n] = after[n];
    }
  }
  advance_words(r, rows, whole, last);
}

}  // namespace tessera::ca::bits

#undef TESSERA_INLINED
