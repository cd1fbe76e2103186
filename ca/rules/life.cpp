// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/packed.hpp"
#include "ca/rule.hpp"

#include <optional>
#include <string>

namespace tessera::ca::rules {

/// Two-state outer-totalistic rules on the eight neighbours: a dead cell is born with n alive neighbours if n stands
/// after B, an alive one survives if n stands after S. Written `B3/S23` (any case, S23/B3 too, the slash may be left out)
/// or, survival first, `23/3`; `life` is B3/S23. States other than 1 count as dead.
/// Source: Gardner 1970, Scientific American 223(4); notation as in Golly.
class Life {
 public:
  static constexpr auto stencil = core::moore<2>();
  static constexpr int states = 2;
  static constexpr char const* help = R"(
constant/automatonProperties
    rule      life;        Conway's, B3/S23; or a rulestring in its place:
              "B3/S23";    a dead cell is born with 3 alive neighbours of 8, an alive one survives with 2 or 3; digits 0 .. 8,
                           also none: "B2/S"
              "b3s23" "B3S23" "S23/B3" "23/3"    the same; without letters survival comes first
    storage   auto | bits | bytes;   of a cell; auto: a bit, 64 cells in a word, where tiles are as wide as the grid or a
                           multiple of 64 cells, as those are that the program chooses; the same results, some 30 times as fast
States: 0 dead, 1 alive. Grids of one layer: cells (nx ny 1).)";

  explicit Life(RuleContext& context) {
    if (context.word == "life") context.word = "B3/S23";
    *this = *parse(context.word);
  }
  static bool matches(std::string_view word) { return parse(word).has_value(); }
  static std::string canonical(std::string_view word) {
    auto const rule = parse(word == "life" ? "B3/S23" : word);
    auto const digits = [](unsigned set) {
      std::string text;
      for (char n = 0; n <= 8; ++n)
        if (set >> n & 1) text += static_cast<char>('0' + n);
      return text;
    };
    return "B" + digits(rule->born_) + "/S" + digits(rule->survives_);
  }

  bits::Totals totals() const { return {born_, survives_}; }

  KOKKOS_FUNCTION State operator()(State centre, Near<Life> near) const {
    return next(centre, near.count(1), std::make_integer_sequence<int, 9>());
  }

 private:
  Life() = default;

  KOKKOS_FUNCTION static State has(unsigned set, int n) { return static_cast<State>(set >> n & 1); }
  /// All nine counts are compared, without branches or tables: so the loop over cells keeps a cell a byte in its
  /// vectors.
  template <int... n>
  KOKKOS_FUNCTION State next(State centre, int alive, std::integer_sequence<int, n...>) const {
    State result = 0;
    ((result = static_cast<State>(result | ((alive == n) & (centre == 1 ? has(survives_, n) : has(born_, n))))), ...);
    return result;
  }

  /// Takes digits 0 .. 8 off the front of the word, as a set of bits.
  static unsigned digits(std::string_view& word) {
    unsigned set = 0;
    for (; !word.empty() && word[0] >= '0' && word[0] <= '8'; word.remove_prefix(1)) set |= 1u << (word[0] - '0');
    return set;
  }
  static bool take(std::string_view& word, char upper, char lower) {
    bool const found = !word.empty() && (word[0] == upper || word[0] == lower);
    if (found) word.remove_prefix(1);
    return found;
  }
  static std::optional<Life> parse(std::string_view word) {
    Life life;
    if (take(word, 'B', 'b')) {
      life.born_ = digits(word);
      take(word, '/', '/');
      if (!take(word, 'S', 's')) return {};
      life.survives_ = digits(word);
    } else if (take(word, 'S', 's')) {
      life.survives_ = digits(word);
      take(word, '/', '/');
      if (!take(word, 'B', 'b')) return {};
      life.born_ = digits(word);
    } else {
      life.survives_ = digits(word);
      if (!take(word, '/', '/')) return {};
      life.born_ = digits(word);
    }
    return word.empty() ? std::optional(life) : std::nullopt;
  }

  unsigned born_ = 0, survives_ = 0;
};

static std::unique_ptr<Automaton> make_life(RuleContext& context) {
  Life const rule(context);
  if (keeps_bits(context)) return make_packed(rule.totals(), context);
  return std::make_unique<Synchronous<Life>>(rule, context);
}

[[maybe_unused]] static bool const added =
    add_rule_traits("life",
                    {.matches = &Life::matches, .canonical = &Life::canonical, .dimensions = 2, .bits = true}) &&
    Rules::add("life", "two states, eight neighbours: Conway's Life, or any rulestring such as B36/S23", &make_life,
               Life::help);

}  // namespace tessera::ca::rules
