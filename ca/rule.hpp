// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that a rule plugin needs: Near, Phases, Parameters and add_rule. One file in ca/rules/ is a whole plugin.
#include "ca/engine/parameters.hpp"
#include "ca/engine/synchronous.hpp"

namespace tessera::ca {

/// A rule of a case: R(RuleContext&), or R() whose parameters(Parameters&) asks for what it needs, or R().
template <class R>
R make_rule(RuleContext& context) {
  if constexpr (std::constructible_from<R, RuleContext&>) {
    return R(context);
  } else {
    R rule{};
    if constexpr (requires(Parameters & in) { rule.parameters(in); }) {
      Parameters in(&context.properties);
      rule.parameters(in);
    }
    return rule;
  }
}

namespace detail {

template <class R>
struct Makes {
  static R make(RuleContext& context) { return make_rule<R>(context); }
};
template <class First, class... Rest>
struct Makes<Phases<First, Rest...>> {
  static Phases<First, Rest...> make(RuleContext& context) {
    if constexpr (sizeof...(Rest) == 0)
      return {make_rule<First>(context)};
    else
      return {make_rule<First>(context), Makes<Phases<Rest...>>::make(context)};
  }
};

template <class Stage>
concept HasHelp = requires {
  std::string_view(Stage::help);
};
template <class Stage>
concept HasParameters = requires(Stage& rule, Parameters& told) {
  rule.parameters(told);
};

/// What `tessera help` prints: the rule's own text, parameters with their defaults, the names of fields.
template <class R>
std::string help_of() {
  std::string help;
  Parameters told(nullptr);
  auto const of_phase = [&]<int q>() {
    using Stage = typename PhasesOf<R>::template at<q>;
    if constexpr (HasHelp<Stage>)
      if (help.find(Stage::help) == std::string::npos) help += Stage::help;
    if constexpr (HasParameters<Stage>) {
      Stage rule{};
      rule.parameters(told);
    }
  };
  for_phases<R>(of_phase);
  std::uint64_t seed = 1;
  if (PhasesOf<R>::random) told("seed", seed, "of its random numbers");
  std::int64_t repeats = usual_repeats;
  if (PhasesOf<R>::repeats) told("maxRepeats", repeats, "of a phase that goes on until nothing changes, at most");
  if (!told.help().empty()) {
    if (help.empty()) help = "\nconstant/automatonProperties";
    help += "\n" + told.help().substr(0, told.help().size() - 1);
  }
  using Value = StateOf<R>;
  if constexpr (OfFields<Value>) {
    help += "\nFields:";
    for (char const* name : Value::fields.of) help += std::string(" ") + name;
    help += "; of each its start: initial { NAME { type ...; } ... }";
    using First = typename PhasesOf<R>::template at<0>;
    if constexpr (Derives<First>) {
      help += "\nDerived, to look at:";
      for (char const* name : First::derived.of) help += std::string(" ") + name;
    }
  }
  return help;
}

}  // namespace detail

/// The automaton of a rule, or of rules in phases.
template <RuleOrPhases R>
std::unique_ptr<Automaton> make_synchronous(RuleContext& context) {
  return std::make_unique<Synchronous<R>>(detail::Makes<R>::make(context), context);
}

/// Registers a rule, or Phases of rules, by its name in the case:
///   [[maybe_unused]] static bool const added = add_rule<Life>("life", "Conway's Life, B3/S23");
/// R may also have
///   using State = double;                                   or uint8 (the default), int32, int64, float
///   struct State { double u, v; static constexpr auto fields = names("u", "v"); };      several named fields
///   void parameters(Parameters& in);                        what the case may set, with defaults (ca/engine/parameters.hpp)
///   static constexpr bool random = true;                    near.uniform(k) is used; the case has a `seed`
///   static constexpr bool until_still = true;               a phase that goes on until nothing changes, within the generation
///   static constexpr auto quantities = names("energy");     numbers of its own, summed over the cells for the series:
///   double quantity(int n, State, Near<R>) const;           what a cell adds to the n-th of them
///   static constexpr auto derived = names("pressure");      fields that are written and drawn with the results, computed from states:
///   double derive(int n, State) const;                      the n-th of them in a cell
///   static constexpr int states = 2;                        or a member, int states: a start with other states than
///                                                           0 .. states - 1 is refused
///   static constexpr char const* help = "...";              what `tessera help NAME` prints, above the parameters
///   static bool matches(std::string_view word);             whether a rulestring is its own
///   static std::string canonical(std::string_view word);    one spelling for all rulestrings that mean the same
template <RuleOrPhases R>
bool add_rule(std::string_view name, std::string_view doc) {
  RuleTraits traits{.dimensions = detail::dimensions_of<R>};
  if constexpr (requires(std::string_view word) { R::matches(word); })
    traits.matches = [](std::string_view word) -> bool { return R::matches(word); };
  if constexpr (requires(std::string_view word) { R::canonical(word); })
    traits.canonical = [](std::string_view word) -> std::string { return R::canonical(word); };
  add_rule_traits(name, traits);
  return Rules::add(name, doc, &make_synchronous<R>, detail::help_of<R>());
}

}  // namespace tessera::ca
