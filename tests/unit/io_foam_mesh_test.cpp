// SPDX-License-Identifier: Apache-2.0
#include "io/foam/mesh.hpp"

#include "io/foam/fields.hpp"
#include "tests/support/foam.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::tests {
namespace {

using namespace io::foam;
using core::Side;

std::string const box = block_mesh(8, 4, 2.0, 1.6);

TEST(FoamBlockMesh, GivesGridAndPatchesOfABox) {
  auto const mesh = mesh_of(box);
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{8, 4, 1}));
  EXPECT_DOUBLE_EQ(mesh.grid.axis(0).width(3), 0.25);
  EXPECT_DOUBLE_EQ(mesh.grid.axis(1).high(), 1.6);
  EXPECT_DOUBLE_EQ(mesh.grid.axis(2).high(), 0.01);
  EXPECT_EQ(mesh.patch_names(), (std::vector<std::string>{"bottom", "right", "top", "left", "frontAndBack"}));
  EXPECT_EQ(mesh.patch(Side::left).name, "left");
  EXPECT_EQ(mesh.patch(Side::top).name, "top");
  EXPECT_EQ(mesh.patch(Side::front).type, "empty");
  EXPECT_EQ(mesh.find("frontAndBack")->sides, (std::vector<Side>{Side::back, Side::front}));
  EXPECT_EQ(mesh.grid.patch(Side::back), "frontAndBack");
  EXPECT_EQ(faces(mesh.grid, Side::left), 4);
  EXPECT_EQ(faces(mesh.grid, Side::front), 32);
}

TEST(FoamBlockMesh, ScalesAndGradesAndRenumbersVertices) {
  auto const mesh = mesh_of(
      "convertToMeters 0.001;\nvertices ( (9 9 9) (1 2 3) (5 2 3) (5 4 3) (1 4 3) (1 2 6) (5 2 6) (5 4 6) (1 4 6) );\n"
      "blocks ( hex (1 2 3 4 5 6 7 8) (3 1 1) simpleGrading (4 1 1) );\n"
      "boundary ( walls { type wall; faces ((1 4 8 5) (2 3 7 6) (1 2 6 5) (4 3 7 8)); } );");
  // widths 1 : 2 : 4 over 4 mm
  EXPECT_NEAR(mesh.grid.axis(0).width(0), 4e-3 / 7, 1e-15);
  EXPECT_NEAR(mesh.grid.axis(0).width(2), 16e-3 / 7, 1e-15);
  EXPECT_DOUBLE_EQ(mesh.grid.axis(0).low(), 1e-3);
  EXPECT_DOUBLE_EQ(mesh.grid.axis(2).high(), 6e-3);
  EXPECT_EQ(mesh.find("walls")->sides, (std::vector<Side>{Side::left, Side::right, Side::bottom, Side::top}));
  EXPECT_EQ(mesh.patch(Side::back).name, "defaultFaces");
  EXPECT_EQ(mesh.patch(Side::back).type, "empty");
}

/// Two blocks of a wedge round x, along y, from the axis on; OpenFOAM's examples are written so.
std::string const wedge =
    "vertices ( (0 0 0) (3 0 0) (0 1 -0.05) (3 1 -0.05) (0 3 -0.15) (3 3 -0.15) (0 1 0.05) (3 1 0.05) (0 3 0.15) (3 3 "
    "0.15) );\n"
    "blocks ( hex (0 1 3 2 0 1 7 6) core (6 2 1) simpleGrading (1 1 1)\n"
    "hex (2 3 5 4 6 7 9 8) (6 1 1) simpleGrading (1 1 1) );\n"
    "boundary ( axis { type empty; faces ((0 1 1 0)); } ends { type patch; faces ((0 2 6 0) (1 3 7 1) (2 4 8 6) (3 5 9 "
    "7)); }\n"
    "back { type wedge; faces ((0 2 3 1) (2 4 5 3)); }\n front { type wedge; faces ((0 1 7 6) (6 7 9 8)); }\n"
    "outer { type wall; faces ((4 5 9 8)); } );";

