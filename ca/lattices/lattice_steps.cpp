// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/lattice_steps.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace tessera::ca::graph {

LatticeSteps::LatticeSteps(Lattice const& lattice, core::Grid const& grid, core::Count row, core::Count layer)
    : row_(row),
      layer_(layer),
      halo_i_(grid.thin(0) ? 0 : lattice.depth()),
      halo_j_(grid.thin(1) ? 0 : lattice.depth()),
      halo_k_(grid.thin(2) ? 0 : lattice.depth()),
      n_(grid.cells()),
      joined_{grid.periodic(0), grid.periodic(1), grid.periodic(2)} {
  if (!lattice.spatial() && !grid.thin(2))
    throw core::Error(fmt::format("the lattice '{} {}' is plane, but the grid has {} layers", lattice.name,
                                  lattice.connectivity, grid.cells()[2]));
  for (core::Index const& d : lattice.offsets()) {
    if ((grid.thin(0) && d.i != 0) || (grid.thin(1) && d.j != 0) || (grid.thin(2) && d.k != 0)) continue;
    offsets_.push_back(d);
    steps_.push_back(d.k * layer_ + d.j * row_ + d.i);
  }
}

}  // namespace tessera::ca::graph
