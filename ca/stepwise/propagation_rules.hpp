// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of the exact automaton, one functor each, in the compass of the published automata.
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

/// The classification: arms of every cell, and marks of interior cells.
struct Classify {
  core::FieldView<Colour const> colour;
  core::FieldView<Arms> arms;
  core::FieldView<std::uint8_t> marks;
  core::TileInfo const* info;
  Compass compass;
  Colour left, right;  ///< of the side columns

  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    arms(slot, k, j, i) = 0;
    marks(slot, k, j, i) = 0;
    if (colour(slot, k, j, i) != 1) return;
    Circle const circle(colour, compass, slot, k, j, i);
    bool const bar = compass.bar(info[slot].global(k, j, i));
    arms(slot, k, j, i) = static_cast<Arms>(bar ? along_bar(circle) : groups(circle));
    if (!bar) marks(slot, k, j, i) = mark(circle);
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
  KOKKOS_FUNCTION std::uint8_t mark(Circle const& circle) const {
    bool cut = false, at_left = false, at_right = false;
    for (int p = 0; p < 4; ++p)
      for (int q = p + 1; q < 4; ++q) cut = cut || (circle.arm(p) && circle.arm(q) && circle.parted(p, q));
    for (Colour const c : circle.colour) {
      at_left = at_left || c == left;
      at_right = at_right || c == right;
    }
    return static_cast<std::uint8_t>((cut ? is_articulation : 0) | (at_left && at_right ? is_red : 0));
  }
};

/// A group of a cell is reached from a reached group of a neighbour, if the arms between them are in those groups.
struct Flood {
  using State = Arms;
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
  static constexpr auto stencil = core::von_neumann<2>();
  Compass compass;
  KOKKOS_FUNCTION std::uint8_t operator()(std::uint8_t centre, Near<Join> const& near) const {
    int joined = 0;
    for (int d = 0; d < 4; ++d) joined |= near(compass.di[d], compass.dj[d]);
    return (centre & cell) != 0 ? static_cast<std::uint8_t>(centre | (joined & (first_bar | last_bar))) : centre;
  }
};

}  // namespace tessera::ca::propagation