TEST(FoamBlockMesh, TakesAWedgeForALayerAsThickAsTheRadiusSays) {
  auto const mesh = mesh_of(wedge);
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{6, 3, 1}));
  EXPECT_EQ(mesh.grid.axis(1).faces(), (std::vector<double>{0, 0.5, 1, 3}));
  ASSERT_TRUE(mesh.wedge);
  EXPECT_EQ(mesh.wedge->radial, 1);
  EXPECT_EQ(mesh.wedge->thin, 2);
  EXPECT_NEAR(mesh.wedge->slope, 0.1, 1e-15);
  // prisms of 0.5 m: a triangle and trapezoids
  EXPECT_NEAR(mesh.volume({0, 0, 0}), 0.5 * 0.5 * 0.5 * 0.05, 1e-15);
  EXPECT_NEAR(mesh.volume({0, 2, 0}), 0.5 * 2 * 0.2, 1e-15);
  EXPECT_NEAR(mesh.area(Side::left, {0, 2, 0}), 2 * 0.2, 1e-15);
  EXPECT_EQ(mesh.area(Side::bottom, {0, 0, 0}), 0);
  EXPECT_NEAR(mesh.area(Side::top, {0, 2, 0}), 0.5 * 0.3, 1e-15);
  EXPECT_NEAR(mesh.distance(Side::top, {0, 0, 0}), 0.5 / 3, 1e-15);  // a third of the triangle's height
  EXPECT_NEAR(mesh.distance(Side::left, {0, 0, 0}), 0.25, 1e-15);
  EXPECT_EQ(mesh.patch(Side::back).name, "back");
  EXPECT_EQ(mesh.patch(Side::bottom).name, "axis");
  EXPECT_FALSE(mesh_of(box).wedge);
}

TEST(FoamBlockMesh, TakesAWedgeRoundAnyAxis) {
  // the own axes of the block are radius, across, along, as in coldEngineFoam/freePiston
  auto const mesh =
      mesh_of("vertices ( (0 0 0) (2 -0.1 0) (2 0.1 0) (0 0 3) (2 -0.1 3) (2 0.1 3) );\n"
              "blocks ( hex (0 1 2 0 3 4 5 3) (5 1 6) simpleGrading (1 1 1) );\n"
              "boundary ( front { type wedge; faces ((0 1 4 3)); } back { type wedge; faces ((0 3 5 2)); } );");
  ASSERT_TRUE(mesh.wedge);
  EXPECT_EQ(mesh.wedge->radial, 0);
  EXPECT_EQ(mesh.wedge->thin, 1);
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{5, 1, 6}));
  EXPECT_EQ(mesh.patch(Side::bottom).name, "front");
  EXPECT_EQ(mesh.patch(Side::left).name, "defaultFaces");
}

