// SPDX-License-Identifier: Apache-2.0
#include "tests/support/clusters_reference.hpp"
#include "tests/support/distances_check.hpp"

namespace tessera::tests {

TEST(Clusters, OfListedNeighboursAreTheSameForAnyTilesRanksAndOwners) {
  core::Comm const world;
  std::uint64_t seed = 0;
  struct Case {
    core::Grid::Shape n, tile;
  };
  for (Case const& c : {Case{{70, 31, 1}, {13, 7, 1}},
                        {{66, 20, 1}, {64, 2, 1}},
                        {{31, 9, 1}, {1, 4, 1}},
                        {{12, 11, 9}, {5, 4, 3}},
                        {{9, 9, 9}, {1, 2, 9}},
                        {{4, 5, 3}, {4, 5, 3}}})
    for (int round : {0, 5, 7})
      for (ListedSample const& sample : listed_samples()) {
        auto const lattice = ca::make_lattice(sample.steps);
        if (lattice.spatial() != (c.n[2] > 1)) continue;
        std::array<bool, 3> const periodic{(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
        auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(c.n, c.tile, periodic));
        for (auto const& owners : owner_tables(*grid, world.size())) {
          double const p = std::array{0.8, 1.0, 1.3}[++seed % 3] * sample.threshold;
          core::Layout const layout(grid, owners, world);
          check_clusters(random_voxels(c.n, periodic, p, seed), lattice, layout,
                         sample.name + ", seed " + std::to_string(seed), {static_cast<int>(seed % 4) - 1});
          if (HasFatalFailure()) return;
        }
      }
}

/// Calls f(sample, lattice, number, medium, layout) for media of listed neighbours on tiles that cut them badly.
template <class F>
void for_listed_media(int media, F const& f) {
  core::Comm const world;
  for (ListedSample const& sample : listed_samples()) {
    auto const lattice = ca::make_lattice(sample.steps);
    bool const flat = sample.cells[2] == 1;
    std::vector<core::Grid::Shape> const tiles{{0, 0, 0}, {5, 3, flat ? 1 : 2}, {1, 1, 1}, {30, 1, flat ? 1 : 3}};
    for (int n = 0; n < media; ++n) {
      Medium m = random_medium(sample.cells, sample.threshold * (0.9 + 0.1 * (n % 4)), 100 + static_cast<unsigned>(n));
      m.periodic = {n % 4 == 1, false, n % 4 == 2 && !flat};
      auto const grid =
          std::make_shared<core::Grid const>(core::Grid::unit(m.n, tiles[static_cast<std::size_t>(n % 4)], m.periodic));
      for (auto const& owners : owner_tables(*grid, world.size())) {
        f(sample, lattice, n, m, core::Layout(grid, owners, world));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Distances, OverListedNeighboursAreTheSameForEveryTileSizeAndOwnerTable) {
  for_listed_media(8, [](ListedSample const& sample, ca::Lattice const& lattice, int n, Medium const& m,
                         core::Layout const& layout) {
    check_distances(m, side_of(m, core::Side::bottom), side_of(m, core::Side::top), lattice, layout,
                    sample.name + " " + std::to_string(n));
  });
}

}  // namespace tessera::tests
