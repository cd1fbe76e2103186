// SPDX-License-Identifier: Apache-2.0
#pragma once
// The published automata A1 .. A5: phases of two rules (Cutting, Marking), one phase each, A3 two. Rows r are counted
// downwards from the bar of largest y (direction y) or x (direction x), columns c along the other axis; "up" leads from
// bar to bar, "right" along c.
#include "ca/engine/phases.hpp"
#include "ca/percolation.hpp"

namespace tessera::ca::paper {

/// What a cell holds up to A2; the first step of A3 leaves a Cell in its place. White cells: row x columns + column + 2
/// of a seed, 0 without a colour yet. Black cells: 1. Outside the grid: 0.
using Colour = std::int64_t;

/// What a cell is from A3 on, and what it keeps: `white` its contact couples, `tagged` its cases (Couples). A cell
/// removed by A3 is `coloured` like the white clusters; so is what lies outside the grid.
enum Kind : std::int32_t { coloured, black, white, tagged, marked };
using Cell = std::int32_t;
KOKKOS_INLINE_FUNCTION Kind kind(Cell cell) { return static_cast<Kind>(cell & 7); }
KOKKOS_INLINE_FUNCTION Cell couples(Cell cell) { return cell >> 3; }
KOKKOS_INLINE_FUNCTION Cell make_cell(Kind kind, Cell couples) { return kind | couples << 3; }

/// Steps to the neighbours in the order up, right, down, left, and positions in the frame.
struct Compass {
  int di[4], dj[4];
  core::Count rows, columns;
  bool along_y;

  Compass(Direction direction, core::Grid::Shape const& cells) : along_y(direction == Direction::y) {
    int const rightward[4] = {0, 1, 0, -1}, upward[4] = {1, 0, -1, 0};
    for (int d = 0; d < 4; ++d) {
      di[d] = along_y ? rightward[d] : upward[d];
      dj[d] = along_y ? upward[d] : rightward[d];
    }
    rows = cells[along_y ? 1 : 0];
    columns = cells[along_y ? 0 : 1];
  }
  KOKKOS_FUNCTION core::Count row(core::Index const& x) const { return rows - 1 - (along_y ? x.j : x.i); }
  KOKKOS_FUNCTION core::Count column(core::Index const& x) const { return along_y ? x.i : x.j; }
  KOKKOS_FUNCTION bool bar(core::Index const& x) const { return row(x) == 0 || row(x) == rows - 1; }
  KOKKOS_FUNCTION bool side(core::Index const& x) const { return column(x) == 0 || column(x) == columns - 1; }
};

/// A1: seeds. Black cells are 1, white ones 0 before it. The lower ends of the side columns, and white cells with black
/// cells left, below and between the two.
struct Seed {
  using State = Colour;
  static constexpr auto stencil = core::moore<2>();
  Compass compass;
  KOKKOS_FUNCTION Colour operator()(Colour centre, Near<Seed> const& near) const {
    constexpr int down = 2, left = 3;
    if (centre == 1) return 1;
    core::Index const x = near.cell();
    core::Count const r = compass.row(x), c = compass.column(x);
    bool const seed = compass.side(x)
                          ? r == compass.rows - 2
                          : near(compass.di[down], compass.dj[down]) == 1 &&
                                near(compass.di[left], compass.dj[left]) == 1 &&
                                near(compass.di[down] + compass.di[left], compass.dj[down] + compass.dj[left]) == 1;
    return seed ? r * compass.columns + c + 2 : 0;
  }
};

/// A2: a white cell takes the largest colour among itself and its 8 neighbours.
struct Spread {
  using State = Colour;
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::moore<2>();
  KOKKOS_FUNCTION static bool can_change(Colour centre) { return centre != 1; }
  KOKKOS_FUNCTION Colour operator()(Colour centre, Near<Spread> const& near) const {
    Colour largest = centre;
    for (int dj = -1; dj <= 1; ++dj)
      for (int di = -1; di <= 1; ++di) {
        Colour const c = near(di, dj);
        largest = c > largest ? c : largest;
      }
    return centre == 1 || largest == 1 ? centre : largest;
  }
};

/// The colours of the 8 neighbours of a black cell: arms and corners in turn, clockwise from up. Two black neighbours
/// ("arms") part the circle of the others in two arcs.
struct Circle {
  Colour colour[8];

