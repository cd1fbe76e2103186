// SPDX-License-Identifier: Apache-2.0
#include "ca/stepwise/colours.hpp"

#include <fmt/format.h>

namespace tessera::ca::paper {

/// 1 for cells of the frame in the wrong colour.
struct WrongFrame {
  core::FieldView<std::uint8_t const> occupied;
  core::TileInfo const* info;
  Compass compass;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    std::uint8_t const value = occupied(slot, k, j, i);
    return compass.bar(x) ? value != 1 : compass.side(x) && value != 0;
  }
};

/// 1 for interior black cells.
struct Black {
  core::FieldView<std::uint8_t const> occupied;
  core::TileInfo const* info;
  Compass compass;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    return occupied(slot, k, j, i) == 1 && !compass.bar(info[slot].global(k, j, i));
  }
};

struct StartColour {
  core::FieldView<std::uint8_t const> occupied;
  core::FieldView<Colour> colour;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    colour(slot, k, j, i) = occupied(slot, k, j, i) == 1;
  }
};

/// The colour of a side column, taken at its lower end; 0 elsewhere.
struct SideColour {
  core::FieldView<Colour const> colour;
  core::TileInfo const* info;
  Compass compass;
  core::Count column;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    return compass.row(x) == compass.rows - 2 && compass.column(x) == column ? colour(slot, k, j, i) : 0;
  }
};

std::int64_t check_medium(core::Field<std::uint8_t> const& occupied, Direction direction) {
  core::Layout const& layout = occupied.layout();
  auto const n = layout.grid().cells();
  if (n[0] < 3 || n[1] < 3 || n[2] != 1)
    throw core::Error(fmt::format(
        "these automata run on 2-D grids of 3 x 3 cells or more, frame included, but the grid has {} x {} x {}", n[0],
        n[1], n[2]));
  Compass const compass(direction, n);
  core::TileInfo const* const info = layout.all().info.data();
  if (auto const wrong = core::count("paper frame", layout, WrongFrame{occupied.view(), info, compass}); wrong > 0)
    throw core::Error(fmt::format(
        "the medium has {} cells of its frame in the wrong colour, expected black bars and white sides", wrong));
  return core::count("paper occupation", layout, Black{occupied.view(), info, compass});
}

void start_colours(core::Field<std::uint8_t> const& occupied, core::Field<Colour>& colour) {
  core::for_each("paper colours", occupied.layout().all(), StartColour{occupied.view(), colour.view()});
}

Colour side_colour(core::Field<Colour> const& colour, Compass const& compass, core::Count column) {
  core::Layout const& layout = colour.layout();
  return core::count("side colour", layout, SideColour{colour.view(), layout.all().info.data(), compass, column});
}

}  // namespace tessera::ca::paper
