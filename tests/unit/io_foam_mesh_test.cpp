// SPDX-License-Identifier: Apache-2.0
#include "io/foam/mesh.hpp"

#include "io/foam/fields.hpp"
#include "tests/support/foam.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {
namespace {

using namespace io::foam;
using core::Side;

Mesh mesh_of(std::string const& text) {
  auto d = dictionary(text, "blockMeshDict");
  return read_block_mesh(d);
}
std::string mesh_error(std::string const& text) {
  return error_of([&] { mesh_of(text); });
}
std::string replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
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
  EXPECT_EQ(mesh_error(replaced(box, "hex (0 1 2 3 4 5 6 7)", "hex (1 2 3 0 5 6 7 4)")).substr(0, 17),
            "blockMeshDict:7: ");
  EXPECT_EQ(mesh_error(replaced(box, "(2.000000 0 0)", "(2.000000 0.1 0)")),
            "blockMeshDict:7: the block is not a box along the axes: y of corner 1 is 0.1, expected 0");
  EXPECT_EQ(mesh_error(replaced(box, "top { type patch", "top { type cyclicAMI")).substr(0, 46),
            "blockMeshDict:13: unknown type 'cyclicAMI'; di");
  EXPECT_EQ(mesh_error(replaced(box, "edges", "edgse")).substr(0, 38), "blockMeshDict:8: unknown entry 'edgse'");
  EXPECT_EQ(mesh_error(box + "patches ();"), "blockMeshDict:17: both 'patches' and 'boundary' are there, expected one");
}

TEST(FoamBlockMesh, RefusesAnEmptyPatchAcrossManyCells) {
  EXPECT_EQ(
      mesh_error(replaced(box, "top { type patch", "top { type empty")),
      "blockMeshDict:9: entry 'boundary': patch 'top' is empty on side top, but there are 4 cells along y, expected 1");
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
  EXPECT_EQ(mesh.block_zones.size(), 2U);
  EXPECT_EQ(mesh.block_zones[1], (std::pair<std::string, std::size_t>{"heated", 5}));
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
  EXPECT_EQ(patch_values(entry, "value", mesh, walls, Side::left), (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(patch_values(entry, "value", mesh, walls, Side::bottom),
            (std::vector<double>{10, 11, 12, 13, 14, 15, 16, 17, 18}));
}

TEST(FoamBlockMesh, PutsSeveralPatchesOnOneSide) {
  auto const mesh = mesh_of(replaced(blocks, "right { type patch; faces ((3 7 19 15) (7 11 23 19)); }",
                                     "right { type patch; faces ((3 7 19 15)); }\n"
                                     "    heater { type wall; inGroups (hot metal); faces ((7 11 23 19)); }"));
  EXPECT_EQ(mesh.find("right")->cells(Side::right), (std::vector{core::Box{{8, 0, 0}, {9, 2, 1}}}));
  EXPECT_EQ(mesh.find("heater")->cells(Side::right), (std::vector{core::Box{{8, 2, 0}, {9, 7, 1}}}));
  EXPECT_EQ(mesh.find("heater")->faces(Side::right), 5);
  EXPECT_EQ(mesh.find("heater")->groups, (std::vector<std::string>{"hot", "metal", "wall"}));
  EXPECT_EQ(mesh.grid.patch(Side::right), "right");  // the side's own name
  EXPECT_EQ(mesh.grid.patch(Side::top), "top");
  auto const entry = dictionary("value nonuniform List<scalar> 5(1 2 3 4 5);");
  EXPECT_EQ(patch_values(entry, "value", mesh, *mesh.find("heater"), Side::right),
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
  EXPECT_EQ(at(" hex (4 5 9 8 16 17 21 20) (4 5 1) simpleGrading (2 ((1 1 2) (1 4 0.5)) 1)\n", "\n"),
            "blockMeshDict:3: the blocks do not fill a box: there is none from (0 1 0) to (1 2 1)");
  EXPECT_EQ(at("heated (2 2 1)", "heated (3 2 1)"),
            "blockMeshDict:6: block 2 has 3 cells along x, but block 0 beside it has 2");
  EXPECT_EQ(at("simpleGrading (2 3 1)", "simpleGrading (3 3 1)"),
            "blockMeshDict:8: block 4 is graded along x otherwise than block 1 beside it");
  EXPECT_EQ(at("0.5 0.5 0.5 0.5 3", "0.5 0.5 0.5 0.4 3").substr(0, 61),
            "blockMeshDict:7: the block is graded differently on its edges");
  // the faces left over, which are empty, lie on a side that is solved
  EXPECT_EQ(at("faces ((3 7 19 15) (7 11 23 19))", "faces ((3 7 19 15))"),
            "blockMeshDict:11: entry 'boundary': patch 'defaultFaces' is empty on side right, but there are 9 cells "
            "along x, expected 1");
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
  EXPECT_EQ(mesh_error("vertices ((0 0 0) (1 0 0) (2 0 0) (0 1 0) (1 1 0) (2 1 0) (0 2 0) (2 2 0) (0 0 1) (1 0 1) (2 0 "
                       "1) (0 1 1) (1 1 1) (2 1 1) (0 2 1) (2 2 1));\n"
                       "blocks (hex (0 1 4 3 8 9 12 11) (1 1 1) simpleGrading (1 1 1)\nhex (1 2 5 4 9 10 13 12) (1 1 "
                       "1) simpleGrading (1 1 1)\nhex (3 5 7 6 11 13 15 14) (2 1 1) simpleGrading (1 1 1));"),
            "blockMeshDict:4: block 2 lies beside several blocks along x, expected blocks that share whole faces");
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
