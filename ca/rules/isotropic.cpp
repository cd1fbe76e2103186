// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/rulestring.hpp"
#include "ca/rule.hpp"

#include <string>

namespace tessera::ca::rules {

constexpr char const* isotropic_help = R"(
constant/automatonProperties
    rule      "B2-a/S12";    counts of neighbours as in `tessera help life`, a count with letters for the arrangements that are
                             meant, or with - and those that are not
              "23-a/3/4"     the same with states of decay (`tessera help generations`)
              "MAP..."       what becomes of each of the 512 patterns of 3 x 3 cells, one bit each, 86 characters of base64;
                             22 of 6 neighbours (128 patterns), 6 of 4 neighbours (32); "MAP.../4" with states of decay
Letters: 1 2 ce, 2 6 ceaikn, 3 5 ceaiknjqry, 4 ceaiknjqrytwz; c are corners, e edges: Golly's help shows them all.
States: 0 dead, 1 alive, 2 .. those of decay. Grids of one layer: cells (nx ny 1).)";

/// Rules on which of the eight neighbours are alive, not only on how many: by a table of the 512 patterns. Those that only
/// counts tell are Life's and Generations'.
class Isotropic {
 public:
  static constexpr auto stencil = core::moore<2>();
  int states;
  explicit Isotropic(Rulestring const& rule)
      : states(std::max(rule.states, 2)),
        alive_("patterns", rule.alive.size()),
        last_(static_cast<State>(states - 1)) {
    auto const host = Kokkos::create_mirror_view(alive_);
    for (std::size_t pattern = 0; pattern < rule.alive.size(); ++pattern) host(pattern) = rule.alive[pattern];
    Kokkos::deep_copy(alive_, host);
  }

  KOKKOS_FUNCTION State operator()(State centre, Near<Isotropic> near) const {
    int const upper = (near(-1, 1) == 1) << 2 | (near(0, 1) == 1) << 1 | (near(1, 1) == 1);
    int const middle = (near(-1, 0) == 1) << 2 | (centre == 1) << 1 | (near(1, 0) == 1);
    int const lower = (near(-1, -1) == 1) << 2 | (near(0, -1) == 1) << 1 | (near(1, -1) == 1);
    return aged(centre, alive_.data()[upper << 6 | middle << 3 | lower] != 0, last_);
  }

 private:
  Kokkos::View<int*> alive_;
  State last_;
};

static bool is_isotropic(std::string_view word) {
  auto const rule = Rulestring::parse(word);
  return rule && !rule->totals();
}
static std::string isotropic_text(std::string_view word) {
  auto const rule = Rulestring::parse(word);
  return rule ? rule->text() : std::string(word);
}
static std::unique_ptr<Automaton> make_isotropic(RuleContext& context) {
  auto const rule = Rulestring::parse(context.word);
  if (!rule) context.properties.fail("rule", "is 'isotropic', expected a rulestring such as B2-a/S12 in its place");
  return std::make_unique<Synchronous<Isotropic>>(Isotropic(*rule), context);
}

[[maybe_unused]] static bool const isotropic_added =
    add_rule_traits("isotropic", {.matches = &is_isotropic, .canonical = &isotropic_text, .dimensions = 2}) &&
    Rules::add("isotropic", "by the arrangement of neighbours: rulestrings such as B2-a/S12, MAP...", &make_isotropic,
               isotropic_help);

}  // namespace tessera::ca::rules
