// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/labels.hpp"
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
        core::Field<std::int64_t> labels("label", layout, 0, -1);
        ca::Labeller labeller(layout);
        for (std::uint8_t wanted : {1, 0})
          for (int neighbours : {4, 8}) {
            auto const expected = reference_labels(mask, wanted, neighbours);
            auto const clusters = labeller.run(*field, wanted, neighbours, labels);
            ASSERT_EQ(collect(labels), expected) << name << ", tile " << tile[0] << ", " << neighbours << " neighbours";
            ASSERT_EQ(clusters, number_of_clusters(expected)) << name;
          }
      }
    }
}

}  // namespace tessera::tests
