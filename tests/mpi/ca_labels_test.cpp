// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters.hpp"
#include "tests/support/clusters_reference.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/masks.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

TEST(Labels, AreTheSameForEveryTileSizeAndOwnerTable) {
  std::vector<std::pair<std::string, Mask>> masks = structured_masks(97, 83);
  for (double p : {0.4, 0.5, 0.5927, 0.7}) masks.emplace_back("random", random_framed(97, 83, p, 5));
  core::Comm const world;
  for (auto const& [name, mask] : masks)
    for (core::Grid::Shape tile : {core::Grid::Shape{5, 5, 1}, {16, 9, 1}, {64, 64, 1}, {97, 1, 1}}) {
      auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({mask.nx, mask.ny, 1}, tile));
      for (auto const& owners : owner_tables(*grid, world.size())) {
        core::Layout const layout(grid, owners, world);
        auto field = field_of(mask, layout);
        ca::ClusterFinder finder(layout);
        for (std::uint8_t wanted : {1, 0})
          for (int neighbours : {4, 8}) {
            auto const expected = reference_labels(mask, wanted, neighbours);
            auto const got = finder.run(*field, {.lattice = ca::make_lattice("square", neighbours),
                                                 .occupied = wanted,
                                                 .label = true,
                                                 .wide_labels = true});
            ASSERT_EQ(labels_of(got), expected) << name << ", tile " << tile[0] << ", " << neighbours << " neighbours";
            ASSERT_EQ(got.clusters, number_of_clusters(expected)) << name;
          }
      }
    }
}

}  // namespace tessera::tests
