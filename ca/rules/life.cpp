// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/packed.hpp"
#include "ca/rule.hpp"

#include <optional>
#include <string>

namespace tessera::ca::rules {

/// A rulestring: a dead cell is born with n living neighbours if bit n of `born` is set, and so on.
struct Rulestring {
  unsigned born = 0, survives = 0;
  Neighbours neighbours = Neighbours::eight;

  static std::optional<Rulestring> parse(std::string_view word) {
    Rulestring rule;
    if (word.ends_with('V') || word.ends_with('v')) rule.neighbours = Neighbours::four;
    if (word.ends_with('H') || word.ends_with('h')) rule.neighbours = Neighbours::six;
    if (rule.neighbours != Neighbours::eight) word.remove_suffix(1);
    char const most = rule.neighbours == Neighbours::eight ? '8' : rule.neighbours == Neighbours::six ? '6' : '4';
    if (take(word, 'B', 'b')) {
      rule.born = digits(word, most);
      take(word, '/', '/');
      if (!take(word, 'S', 's')) return {};
      rule.survives = digits(word, most);
    } else if (take(word, 'S', 's')) {
      rule.survives = digits(word, most);
      take(word, '/', '/');
      if (!take(word, 'B', 'b')) return {};
      rule.born = digits(word, most);
    } else {
      rule.survives = digits(word, most);
      if (!take(word, '/', '/')) return {};
      rule.born = digits(word, most);
    }
    return word.empty() ? std::optional(rule) : std::nullopt;
  }

  static bool matches(std::string_view word) { return parse(word).has_value(); }
  static std::string canonical(std::string_view word) {
    auto const rule = parse(word == "life" ? "B3/S23" : word);
    auto const text = [](unsigned set) {
      std::string numbers;
      for (char n = 0; n <= 8; ++n)
        if (set >> n & 1) numbers += static_cast<char>('0' + n);
      return numbers;
    };
    char const* const suffix = rule->neighbours == Neighbours::eight ? ""
                               : rule->neighbours == Neighbours::six ? "H"
                                                                     : "V";
    return "B" + text(rule->born) + "/S" + text(rule->survives) + suffix;
  }

 private:
  /// Takes digits up to `most` off the front of the word, as a set of bits.
  static unsigned digits(std::string_view& word, char most) {
    unsigned set = 0;
    for (; !word.empty() && word[0] >= '0' && word[0] <= most; word.remove_prefix(1)) set |= 1u << (word[0] - '0');
    return set;
  }
  static bool take(std::string_view& word, char upper, char lower) {
    bool const found = !word.empty() && (word[0] == upper || word[0] == lower);
    if (found) word.remove_prefix(1);
    return found;
  }
};

constexpr char const* life_help = R"(
constant/automatonProperties
    rule      life;        Conway's, B3/S23; or a rulestring in its place:
              "B3/S23";    a dead cell is born with 3 alive neighbours of 8, an alive one survives with 2 or 3; digits 0 .. 8,
                           also none: "B2/S"
              "b3s23" "B3S23" "S23/B3" "23/3"    the same; without letters survival comes first
              "B13/S0V"    of the 4 neighbours beside the cell; digits 0 .. 4
              "B2/S34H"    of 6 neighbours, a hexagonal lattice: all but those at the upper right and the lower left; 0 .. 6
    storage   auto | bits | bytes;   of a cell; auto: a bit, 64 cells in a word, where tiles are as wide as the grid or a
                           multiple of 64 cells, as those are that the program chooses; the same results, some 30 times as fast
States: 0 dead, 1 alive. Grids of one layer: cells (nx ny 1).)";

/// Those on the upper left, above, on the left, on the right, below and on the lower right: a hexagonal lattice with its
/// rows pushed straight.
constexpr core::Stencil<6> hexagon() {
  core::Stencil<6> s;
  int n = 0;
  for (auto const& [i, j] : {std::pair{0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}}) s.offsets[n++] = {i, j, 0};
  return s;
}
template <Neighbours which>
constexpr auto stencil_of() {
  if constexpr (which == Neighbours::eight)
    return core::moore<2>();
  else if constexpr (which == Neighbours::six)
    return hexagon();
  else
    return core::von_neumann<2>();
}

/// Two-state outer-totalistic rules a byte a cell: on the eight neighbours, on four (V), on six (H). Written `B3/S23` (any
/// case, S23/B3 too, the slash may be left out) or, survival first, `23/3`; `life` is B3/S23. States other than 1 count
/// as dead. Source: Gardner 1970, Scientific American 223(4); notation as in Golly.
template <Neighbours which>
class Life {
 public:
  static constexpr auto stencil = stencil_of<which>();
  static constexpr int states = 2;
  explicit Life(Rulestring const& rule) : born_(rule.born), survives_(rule.survives) {}

  KOKKOS_FUNCTION State operator()(State centre, Near<Life> near) const {
    return next(centre, near.count(1), std::make_integer_sequence<int, decltype(stencil)::size() + 1>());
  }

 private:
  KOKKOS_FUNCTION static State has(unsigned set, int n) { return static_cast<State>(set >> n & 1); }
  /// All counts are compared, without branches or tables: so the loop over cells keeps a cell a byte in its vectors.
  template <int... n>
  KOKKOS_FUNCTION State next(State centre, int alive, std::integer_sequence<int, n...>) const {
    State result = 0;
    ((result = static_cast<State>(result | ((alive == n) & (centre == 1 ? has(survives_, n) : has(born_, n))))), ...);
    return result;
  }
  unsigned born_, survives_;
};

template <Neighbours which>
static std::unique_ptr<Automaton> make_bytes(Rulestring const& rule, RuleContext& context) {
  return std::make_unique<Synchronous<Life<which>>>(Life<which>(rule), context);
}

static std::unique_ptr<Automaton> make_life(RuleContext& context) {
  if (context.word == "life") context.word = "B3/S23";
  auto const rule = *Rulestring::parse(context.word);
  if (keeps_bits(context)) return make_packed({rule.born, rule.survives}, rule.neighbours, context);
  if (rule.neighbours == Neighbours::six) return make_bytes<Neighbours::six>(rule, context);
  if (rule.neighbours == Neighbours::four) return make_bytes<Neighbours::four>(rule, context);
  return make_bytes<Neighbours::eight>(rule, context);
}

[[maybe_unused]] static bool const added =
    add_rule_traits(
        "life",
        {.matches = &Rulestring::matches, .canonical = &Rulestring::canonical, .dimensions = 2, .bits = true}) &&
    Rules::add("life", "two states, eight neighbours (or 4: V, 6: H): Conway's Life, or any rulestring such as B36/S23",
               &make_life, life_help);

}  // namespace tessera::ca::rules
