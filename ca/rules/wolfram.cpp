// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

#include <charconv>
#include <string>

namespace tessera::ca::rules {

/// Elementary automata on 1-D grids: the next state is bit 4 l + 2 c + r of the code (left, centre, right). Written
/// `W110`, or `wolfram` with the entry `code 110;`. States other than 1 count as 0.
/// Source: Wolfram 1983, Rev. Mod. Phys. 55:601.
class Wolfram {
 public:
  static constexpr auto stencil = core::moore<1>();
  static constexpr int states = 2;
  static constexpr char const* help = R"(
constant/automatonProperties
    rule      "W110";      the code in Wolfram's numbering, W0 .. W255
            | wolfram;     with
    code      110;
States: 0, 1. Grids of one line: cells (nx 1 1).)";

  explicit Wolfram(RuleContext& context)
      : code_(static_cast<unsigned>(context.word == "wolfram" ? context.properties.get_in<int>("code", {0, 255})
                                                              : parse(context.word))) {
    context.word = "W" + std::to_string(code_);
  }
  static bool matches(std::string_view word) { return parse(word) >= 0; }
  static std::string canonical(std::string_view word) {
    return word == "wolfram" ? "wolfram" : "W" + std::to_string(parse(word));
  }

  KOKKOS_FUNCTION State operator()(State centre, Near<Wolfram> near) const {
    unsigned const pattern = 4u * (near(-1) == 1) + 2u * (centre == 1) + (near(1) == 1);
    return static_cast<State>(code_ >> pattern & 1);
  }

 private:
  /// The code of `W0` .. `W255`, otherwise -1.
  static int parse(std::string_view word) {
    int code = -1;
    if (word.size() < 2 || word.size() > 4 || (word[0] != 'W' && word[0] != 'w') || word[1] < '0' || word[1] > '9')
      return -1;
    char const* const end = word.data() + word.size();
    auto const result = std::from_chars(word.data() + 1, end, code);
    return result.ptr == end && code <= 255 ? code : -1;
  }

  unsigned code_;
};

[[maybe_unused]] static bool const added =
    add_rule<Wolfram>("wolfram", "elementary 1-D automata: W110, or the entry code");

}  // namespace tessera::ca::rules
