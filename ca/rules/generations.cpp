// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/rulestring.hpp"
#include "ca/rule.hpp"

#include <string>

namespace tessera::ca::rules {

constexpr char const* generations_help = R"(
constant/automatonProperties
    rule      "23/3/4";        survival and birth by the number of neighbours in state 1, and the number of states, 2 .. 256:
                               a cell that does not survive goes through 2, 3 and so on before it is dead
              "B3/S23/C4" "B3/S23/G4"    the same
              "/2/3"           Brian's Brain
              "2/13/21V" "2/2/5H"    of 4 or 6 neighbours (`tessera help life`)
              "23-a/3/4" "MAP.../4"  with letters and MAP (`tessera help isotropic`)
    storage   auto | bits | bytes;   of a cell with up to 16 states: 1 to 4 bits, as of `tessera help life`
States: 0 dead, 1 alive, 2 .. those of decay. Grids of one layer: cells (nx ny 1).)";

/// The counts of a rulestring with a number of states.
static std::optional<bits::Totals> generations_counts(std::string_view word) {
  auto const rule = Rulestring::parse(word);
  return rule && rule->states > 0 ? rule->totals() : std::nullopt;
}
static bool is_generations(std::string_view word) { return generations_counts(word).has_value(); }
static std::string generations_text(std::string_view word) {
  auto const rule = Rulestring::parse(word);
  return rule ? rule->text() : std::string(word);
}

static int generations_bits(std::string_view word) {
  auto const rule = Rulestring::parse(word);
  return rule && rule->states > 0 ? planes_of(rule->states) : 0;
}

/// Rules of several states, of which only 1 counts as alive: cells that do not survive decay through the others, in which
/// they are not born again. Source: B. Silverman's Brian's Brain (Toffoli & Margolus 1987, Cellular Automata Machines, 6.4);
/// the family: M. Wojtowicz, MCell.
template <Neighbours which>
class Generations {
 public:
  static constexpr auto stencil = stencil_of<which>();
  int states;
  Generations(bits::Totals const& rule, int number)
      : states(number),
        born_(rule.born),
        survives_(rule.survives),
        last_(static_cast<State>(number - 1)) {}

  KOKKOS_FUNCTION State operator()(State centre, Near<Generations> near) const {
    return aged(centre, by_count<stencil.size()>(centre, near.count(1), born_, survives_) != 0, last_);
  }

 private:
  unsigned born_, survives_;
  State last_;
};

template <Neighbours which>
static std::unique_ptr<Automaton> make_generations_of(Rulestring const& rule, RuleContext& context) {
  return std::make_unique<Synchronous<Generations<which>>>(Generations<which>(*rule.totals(), rule.states), context);
}

static std::unique_ptr<Automaton> make_generations(RuleContext& context) {
  auto const rule = Rulestring::parse(context.word);
  if (!rule) context.properties.fail("rule", "is 'generations', expected a rulestring such as 345/2/4 in its place");
  if (keeps_bits(context, rule->states)) return make_packed(*rule->totals(), rule->neighbours, rule->states, context);
  if (rule->neighbours == Neighbours::six) return make_generations_of<Neighbours::six>(*rule, context);
  if (rule->neighbours == Neighbours::four) return make_generations_of<Neighbours::four>(*rule, context);
  return make_generations_of<Neighbours::eight>(*rule, context);
}

[[maybe_unused]] static bool const generations_added =
    add_rule_traits(
        "generations",
        {.matches = &is_generations, .canonical = &generations_text, .dimensions = 2, .bits = &generations_bits}) &&
    Rules::add("generations", "cells that decay through several states: rulestrings such as 345/2/4", &make_generations,
               generations_help);

}  // namespace tessera::ca::rules
