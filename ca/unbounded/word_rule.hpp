// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/rulestring.hpp"

namespace tessera::ca::unbounded {

/// A rule of two states by numbers of neighbours, B0 apart, in the hands of f(CountRule or FewerCountRule), whose type tells neighbours
/// and, for Conway's, numbers. False where the rule is none.
template <class F>
bool with_word_rule(std::string const& rule, F const& f) {
  auto const known = known_rule(rule);
  if (!known || known->bits != 1) return false;
  auto const parsed = Rulestring::parse(known->canonical);
  auto const totals = parsed ? parsed->totals() : std::nullopt;
  if (!totals || (totals->born & 1) != 0) return false;
  bits::AnyChoice const any(*totals);
  using Conway = bits::FixedChoice<1u << 3, 1u << 2 | 1u << 3>;
  if (parsed->neighbours == Neighbours::four)
    f(bits::FewerCountRule<bits::AnyChoice, false>{any});
  else if (parsed->neighbours == Neighbours::six)
    f(bits::FewerCountRule<bits::AnyChoice, true>{any});
  else if (*totals == bits::Totals{1u << 3, 1u << 2 | 1u << 3})
    f(bits::CountRule<Conway>{});
  else
    f(bits::CountRule<bits::AnyChoice>{any});
  return true;
}

}  // namespace tessera::ca::unbounded
