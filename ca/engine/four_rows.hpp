// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/bits.hpp"

namespace tessera::ca::bits {

/// Rows of words from one below four rows to one above them, and where the next generation of the four goes.
struct FourRows {
  Word const* in[6];
  Word* out[4];
};

/// The words first <= i < last of the four, one by one; those beside them are read, too.
template <class Rule>
void advance_words(Rule const& rule, FourRows const& rows, int first, int last) {
  for (int i = first; i < last; ++i) {
    auto below = rule.row(rows.in[0], i), here = rule.row(rows.in[1], i);
    for (int n = 0; n < 4; ++n) {
      auto const above = rule.row(rows.in[n + 2], i);
      rows.out[n][i] = rule.next(below, here, above);
      below = here;
      here = above;
    }
  }
}

/// Four rows at once, so that what three rows need of a row is found once, eight words at a time. Words are loaded as they
/// were stored, eight from a line of the cache, and shifted in registers: a row may just have been made.
template <class Rule>
void advance(Rule const& rule, FourRows const& rows, int first, int last) {
  Rule const r = rule;
  int const whole = last / 8 * 8;
  if (whole <= 0) return advance_words(r, rows, first, last);
  advance_words(r, rows, first, 0);
  Eight before[6], here[6];
  for (int n = 0; n < 6; ++n) {
    before[n] = all_eight(rows.in[n][-1]);
    here[n] = load_eight(rows.in[n]);
  }
  for (int i = 0; i < whole; i += 8) {
    bool const more = i + 8 < whole;
    Eight after[6];
    for (int n = 0; n < 6; ++n) after[n] = more ? load_eight(rows.in[n] + i + 8) : all_eight(rows.in[n][i + 8]);
    auto const row = [&](int n) {
      return Rule::row(cells_left(before[n], here[n]), here[n], cells_right(here[n], after[n]));
    };
    auto const a = row(0), b = row(1), c = row(2), d = row(3), e = row(4), f = row(5);
    store_eight(rows.out[0] + i, r.next(a, b, c));
    store_eight(rows.out[1] + i, r.next(b, c, d));
    store_eight(rows.out[2] + i, r.next(c, d, e));
    store_eight(rows.out[3] + i, r.next(d, e, f));
    for (int n = 0; n < 6; ++n) {
      before[n] = here[n];
      here[n] = after[n];
    }
  }
  advance_words(r, rows, whole, last);
}

}  // namespace tessera::ca::bits
