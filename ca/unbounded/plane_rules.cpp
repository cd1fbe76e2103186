// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/plane_rules.hpp"

#include "ca/automaton.hpp"

namespace tessera::ca::unbounded {

PlaneRules plane_rules(Rulestring const& rule) {
  auto const last = rule.alive.size() - 1;  // all cells alive
  // of patterns turned round, dead cells for living ones; what becomes of them turned round
  auto const made = [&](bool patterns, bool results) {
    Rulestring other = rule;
    for (std::size_t p = 0; p <= last; ++p) other.alive[p] = rule.alive[patterns ? last - p : p] != results;
    return other;
  };
  if (!rule.alive[0]) return {rule, rule, false};
  if (rule.alive[last]) return {made(true, true), made(true, true), false};
  return {made(false, true), made(true, false), true};
}

std::optional<PlaneRules> plane_rules(std::string const& word) {
  auto const known = known_rule(word);
  auto const rule = known ? Rulestring::parse(known->canonical) : std::nullopt;
  if (!rule || rule->states > 2) return std::nullopt;
  return plane_rules(*rule);
}

}  // namespace tessera::ca::unbounded
