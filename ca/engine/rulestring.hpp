// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/near.hpp"
#include "ca/engine/packed.hpp"
#include "core/grid/stencil.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::ca {

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

/// What a rulestring of Life's kin says: whether a cell is alive next, by which of the 3 x 3 cells round it are (and, if it
/// is dead, not of the states of decay). Written
///   B36/S23  S23/B36  b36s23  23/36  B36_S23  B234         by counts; / and _ may be left out, and S where none survive
///   B2-a/S12  B3/S2-i34q                                   counts with Hensel's letters for the arrangement of the neighbours
///   MAP...                                                 512 bits in base64 (86 characters), 128 of H (22), 32 of V (6)
///   ...V  ...H                                             of four or six neighbours, without letters
///   23/3/4  B3/S23/C4  B3/S23/G4                           Generations: 4 states, of which 2 and 3 are those of decay
/// Source: Golly's help (QuickLife, Generations); letters: A. Hensel's table of isotropic neighbourhoods.
struct Rulestring {
  Neighbours neighbours = Neighbours::eight;
  int states = 0;  ///< 2 .. 256; 0 where the word does not say
  /// By the cells alive: the upper left 256, the one above 128, and so on by rows to the lower right one, 1; the centre is 16.
  std::array<bool, 512> alive{};

  static std::optional<Rulestring> parse(std::string_view word);
  /// The numbers of neighbours by which it can be said, if it can.
  std::optional<bits::Totals> totals() const;
  /// One spelling for all that mean the same, the shortest: B3/S23, B2-a/S12, 23/3/4 for Generations, MAP where letters do
  /// not tell.
  std::string text() const;
};

namespace detail {
template <int... n>
KOKKOS_FORCEINLINE_FUNCTION State by_count(State centre, int alive, unsigned born, unsigned survives,
                                           std::integer_sequence<int, n...>) {
  State result = 0;
  ((result = static_cast<State>(result | ((alive == n) & (centre == 1 ? static_cast<State>(survives >> n & 1)
                                                                      : static_cast<State>(born >> n & 1))))),
   ...);
  return result;
}
}  // namespace detail
/// 1 where a cell with so many alive neighbours of `size` is born or survives: a bit for each number of them. All counts are
/// compared, without branches or tables: so the loop over cells keeps a cell a byte in its vectors (inlined by force: with a
/// call a cell Life takes seven times as long).
template <int size>
KOKKOS_FORCEINLINE_FUNCTION State by_count(State centre, int alive, unsigned born, unsigned survives) {
  return detail::by_count(centre, alive, born, survives, std::make_integer_sequence<int, size + 1>());
}

/// The next state of a cell, where `alive` says what becomes of one that is dead or alive: those of decay grow older, up to
/// `last`, and an alive one that does not survive is the first of them.
KOKKOS_FUNCTION inline State aged(State centre, bool alive, State last) {
  auto const older = static_cast<State>(centre == last ? 0 : centre + 1);
  return static_cast<State>(centre > 1 ? older : alive ? 1 : centre == 0 ? 0 : older);
}

}  // namespace tessera::ca
