// SPDX-License-Identifier: Apache-2.0
#include "io/foam/poly_mesh.hpp"

#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

namespace tessera::tests {
namespace {

using namespace io::foam;

/// 2 x 1 x 1 cells with a cyclic pair, a wall, and a zone of the second cell.
struct TwoCells {
  Scratch scratch;
  core::Comm world;
  Mesh mesh = [] {
    auto d = dictionary("vertices ((0 0 0) (2 0 0) (2 1 0) (0 1 0) (0 0 1) (2 0 1) (2 1 1) (0 1 1));\n"
                        "blocks ( hex (0 1 2 3 4 5 6 7) (2 1 1) simpleGrading (1 1 1) );\n"
                        "boundary ( left { type cyclic; neighbourPatch right; faces ((0 3 7 4)); }\n"
                        " right { type cyclic; neighbourPatch left; faces ((1 2 6 5)); }\n"
                        " ends { type wall; faces ((0 1 5 4) (3 2 6 7)); } );");
    return read_block_mesh(d, {1, 1, 1});
  }();
  core::Layout layout{std::make_shared<core::Grid const>(mesh.grid), {0, world.size() - 1}, world};

  void write(FieldFormat const& format) {
    auto topo = dictionary("actions ( { name z; type cellSet; action new; source boxToCell; box (1 0 0) (2 1 1); }\n"
                           "{ name z; type cellZoneSet; action new; source setToCellZone; set z; } );");
    write_poly_mesh(scratch / "polyMesh", mesh, layout, topo_set(topo, layout), format);
    world.barrier();
  }
  /// A file without its header.
  std::string file(std::string const& name) const {
    std::ifstream in(scratch / ("polyMesh/" + name), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    auto const end = text.str().find("}\n\n\n");
    return end == std::string::npos ? "no file" : text.str().substr(end + 4);
  }
};

// All numbers as blockMesh of OpenFOAM v1912 has them.
TEST(FoamPolyMesh, NumbersFacesAsBlockMeshDoes) {
  TwoCells c;
  c.write({});
  EXPECT_EQ(c.file("points"), "12\n(\n(0 0 0)\n(1 0 0)\n(2 0 0)\n(0 1 0)\n(1 1 0)\n(2 1 0)\n(0 0 1)\n(1 0 1)\n(2 0 1)\n"
                              "(0 1 1)\n(1 1 1)\n(2 1 1)\n)\n");
  EXPECT_EQ(c.file("faces"),
            "11\n(\n4(1 4 10 7)\n4(0 6 9 3)\n4(2 5 11 8)\n4(0 1 7 6)\n4(1 2 8 7)\n4(3 9 10 4)\n4(4 10 11 5)\n"
            "4(0 3 4 1)\n4(1 4 5 2)\n4(6 7 10 9)\n4(7 8 11 10)\n)\n");
  EXPECT_EQ(c.file("owner"), "11\n(\n0\n0\n1\n0\n1\n0\n1\n0\n1\n0\n1\n)\n");
  EXPECT_EQ(c.file("neighbour"), "1\n(\n1\n)\n");
  auto const boundary = c.file("boundary");
  EXPECT_NE(
      boundary.find("    left\n    {\n        type            cyclic;\n        inGroups        1(cyclic);\n        "
                    "nFaces          1;\n        startFace       1;\n"),
      std::string::npos)
      << boundary;
  EXPECT_NE(boundary.find("neighbourPatch  right;"), std::string::npos);
  EXPECT_NE(boundary.find("nFaces          4;\n        startFace       7;\n"), std::string::npos) << boundary;
  EXPECT_EQ(c.file("cellZones"), "1\n(\nz\n{\n    type cellZone;\ncellLabels      List<label> \n1\n(\n1\n)\n;\n}\n)\n");
}

TEST(FoamPolyMesh, WritesTheSameInBinary) {
  TwoCells c;
  c.write({true, 6});
  auto const points = c.file("points");
  ASSERT_EQ(points.size(), 4 + 12 * 24 + 2U);
  double x = 0;
  std::memcpy(&x, points.data() + 4 + 11 * 24, sizeof x);
  EXPECT_EQ(x, 2);
  // offsets, then corners
  auto const faces = c.file("faces");
  ASSERT_EQ(faces.size(), 4 + 12 * 4 + 2 + 1 + 4 + 44 * 4 + 2U);
  std::int32_t last = 0;
  std::memcpy(&last, faces.data() + 4 + 11 * 4, sizeof last);
  EXPECT_EQ(last, 44);
  std::memcpy(&last, faces.data() + faces.size() - 6, sizeof last);
  EXPECT_EQ(last, 10);
}

TEST(FoamPolyMesh, FailsOnAllRanksWhereItCannotWrite) {
  TwoCells c;
  if (c.world.root()) write_file(c.scratch / "polyMesh", "a file where the folder should be");
  c.world.barrier();
  EXPECT_THROW(c.write({}), core::RunError);
}

}  // namespace
}  // namespace tessera::tests
