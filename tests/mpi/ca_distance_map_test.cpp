// SPDX-License-Identifier: Apache-2.0
#include "tests/support/distance_map_check.hpp"

#include <set>

namespace tessera::tests {

TEST(DistanceMap, HasTheSameBitsForEveryTileSizeAndOwnerTable) {
  core::Comm const world;
  std::set<std::string> hashes;
  for (core::Grid::Shape const tile : {core::Grid::Shape{41, 33, 14}, {8, 8, 8}, {5, 40, 3}}) {
    std::array<core::Axis, 3> axes{core::Axis::make_uniform(41, 0, 4.1), core::Axis::make_uniform(33, 2, 1.7, true),
                                   core::Axis::make_uniform(14, 0, 3.3)};
    auto const grid = std::make_shared<core::Grid const>(std::move(axes), tile);
    for (auto const& owners : owner_tables(*grid, world.size())) {
      core::Layout const layout(grid, owners, world);
      hashes.insert(core::hash(ca::distance_map(drawn_mask(layout, 50, 3))));
    }
    core::Layout const alone(grid, std::vector<int>(static_cast<std::size_t>(grid->tiles()), 0),
                             core::Comm(MPI_COMM_SELF));
    hashes.insert(core::hash(ca::distance_map(drawn_mask(alone, 50, 3))));
  }
  EXPECT_EQ(hashes.size(), 1u);
}

TEST(DistanceMap, EqualsASearchOnShuffledTiles) {
  check_distance_map(*shuffled_layout({23, 19, 8}, {6, 5, 3}), 40, 11);
}

}  // namespace tessera::tests
