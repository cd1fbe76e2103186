// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/higher_range.hpp"
#include "ca/engine/rulestring.hpp"
#include "ca/rule.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera::ca::rules {

constexpr char const* life_3d_help = R"(
constant/automatonProperties
    rule      life3D;        3D5..7/6; or a rulestring in its place:
              "3D5..7/6";    an alive cell survives with 5, 6 or 7 alive neighbours of 26, a dead one is born with 6; numbers and
                             ranges, with commas between: "3D4,7/5,8", "3D4..7,9/4,5,7"; also none: "3D/2"
              "3D0..6/1,3F"  of the 6 neighbours with a face in common
              "3D.../...C"   of the 8 with a corner only
              "3D.../...E"   of the 12 with an edge only
              "3D4/3H"       of 12, a lattice of spheres packed densely, pushed straight
States: 0 dead, 1 alive. Grids in space: cells (nx ny nz).)";

/// The 12 neighbours of a sphere in a dense packing: those at (x y z) and (-x -y -z) of each.
/// Source: C. Bays 1987, Complex Systems 1:373, p. 872; Golly's 3D.lua.
constexpr core::Stencil<12> spheres() {
  core::Stencil<12> s{{}, 1, 3};
  int n = 0;
  for (auto const& o : {core::Offset{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}}) {
    s.offsets[n] = o;
    s.offsets[11 - n++] = {-o.i, -o.j, -o.k};
  }
  return s;
}
/// Of the 26 neighbours those that are one cell off along so many axes.
template <int axes, int N>
constexpr core::Stencil<N> off_along() {
  core::Stencil<N> s{{}, 1, 3};
  int n = 0;
  constexpr auto all = core::moore<3>();  // nvcc has no temporary live on in a loop over its member
  for (auto const& o : all.offsets)
    if ((o.i != 0) + (o.j != 0) + (o.k != 0) == axes) s.offsets[n++] = o;
  return s;
}
template <char which>
constexpr auto stencil_in_space() {
  if constexpr (which == 'F')
    return core::von_neumann<3>();
  else if constexpr (which == 'E')
    return off_along<2, 12>();
  else if constexpr (which == 'C')
    return off_along<3, 8>();
  else if constexpr (which == 'H')
    return spheres();
  else
    return core::moore<3>();
}

/// What a rulestring says.
struct InSpace {
  Counts survives, born;
  char which = 'M';
};

static std::optional<InSpace> in_space(std::string_view word) {
  if (word == "life3D") word = "3D5..7/6";
  if (!word.starts_with("3D")) return {};
  word.remove_prefix(2);
  InSpace rule;
  if (!take_counts(word, rule.survives) || !word.starts_with('/')) return {};
  word.remove_prefix(1);
  if (!take_counts(word, rule.born) || word.size() > 1) return {};
  if (!word.empty()) rule.which = word[0];
  int most = 0;
  for (auto const& [letter, size] : {std::pair{'M', 26}, {'F', 6}, {'C', 8}, {'E', 12}, {'H', 12}})
    if (letter == rule.which) most = size;
  for (auto const& counts : {rule.survives, rule.born})
    if (!counts.empty() && counts.back().second > most) return {};
  return most > 0 ? std::optional(rule) : std::nullopt;
}
static bool is_in_space(std::string_view word) { return in_space(word).has_value(); }
static std::string text_in_space(std::string_view word) {
  auto const rule = in_space(word);
  if (!rule) return std::string(word);
  return "3D" + text_of(rule->survives, "..") + "/" + text_of(rule->born, "..") +
         (rule->which == 'M' ? "" : std::string(1, rule->which));
}

/// Two-state outer-totalistic rules in space. States other than 1 count as dead.
/// Source: C. Bays 1987, Candidates for the Game of Life in three dimensions, Complex Systems 1:373; notation: Golly's 3D.lua.
template <char which>
class Life3D {
 public:
  static constexpr auto stencil = stencil_in_space<which>();
  static constexpr int states = 2;
  explicit Life3D(InSpace const& rule) : survives_(bits(rule.survives)), born_(bits(rule.born)) {}

  KOKKOS_FUNCTION State operator()(State centre, Near<Life3D> near) const {
    return by_count<stencil.size()>(centre, near.count(1), born_, survives_);
  }

 private:
  static unsigned bits(Counts const& counts) {
    unsigned set = 0;
    for (auto const& [first, last] : counts)
      for (int n = first; n <= last; ++n) set |= 1u << n;
    return set;
  }
  unsigned survives_, born_;  ///< a bit for each number of neighbours
};

static std::unique_ptr<Automaton> make_in_space(RuleContext& context) {
  auto const rule = *in_space(context.word);
  auto const make = [&]<char which>(std::integral_constant<char, which>) -> std::unique_ptr<Automaton> {
    return std::make_unique<Synchronous<Life3D<which>>>(Life3D<which>(rule), context);
  };
  switch (rule.which) {
  case 'F':
    return make(std::integral_constant<char, 'F'>());
  case 'C':
    return make(std::integral_constant<char, 'C'>());
  case 'E':
    return make(std::integral_constant<char, 'E'>());
  case 'H':
    return make(std::integral_constant<char, 'H'>());
  default:
    return make(std::integral_constant<char, 'M'>());
  }
}

[[maybe_unused]] static bool const in_space_added =
    add_rule_traits("life3D", {.matches = &is_in_space, .canonical = &text_in_space, .dimensions = 3}) &&
    Rules::add("life3D", "two states in space, by the number of neighbours: rulestrings such as 3D5..7/6",
               &make_in_space, life_3d_help);

}  // namespace tessera::ca::rules
