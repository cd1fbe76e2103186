// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/rulestring.hpp"
#include "ca/rule.hpp"

#include <optional>
#include <string>

namespace tessera::ca::rules {

/// The counts of a rulestring that says no more.
static std::optional<bits::Totals> life_counts(std::string_view word) {
  auto const rule = Rulestring::parse(word);
  return rule && rule->states == 0 ? rule->totals() : std::nullopt;
}
static bool is_life(std::string_view word) { return life_counts(word).has_value(); }
static int life_bits(std::string_view) { return 1; }
static std::string life_text(std::string_view word) {
  return Rulestring::parse(word == "life" ? "B3/S23" : word)->text();
}

constexpr char const* life_help = R"(
constant/automatonProperties
    rule      life;        Conway's, B3/S23; or a rulestring in its place:
              "B3/S23";    a dead cell is born with 3 alive neighbours of 8, an alive one survives with 2 or 3; digits 0 .. 8,
                           also none: "B2/S"
              "b3s23" "B3_S23" "S23/B3" "23/3"   the same; without letters survival comes first; "B234": none survives
              "B13/S0V"    of the 4 neighbours beside the cell; digits 0 .. 4
              "B2/S34H"    of 6 neighbours, a hexagonal lattice: all but those at the upper right and the lower left; 0 .. 6
    storage   auto | bits | bytes;   of a cell; auto: a bit, 64 cells in a word, where tiles are as wide as the grid or a
                           multiple of 64 cells, as those are that the program chooses; the same results, some 30 times as fast
States: 0 dead, 1 alive. Grids of one layer: cells (nx ny 1).)";

/// Two-state outer-totalistic rules a byte a cell: on the eight neighbours, on four (V), on six (H). Written `B3/S23` (any
/// case, S23/B3 too, the slash may be left out) or, survival first, `23/3`; `life` is B3/S23. States other than 1 count
/// as dead. Source: Gardner 1970, Scientific American 223(4); notation as in Golly.
template <Neighbours which>
class Life {
 public:
  static constexpr auto stencil = stencil_of<which>();
  static constexpr int states = 2;
  explicit Life(bits::Totals const& rule) : born_(rule.born), survives_(rule.survives) {}

  KOKKOS_FUNCTION State operator()(State centre, Near<Life> near) const {
    return by_count<stencil.size()>(centre, near.count(1), born_, survives_);
  }

 private:
  unsigned born_, survives_;
};

template <Neighbours which>
static std::unique_ptr<Automaton> make_bytes(bits::Totals const& rule, RuleContext& context) {
  return std::make_unique<Synchronous<Life<which>>>(Life<which>(rule), context);
}

static std::unique_ptr<Automaton> make_life(RuleContext& context) {
  if (context.word == "life") context.word = "B3/S23";
  auto const neighbours = Rulestring::parse(context.word)->neighbours;
  auto const rule = *life_counts(context.word);
  if (keeps_bits(context, 2)) return make_packed(rule, neighbours, 2, context);
  if (neighbours == Neighbours::six) return make_bytes<Neighbours::six>(rule, context);
  if (neighbours == Neighbours::four) return make_bytes<Neighbours::four>(rule, context);
  return make_bytes<Neighbours::eight>(rule, context);
}

[[maybe_unused]] static bool const added =
    add_rule_traits("life", {.matches = &is_life, .canonical = &life_text, .dimensions = 2, .bits = &life_bits}) &&
    Rules::add("life", "two states, eight neighbours (or 4: V, 6: H): Conway's Life, or any rulestring such as B36/S23",
               &make_life, life_help);

}  // namespace tessera::ca::rules