TEST(FoamBlockMesh, RefusesWhatIsNoWedge) {
  auto const refuses = [](std::string const& was, std::string const& is, std::string const& why) {
    auto const error = mesh_error(replaced(wedge, was, is));
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  refuses("back { type wedge;", "back { type patch;",
          ":5: entry 'faces': face (0 2 3 1) of the patch 'back' of type patch lies "
          "in a plane of a wedge, expected type wedge");
  refuses("outer { type wall;", "outer { type wedge;", "lies in no plane of a wedge");
  refuses("axis { type empty;", "axis { type wall;",
          "lies on the axis of a wedge, where it has no area: expected type empty");
  refuses("(3 3 0.15)", "(3 3 0.16)", ":2: the block is not a box along the axes");
  refuses("core (6 2 1)", "core (6 2 2)", ":2: a wedge has more than one cell between its planes");
  refuses("back { type wedge; faces ((0 2 3 1) (2 4 5 3)); }", "",
          "faces in a plane of a wedge belong to the patch 'defaultFaces' of type empty, expected type wedge");
  auto const error = mesh_error(replaced(box, "left { type patch;", "left { type wedge;"));
  EXPECT_NE(error.find("lies in no plane of a wedge"), std::string::npos) << error;
}

TEST(FoamBlockMesh, MakesAnAxisPeriodicOfACyclicPair) {
  auto text = replaced(box, "left { type patch;", "left { type cyclic; neighbourPatch right;");
  text = replaced(text, "right { type patch;", "right { type cyclic; neighbourPatch left;");
  auto const mesh = mesh_of(text);
  EXPECT_TRUE(mesh.grid.periodic(0));
  EXPECT_FALSE(mesh.grid.periodic(1));
  EXPECT_EQ(mesh_error(replaced(text, "neighbourPatch left", "neighbourPatch top")),
            "blockMeshDict:9: entry 'boundary': neighbourPatch 'top' of the cyclic patch 'right' is no cyclic patch "
            "whose neighbourPatch "
            "is 'right'");
}

TEST(FoamBlockMesh, TakesABoundaryWithoutItsSemicolonAsOpenFoamDoes) {
  // dsmcFoam's freeSpaceStream and supersonicCorner
  auto const mesh = mesh_of("vertices ( (0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 1) (1 0 1) (1 1 1) (0 1 1) );\n"
                            "blocks ( hex (0 1 2 3 4 5 6 7) (2 2 1) simpleGrading (1 1 1) );\n"
                            "boundary ( walls { type wall; faces ((0 4 7 3)); } )\nmergePatchPairs ( );\n");
  EXPECT_EQ(mesh.find("walls")->sides, std::vector{Side::left});
}

TEST(FoamBlockMesh, RefusesWhatItCannotMeshByName) {
  EXPECT_EQ(mesh_error(replaced(box, "(2 3 7 6)", "(2 3 7 5)")),
            "blockMeshDict:13: entry 'faces': face (2 3 7 5) is not one of the six sides of a block, expected their "
            "four vertices");
  EXPECT_EQ(mesh_error(replaced(box, "(2 3 7 6)", "(0 1 5 4)")),
            "blockMeshDict:13: entry 'faces': face (0 1 5 4) belongs to patch 'bottom' already");
  EXPECT_EQ(mesh_error(replaced(box, "edges ()", "edges (arc 0 1 (1 1 0))")),
            "blockMeshDict:8: entry 'edges' is '(arc 0 1 (1 1 0))', expected an empty list: edges are not supported");
  EXPECT_EQ(mesh_error(replaced(box, "(1 1 1) );", "(1 1 1) hex (0 1 2 3 4 5 6 7) (1 1 1) simpleGrading (1 1 1) );")),
            "blockMeshDict:7: block 1 lies where block 0 lies");
  EXPECT_EQ(mesh_error(replaced(box, "simpleGrading", "curvedGrading")),
            "blockMeshDict:7: entry 'blocks' has the grading 'curvedGrading', which is not supported, supported: "
            "simpleGrading (gx gy gz) edgeGrading (g0 .. g11)");
  EXPECT_EQ(mesh_error(replaced(box, "hex (0 1 2 3 4 5 6 7)", "hex (0 1 2 3 4 5 6 8)")),
            "blockMeshDict:7: entry 'blocks' names vertex 8, but there are 8 vertices");
  EXPECT_EQ(mesh_error(replaced(box, "hex (0 1 2 3 4 5 6 7)", "hex (0 3 2 1 4 7 6 5)")).substr(0, 47),
            "blockMeshDict:7: the block is inside out, which");
  EXPECT_EQ(
      mesh_error(replaced(box, "(2.000000 0 0)", "(2.000000 0.1 0)")),
      "blockMeshDict:7: the block is not a box along the axes: y of corner 1 is 0.1, expected 0; meshes that are not "
      "rectilinear are not supported");
  EXPECT_EQ(mesh_error(replaced(box, "top { type patch", "top { type cyclicAMI")).substr(0, 46),
            "blockMeshDict:13: unknown type 'cyclicAMI'; di");
  EXPECT_EQ(mesh_error(replaced(box, "edges", "edgse")).substr(0, 38), "blockMeshDict:8: unknown entry 'edgse'");
  EXPECT_EQ(mesh_error(box + "patches ();"), "blockMeshDict:17: both 'patches' and 'boundary' are there, expected one");
}

TEST(FoamBlockMesh, TakesAnEmptyPatchAcrossManyCellsAsOpenFoamDoes) {
  auto const mesh = mesh_of(replaced(box, "top { type patch", "top { type empty"));
  EXPECT_EQ(mesh.patch(Side::top).type, "empty");
  EXPECT_EQ(mesh.grid.cells()[1], 4);
}

TEST(FoamBlockMesh, TakesMappedPatchesAsPatches) {
  auto const mesh =
      mesh_of(replaced(box, "top { type patch", "top { type mappedWall; sampleMode nearestCell; offset (1 0 0)"));
  EXPECT_EQ(mesh.patch(Side::top).type, "wall");
}

/// 3 x 2 blocks over [0 3] x [0 2] x [0 1], in an order of their own, with 4, 2, 3 and 2, 5 cells.
std::string const blocks =
    "vertices ( (0 0 0) (1 0 0) (2 0 0) (3 0 0) (0 1 0) (1 1 0) (2 1 0) (3 1 0) (0 2 0) (1 2 0) (2 2 0) (3 2 0)\n"
    " (0 0 1) (1 0 1) (2 0 1) (3 0 1) (0 1 1) (1 1 1) (2 1 1) (3 1 1) (0 2 1) (1 2 1) (2 2 1) (3 2 1) );\n"
    "blocks (\n"
    " hex (5 6 10 9 17 18 22 21) (2 5 1) simpleGrading (1 ((1 1 2) (1 4 0.5)) 1)\n"
    " hex (0 1 5 4 12 13 17 16) (4 2 1) simpleGrading (2 3 1)\n"
    " hex (1 2 6 5 13 14 18 17) heated (2 2 1) simpleGrading (1 3 1)\n"
    " hex (2 3 7 6 14 15 19 18) (3 2 1) edgeGrading (0.5 0.5 0.5 0.5 3 3 3 3 1 1 1 1)\n"
    " hex (4 5 9 8 16 17 21 20) (4 5 1) simpleGrading (2 ((1 1 2) (1 4 0.5)) 1)\n"
    " hex (6 7 11 10 18 19 23 22) heated (3 5 1) simpleGrading (0.5 ((1 1 2) (1 4 0.5)) 1)\n"
    ");\nboundary (\n top { type patch; faces ((8 9 21 20) (0 3) (11 10 22 23)); }\n"
    " walls { type wall; faces ((0 4 16 12) (0 1 13 12) (4 8 20 16) (1 2 14 13) (3 2 14 15)); }\n"
    " right { type patch; faces ((3 7 19 15) (7 11 23 19)); } );";

TEST(FoamBlockMesh, JoinsBlocksThatFillABox) {
  auto const mesh = mesh_of(blocks);
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{9, 7, 1}));
  ASSERT_EQ(mesh.blocks.size(), 6U);
  EXPECT_EQ(mesh.blocks[0], (core::Box{{4, 2, 0}, {6, 7, 1}}));
  EXPECT_EQ(mesh.blocks[3], (core::Box{{6, 0, 0}, {9, 2, 1}}));
  // cells are numbered block after block
  EXPECT_EQ(mesh.number({4, 2, 0}), 0);
  EXPECT_EQ(mesh.number({5, 6, 0}), 9);
  EXPECT_EQ(mesh.number({0, 0, 0}), 10);
  for (core::Count n = 0; n < 63; ++n) EXPECT_EQ(mesh.number(mesh.cell(n)), n);
  auto const& x = mesh.grid.axis(0);
  EXPECT_NEAR(x.width(3) / x.width(0), 2, 1e-12);
  EXPECT_NEAR(x.width(8) / x.width(6), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(x.face(4), 1);
  // y: 1 + 2 / 8 at the end of the first cell's section (1 of 5 cells, half the length), then widths halving
  auto const& y = mesh.grid.axis(1);
  EXPECT_NEAR(y.width(1) / y.width(0), 3, 1e-12);
  EXPECT_NEAR(y.face(3), 1.5, 1e-12);
  EXPECT_NEAR(y.width(6) / y.width(3), 0.5, 1e-12);
  EXPECT_EQ(mesh.zones.size(), 2U);
  EXPECT_EQ(mesh.zones[1], (std::pair<std::string, core::Box>{"heated", mesh.blocks[5]}));
}

