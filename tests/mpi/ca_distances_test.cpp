// SPDX-License-Identifier: Apache-2.0
#include "tests/support/distances_check.hpp"

namespace tessera::tests {

TEST(Distances, AreTheSameForEveryTileSizeAndOwnerTable) {
  core::Comm const world;
  for (LatticeSample const& sample : lattice_samples()) {
    auto const lattice = ca::make_lattice(sample.name, sample.connectivity);
    for (std::uint64_t n = 0; n < 8; ++n) {
      Medium m = random_medium(sample.cells, sample.threshold + 0.04 * static_cast<double>(n % 4), 100 + n);
      m.periodic = {n % 4 == 1, false, n % 4 == 2 && sample.cells[2] > 1};
      auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(m.n, sample.tiles[n % 4], m.periodic));
      for (auto const& owners : owner_tables(*grid, world.size())) {
        core::Layout const layout(grid, owners, world);
        check_distances(m, side_of(m, core::Side::bottom), side_of(m, core::Side::top), lattice, layout,
                        sample.name + " " + std::to_string(n));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// The work itself does not depend on who does it.
TEST(Distances, TakeTheSameRoundsOnAnyRanks) {
  Medium const m = random_medium({150, 130, 1}, 0.62, 5);
  auto const found_on = [&](core::Layout const& layout) {
    return ca::distances(*field_of(m, layout), *ca::side_mask(layout, core::Side::left), ca::make_lattice("square", 4));
  };
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(m.n, {16, 16, 1}));
  auto const tiles = static_cast<std::size_t>(grid->tiles());
  core::Layout const alone(grid, std::vector<int>(tiles, 0), core::Comm(MPI_COMM_SELF));
  auto const shuffled = shuffled_layout(m.n, {16, 16, 1});
  auto const one = found_on(alone), all = found_on(*shuffled);
  EXPECT_GT(one.rounds, 10);
  EXPECT_EQ(all.rounds, one.rounds);
  EXPECT_EQ(all.relaxations, one.relaxations);
}

}  // namespace tessera::tests
