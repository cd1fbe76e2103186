// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tessera::ca::rules {

constexpr char const* von_neumann_help = R"(
constant/automatonProperties
    rule      "JvN29";       von Neumann's self-reproducing automaton, 29 states
              "Nobili32";    Nobili's: signals cross in confluent states, which also remember; 32 states
              "Hutton32";    Hutton's: one ordinary line builds, in any direction; 32 states
States, as in Golly:
    0            ground
    1 .. 8       sensitized S S0 S1 S00 S01 S10 S11 S000, on the way from ground to one of those below
    9 .. 12      ordinary transmission to the right, up, left, down, quiet; 13 .. 16 the same, excited
    17 .. 20     special transmission to the right, up, left, down, quiet; 21 .. 24 the same, excited
    25 .. 28     confluent C00 C01 C10 C11: excited now (the first digit), in the next generation (the second one)
    29 30 31     crossing: a signal goes on from left or right, from above or below, both (Nobili32, Hutton32)
An excited arrow excites those of its kind that it points at, unless they point back, and confluent states if it is ordinary; it
makes arrows of the other kind, and special ones confluent states, ground again; ground and sensitized states take it as a 1.
Signals that come to ground make of it: 10000 ordinary to the right, 10001 up, 1001 left, 1010 down, 1011 special to the right,
1100 up, 1101 left, 1110 down, 1111 confluent. In Hutton32 the signals of an ordinary line turn with the line:
100000 forward, 100010 to its left, 10100 to its right; 100001 forward, 100011 left, 10011 back, 10101 right, and the line draws
back a cell; 101101 110001 110101 111001 special forward, left, back, right, 1111 confluent, 101111 nothing, all drawing back.
Grids of one layer: cells (nx ny 1).)";

enum class Neumann { original, nobili, hutton };

/// The automaton that von Neumann built his self-reproducing machine in, and two variants of it. Sides and arrows are
/// numbered 0 right, 1 up, 2 left, 3 down; sets of sides are bits.
///
/// Sources: J. von Neumann, ed. A. W. Burks 1966, Theory of Self-Reproducing Automata, chapter 2 (transitions; U is
/// ground, T transmission, C confluent, S sensitized); U. Pesavento 1995, Artificial Life 2:337, after R. Nobili
/// (crossing, memory); T. Hutton's account of his changes with Golly's pattern Hutton-replicator. States that no
/// machine meets, such as two arrows on one sensitized state, are as in Golly, by which all three were checked.
template <Neumann which>
class VonNeumann {
 public:
  static constexpr auto stencil = core::von_neumann<2>();
  static constexpr int states = which == Neumann::original ? 29 : 32;

  KOKKOS_FUNCTION State operator()(State centre, Near<VonNeumann> near) const {
    int const side[4] = {near(1, 0), near(0, 1), near(-1, 0), near(0, -1)};
    if (centre == 0 && (side[0] | side[1] | side[2] | side[3]) == 0) return 0;
    Signals const in(side);
    if (centre == 0) return state(ground(in));
    if (centre < ordinary) return state(hutton ? turning(centre, in) : sensitized(centre, in));
    if (centre < special) return state(ordinary_arrow(centre, side[direction(centre)], in));
    if (centre < confluent) return state(special_arrow(centre, side[direction(centre)], in));
    return state(junction(centre, in));
  }

 private:
  static constexpr bool hutton = which == Neumann::hutton, nobili = which == Neumann::nobili;
  static constexpr int ordinary = 9, special = 17, confluent = 25, crossing = 28;

  KOKKOS_FUNCTION static State state(int s) { return static_cast<State>(s); }
  KOKKOS_FUNCTION static bool is_arrow(int s) { return s >= ordinary && s < confluent; }
  KOKKOS_FUNCTION static bool is_special(int s) { return s >= special && s < confluent; }
  KOKKOS_FUNCTION static bool is_excited(int s) { return is_arrow(s) && ((s - ordinary) & 4) != 0; }
  KOKKOS_FUNCTION static int direction(int s) { return (s - ordinary) & 3; }
  /// The quiet arrow of a kind that points so many quarter turns to the left of right; 4 more is the excited one.
  KOKKOS_FUNCTION static int arrow(int kind, int turns) { return kind + (turns & 3); }
  KOKKOS_FUNCTION static bool two(int set) {
    return set == 3 || set == 5 || set == 6 || set == 9 || set == 10 || set == 12;
  }

