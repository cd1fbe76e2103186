// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of the exact automaton, in the compass of the published automata.
#include "ca/stepwise/automata.hpp"

namespace tessera::ca::propagation {

using paper::Circle;
using paper::Colour;
using paper::Compass;

/// Arms of a black cell in groups, in one byte: bits 0 to 3 the arms of the first group (by direction); bit 4 says that
/// the other arms are a second one; bits 5 and 6 that a group is reached. 0: no live arm.
using Arms = std::uint8_t;
enum : int { split = 16, reached = 32, reached_second = 64 };

/// 0 or 1: the group of the arm in direction d; -1: dead, or no arm.
KOKKOS_INLINE_FUNCTION int group_of(int arms, int d) { return (arms >> d & 1) != 0 ? 0 : (arms & split) != 0 ? 1 : -1; }

/// What a cell is by its neighbours' colours alone.
enum Mark : std::uint8_t { is_articulation = 1, is_red = 2 };

/// What the classification makes of the colour of a cell: its arms, and the marks of interior cells above them.
KOKKOS_INLINE_FUNCTION Arms arms_of(Colour cell) { return static_cast<Arms>(cell & 255); }
KOKKOS_INLINE_FUNCTION std::uint8_t marks_of(Colour cell) { return static_cast<std::uint8_t>(cell >> 8); }

struct Classify {
  using State = Colour;
  static constexpr auto stencil = core::moore<2>();
  Compass compass;
  Colour left = 0, right = 0;  ///< of the side columns

  KOKKOS_FUNCTION Colour operator()(Colour centre, Near<Classify> const& near) const {
    if (centre != 1) return 0;
    Circle const circle(near, compass);
    return compass.bar(near.cell()) ? along_bar(circle) : groups(circle) | mark(circle) << 8;
  }

 private:
  /// The arms that are one with p, without p.
  KOKKOS_FUNCTION static int partners(Circle const& circle, int p) {
    int set = 0;
    for (int q = 0; q < 4; ++q)
      if (q != p && circle.arm(q) && !circle.parted(p < q ? p : q, p < q ? q : p)) set |= 1 << q;
    return set;
  }
  KOKKOS_FUNCTION static int groups(Circle const& circle) {
    int first = 0;
    for (int p = 0; p < 4; ++p) {
      if (!circle.arm(p) || (first >> p & 1) != 0) continue;
      int const with = partners(circle, p);
      if (with == 0) continue;
      // two groups need two arms each, so the second one is all that is left
      if (first != 0) return first | split;
      first = with | 1 << p;
    }
    return first;
  }
  /// The group along the bar, reached from the start; no other arm of a bar cell has partners.
  KOKKOS_FUNCTION static int along_bar(Circle const& circle) {
    constexpr int right = 1, left = 3;
    int const p = circle.arm(right) ? right : left;
    return partners(circle, p) | 1 << p | reached;
  }
  KOKKOS_FUNCTION int mark(Circle const& circle) const {
    bool cut = false, at_left = false, at_right = false;
    for (int p = 0; p < 4; ++p)
      for (int q = p + 1; q < 4; ++q) cut = cut || (circle.arm(p) && circle.arm(q) && circle.parted(p, q));
    for (Colour const c : circle.colour) {
      at_left = at_left || c == left;
      at_right = at_right || c == right;
    }
    return (cut ? is_articulation : 0) | (at_left && at_right ? is_red : 0);
  }
};

/// Colours and classification as a rule in phases; the first two are those of the published automata.
using Classification = Phases<paper::Seed, paper::Spread, Classify>;
namespace phase {
enum : int { classify = 2 };
}

/// A group of a cell is reached from a reached group of a neighbour, if the arms between them are in those groups.
struct Flood {
  using State = Arms;
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::von_neumann<2>();
  Compass compass;
  KOKKOS_FUNCTION Arms operator()(Arms centre, Near<Flood> const& near) const {
    int result = centre;
    for (int d = 0; d < 4; ++d) {
      int const group = group_of(centre, d);
      if (group < 0) continue;
      int const other = near(compass.di[d], compass.dj[d]), back = group_of(other, (d + 2) % 4);
      if (back >= 0 && (other & reached << back) != 0) result |= reached << group;
    }
    return static_cast<Arms>(result);
  }
};

/// Which bars a cell is joined to: `cell` is set for interior cells taken into account.
enum : int { cell = 1, first_bar = 2, last_bar = 4 };
struct Join {
  using State = std::uint8_t;
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::von_neumann<2>();
  Compass compass;
  KOKKOS_FUNCTION std::uint8_t operator()(std::uint8_t centre, Near<Join> const& near) const {
    int joined = 0;
    for (int d = 0; d < 4; ++d) joined |= near(compass.di[d], compass.dj[d]);
    return (centre & cell) != 0 ? static_cast<std::uint8_t>(centre | (joined & (first_bar | last_bar))) : centre;
  }
};

}  // namespace tessera::ca::propagation
