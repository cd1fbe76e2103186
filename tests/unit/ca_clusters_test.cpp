// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters.hpp"
#include "tests/support/clusters_reference.hpp"
#include "tests/support/masks.hpp"

namespace tessera::tests {

TEST(Clusters, EqualBreadthFirstSearchOnEveryLattice) {
  std::vector<core::Grid::Shape> const shapes{{1, 1, 1},   {5, 1, 1}, {1, 7, 1},  {63, 6, 1}, {64, 5, 1}, {65, 7, 1},
                                              {130, 9, 1}, {7, 6, 5}, {63, 4, 3}, {64, 3, 4}, {65, 5, 2}, {2, 2, 2},
                                              {1, 4, 5},   {6, 1, 5}, {9, 8, 1},  {3, 2, 2}};
  std::uint64_t seed = 0;
  for (auto const& n : shapes)
    for (int round = 0; round < 8; ++round)
      for (auto const& lattice : lattices_for(n))
        for (double p : {0.15, 0.35, 0.55, 0.75}) {
          std::array<bool, 3> const periodic{(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
          Voxels const v = random_voxels(n, periodic, p, ++seed);
          std::array<core::Count, 4> const widths{1, 3, 0, 64};
          auto const width = [&](int q) { return widths[(seed >> q) % 4]; };
          check_clusters(v, lattice, *make_layout(n, {width(0), width(2), width(4)}, periodic),
                         lattice.name + " " + std::to_string(lattice.connectivity) + ", seed " + std::to_string(seed));
          if (HasFatalFailure()) return;
        }
}

TEST(Clusters, OfASpiralWrapRoundBothAxesOnlyWhereItCloses) {
  // the diagonal of the torus with corners shared: its one walk winds round x and y together
  auto const lattice = ca::make_lattice("square", 8);
  Voxels v({12, 12, 1}, {true, true, false});
  for (core::Count q = 0; q < 12; ++q) v.cells[v.at({q, q, 0})] = 1;
  auto const layout = make_layout(v.n, {5, 4, 1}, v.periodic);
  core::Field<std::uint8_t> cells("cells", *layout);
  fill(cells, v.cells);
  auto result = ca::find_clusters(cells, {.lattice = lattice});
  EXPECT_EQ(result.wrapping[0], (ca::ClusterCount{1, 12}));
  EXPECT_EQ(result.wrapping[1], (ca::ClusterCount{1, 12}));
  EXPECT_FALSE(result.spanning[0]);
  v.cells[v.at({7, 7, 0})] = 0;
  fill(cells, v.cells);
  result = ca::find_clusters(cells, {.lattice = lattice});
  EXPECT_FALSE(result.wrapping[0]);
  EXPECT_FALSE(result.wrapping[1]);
  EXPECT_EQ(result.largest, 11);
}

// A helix that climbs four rows a turn, in two steps of two: its parts are up to 40 periods apart.
TEST(Clusters, OfALongHelixWrapWhereItsEndsMeet) {
  core::Count const nx = 10, ny = 160;
  Voxels v({nx, ny, 1}, {true, true, false});
  for (core::Count j = 0; j < ny; ++j)
    for (core::Count i = 0; i < nx; ++i) {
      core::Count const q = j % 4;
      bool const step = (i == 0 && q != 1) || (i == nx / 2 && q != 3);
      v.cells[v.at({i, j, 0})] = step || q == (i < nx / 2 ? 0 : 2);
    }
  auto const lattice = ca::make_lattice("square", 4);
  for (auto const& tile : {core::Grid::Shape{3, 7, 1}, {10, 1, 1}, {1, 160, 1}, {10, 160, 1}}) {
    check_clusters(v, lattice, *make_layout(v.n, tile, v.periodic), "closed helix");
    auto const layout = make_layout(v.n, tile, v.periodic);
    core::Field<std::uint8_t> cells("cells", *layout);
    fill(cells, v.cells);
    auto const closed = ca::find_clusters(cells, {.lattice = lattice});
    EXPECT_EQ(closed.clusters, 1);
    EXPECT_TRUE(closed.wrapping[0]);
    EXPECT_TRUE(closed.wrapping[1]);
    Voxels cut = v;
    cut.cells[cut.at({3, 80, 0})] = 0;
    fill(cells, cut.cells);
    auto const open = ca::find_clusters(cells, {.lattice = lattice});
    EXPECT_EQ(open.clusters, 1);
    EXPECT_FALSE(open.wrapping[0]);
    EXPECT_FALSE(open.wrapping[1]);
  }
}

TEST(Clusters, OfOtherValuesAreFoundToo) {
  auto const layout = make_layout({9, 9, 1}, {4, 4, 1});
  core::Field<std::uint8_t> cells("cells", *layout, 0, 7);
  auto const result = ca::find_clusters(cells, {.occupied = 7});
  EXPECT_EQ(result.clusters, 1);
  EXPECT_EQ(result.sites, 81);
  EXPECT_EQ(ca::find_clusters(cells, {}).clusters, 0);
}

TEST(Clusters, NumberCellsBeyond32Bits) {
  core::Grid const grid = core::Grid::unit({70000, 70000, 3}, {1000, 900, 2});
  core::Box const box = grid.tile_box(grid.tiles() - 1);
  core::Index const n = box.shape();
  core::TileInfo const info{
      grid.tiles() - 1, static_cast<int>(n.i), static_cast<int>(n.j), static_cast<int>(n.k), box.lo.i, box.lo.j,
      box.lo.k};
  EXPECT_EQ(ca::parts::grid_number(grid, info, static_cast<std::uint32_t>(box.cells() - 1)),
            std::int64_t{70000} * 70000 * 3 - 1);
  EXPECT_EQ(ca::parts::grid_number(grid, info, 0), grid.number(box.lo));
}

TEST(Clusters, RefuseALayeredGridOnAPlaneLatticeAndALonelyInlet) {
  auto const layout = make_layout({5, 5, 3}, {0, 0, 0});
  core::Field<std::uint8_t> cells("cells", *layout);
  EXPECT_THROW(ca::find_clusters(cells, {.lattice = ca::make_lattice("triangular", 6)}), core::Error);
  EXPECT_THROW(ca::find_clusters(cells, {.lattice = ca::make_lattice("cubic", 6), .inlet = &cells}), core::Error);
}

}  // namespace tessera::tests
