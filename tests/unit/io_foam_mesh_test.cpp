// SPDX-License-Identifier: Apache-2.0
#include "io/foam/mesh.hpp"

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
  EXPECT_DOUBLE_EQ(mesh.grid.axis(1).faces.back(), 1.6);
  EXPECT_DOUBLE_EQ(mesh.grid.axis(2).faces.back(), 0.01);
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
  EXPECT_DOUBLE_EQ(mesh.grid.axis(0).faces.front(), 1e-3);
  EXPECT_DOUBLE_EQ(mesh.grid.axis(2).faces.back(), 6e-3);
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
            "blockMeshDict:9: neighbourPatch 'top' of the cyclic patch 'right' is no cyclic patch whose neighbourPatch "
            "is 'right'");
}

TEST(FoamBlockMesh, RefusesWhatItCannotMeshByName) {
  EXPECT_EQ(mesh_error(replaced(box, "(2 3 7 6)", "(2 3 7 5)")),
            "blockMeshDict:13: face (2 3 7 5) is not one of the six sides of the block, expected their four vertices");
  EXPECT_EQ(mesh_error(replaced(box, "(2 3 7 6)", "(0 1 5 4)")),
            "blockMeshDict:13: face (0 1 5 4) belongs to patch 'bottom' already");
  EXPECT_EQ(mesh_error(replaced(box, "edges ()", "edges (arc 0 1 (1 1 0))")),
            "blockMeshDict:8: entry 'edges' is '(arc 0 1 (1 1 0))', expected an empty list: edges are not supported");
  EXPECT_EQ(mesh_error(replaced(box, "(1 1 1) );", "(1 1 1) hex (0 1 2 3 4 5 6 7) (1 1 1) simpleGrading (1 1 1) );")),
            "blockMeshDict:7: entry 'blocks' has several blocks, which are not supported, expected one: hex (v0 .. v7) "
            "(nx ny nz) simpleGrading "
            "(gx gy gz)");
  EXPECT_EQ(mesh_error(replaced(box, "simpleGrading", "edgeGrading")),
            "blockMeshDict:7: entry 'blocks' has the grading 'edgeGrading', which is not supported, supported: "
            "simpleGrading (gx gy gz)");
  EXPECT_EQ(mesh_error(replaced(box, "hex (0 1 2 3 4 5 6 7)", "hex (0 1 2 3 4 5 6 8)")),
            "blockMeshDict:7: entry 'blocks' names vertex 8, but there are 8 vertices");
  EXPECT_EQ(mesh_error(replaced(box, "hex (0 1 2 3 4 5 6 7)", "hex (1 2 3 0 5 6 7 4)")).substr(0, 17),
            "blockMeshDict:7: ");
  EXPECT_EQ(mesh_error(replaced(box, "(2.000000 0 0)", "(2.000000 0.1 0)")),
            "blockMeshDict:7: the block is not a box along the axes: y of corner 1 is 0.1, expected 0");
  EXPECT_EQ(mesh_error(replaced(box, "top { type patch", "top { type cyclicAMI")).substr(0, 46),
            "blockMeshDict:13: unknown type 'cyclicAMI'; di");
  EXPECT_EQ(mesh_error(replaced(box, "edges", "edgse")).substr(0, 38), "blockMeshDict:8: unknown entry 'edgse'");
  EXPECT_EQ(mesh_error("patches ();").substr(0, 40), "blockMeshDict:1: the old 'patches' list ");
}

TEST(FoamBlockMesh, RefusesAnEmptyPatchAcrossManyCells) {
  EXPECT_EQ(mesh_error(replaced(box, "top { type patch", "top { type empty")),
            "blockMeshDict:9: patch 'top' is empty on side top, but there are 4 cells along y, expected 1");
}

TEST(FoamGridDict, GivesGridTileAndPeriodicAxes) {
  auto d = dictionary(
      "cells (100 60 1); origin (1 2 3); size (2 3 0.01); tile (16 8 1); periodic (no yes no); grading (2 1 1);");
  auto const mesh = read_grid_dict(d, {true, false, false});
  EXPECT_EQ(mesh.grid.cells(), (core::Grid::Shape{100, 60, 1}));
  EXPECT_EQ(mesh.grid.tile(), (core::Grid::Shape{16, 8, 1}));
  EXPECT_TRUE(mesh.grid.periodic(0));
  EXPECT_TRUE(mesh.grid.periodic(1));
  EXPECT_DOUBLE_EQ(mesh.grid.axis(1).faces.front(), 2.0);
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
  EXPECT_EQ(error("cells (10 5 1);\norigni (0 0 0);"), "gridDict:2: unknown entry 'origni'; did you mean 'origin'?");
}

}  // namespace
}  // namespace tessera::tests