TEST(FoamBlockMesh, GathersPatchesOfSeveralBlocks) {
  auto const mesh = mesh_of(blocks);
  EXPECT_EQ(mesh.patch(Side::top).name, "top");
  EXPECT_EQ(mesh.find("walls")->sides, (std::vector<Side>{Side::left, Side::bottom}));
  ASSERT_EQ(mesh.find("top")->pieces.size(), 3U);
  EXPECT_EQ(mesh.find("top")->pieces[1].cells, (core::Box{{4, 6, 0}, {6, 7, 1}}));
  EXPECT_EQ(mesh.find("defaultFaces")->pieces.size(), 12U);
  // values follow the faces as listed: left low, bottom left, left high, ...
  auto const entry = dictionary("value nonuniform List<scalar> 16(0 1  10 11 12 13  2 3 4 5 6  14 15  16 17 18);");
  auto const& walls = *mesh.find("walls");
  EXPECT_EQ(patch_values(entry, "value", mesh, walls, plane_of(mesh, Side::left)),
            (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(patch_values(entry, "value", mesh, walls, plane_of(mesh, Side::bottom)),
            (std::vector<double>{10, 11, 12, 13, 14, 15, 16, 17, 18}));
}

TEST(FoamBlockMesh, PutsSeveralPatchesOnOneSide) {
  auto const mesh = mesh_of(replaced(blocks, "right { type patch; faces ((3 7 19 15) (7 11 23 19)); }",
                                     "right { type patch; faces ((3 7 19 15)); }\n"
                                     "    heater { type wall; inGroups (hot metal); faces ((7 11 23 19)); }"));
  EXPECT_EQ(mesh.find("right")->cells(plane_of(mesh, Side::right)), (std::vector{core::Box{{8, 0, 0}, {9, 2, 1}}}));
  EXPECT_EQ(mesh.find("heater")->cells(plane_of(mesh, Side::right)), (std::vector{core::Box{{8, 2, 0}, {9, 7, 1}}}));
  EXPECT_EQ(mesh.find("heater")->faces(plane_of(mesh, Side::right)), 5);
  EXPECT_EQ(mesh.find("heater")->groups, (std::vector<std::string>{"hot", "metal", "wall"}));
  EXPECT_EQ(mesh.grid.patch(Side::right), "right");  // the side's own name
  EXPECT_EQ(mesh.grid.patch(Side::top), "top");
  auto const entry = dictionary("value nonuniform List<scalar> 5(1 2 3 4 5);");
  EXPECT_EQ(patch_values(entry, "value", mesh, *mesh.find("heater"), plane_of(mesh, Side::right)),
            (std::vector<double>{0, 0, 1, 2, 3, 4, 5}));
}

TEST(FoamBlockMesh, ReadsThePatchesOfOldFiles) {
  auto text =
      box.substr(0, box.find("boundary")) +
      "patches ( patch hot ((0 1 5 4) (3 0 4 7)) wall cold ((1 2 6 5) (2 3 7 6)) empty flat ((0 3 2 1) (4 5 6 7)) );";
  auto const mesh = mesh_of(text);
  EXPECT_EQ(mesh.patch_names(), (std::vector<std::string>{"hot", "cold", "flat"}));
  EXPECT_EQ(mesh.patch(Side::left).name, "hot");
  EXPECT_EQ(mesh.find("cold")->type, "wall");
}

TEST(FoamBlockMesh, RefusesBlocksThatDoNotFitTogether) {
  auto const at = [](std::string const& from, std::string const& to) { return mesh_error(replaced(blocks, from, to)); };
  EXPECT_EQ(at("heated (2 2 1)", "heated (3 2 1)"),
            "blockMeshDict:6: block 2 has 3 cells along x where block 0 has 2, from 1 to 2: expected the same, as the "
            "grid is rectilinear");
  EXPECT_EQ(at("simpleGrading (2 3 1)", "simpleGrading (3 3 1)"),
            "blockMeshDict:8: block 4 is graded along x otherwise than block 1: expected the same, as the grid is "
            "rectilinear");
  EXPECT_EQ(at("0.5 0.5 0.5 0.5 3", "0.5 0.5 0.5 0.4 3").substr(0, 61),
            "blockMeshDict:7: the block is graded differently on its edges");
  EXPECT_EQ(at("((3 7 19 15) ", "((3 7 19 15) (2 6 18 14) "),
            "blockMeshDict:14: entry 'faces': face (2 6 18 14) lies between two blocks, expected one on the surface");
  EXPECT_EQ(at("hex (5 6 10 9 17 18 22 21) (2 5 1)", "hex (5 6 10 9 17 18 22 21) (2 5 1) simpleGrading (1 ((1 1 2) (1 "
                                                     "0 0.5)) 1) hex (5 6 10 9 17 18 22 21) (2 5 1)")
                .substr(0, 56),
            "blockMeshDict:4: entry 'blocks' has a section of the gra");
  // two vertices for one point: blockMesh would leave a slit
  EXPECT_EQ(at("(0 2 1) (1 2 1) (2 2 1) (3 2 1) );", "(0 2 1) (1 2 1) (2 2 1) (3 2 1) (1 1 0) );").empty(), true);
  EXPECT_EQ(mesh_error(replaced(replaced(blocks, "(3 2 1) );", "(3 2 1) (1 1 0) );"), "hex (0 1 5 4", "hex (0 1 24 4")),
            "blockMeshDict:5: block 1 has vertex 24 where another block has vertex 5 at the same point, expected one "
            "vertex for both");
  // a block beside two others
  EXPECT_EQ(
      mesh_error("vertices ((0 0 0) (1 0 0) (2 0 0) (0 1 0) (1 1 0) (2 1 0) (0 2 0) (2 2 0) (0 0 1) (1 0 1) (2 0 "
                 "1) (0 1 1) (1 1 1) (2 1 1) (0 2 1) (2 2 1));\n"
                 "blocks (hex (0 1 4 3 8 9 12 11) (1 1 1) simpleGrading (1 1 1)\nhex (1 2 5 4 9 10 13 12) (1 1 "
                 "1) simpleGrading (1 1 1)\nhex (3 5 7 6 11 13 15 14) (2 1 1) simpleGrading (1 1 1));"),
      "blockMeshDict:2: block 0 and block 2 beside it along y share a part of their faces, expected blocks that share "
      "whole faces");
}

/// The box of 3 x 4 x 5 cells over [0 1] x [0 2] x [0 3], graded by 2, 3 and 5, as a block whose own axes lie so.
std::string turned(Turn const& turn) {
  std::array<int, 3> const cells{3, 4, 5}, ratio{2, 3, 5};
  constexpr std::array<std::array<int, 3>, 8> corners{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  std::string points, numbers, gradings;
  for (auto const& corner : corners) {
    std::array<int, 3> at{};
    for (std::size_t a = 0; a < 3; ++a) at[turn.axis[a]] = (corner[a] != 0) != turn.back[a] ? 1 : 0;
    points += " (" + std::to_string(at[0]) + " " + std::to_string(2 * at[1]) + " " + std::to_string(3 * at[2]) + ")";
  }
  for (std::size_t a = 0; a < 3; ++a) {
    numbers += " " + std::to_string(cells[turn.axis[a]]);
    gradings += (turn.back[a] ? " -" : " ") + std::to_string(ratio[turn.axis[a]]);  // -2 is 1/2
  }
  // where the patches are is said by vertices: those of the block's own low and high z
  return "vertices (" + points + " );\nblocks ( hex (0 1 2 3 4 5 6 7) (" + numbers + " ) simpleGrading (" + gradings +
         " ) );\nboundary ( low { type patch; faces ((0 3 2 1)); } high { type patch; faces ((0 5)); } rest { type "
         "wall; "
         "faces ((0 4 7 3) (1 2 6 5) (0 1 5 4) (3 2 6 7)); } );";
}

TEST(FoamBlockMesh, TakesABlockInAnyOfItsPositions) {
  auto const straight = mesh_of(turned({}));
  int taken = 0;
  std::array<int, 3> axis{0, 1, 2};
  do
    for (int flips = 0; flips < 8; ++flips) {
      Turn const turn{axis, {(flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0}};
      bool const even = (axis[1] - axis[0] + 3) % 3 == 1, odd_flips = ((flips ^ (flips >> 1) ^ (flips >> 2)) & 1) != 0;
      if (even == odd_flips) {
        EXPECT_EQ(
            mesh_error(turned(turn)),
            "blockMeshDict:2: the block is inside out, which blockMesh does not take either: expected corners 0 1 "
            "2 3 counter-clockwise as seen from corners 4 5 6 7");
        continue;
      }
      ++taken;
      auto const mesh = mesh_of(turned(turn));
      ASSERT_EQ(mesh.grid.cells(), straight.grid.cells());
      for (int a = 0; a < 3; ++a)
        for (core::Count n = 0; n <= mesh.grid.axis(a).cells(); ++n)
          EXPECT_NEAR(mesh.grid.axis(a).face(n), straight.grid.axis(a).face(n), 1e-14);
      EXPECT_EQ(mesh.blocks[0].turn, turn);
      // numbers go along the block's own axes, its first fastest
      for (core::Count n = 0; n < 60; ++n) EXPECT_EQ(mesh.number(mesh.cell(n)), n);
      core::Index const step = mesh.cell(1) - mesh.cell(0);
      EXPECT_EQ((std::array{step.i, step.j, step.k})[axis[0]], turn.back[0] ? -1 : 1);
      auto const side = static_cast<Side>(2 * axis[2] + (turn.back[2] ? 1 : 0));
      EXPECT_EQ(mesh.patch(side).name, "low");
      EXPECT_EQ(mesh.patch(static_cast<Side>(static_cast<int>(side) ^ 1)).name, "high");
      // faces of the own low z: the own y fastest, then x
      auto const& piece = mesh.find("low")->pieces[0];
      core::Index const next = piece.cell(1) - piece.cell(0);
      EXPECT_EQ((std::array{next.i, next.j, next.k})[axis[1]], turn.back[1] ? -1 : 1);
      for (core::Count n = 0; n < piece.cells.cells(); ++n) EXPECT_EQ(piece.number(piece.cell(n)), n);
    }
  while (std::next_permutation(axis.begin(), axis.end()));
  EXPECT_EQ(taken, 24);
}

TEST(FoamBlockMesh, LeavesOutCellsThatNoBlockHas) {
  auto const mesh = mesh_of(replaced(
      replaced(blocks, " hex (5 6 10 9 17 18 22 21) (2 5 1) simpleGrading (1 ((1 1 2) (1 4 0.5)) 1)\n", ""),
      "faces ((8 9 21 20) (0 3) (11 10 22 23)); }",
      "faces ((8 9 21 20) (11 10 22 23)); } slot { type wall; faces ((5 9 21 17) (5 6 18 17) (6 10 22 18)); }"));
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{9, 7, 1}));
  EXPECT_EQ(mesh.absent, (std::vector{core::Box{{4, 2, 0}, {6, 7, 1}}}));
  EXPECT_EQ(mesh.total(), 53);
  EXPECT_FALSE(mesh.exists({4, 2, 0}));
  EXPECT_TRUE(mesh.exists({3, 2, 0}));
  for (core::Count n = 0; n < 53; ++n) EXPECT_EQ(mesh.number(mesh.cell(n)), n);
  // the walls of the slot lie inside the grid
  auto const planes = mesh.find("slot")->planes();
  EXPECT_EQ(planes, (std::vector<Patch::Plane>{{Side::right, 3}, {Side::top, 1}, {Side::left, 6}}));
  EXPECT_FALSE(mesh.outer(planes[0]));
  EXPECT_EQ(mesh.find("slot")->faces(planes[1]), 2);
  // what is left of the top is all there is
  EXPECT_TRUE(mesh.whole(*mesh.find("top"), plane_of(mesh, Side::top)));
  EXPECT_EQ(mesh.patch(Side::top).name, "top");
}

TEST(FoamBlockMesh, TakesAnOversetPatchWithoutFacesAlone) {
  auto const with = [](std::string const& faces) {
    return replaced(box, " top {", " over { type overset; faces (" + faces + "); }\n top {");
  };
  EXPECT_TRUE(mesh_of(with("")).find("over")->pieces.empty());
  EXPECT_EQ(mesh_error(with("(3 2 6 7)")),
            "blockMeshDict:13: the patch 'over' of type overset has faces, which would be interpolated "
            "from another mesh: expected none");
}

TEST(FoamBlockMesh, TakesBlocksBetweenCornersOfOthers) {
  // block 1 ends at y = 1, where block 0, which it does not touch, has a face of cells
  std::string const text = "vertices ((0 0 0) (1 0 0) (1 2 0) (0 2 0) (0 0 1) (1 0 1) (1 2 1) (0 2 1)\n"
                           " (2 0 0) (3 0 0) (3 1 0) (2 1 0) (2 0 1) (3 0 1) (3 1 1) (2 1 1));\n"
                           "blocks (hex (0 1 2 3 4 5 6 7) (1 4 1) simpleGrading (1 1 1)\n"
                           " hex (8 9 10 11 12 13 14 15) (1 2 1) simpleGrading (1 1 1));\n"
                           "boundary (all { type wall; faces ((0 0) (0 1) (0 2) (0 3) (1 0) (1 1) (1 2) (1 3)); });";
  auto const mesh = mesh_of(text);
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{3, 4, 1}));
  EXPECT_EQ(mesh.total(), 6);
  EXPECT_EQ(mesh_error(replaced(text, "(1 4 1)", "(1 3 1)")),
            "blockMeshDict:3: another block ends at y = 1, within a cell of block 0: expected faces of cells there, as "
            "the grid is rectilinear");
  EXPECT_EQ(mesh_error(replaced(text, "15) (1 2 1)", "15) (1 3 1)")),
            "blockMeshDict:3: block 0 has 2 cells along y where block 1 has 3, from 0 to 1: expected the same, as the "
            "grid is rectilinear");
}

