// SPDX-License-Identifier: Apache-2.0
#include "io/foam/regions.hpp"

#include "tests/support/foam.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::tests {
namespace {

using namespace io::foam;
using core::Box;

/// Cells of a box between planes along x and y, one along z; patches `all`.
Mesh box_of(std::vector<double> x, std::vector<double> y) {
  Mesh mesh{core::Grid({core::Axis(std::move(x)), core::Axis(std::move(y)), core::Axis({0, 1})}), {}};
  Patch patch{"all", "wall", {}};
  for (int side = 0; side < 6; ++side) {
    patch.sides.push_back(static_cast<core::Side>(side));
    patch.pieces.push_back({static_cast<core::Side>(side), cells_along(mesh.grid, static_cast<core::Side>(side))});
  }
  mesh.patches.push_back(patch);
  return mesh;
}

/// A below, b above its right half, and air to the left of b.
Regions corner() {
  return put_together({{"a", box_of({0, 1, 2, 3}, {0, 1, 3})}, {"b", box_of({1, 2 + 1e-9, 3}, {3, 4})}});
}

TEST(FoamRegions, LieInOneGridWithHoles) {
  auto const [mesh, regions] = corner();
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{3, 3, 1}));
  EXPECT_EQ(mesh.total(), 8);
  EXPECT_FALSE(mesh.exists({0, 2, 0}));
  EXPECT_TRUE(mesh.exists({1, 2, 0}));
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_EQ(regions[1].cells, (std::vector<Box>{{{1, 2, 0}, {3, 3, 1}}}));
  EXPECT_EQ(regions[1].mesh->total(), 2);
  EXPECT_EQ(regions[0].mesh->number({2, 1, 0}), 5);
  EXPECT_EQ(regions[1].mesh->number({2, 2, 0}), 1);
  EXPECT_EQ(mesh.patch_names(), (std::vector<std::string>{"a/all", "b/all"}));
  EXPECT_EQ(regions[1].file("constant", "fvOptions"), "constant/b/fvOptions");
}

TEST(FoamRegions, TouchWhereTheirPatchesMeet) {
  auto const [mesh, regions] = corner();
  auto const found = contacts(regions);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].axis, 1);
  EXPECT_EQ(found[0].cells, (Box{{1, 2, 0}, {3, 3, 1}}));
  EXPECT_EQ(found[0].places[0].region, 0U);
  EXPECT_EQ(found[0].places[1].region, 1U);
}

TEST(FoamRegions, AreRefusedWhereTheirCellsDoNotFit) {
  EXPECT_EQ(
      error_of([] {
        put_together({{"a", box_of({0, 1, 2}, {0, 1})}, {"b", box_of({0, 0.5, 2}, {1, 2})}});
      }),
      "constant/a/polyMesh: cells of the region 'a' are cut by the plane x = 0.5 of another region, expected regions "
      "whose cells' faces meet: all lie on one rectilinear grid");
  EXPECT_EQ(error_of([] {
              put_together({{"a", box_of({0, 1, 2}, {0, 1})}, {"b", box_of({1, 2}, {0, 1})}});
            }),
            "constant/b/polyMesh: the regions 'a' and 'b' both have the cell at (1.5 0.5 0.5)");
}

/// Four blocks round a point, numbered against the axes; two of them are b.
std::string four_blocks(std::string const& last) {
  return "scale 1;\nvertices ((0 0 0) (1 0 0) (2 0 0) (0 1 0) (1 1 0) (2 1 0) (0 2 0) (1 2 0) (2 2 0)\n"
         "(0 0 1) (1 0 1) (2 0 1) (0 1 1) (1 1 1) (2 1 1) (0 2 1) (1 2 1) (2 2 1));\n"
         "blocks (hex (4 5 8 7 13 14 17 16) b (2 3 1) simpleGrading (1 1 1)\n"
         "hex (0 1 4 3 9 10 13 12) a (2 2 1) simpleGrading (1 1 1)\n"
         "hex (3 4 7 6 12 13 16 15) a (2 3 1) simpleGrading (1 1 1)\n"
         "hex (1 2 5 4 10 11 14 13) " +
         last + " (2 2 1) simpleGrading (1 1 1));\nboundary (left { type wall; faces ((0 3 12 9) (3 6 15 12)); } );\n";
}

TEST(FoamRegions, OfZonesHaveMappedPatchesInTheOrderOfTheWholeMesh) {
  auto const mesh = mesh_of(four_blocks("b"));
  auto const [all, regions] = split_by_zones(mesh, {"a", "b"}, "blockMeshDict");
  EXPECT_EQ(all.total(), mesh.total());
  EXPECT_TRUE(all.absent.empty());
  ASSERT_EQ(regions[1].mesh->blocks.size(), 2U);
  EXPECT_EQ(regions[1].mesh->blocks[0], (Box{{2, 2, 0}, {4, 5, 1}}));
  EXPECT_EQ(regions[0].mesh->find("left")->faces(), 5);
  EXPECT_EQ(regions[1].mesh->find("left"), nullptr);
  auto const &mine = *regions[0].mesh->find("a_to_b"), &theirs = *regions[1].mesh->find("b_to_a");
  EXPECT_EQ(mine.faces(), 5);
  EXPECT_EQ(theirs.faces(), 5);
  EXPECT_EQ(mine.sample->region, "b");
  EXPECT_EQ(mine.sample->patch, "b_to_a");
  // faces of the whole mesh go by the lower of their two cells: the first block's, upwards, go before
  EXPECT_EQ(mine.pieces[0].cells, (Box{{1, 2, 0}, {2, 5, 1}}));
  EXPECT_EQ(mine.pieces[1].cells, (Box{{1, 0, 0}, {2, 2, 1}}));
  EXPECT_EQ(contacts(regions).size(), 2U);
  EXPECT_NE(error_of([] {
              split_by_zones(mesh_of(four_blocks("c")), {"a", "b"}, "blockMeshDict");
            }).find("the zone 'c'"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::tests
