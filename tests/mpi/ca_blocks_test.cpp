// SPDX-License-Identifier: Apache-2.0
#include "tests/support/blocks_check.hpp"

namespace tessera::tests {

TEST(Backbone, IsTheSameForEveryTileSizeAndOwnerTable) {
  core::Comm const world;
  for (LatticeSample const& sample : lattice_samples()) {
    auto const lattice = ca::make_lattice(sample.name, sample.connectivity);
    for (std::uint64_t n = 0; n < 6; ++n) {
      Medium m = random_medium(sample.cells, sample.threshold * (1.1 + 0.05 * static_cast<double>(n % 3)), 500 + n);
      m.periodic = {n % 4 == 1, false, n % 4 == 2 && sample.cells[2] > 1};
      Medium const inlet = side_of(m, core::Side::bottom),
                   outlet = n % 2 == 0 ? side_of(m, core::Side::top) : random_medium(m.n, 0.02, n);
      ReferenceBlocks const expected(m, inlet, outlet, neighbours_of(m, sample.name, sample.connectivity));
      auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(m.n, sample.tiles[n % 4], m.periodic));
      for (auto const& owners : owner_tables(*grid, world.size())) {
        core::Layout const layout(grid, owners, world);
        check_blocks(m, expected, inlet, outlet, lattice, layout, sample.name + " " + std::to_string(n));
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace tessera::tests
