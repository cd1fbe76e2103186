// SPDX-License-Identifier: Apache-2.0
#include "tests/support/clusters_reference.hpp"

namespace tessera::tests {

TEST(Clusters, AreTheSameForAnyTilesRanksAndOwners) {
  core::Comm const world;
  std::uint64_t seed = 0;
  struct Case {
    core::Grid::Shape n, tile;
  };
  for (Case const& c : {Case{{70, 31, 1}, {13, 7, 1}},
                        {{66, 40, 1}, {64, 5, 1}},
                        {{12, 11, 9}, {5, 4, 3}},
                        {{65, 7, 6}, {65, 3, 2}},
                        {{9, 9, 9}, {1, 2, 9}},
                        {{4, 5, 3}, {4, 5, 3}}})
    for (int round : {0, 5, 7})
      for (auto const& lattice : lattices_for(c.n)) {
        std::array<bool, 3> const periodic{(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
        auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(c.n, c.tile, periodic));
        for (auto const& owners : owner_tables(*grid, world.size())) {
          double const p = std::array{0.2, 0.35, 0.6}[++seed % 3];
          core::Layout const layout(grid, owners, world);
          check_clusters(random_voxels(c.n, periodic, p, seed), lattice, layout,
                         lattice.name + " " + std::to_string(lattice.connectivity) + ", seed " + std::to_string(seed),
                         {static_cast<int>(seed % 4) - 1});
          if (HasFatalFailure()) return;
        }
      }
}

// One row of cells that goes to and fro through all layers: every tile's parts are one cluster of two halves only.
TEST(Clusters, OfASerpentineThroughTheBlockAreOne) {
  core::Grid::Shape const n{16, 15, 15};
  Voxels v(n, {});
  for (std::size_t c = 0; c < v.cells.size(); ++c) {
    core::Index const x = v.index(c);
    bool const row = x.j % 2 == 0 && x.k % 2 == 0;
    bool const turn = x.k % 2 == 0 && x.i == (x.j % 4 == 1 ? 15 : 0);
    bool const climb = x.k % 2 == 1 && x.j == (x.k % 4 == 1 ? 14 : 0) && x.i == (x.k % 4 == 1 ? 15 : 0);
    v.cells[c] = row || turn || climb;
  }
  check_clusters(v, ca::make_lattice("cubic", 6), *shuffled_layout(n, {4, 3, 2}), "serpentine");
}

}  // namespace tessera::tests
