// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

#include <charconv>
#include <string>

namespace tessera::ca::rules {

constexpr char const* wolfram_help = R"(
constant/automatonProperties
    rule      "W110";      the code in Wolfram's numbering, W0 .. W255
            | wolfram;     with
    code      110;
States: 0, 1. Grids of one line, cells (nx 1 1): the line is that of its generation. Grids of one layer, cells (nx ny 1), as
patterns have them without `cells`: as in Golly all generations stay, one below the other; what is above a cell makes it alive, and
it stays so.)";

/// The code of `W0` .. `W255`, otherwise -1.
static int code_of(std::string_view word) {
  int code = -1;
  if (word.size() < 2 || word.size() > 4 || (word[0] != 'W' && word[0] != 'w') || word[1] < '0' || word[1] > '9')
    return -1;
  char const* const end = word.data() + word.size();
  auto const result = std::from_chars(word.data() + 1, end, code);
  return result.ptr == end && code <= 255 ? code : -1;
}

/// Bit 4 l + 2 c + r of the code (left, centre, right). States other than 1 count as 0.
/// Source: Wolfram 1983, Rev. Mod. Phys. 55:601.
KOKKOS_FUNCTION inline State elementary(unsigned code, State left, State centre, State right) {
  return static_cast<State>(code >> (4u * (left == 1) + 2u * (centre == 1) + (right == 1)) & 1);
}

/// Elementary automata on a line.
class Wolfram {
 public:
  static constexpr auto stencil = core::moore<1>();
  static constexpr int states = 2;
  explicit Wolfram(unsigned code) : code_(code) {}
  KOKKOS_FUNCTION State operator()(State centre, Near<Wolfram> near) const {
    return elementary(code_, near(-1), centre, near(1));
  }

 private:
  unsigned code_;
};

/// Their space-time diagram in the plane, time running down: a row adds the next generation of the row above to itself.
class WolframDiagram {
 public:
  static constexpr auto stencil = core::moore<2>();
  static constexpr int states = 2;
  explicit WolframDiagram(unsigned code) : code_(code) {}
  KOKKOS_FUNCTION State operator()(State centre, Near<WolframDiagram> near) const {
    return static_cast<State>((centre == 1) | elementary(code_, near(-1, 1), near(0, 1), near(1, 1)));
  }

 private:
  unsigned code_;
};

static bool is_wolfram(std::string_view word) { return code_of(word) >= 0; }
static std::string wolfram_text(std::string_view word) {
  return word == "wolfram" ? "wolfram" : "W" + std::to_string(code_of(word));
}
static std::unique_ptr<Automaton> make_wolfram(RuleContext& context) {
  auto const code = static_cast<unsigned>(context.word == "wolfram" ? context.properties.get_in<int>("code", {0, 255})
                                                                    : code_of(context.word));
  context.word = "W" + std::to_string(code);
  if (context.grid().cells()[1] > 1)
    return std::make_unique<Synchronous<WolframDiagram>>(WolframDiagram(code), context);
  return std::make_unique<Synchronous<Wolfram>>(Wolfram(code), context);
}

[[maybe_unused]] static bool const wolfram_added =
    add_rule_traits("wolfram", {.matches = &is_wolfram, .canonical = &wolfram_text}) &&
    Rules::add("wolfram",
               "elementary automata: W110, or the entry code; on a line, or with all generations in the plane",
               &make_wolfram, wolfram_help);

}  // namespace tessera::ca::rules
