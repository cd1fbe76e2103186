// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "core/grid/grid.hpp"

#include <Kokkos_Core.hpp>

namespace tessera::run::percolation {

/// What a cell of a medium's grid is.
enum class Place : std::uint8_t { nothing, site, bond };

/// Which cells of a grid are sites, and which are bonds.
///
/// Without bonds a cell is a site, unless the lattice leaves it out (honeycomb, kagome). With bonds the grid has twice as many
/// cells along an axis: site x is cell 2 x, and cell 2 x + d is the bond from x to x + d, for each step d of the lattice; other
/// cells are nothing. So bonds and sites that touch are neighbours on the same lattice again.
struct Places {
  enum class Pattern : std::uint8_t { all, honeycomb, kagome };
  static constexpr int most_steps = 6;

  Pattern pattern = Pattern::all;
  bool bonds = false;
  int steps = 0;                 ///< where there are bonds
  core::Index step[most_steps];  ///< one of each two opposite ones

  /// Throws core::Error if two bonds of the lattice would lie in one cell.
  static Places of(ca::Lattice const& lattice, bool bonds);

  bool all() const { return pattern == Pattern::all && !bonds; }
  /// Whether no two bonds touch but at sites: then blocks, paths and currents of the cells are those of the graph. On other
  /// lattices bonds of a triangle touch, which have a site in common, so that clusters are right all the same.
  bool apart(ca::Lattice const& lattice) const;

  KOKKOS_FUNCTION bool has_site(core::Index const& x) const {
    if (pattern == Pattern::honeycomb) return (x.i + x.j) % 3 != 0;
    return pattern == Pattern::all || x.i % 2 == 0 || x.j % 2 == 0;
  }
  KOKKOS_FUNCTION Place at(core::Index const& x) const {
    if (!bonds) return has_site(x) ? Place::site : Place::nothing;
    bool const i = x.i % 2 != 0, j = x.j % 2 != 0, k = x.k % 2 != 0;
    if (!i && !j && !k) return has_site({x.i / 2, x.j / 2, x.k / 2}) ? Place::site : Place::nothing;
    for (core::Index const& d : step) {  // those beyond `steps` are zero, and fit no bond
      if ((d.i != 0) != i || (d.j != 0) != j || (d.k != 0) != k) continue;
      bool const both = has_site({(x.i - d.i) / 2, (x.j - d.j) / 2, (x.k - d.k) / 2}) &&
                        has_site({(x.i + d.i) / 2, (x.j + d.j) / 2, (x.k + d.k) / 2});
      return both ? Place::bond : Place::nothing;
    }
    return Place::nothing;
  }

  /// How many cells of a box at the grid's origin are this. Cost: none for all sites, a look at each cell else.
  core::Count count(core::Index const& shape, Place place) const;
};

}  // namespace tessera::run::percolation
