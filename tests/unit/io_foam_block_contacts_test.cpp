// SPDX-License-Identifier: Apache-2.0
#include "io/foam/block_contacts.hpp"

#include "io/foam/fields.hpp"
#include "tests/support/foam.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tessera::tests {
namespace {

using namespace io::foam;
using core::Side;

/// A room of 4 x 5 x 6 cells with a corridor of 2 x 2 x 2 cells at its right, joined by mergePatchPairs.
std::string const merged =
    "vertices ((0 0 0) (4 0 0) (4 5 0) (0 5 0) (0 0 6) (4 0 6) (4 5 6) (0 5 6)\n"
    " (4 1 2) (6 1 2) (6 3 2) (4 3 2) (4 1 4) (6 1 4) (6 3 4) (4 3 4));\n"
    "blocks (hex (0 1 2 3 4 5 6 7) (4 5 6) simpleGrading (1 1 1)\n"
    " hex (8 9 10 11 12 13 14 15) (2 2 2) simpleGrading (1 1 1));\n"
    "boundary (\n end { type patch; faces ((0 4 7 3)); }\n wall { type wall; faces ((1 2 6 5)); }\n"
    " door { type patch; faces ((8 12 15 11)); }\n"
    " rest { type wall; faces ((0 2) (0 3) (0 4) (0 5) (1 1) (1 2) (1 3) (1 4) (1 5)); } );\n"
    "mergePatchPairs ((wall door));";

Patch::Plane const wall{Side::right, 3};

/// A list of values belongs to the faces left of the wall row by row, y fastest, rows in this order.
void expect_values_of_the_wall(Mesh const& mesh, std::array<std::size_t, 6> const& rows) {
  std::string list;
  std::vector<double> expected(30, 0.0);
  int value = 0;
  for (std::size_t const k : rows)
    for (std::size_t j = 0; j < 5; ++j) {
      if (j >= 1 && j < 3 && k >= 2 && k < 4) continue;  // joined to the corridor
      list += " " + std::to_string(++value);
      expected[k * 5 + j] = value;
    }
  auto const entry = dictionary("value nonuniform List<scalar> 26(" + list + ");");
  EXPECT_EQ(patch_values(entry, "value", mesh, *mesh.find("wall"), wall), expected);
}

TEST(FoamBlockContacts, JoinsPatchesThatLieAgainstEachOther) {
  auto const mesh = mesh_of(merged);
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{6, 5, 6}));
  EXPECT_EQ(mesh.total(), 4 * 5 * 6 + 8);
  EXPECT_TRUE(mesh.exists({5, 2, 3}));
  EXPECT_FALSE(mesh.exists({5, 0, 3}));
  // what is joined belongs to no patch: of the wall is left what lies round the corridor, and nothing of the door
  EXPECT_EQ(mesh.patch_names(), (std::vector<std::string>{"end", "wall", "rest"}));
  EXPECT_EQ(mesh.find("wall")->planes(), std::vector{wall});
  EXPECT_EQ(mesh.find("wall")->faces(wall), 5 * 6 - 4);
  // values follow the faces that are left in blockMesh's order: y fastest, then z
  expect_values_of_the_wall(mesh, {0, 1, 2, 3, 4, 5});
}

TEST(FoamBlockContacts, NumbersTheFacesLeftOfATurnedBlockAlongItsOwnAxes) {
  // the same room, its own x down along z, y along y, z along x: across its z, y is fastest, then x
  auto const mesh = mesh_of(replaced(replaced(merged, "hex (0 1 2 3 4 5 6 7) (4 5 6)", "hex (4 0 3 7 5 1 2 6) (6 5 4)"),
                                     "(0 2) (0 3) (0 4) (0 5)", "(0 0) (0 1) (0 2) (0 3)"));
  expect_values_of_the_wall(mesh, {5, 4, 3, 2, 1, 0});
}

TEST(FoamBlockContacts, RefusesPatchesThatJoinNothingAndBlocksThatNothingJoins) {
  EXPECT_EQ(mesh_error(replaced(merged, "(wall door)", "")),
            "blockMeshDict:3: block 0 and block 1 beside it along x share a part of their faces, expected blocks that "
            "share whole faces");
  EXPECT_EQ(mesh_error(replaced(merged, "(wall door)", "(end door)")),
            "blockMeshDict:3: block 0 and block 1 beside it along x share a part of their faces, expected blocks that "
            "share whole faces");
  EXPECT_EQ(
      mesh_error(replaced(merged, "(wall door)", "(wall door)\n(end rest)")),
      "blockMeshDict:10: entry 'mergePatchPairs': no face of patch 'end' lies against one of 'rest', expected two "
      "patches that touch");
  EXPECT_EQ(mesh_error(replaced(merged, "(2 2 2)", "(2 3 2)")),
            "blockMeshDict:3: block 0 has 2 cells along y where block 1 has 3, from 1 to 3: expected the same, as the "
            "grid is rectilinear");
  // two blocks that touch along an edge alone need not share its vertices
  EXPECT_EQ(mesh_of(replaced(replaced(merged, "(4 1 2) (6 1 2) (6 3 2) (4 3 2) (4 1 4) (6 1 4) (6 3 4) (4 3 4)",
                                      "(4 5 2) (6 5 2) (6 7 2) (4 7 2) (4 5 4) (6 5 4) (6 7 4) (4 7 4)"),
                             "(wall door)", ""))
                .total(),
            128);
}

}  // namespace
}  // namespace tessera::tests