  /// What the four neighbours say to a cell: the sides ...
  struct Signals {
    int arrows = 0;         ///< from which any arrow points at it
    int lines = 0;          ///< from which an ordinary one does
    int ones = 0;           ///< and is excited
    int specials = 0;       ///< from which an excited special one does
    int leaving = 0;        ///< on which there is an arrow that does not point at it
    int from_junction = 0;  ///< on which a confluent or crossing state is excited
    int first = 0;  ///< direction of the first excited arrow that points at it, in the order right, up, left, down;
                    ///< 8 more if it is special

    KOKKOS_FUNCTION explicit Signals(int const (&side)[4]) {
      bool found = false;
      for (int d = 0; d < 4; ++d) {
        int const from = (d + 2) & 3, s = side[from], bit = 1 << from;
        if (is_arrow(s) && direction(s) != d) leaving |= bit;
        if (is_arrow(s) && direction(s) == d) {
          arrows |= bit;
          if (!is_special(s)) lines |= bit;
          if (is_excited(s)) {
            (is_special(s) ? specials : ones) |= bit;
            if (!found) first = is_special(s) ? d + 8 : d;
            found = true;
          }
        }
        bool const along = from % 2 == 0;
        if (s == 27 || s == 28 || s == crossing + 3 || s == crossing + (along ? 1 : 2)) from_junction |= bit;
      }
    }
    /// Sides from which an arrow of direction d, which listens everywhere but in front, is excited.
    KOKKOS_FUNCTION bool excite(int excited, int d) const { return ((excited | from_junction) & ~(1 << d)) != 0; }
  };

  KOKKOS_FUNCTION static int ground(Signals const& in) {
    if constexpr (hutton) return in.ones ? 1 : in.specials ? arrow(ordinary, in.first) : 0;
    return in.ones | in.specials ? 1 : 0;
  }

  /// A 0 or 1 more: S -> S0 or S1, S0 -> S00 or S01, S1 -> S10 or S11, S00 -> S000 or an arrow, and so on.
  KOKKOS_FUNCTION static int sensitized(int centre, Signals const& in) {
    int const bit = (in.ones | in.specials) != 0;
    if (centre < 4) return 2 * centre + bit;
    constexpr int next[5][2] = {{8, ordinary + 2},
                                {ordinary + 3, special},
                                {special + 1, special + 2},
                                {special + 3, confluent},
                                {ordinary, ordinary + 1}};
    return next[centre - 4][bit];
  }

  /// The same of Hutton's: arrows turn with the one that writes, which is an ordinary excited one for 1 and a special
  /// one for 0.
  KOKKOS_FUNCTION static int turning(int centre, Signals const& in) {
    bool const one = in.ones != 0, zero = in.specials != 0;
    int const d = in.first;
    switch (centre) {
    case 4:
      return one ? arrow(ordinary, d + 2) : 8;
    case 5:  // behind a special arrow from a side before that of the ordinary one, a confluent state: as in Golly
      return one ? special + d : zero ? arrow(ordinary, d + 3) : 7;
    case 6:
      return one ? arrow(special, d + 2) : zero ? arrow(special, d + 1) : special;
    case 7:
      return one ? confluent : zero ? arrow(special, d + 3) : ordinary + 6;
    case 8:
      return one ? arrow(ordinary, d + 1) : zero ? arrow(ordinary, d) : 8;
    default:
      return 2 * centre + (one ? 1 : 0);
    }
  }

  KOKKOS_FUNCTION static int ordinary_arrow(int centre, int front, Signals const& in) {
    int const d = direction(centre);
    if (in.specials) return 0;
    bool const one = in.excite(in.ones, d);
    if constexpr (hutton) {
      bool const excited = is_excited(centre);
      // the end of a line that writes: what it writes turns into an ordinary arrow, goes on, or turns into a confluent
      // state
      if (front == 8 || front == (excited ? 4 : 5)) return one ? 0 : arrow(ordinary, d);
      if (excited && front < 4) return one ? centre : arrow(special, d) + 4;
      if (excited && front == 7) return one ? 1 : 0;
      // and draws back from a special arrow
      if (one && is_special(front) && !is_excited(front)) return 0;
    }
    return arrow(ordinary, d) + (one ? 4 : 0);
  }

