// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that a rule plugin needs: Near, the concept Rule, and add_rule. One file in ca/rules/ is a whole plugin.
#include "ca/engine/synchronous.hpp"

namespace tessera::ca {

/// The automaton of a rule: made by R(RuleContext&) if the rule has parameters, by R() otherwise.
template <Rule R>
std::unique_ptr<Automaton> make_synchronous(RuleContext& context) {
  if constexpr (std::constructible_from<R, RuleContext&>)
    return std::make_unique<Synchronous<R>>(R(context), context);
  else
    return std::make_unique<Synchronous<R>>(R(), context);
}

/// Registers a rule by its name in the case:
///   [[maybe_unused]] static bool const added = add_rule<Life>("life", "Conway's Life, B3/S23");
/// R may also have
///   static constexpr int states = 2;                        or a member, int states: a start with other states than
///                                                           0 .. states - 1 is refused
///   static constexpr char const* help = "...";              what `tessera help NAME` prints
///   static bool matches(std::string_view word);             whether a rulestring is its own
///   static std::string canonical(std::string_view word);    one spelling for all rulestrings that mean the same
template <Rule R>
bool add_rule(std::string_view name, std::string_view doc) {
  RuleTraits traits{.dimensions = R::stencil.dimensions};
  if constexpr (requires(std::string_view word) { R::matches(word); })
    traits.matches = [](std::string_view word) -> bool { return R::matches(word); };
  if constexpr (requires(std::string_view word) { R::canonical(word); })
    traits.canonical = [](std::string_view word) -> std::string { return R::canonical(word); };
  add_rule_traits(name, traits);
  std::string_view help;
  if constexpr (requires { std::string_view(R::help); }) help = R::help;
  return Rules::add(name, doc, &make_synchronous<R>, help);
}

}  // namespace tessera::ca
