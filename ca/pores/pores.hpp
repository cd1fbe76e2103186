// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "ca/parts/sizes.hpp"
#include "core/grid/field.hpp"

#include <limits>

namespace tessera::ca {

/// The pore space of a medium: cells of a box of the grid whose mask is not 0, and of a part of it where one is given. Nothing
/// outside counts, neither as pore nor as solid. Cells must be cubes (squares in one layer); lengths here are in their width, and
/// the radius about a cell is the distance of its centre to that of the nearest solid cell.
struct PoreSpace {
  core::Field<std::uint8_t> const& mask;
  core::Box box;
  core::Field<std::uint8_t> const* part = nullptr;  ///< cells other than 0, within the box, on the layout of the mask
};

/// The square of a radius where there is no solid at all.
constexpr std::int32_t no_wall = std::numeric_limits<std::int32_t>::max();

/// On each pore cell the square of a radius, 0 elsewhere; and how many cells have each of these squares (0 left out), smallest first.
struct PoreSizes {
  core::Field<std::int32_t> squares;
  std::vector<SizeCount> counts;
};

/// On each pore cell the largest ball that fits into the pore space and holds the cell's centre. Exact; the same bits on any
/// ranks, tiles and owners. Collective. Throws core::RunError where a radius is 46341 cells or more.
/// Source: Hildebrand & Ruegsegger 1997, J. Microsc. 185:67.
PoreSizes local_thickness(PoreSpace const& pores);

/// What a fluid that does not wet the walls enters when it is pressed in from an inlet, the more the higher the pressure: balls of a
/// radius whose centres are joined to the inlet, over neighbours of the lattice, through centres of balls that are no smaller.
struct Drainage {
  PoreSizes invaded;              ///< the largest radius at which the fluid gets to a cell; 0 where none does
  std::int32_t breakthrough = 0;  ///< the square of the largest one at which it joins inlet and outlet; 0: none
  std::int64_t trapped = 0;       ///< cells cut off from the outlet before they were entered
};
struct DrainageOptions {
  Lattice lattice;
  core::Field<std::uint8_t> const& inlet;  ///< cells other than 0
  core::Field<std::uint8_t> const& outlet;
  bool trapping = false;  ///< the wetting fluid does not leave cells that are cut off from the outlet
};
/// Collective. Sources: Hilpert & Miller 2001, Adv. Water Resour. 24:243 (morphological drainage); Masson 2016, Water Resour. Res.
/// 52:8 (trapping found afterwards).
Drainage drainage(PoreSpace const& pores, DrainageOptions const& options);

}  // namespace tessera::ca