  KOKKOS_FUNCTION static int special_arrow(int centre, int front, Signals const& in) {
    int const d = direction(centre);
    bool const one = in.excite(in.specials, d);
    if constexpr (hutton) {
      if (is_excited(centre) && front == 0) return in.specials & ~(1 << d) ? centre : arrow(special, d);
      if (is_excited(centre) && front < ordinary) {
        // the end of an ordinary line that writes a 0
        if (in.ones) return front <= 4 ? arrow(ordinary, d) + 4 : 0;
        if (in.lines) return front <= 4 ? centre : arrow(ordinary, d);
        return one ? centre : arrow(special, d);
      }
    }
    return in.ones ? 0 : arrow(special, d) + (one ? 4 : 0);
  }

  /// Confluent and crossing states.
  KOKKOS_FUNCTION static int junction(int centre, Signals const& in) {
    if (in.specials) return 0;
    // two lines that come and go on
    int const opposite = (in.lines << 2 | in.lines >> 2) & 15;
    bool const crosses =
        nobili ? two(in.lines) && !(in.lines & opposite) && (in.leaving & opposite) == opposite
               : hutton && (centre > crossing || (centre == confluent && two(in.arrows) && two(in.leaving)));
    if (crosses) {
      int const across = (in.ones & 5 ? 1 : 0) + (in.ones & 10 ? 2 : 0);
      return across == 0 ? confluent : crossing + across;
    }
    // all that come must be excited; with none that goes on, Nobili's remembers
    bool const one = in.lines != 0 && in.ones == in.lines;
    if (centre > crossing) return confluent + one;
    if (nobili && !one && in.leaving == 0) return centre;
    return confluent + 2 * ((centre - confluent) & 1) + one;
  }
};

/// Hues tell the kinds of state, and light and dark of one hue quiet and excited.
static Colours von_neumann_colours() {
  Colours colours;
  auto const mixed = [](std::array<int, 3> const& hue, double white) {
    std::array<std::uint8_t, 3> colour{};
    for (std::size_t c = 0; c < 3; ++c) colour[c] = static_cast<std::uint8_t>(hue[c] + white * (255 - hue[c]));
    return colour;
  };
  constexpr std::array blue{0, 84, 166}, vermillion{190, 60, 0}, green{0, 128, 90}, purple{150, 70, 130},
      yellow{190, 170, 0};
  for (int s = 1; s <= 8; ++s) colours[s] = mixed(yellow, 0.7 - 0.08 * s);
  for (int d = 0; d < 4; ++d) {
    colours[9 + d] = mixed(blue, 0.65 - 0.05 * d);
    colours[13 + d] = mixed(blue, 0.12 - 0.03 * d);
    colours[17 + d] = mixed(vermillion, 0.65 - 0.05 * d);
    colours[21 + d] = mixed(vermillion, 0.12 - 0.03 * d);
    colours[25 + d] = mixed(green, d == 0 ? 0.6 : d == 1 ? 0.45 : d == 2 ? 0.15 : 0.0);
  }
  for (int s = 29; s <= 31; ++s) colours[s] = mixed(purple, 0.4 - 0.2 * (s - 29));
  return colours;
}

static bool is_same(std::string_view word, std::string_view name) {
  return std::ranges::equal(word, name,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

template <Neumann which>
constexpr char const* neumann_name = which == Neumann::original ? "JvN29"
                                     : which == Neumann::nobili ? "Nobili32"
                                                                : "Hutton32";

/// Registers it under its name, which may be written in any case.
template <Neumann which>
static bool add_von_neumann(std::string_view doc) {
  static constexpr char const* name = neumann_name<which>;
  add_rule_traits(name, {.matches = [](std::string_view word) { return is_same(word, name); },
                         .canonical = [](std::string_view) { return std::string(name); },
                         .dimensions = 2,
                         .colours = &von_neumann_colours});
  return Rules::add(name, doc, &make_synchronous<VonNeumann<which>>, von_neumann_help);
}

[[maybe_unused]] static bool const von_neumann_added =
    add_von_neumann<Neumann::original>("von Neumann's self-reproducing automaton, 29 states") &&
    add_von_neumann<Neumann::nobili>("von Neumann's automaton with signals that cross, 32 states") &&
    add_von_neumann<Neumann::hutton>("von Neumann's automaton in which single lines build, 32 states");

}  // namespace tessera::ca::rules
