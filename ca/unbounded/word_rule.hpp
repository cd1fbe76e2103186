// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/engine/rulestring.hpp"

#include <type_traits>

namespace tessera::ca::unbounded {

/// What is taken from even and from odd generations of a plane without end: numbers of neighbours, 0 never among those that give birth.
struct PlaneRules {
  bits::Totals even, odd;
};
/// Where cells are born with nobody near (B0) all of the empty plane is, and what is kept of a cell is whether it differs from the plane
/// far away, as Golly has it. Where cells with `neighbours` of them survive, too, that plane lives for ever, and is taken to from the
/// beginning: one rule for what differs from it. Else it blinks, dead in even generations: two rules in turn.
constexpr PlaneRules plane_rules(bits::Totals const& rule, int neighbours) {
  if ((rule.born & 1) == 0) return {rule, rule};
  unsigned const all = (2u << neighbours) - 1;
  // those numbers of neighbours of which the others are alive
  auto const turned = [&](unsigned counts) {
    unsigned result = 0;
    for (int n = 0; n <= neighbours; ++n) result |= (counts >> n & 1) << (neighbours - n);
    return result;
  };
  if ((rule.survives >> neighbours & 1) != 0) {
    bits::Totals const dead{all & ~turned(rule.survives), all & ~turned(rule.born)};
    return {dead, dead};
  }
  return {{all & ~rule.born, all & ~rule.survives}, {turned(rule.survives), turned(rule.born)}};
}

/// A rule of two states by numbers of neighbours in the hands of f(even, odd, blinks), PlaneRules as CountRule or FewerCountRule, whose
/// type tells neighbours and, for Conway's, numbers. False where the rule is none.
template <class F>
bool with_word_rule(std::string const& rule, F const& f) {
  auto const known = known_rule(rule);
  if (!known || known->bits != 1) return false;
  auto const parsed = Rulestring::parse(known->canonical);
  auto const totals = parsed ? parsed->totals() : std::nullopt;
  if (!totals) return false;
  int const around = parsed->neighbours == Neighbours::four ? 4 : parsed->neighbours == Neighbours::six ? 6 : 8;
  auto const [even, odd] = plane_rules(*totals, around);
  using Any = bits::AnyChoice;
  using Conway = bits::FixedChoice<1u << 3, 1u << 2 | 1u << 3>;
  bool const blinks = !(even == odd);
  auto const both = [&]<class Rule>(std::type_identity<Rule>) { f(Rule{Any(even)}, Rule{Any(odd)}, blinks); };
  if (parsed->neighbours == Neighbours::four)
    both(std::type_identity<bits::FewerCountRule<Any, false>>());
  else if (parsed->neighbours == Neighbours::six)
    both(std::type_identity<bits::FewerCountRule<Any, true>>());
  else if (*totals == bits::Totals{1u << 3, 1u << 2 | 1u << 3})
    f(bits::CountRule<Conway>{}, bits::CountRule<Conway>{}, blinks);
  else
    both(std::type_identity<bits::CountRule<Any>>());
  return true;
}

}  // namespace tessera::ca::unbounded
