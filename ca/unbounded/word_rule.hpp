// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/plane_rules.hpp"

#include <type_traits>

namespace tessera::ca::unbounded {

/// A rule of two states by numbers of neighbours in the hands of f(even, odd, blinks), PlaneRules as CountRule or FewerCountRule, whose
/// type tells neighbours and, for Conway's, numbers. False where the rule is none.
template <class F>
bool with_word_rule(std::string const& rule, F const& f) {
  auto const rules = plane_rules(rule);
  auto const even = rules ? rules->even.totals() : std::nullopt, odd = rules ? rules->odd.totals() : std::nullopt;
  if (!even || !odd) return false;
  auto const neighbours = rules->even.neighbours;
  using Any = bits::AnyChoice;
  using Conway = bits::FixedChoice<1u << 3, 1u << 2 | 1u << 3>;
  auto const both = [&]<class Rule>(std::type_identity<Rule>) { f(Rule{Any(*even)}, Rule{Any(*odd)}, rules->blinks); };
  if (neighbours == Neighbours::four)
    both(std::type_identity<bits::FewerCountRule<Any, false>>());
  else if (neighbours == Neighbours::six)
    both(std::type_identity<bits::FewerCountRule<Any, true>>());
  else if (*even == bits::Totals{1u << 3, 1u << 2 | 1u << 3} && !rules->blinks)
    f(bits::CountRule<Conway>{}, bits::CountRule<Conway>{}, false);
  else
    both(std::type_identity<bits::CountRule<Any>>());
  return true;
}

}  // namespace tessera::ca::unbounded