  template <class R>
  KOKKOS_FUNCTION Circle(Near<R> const& near, Compass const& compass) {
    for (int d = 0; d < 4; ++d) {
      int const e = (d + 1) % 4;
      colour[2 * d] = near(compass.di[d], compass.dj[d]);
      colour[2 * d + 1] = near(compass.di[d] + compass.di[e], compass.dj[d] + compass.dj[e]);
    }
  }
  /// Whether there is an arm in direction d.
  KOKKOS_FUNCTION bool arm(int d) const { return colour[2 * d] == 1; }
  /// Whether some colour lies on both arcs between the arms in directions d < e.
  KOKKOS_FUNCTION bool parted(int d, int e) const {
    for (int a = 2 * d + 1; a < 2 * e; ++a)
      for (int b = 2 * e + 1; b < 2 * d + 8; ++b)
        if (colour[a] > 1 && colour[a] == colour[b % 8]) return true;
    return false;
  }
};

/// A3, first step: black cells that a colour cuts. Two arms of a cell are a contact couple if no colour lies on both
/// arcs. A cell stays black if all pairs of arms are couples; without any couple it is removed; else it becomes white
/// and keeps the set of its couples: bit 4 d + e says that the arms in directions d and e are one (both orders are set).
struct Cut {
  using State = Colour;
  static constexpr auto stencil = core::moore<2>();
  Compass compass;
  KOKKOS_FUNCTION Colour operator()(Colour centre, Near<Cut> const& near) const {
    if (centre != 1) return coloured;
    Circle const circle(near, compass);
    Cell set = 0;
    bool cut = false;
    for (int p = 0; p < 4; ++p)
      for (int q = p + 1; q < 4; ++q) {
        if (!circle.arm(p) || !circle.arm(q)) continue;
        if (circle.parted(p, q))
          cut = true;
        else
          set |= 1 << (4 * p + q) | 1 << (4 * q + p);
      }
    return !cut ? make_cell(black, 0) : set == 0 ? make_cell(coloured, 0) : make_cell(white, set);
  }
};

/// A3, second step: black members of a couple of a white cell become tagged. The published twelve cases are a set:
/// a cell may hold several. Bit 4 d + e says that the white cell lies in direction d, the partner beyond it in e.
struct Tag {
  using State = Cell;
  static constexpr auto stencil = core::von_neumann<2>();
  Compass compass;
  KOKKOS_FUNCTION Cell operator()(Cell centre, Near<Tag> const& near) const {
    if (centre != make_cell(black, 0)) return centre;
    Cell cases = 0;
    for (int d = 0; d < 4; ++d) {
      Cell const other = near(compass.di[d], compass.dj[d]);
      int const back = (d + 2) % 4;
      if (kind(other) == white) cases |= (couples(other) >> 4 * back & 15) << 4 * d;
    }
    return cases == 0 ? centre : make_cell(tagged, cases);
  }
};

/// A4: black cells of the bars, black and tagged cells beside a marked one, and tagged cells whose partner is marked.
/// A straight partner lies two cells away.
struct Mark {
  using State = Cell;
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::moore<2, 2>();
  Compass compass;
  KOKKOS_FUNCTION static bool can_change(Cell centre) { return kind(centre) == black || kind(centre) == tagged; }
  KOKKOS_FUNCTION Cell operator()(Cell centre, Near<Mark> const& near) const {
    if (!can_change(centre)) return centre;
    if (kind(centre) == black && compass.bar(near.cell())) return marked;
    for (int d = 0; d < 4; ++d)
      if (near(compass.di[d], compass.dj[d]) == marked) return marked;
    for (int d = 0; d < 4; ++d)
      for (int e = 0; e < 4; ++e)
        if ((couples(centre) >> (4 * d + e) & 1) != 0 &&
            near(compass.di[d] + compass.di[e], compass.dj[d] + compass.dj[e]) == marked)
          return marked;
    return centre;
  }
};

/// A5: white cells with two marked neighbours; or with one, if it, a white neighbour and a marked cell close a square.
struct Restore {
  using State = Cell;
  static constexpr auto stencil = core::moore<2>();
  Compass compass;
  KOKKOS_FUNCTION Cell operator()(Cell centre, Near<Restore> const& near) const {
    if (kind(centre) != white) return centre;
    int found = 0, at = 0;
    for (int d = 0; d < 4; ++d)
      if (near(compass.di[d], compass.dj[d]) == marked) {
        ++found;
        at = d;
      }
    if (found != 1) return found == 0 ? centre : Cell{marked};
    for (int turn = 1; turn <= 3; turn += 2) {
      int const e = (at + turn) % 4;
      if (kind(near(compass.di[e], compass.dj[e])) == white &&
          near(compass.di[at] + compass.di[e], compass.dj[at] + compass.dj[e]) == marked)
        return marked;
    }
    return centre;
  }
};

/// The automata as two rules in phases, since cells are smaller than colours, and the numbers of the phases.
using Cutting = Phases<Seed, Spread, Cut>;
using Marking = Phases<Tag, Mark, Restore>;
namespace phase {
enum : int { seed, spread, cut };
enum : int { tag, mark, restore };
}  // namespace phase

}  // namespace tessera::ca::paper
