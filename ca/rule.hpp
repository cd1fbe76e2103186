// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that a rule plugin needs: Near, the concept Rule, and add_rule. One file in ca/rules/ is a whole plugin.
#include "ca/synchronous.hpp"

namespace tessera::ca {

/// The automaton of a rule: made by R(RuleContext&) if the rule has parameters, by R() otherwise.
template <Rule R>
std::unique_ptr<Automaton> make_synchronous(RuleContext& context) {
  if constexpr (std::constructible_from<R, RuleContext&>)
    return std::make_unique<Synchronous<R>>(R(context), context);
  else
    return std::make_unique<Synchronous<R>>(R(), context);
}

/// Registers a rule by its name in the case, its rulestrings if it has `static bool matches(std::string_view)`, and what
/// `tessera help` says if it has `static constexpr char const* help`:
///   [[maybe_unused]] static bool const added = add_rule<Life>("life", "Conway's Life, B3/S23");
template <Rule R>
bool add_rule(std::string_view name, std::string_view doc) {
  if constexpr (requires(std::string_view word) { R::matches(word); })
    add_rulestring(name, [](std::string_view word) -> bool { return R::matches(word); });
  std::string_view help;
  if constexpr (requires { std::string_view(R::help); }) help = R::help;
  return Rules::add(name, doc, &make_synchronous<R>, help);
}

}  // namespace tessera::ca
