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
/// were stored, without one that crosses a line of the cache, and shifted in registers: a row may just have been made. A register's
/// words beside those of the rows are read, too. They are loaded again for the next ones, which costs less than registers that hold them.
template <class Rule>
void advance(Rule const& rule, FourRows<Rule::planes> const& rows, int first, int last) {
  constexpr int planes = Rule::planes, some = words_at_once;
  using Counts = decltype(Rule::counts);
  Rule const r = rule;
  int const begin = first > 0 ? first / some * some : 0, whole = last / some * some;
  if (whole <= begin) return advance_words(r, rows, first, last);
  advance_words(r, rows, first, begin);
  auto const load = [&](int n, int i) TESSERA_INLINED {
    Planes<Words, planes> all;
    for (int p = 0; p < planes; ++p) all.of[p] = bits::load<Words>(rows.in[n].of[p] + i);
    return all;
  };
  for (int i = begin; i < whole; i += some) {
    auto const row = [&](int n) TESSERA_INLINED {
      Words const here = r.alive(load(n, i));
      return Counts::row(cells_left(r.alive(load(n, i - some)), here), here,
                         cells_right(here, r.alive(load(n, i + some))));
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
  }
  advance_words(r, rows, whole, last);
}

}  // namespace tessera::ca::bits

#undef TESSERA_INLINED
