// SPDX-License-Identifier: Apache-2.0
#include "tests/support/distances_check.hpp"

namespace tessera::tests {

using core::Side;

TEST(Distances, EqualABreadthFirstSearchOnEveryLattice) {
  int reached = 0;
  for (LatticeSample const& sample : lattice_samples()) {
    auto const lattice = ca::make_lattice(sample.name, sample.connectivity);
    for (std::uint64_t n = 0; n < 24; ++n) {
      Medium m = random_medium(sample.cells, sample.threshold + 0.05 * static_cast<double>(n % 4), n);
      m.periodic = {n % 3 == 1, n % 6 == 1, n % 3 == 2 && sample.cells[2] > 1};
      auto const layout = make_layout(sample.cells, sample.tiles[n % 4], m.periodic);
      Medium const inlet = side_of(m, Side::bottom), outlet = side_of(m, n % 2 == 0 ? Side::top : Side::right);
      check_distances(m, inlet, outlet, lattice, *layout, sample.name + std::to_string(sample.connectivity));
      if (HasFatalFailure()) return;
      auto const mask = ca::side_mask(*layout, Side::bottom);
      EXPECT_EQ(collect(*mask), inlet.cells);
      reached += ca::shortest_path(*field_of(m, *layout), *mask, *field_of(outlet, *layout), lattice).sites > 0;
    }
  }
  EXPECT_GT(reached, 60);
}

// A winding corridor, one cell wide, that crosses every tile edge again and again: 20 legs of 39 cells and the links.
TEST(Distances, FollowASerpentineToItsEnd) {
  Medium m({41, 39, 1});
  for (int j = 0; j < 39; ++j)
    for (int i = 1; i < 40; ++i) m.at(i, j) = j % 2 == 0 || i == (j % 4 == 1 ? 39 : 1);
  Medium inlet(m.n), outlet(m.n);
  inlet.at(1, 0) = 1;
  outlet.at(1, 38) = 1;
  for (core::Grid::Shape tile : {core::Grid::Shape{0, 0, 1}, {8, 8, 1}, {3, 50, 1}, {1, 1, 1}}) {
    auto const layout = make_layout(m.n, tile);
    check_distances(m, inlet, outlet, ca::make_lattice("square", 4), *layout, "serpentine");
    auto const path = ca::shortest_path(*field_of(m, *layout), *field_of(inlet, *layout), *field_of(outlet, *layout),
                                        ca::make_lattice("square", 4));
    EXPECT_EQ(path.sites, 20 * 39 + 19);
    EXPECT_EQ(path.straight_sites, 39);
  }
}

// The medium is a corridor along the lower edge of 64 x 64 tiles: only those tiles are entered, once or twice each.
TEST(Distances, TouchNoTileWithoutCellsToReach) {
  Medium m({512, 512, 1});
  for (int i = 0; i < 512; ++i) m.at(i, 3) = 1;
  for (int i = 0; i < 512; ++i) m.at(i, 200) = 1;  // not joined
  auto const layout = make_layout(m.n, {8, 8, 1});
  Medium inlet(m.n);
  inlet.at(0, 3) = 1;
  auto const found = ca::distances(*field_of(m, *layout), *field_of(inlet, *layout), ca::make_lattice("square", 4));
  EXPECT_EQ(found.reached, 512);
  EXPECT_EQ(found.relaxations, 512);
  EXPECT_EQ(found.farthest, 511);
}

TEST(Distances, KnowOneCellThatIsInletAndOutlet) {
  Medium m({6, 5, 1}), both(m.n);
  m.at(2, 2) = both.at(2, 2) = 1;
  auto const layout = make_layout(m.n, {2, 2, 1});
  auto const lattice = ca::make_lattice("triangular", 6);
  auto const path =
      ca::shortest_path(*field_of(m, *layout), *field_of(both, *layout), *field_of(both, *layout), lattice);
  EXPECT_EQ(path.sites, 1);
  EXPECT_EQ(path.tortuosity, 1);
  EXPECT_EQ(ca::shortest_path(*field_of(both, *layout), *field_of(m, *layout), *field_of(Medium(m.n), *layout), lattice)
                .sites,
            0);
  EXPECT_EQ(ca::distances(*field_of(m, *layout), *field_of(Medium(m.n), *layout), lattice).reached, 0);
}

TEST(Distances, RefuseAPlaneLatticeOnASolidGrid) {
  Medium const m({4, 4, 2}, 1);
  auto const layout = make_layout(m.n, {2, 2, 2});
  auto const field = field_of(m, *layout);
  EXPECT_THROW(ca::distances(*field, *field, ca::make_lattice("square", 4)), core::Error);
}

}  // namespace tessera::tests