TEST(FoamBlockMesh, PairsCyclicPatchesThatMakeUpASide) {
  auto text = replaced(blocks, "right { type patch; faces ((3 7 19 15) (7 11 23 19)); }",
                       "r0 { type cyclic; neighbourPatch l0; faces ((3 7 19 15)); }\n"
                       " r1 { type cyclic; neighbourPatch l1; faces ((7 11 23 19)); }\n"
                       " l0 { type cyclic; neighbourPatch r0; faces ((0 4 16 12)); }\n"
                       " l1 { type cyclic; neighbourPatch r1; faces ((4 8 20 16)); }");
  text = replaced(text, "faces ((0 4 16 12) (0 1 13 12) (4 8 20 16) (1 2 14 13)", "faces ((0 1 13 12) (1 2 14 13)");
  EXPECT_TRUE(mesh_of(text).grid.periodic(0));
  auto const crossed = replaced(replaced(replaced(replaced(text, "neighbourPatch l0", "neighbourPatch l2"),
                                                  "neighbourPatch l1", "neighbourPatch l0"),
                                         "neighbourPatch l2", "neighbourPatch l1"),
                                "r0; faces ((0", "r2; faces ((0");
  EXPECT_EQ(
      mesh_error(replaced(replaced(crossed, "neighbourPatch r1", "neighbourPatch r0"), "neighbourPatch r2",
                          "neighbourPatch r1")),
      "blockMeshDict:11: entry 'boundary': the cyclic patches 'r0' and 'l1' do not lie opposite each other on two "
      "sides of the mesh, face by face in one order");
}

TEST(FoamGridDict, GivesGridTileAndPeriodicAxes) {
  auto d = dictionary(
      "cells (100 60 1); origin (1 2 3); size (2 3 0.01); tile (16 8 1); periodic (no yes no); grading (2 1 1);");
  auto const mesh = read_grid_dict(d, {true, false, false});
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{100, 60, 1}));
  EXPECT_EQ(mesh.grid.tile(), (core::Grid::Shape{16, 8, 1}));
  EXPECT_TRUE(mesh.grid.periodic(0));
  EXPECT_TRUE(mesh.grid.periodic(1));
  EXPECT_DOUBLE_EQ(mesh.grid.axis(1).low(), 2.0);
  EXPECT_NEAR(mesh.grid.axis(0).width(99) / mesh.grid.axis(0).width(0), 2.0,
              1e-9);  // differences of faces near 1 and 3
  EXPECT_EQ(mesh.patch(Side::front).type, "empty");
  EXPECT_EQ(mesh.patch(Side::left).type, "cyclic");
  auto small = dictionary("cells (10 5 2);");
  EXPECT_DOUBLE_EQ(read_grid_dict(small).grid.axis(0).width(4), 1.0);
}

TEST(FoamGridDict, NamesWhatIsWrong) {
  auto const error = [](std::string const& text) {
    return error_of([&] {
      auto d = dictionary(text, "gridDict");
      read_grid_dict(d);
    });
  };
  EXPECT_EQ(error("cells (10 0 1);"), "gridDict:1: cells along y are 0, expected 1 to 2147483647");
  EXPECT_EQ(error("cells (10 5 1);\nsize (1 -1 1);"), "gridDict:2: size along y is -1, expected a length above 0");
  EXPECT_EQ(error("cells (10 5 1);\ntile (0 1 1);"), "gridDict:2: tile size is 0, expected 1 or more, or 'tile auto;'");
  EXPECT_EQ(error("cells (10 5 1);\ntile (-1 1 1);"),
            "gridDict:2: tile size is -1, expected 1 or more, or 'tile auto;'");
  EXPECT_EQ(error("cells (6 2147483647 6);\ntile (3 3 3);"),
            "gridDict:2: entry 'tile': 2863311532 tiles are more than 2147483647, expected larger ones");
  auto const many = error("cells (2147483647 2000000 1);");
  EXPECT_TRUE(many.starts_with("gridDict:1: ")) << many;
  EXPECT_NE(many.find("tiles are more than 2147483647"), std::string::npos) << many;
  EXPECT_EQ(error("cells (10 5 1);\norigni (0 0 0);"), "gridDict:2: unknown entry 'origni'; did you mean 'origin'?");
}

}  // namespace
}  // namespace tessera::tests
