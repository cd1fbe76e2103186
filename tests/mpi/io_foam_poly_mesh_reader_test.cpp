// SPDX-License-Identifier: Apache-2.0
#include "io/foam/poly_mesh_reader.hpp"

#include "io/foam/cell_sets.hpp"
#include "io/foam/poly_mesh.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/poly_mesh.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {
namespace {

using namespace io::foam;

class FoamPolyMeshReader : public testing::Test {
 protected:
  core::Comm world;
  Scratch scratch;
  std::string folder = scratch / "polyMesh";

  void write(WrittenPolyMesh& mesh) {
    world.barrier();
    if (world.root()) {
      std::filesystem::remove_all(folder);
      mesh.write(folder);
    } else {  // what it knows of its faces, without the files
      mesh.write(scratch / ("of_rank" + std::to_string(world.rank())));
    }
    world.barrier();
  }
  Mesh read() { return read_poly_mesh(folder, world); }
  std::string error() {
    return error_of([&] { read(); });
  }
  /// A text of the mesh with another for its first occurrence.
  void change(std::string const& file, std::string const& from, std::string const& to) {
    if (world.root()) {
      auto text = bytes_of(folder + "/" + file);
      write_bytes(folder + "/" + file, replaced(text, from, to));
    }
    world.barrier();
  }

  /// 4 x 3 x 2 cells of unequal widths; patches below, above and around.
  static WrittenPolyMesh box() {
    WrittenPolyMesh mesh;
    mesh.planes = {{{0, 0.1, 0.25, 0.7, 1}, {-1, 0, 1.0 / 3, 2}, {0.5, 1, 4}}};
    for (core::Count k = 0; k < 2; ++k)
      for (core::Count j = 0; j < 3; ++j)
        for (core::Count i = 0; i < 4; ++i) mesh.cells.push_back({i, j, k});
    mesh.patches = {{"below", "wall"}, {"around", "patch"}, {"above", "patch", "inGroups 1(cold);\n"}};
    mesh.patch = [](core::Index const&, int side) { return side == 4 ? 0 : side == 5 ? 2 : 1; };
    return mesh;
  }
  static void shuffle(WrittenPolyMesh& mesh) {
    std::mt19937 random(5);
    std::shuffle(mesh.cells.begin(), mesh.cells.end(), random);
    mesh.shuffled = 7;
  }
  /// The faces of a patch in the order of the files.
  static std::vector<std::pair<core::Index, int>> faces_in_file(Patch const& patch) {
    std::vector<std::pair<core::Index, int>> faces;
    for (auto const& piece : patch.pieces)
      for (core::Count n = 0; n < piece.cells.cells(); ++n)
        faces.emplace_back(piece.cell(n), static_cast<int>(piece.side));
    if (patch.order.empty()) return faces;
    auto sorted = faces;
    for (std::size_t n = 0; n < faces.size(); ++n) sorted[static_cast<std::size_t>(patch.order[n])] = faces[n];
    return sorted;
  }
  void expect_same(WrittenPolyMesh const& written, Mesh const& mesh) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(mesh.grid.axis(a).faces(), written.planes[static_cast<std::size_t>(a)]);
    EXPECT_EQ(mesh.total(), static_cast<core::Count>(written.cells.size()));
    for (std::size_t c = 0; c < written.cells.size() && (world.root() || !mesh.blocks[0].order); ++c) {
      EXPECT_EQ(mesh.cell(static_cast<core::Count>(c)), written.cells[c]) << c;
      EXPECT_EQ(mesh.number(written.cells[c]), static_cast<core::Count>(c));
      EXPECT_TRUE(mesh.exists(written.cells[c]));
    }
    ASSERT_EQ(mesh.patches.size(), written.patches.size());
    for (std::size_t p = 0; p < mesh.patches.size(); ++p) {
      EXPECT_EQ(mesh.patches[p].name, written.patches[p].name);
      EXPECT_EQ(mesh.patches[p].type, written.patches[p].type);
      auto const faces = faces_in_file(mesh.patches[p]);
      ASSERT_EQ(faces.size(), written.outer[p].size());
      for (std::size_t n = 0; n < faces.size(); ++n) {
        EXPECT_EQ(faces[n].first, written.outer[p][n].cell) << mesh.patches[p].name << " " << n;
        EXPECT_EQ(faces[n].second, written.outer[p][n].side);
      }
    }
  }
};

TEST_F(FoamPolyMeshReader, ReadsABoxInEachFormat) {
  for (bool const binary : {false, true})
    for (bool const wide : {false, true}) {
      auto written = box();
      written.binary = binary;
      written.wide = wide;
      written.zones =
          "2\n(\nlow\n{\n type cellZone;\ncellLabels List<label> \n4\n(\n0\n1\n2\n3\n)\n;\n}\nnone\n{\n type "
          "cellZone;\n cellLabels 0();\n}\n)\n";
      write(written);
      auto const mesh = read();
      expect_same(written, mesh);
      EXPECT_EQ(mesh.blocks.size(), 1U);
      EXPECT_TRUE(mesh.blocks[0].straight());
      EXPECT_TRUE(mesh.absent.empty());
      EXPECT_EQ(mesh.patch(core::Side::back).name, "below");
      EXPECT_TRUE(mesh.patches[0].in_group("wall"));
      EXPECT_TRUE(mesh.patches[2].in_group("cold"));
      ASSERT_EQ(mesh.zones.size(), 2U);
      EXPECT_EQ(mesh.zones[0].second, (core::Box{{0, 0, 0}, {4, 1, 1}}));
      core::Layout const layout(std::make_shared<core::Grid const>(mesh.grid), {0}, world);
      EXPECT_EQ(block_zones(mesh, layout).zones.size(), 2U);
    }
}

// Blocks that lie turned and cells that are not there are found again as blocks.
TEST_F(FoamPolyMeshReader, FindsBlocks) {
  auto written = box();
  std::erase_if(written.cells, [](core::Index const& x) { return x.i >= 2 && x.j >= 1; });
  std::stable_sort(written.cells.begin(), written.cells.end(), [](core::Index const& a, core::Index const& b) {
    return std::pair(a.i >= 2, a.i < 2 ? 0 : -a.j) < std::pair(b.i >= 2, b.i < 2 ? 0 : -b.j);
  });
  write(written);
  auto const mesh = read();
  expect_same(written, mesh);
  EXPECT_EQ(mesh.blocks.size(), 2U);
  EXPECT_EQ(mesh.absent, (std::vector{core::Box{{2, 1, 0}, {4, 3, 2}}}));
  EXPECT_FALSE(mesh.exists({3, 2, 1}));
}

/// 16 x 12 x 8 equal cells without those of a sphere in the middle, in any order.
TEST_F(FoamPolyMeshReader, KeepsAnyOrder) {
  WrittenPolyMesh written = box();
  written.planes = {};
  for (std::size_t a = 0; a < 3; ++a)
    for (int n = 0; n <= std::array{16, 12, 8}[a]; ++n) written.planes[a].push_back(0.25 * n);
  written.cells.clear();
  for (core::Count k = 0; k < 8; ++k)
    for (core::Count j = 0; j < 12; ++j)
      for (core::Count i = 0; i < 16; ++i)
        if ((2 * i - 15) * (2 * i - 15) + (2 * j - 11) * (2 * j - 11) + (2 * k - 7) * (2 * k - 7) > 30)
          written.cells.push_back({i, j, k});
  written.patches.push_back({"hole", "wall"});
  written.patch = [](core::Index const& x, int side) {
    bool const outer =
        std::array{x.i == 0, x.i == 15, x.j == 0, x.j == 11, x.k == 0, x.k == 7}[static_cast<std::size_t>(side)];
    return !outer ? 3 : side == 4 ? 0 : side == 5 ? 2 : 1;
  };
  shuffle(written);
  write(written);
  auto const mesh = read();
  expect_same(written, mesh);
  ASSERT_EQ(mesh.blocks.size(), 1U);
  ASSERT_TRUE(mesh.blocks[0].order);
  EXPECT_LT(mesh.patches[0].pieces.size(), 20U);
  EXPECT_FALSE(mesh.patches[0].order.empty());

  // a field goes there and back in this order, and so do values of a patch
  auto const grid = std::make_shared<core::Grid const>(mesh.grid.with_tile({5, 4, 3}));
  core::Layout const layout(grid, owner_tables(*grid, world.size())[2], world);
  core::Field<double> field("T", layout, 0, -1.0);
  std::string text = "nonuniform List<scalar> " + std::to_string(written.cells.size()) + "(";
  for (std::size_t c = 0; c < written.cells.size(); ++c) text += std::to_string(c) + " ";
  std::string values = "nonuniform List<scalar> " + std::to_string(written.outer[1].size()) + "(";
  for (std::size_t n = 0; n < written.outer[1].size(); ++n) values += std::to_string(n) + " ";
  if (world.root()) {
    std::filesystem::create_directories(scratch / "0");
    write_file(scratch / "0/T", replaced(scalar_field(text + ")"), "\".*\" {",
                                         "around { type fixedValue; value " + values + "); }\n \".*\" {"));
  }
  world.barrier();
  auto file = read_field(scratch / "0/T", world);
  set_cells(file, field, mesh.blocks);
  auto const expect_numbers = [&](core::Field<double>& of) {
    for_each_cell(of, [&](core::Index x, double& v) {
      auto const found = std::find(written.cells.begin(), written.cells.end(), x);
      if (found == written.cells.end()) return;
      EXPECT_EQ(v, static_cast<double>(found - written.cells.begin()));
    });
  };
  expect_numbers(field);
  auto const& around = mesh.patches[1];
  auto const of_faces = face_values(*patch_entry(file, around), "value", around);
  std::size_t at = 0;
  for (auto const& piece : around.pieces)
    for (core::Count n = 0; n < piece.cells.cells(); ++n, ++at) {
      auto const& outer = written.outer[1][static_cast<std::size_t>(of_faces[at])];
      EXPECT_EQ(piece.cell(n), outer.cell);
      EXPECT_EQ(static_cast<int>(piece.side), outer.side);
    }
  write_field(scratch / "1", field, file.dimensions, boundary_text(file, mesh, {}), {}, mesh.blocks);
  auto again = read_field(scratch / "1/T", world);
  core::Field<double> back("T", layout, 0, -1.0);
  set_cells(again, back, mesh.blocks);
  expect_numbers(back);
  EXPECT_NE(bytes_of(scratch / "1/T").find("List<scalar> \n" + std::to_string(written.cells.size()) + "\n(\n0\n1\n2\n"),
            std::string::npos);
  EXPECT_EQ(face_values(*patch_entry(again, around), "value", around), of_faces);
}

// The means of fields leave out cells that do not exist, whatever lies there.
TEST_F(FoamPolyMeshReader, FillsHolesWithTheMeanOfTheRest) {
  auto written = box();
  std::erase_if(written.cells, [](core::Index const& x) { return x.i == 3; });
  write(written);
  auto const mesh = read();
  core::Layout const layout(std::make_shared<core::Grid const>(mesh.grid), {0}, world);
  core::Field<double> field("T", layout, 0, 1e30);
  for_each_cell(field, [&](core::Index x, double& v) {
    if (x.i < 3) v = static_cast<double>(x.i);
  });
  fill_absent(field, mesh);
  for_each_cell(field, [&](core::Index x, double& v) { EXPECT_EQ(v, x.i == 3 ? 1 : static_cast<double>(x.i)); });
}

TEST_F(FoamPolyMeshReader, ReadsWhatWriteMeshWrites) {
  auto dict = dictionary("vertices ((0 0 0) (2 0 0) (2 1 0) (0 1 0) (0 0 3) (2 0 3) (2 1 3) (0 1 3));\n"
                         "blocks ( hex (0 1 2 3 4 5 6 7) warm (7 5 3) simpleGrading (3 0.25 1) );\n"
                         "boundary ( left { type cyclic; neighbourPatch right; faces ((0 3 7 4)); }\n"
                         " right { type cyclic; neighbourPatch left; faces ((1 2 6 5)); }\n"
                         " ends { type wall; inGroups (hot); faces ((0 1 5 4) (3 2 6 7)); } );");
  auto const mesh = read_block_mesh(dict, {4, 4, 4});
  core::Layout const layout(std::make_shared<core::Grid const>(mesh.grid),
                            core::block_owners(mesh.grid.tiles(), world.size()), world);
  for (FieldFormat const& format : {FieldFormat{false, 17}, FieldFormat{true, 6}}) {
    write_poly_mesh(folder, mesh, layout, block_zones(mesh, layout), format);
    world.barrier();
    auto const again = read();
    for (int a = 0; a < 3; ++a) EXPECT_EQ(again.grid.axis(a).faces(), mesh.grid.axis(a).faces());
    EXPECT_EQ(again.grid.periodic(0), true);
    EXPECT_EQ(again.grid.periodic(1), false);
    EXPECT_EQ(again.zones, mesh.zones);
    ASSERT_EQ(again.blocks.size(), 1U);
    EXPECT_TRUE(again.blocks[0].straight());
    ASSERT_EQ(again.patches.size(), mesh.patches.size());
    for (std::size_t p = 0; p < mesh.patches.size(); ++p) {
      EXPECT_EQ(again.patches[p].name, mesh.patches[p].name);
      EXPECT_EQ(again.patches[p].type, mesh.patches[p].type);
      EXPECT_EQ(again.patches[p].groups, mesh.patches[p].groups);
      EXPECT_EQ(faces_in_file(again.patches[p]), faces_in_file(mesh.patches[p]));
    }
    EXPECT_EQ(difference_of_poly_mesh(folder, mesh), "");
  }
  // with six digits, as OpenFOAM writes by default, planes are where they are written
  write_poly_mesh(folder, mesh, layout, {}, {false, 6});
  world.barrier();
  auto const rounded = read();
  for (core::Count n = 0; n <= 7; ++n) EXPECT_NEAR(rounded.grid.axis(0).face(n), mesh.grid.axis(0).face(n), 5e-6) << n;

  auto other = box();
  write(other);
  EXPECT_EQ(difference_of_poly_mesh(folder, mesh), "has no patch 'left'");
}

TEST_F(FoamPolyMeshReader, TellsTheFirstCellThatIsNoBox) {
  auto const expected = std::string(
      "; of constant/polyMesh meshes are read whose cells are boxes along the axes, of one rectilinear grid");
  auto written = box();
  write(written);
  change("points", "(0.69999999999999996 0.33333333333333331 1)", "(0.71 0.33333333333333331 1)");
  EXPECT_EQ(error(),
            folder + "/faces: cell 6 is no box: its face 17 at (0.7 0 0.5) is no rectangle along the axes" + expected);

  // an edge of a face is gone
  write(written);
  change("faces", "4(1 6 26 21)", "3(1 6 26)");
  EXPECT_EQ(error(), folder + "/faces: cell 0 is no box: its face 0 has 3 corners" + expected);
  write(written);
  change("faces", "4(1 6 26 21)", "5(1 6 26 21 0)");
  EXPECT_EQ(error(), folder + "/faces: cell 0 is no box: its face 0 has 5 corners" + expected);

  // the face of cells 0 and 1 from the other side
  write(written);
  change("faces", "4(1 6 26 21)", "4(1 21 26 6)");
  EXPECT_NE(error().find("/faces: cell 0 is no box: it has several faces on its left side"), std::string::npos)
      << error();

  // a layer of cells as high as two others
  WrittenPolyMesh two = box();
  two.planes = {{{0, 1, 3}, {0, 1, 2}, {0, 1}}};
  two.cells = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  write(two);
  change("points", "(3 1 0)", "(3 2 0)");
  change("points", "(3 1 1)", "(3 2 1)");
  EXPECT_EQ(error(),
            folder + "/faces: cell 2 is no box: its face 4 at (1 0 0) is no rectangle along the axes" + expected);
}

TEST_F(FoamPolyMeshReader, RefusesGridsThatAreNotRectilinear) {
  // round a hole, two layers of cells on one side meet three on the other: [0 1] x [0 2], [1 2] x [0 1] above y = 3 ...
  WrittenPolyMesh written = box();
  written.planes = {{{0, 1, 2, 3}, {0, 1, 2}, {0, 1}}};
  written.cells = {{0, 0, 0}, {0, 1, 0}, {2, 0, 0}};
  write(written);
  // the lone cell is as high as the two others
  for (char const* point : {"(2 1 0)", "(3 1 0)", "(2 1 1)", "(3 1 1)"}) {
    std::string to = point;
    to[3] = '2';
    change("points", point, to);
  }
  EXPECT_NE(error().find("cell 2 goes over 2 cells along y"), std::string::npos) << error();

  // far from each other
  written = box();
  written.planes = {};
  for (auto& planes : written.planes)
    for (int n = 0; n <= 110; ++n) planes.push_back(n);
  written.cells.clear();
  for (core::Count n = 0; n < 110; ++n) written.cells.push_back({n, n, n});
  write(written);
  EXPECT_NE(error().find("/points: 110 cells lie in a box of 110 x 110 x 110 cells"), std::string::npos) << error();
}

TEST_F(FoamPolyMeshReader, RefusesWhatFilesDoNotSay) {
  auto written = box();
  auto const fails = [&](std::string const& file, std::string const& from, std::string const& to,
                         std::string const& message) {
    write(written);
    change(file, from, to);
    EXPECT_NE(error().find(message), std::string::npos) << error() << "\n" << message;
  };
  fails("boundary", "type wall", "type cyclicAMI", "boundary:18: unknown type 'cyclicAMI'");
  fails("boundary", "nFaces 12", "nFaces 11",
        "/boundary:11: entry 'boundary': the patch 'around' begins at face 58, expected 57");
  fails("boundary", "type patch", "type wedge", "/points: has a patch of type wedge, expected points on two planes");
  fails("owner", "98\n", "2147483648\n", "/owner:14: there are 2147483648 owner");
  fails("owner", "0\n0\n0\n", "0\n0\n2147483647\n", "/owner: value 2 of owner is 2147483647");
  fails("owner", "class labelList", "class scalarList",
        "/owner:4: class 'scalarList' is not supported, expected labelList");
  fails("points", "(0 -1 0.5)", "(0 nan 0.5)", "/points: point 0 has the coordinate nan");
  fails("points", "(0 -1 0.5)", "(0 word 0.5)", "/points:15: found 'word', expected a number");
  fails("faces", "4(1 6 26 21)", "4(1 6 26 60)", "/faces: value 3 of corners of a face is 60, expected 0 to 59");
  write(written);
  if (world.root()) std::filesystem::remove(folder + "/owner");
  world.barrier();
  EXPECT_NE(error().find("/owner: no such file"), std::string::npos) << error();

  written = box();
  written.cut = [](core::Index const& x, int side) {
    return (x == core::Index{1, 1, 0} && side == 1) || (x == core::Index{2, 1, 0} && side == 0);
  };
  write(written);
  EXPECT_NE(error().find("of cell 5 in the patch 'around' lies against cell 6, expected patches on the surface"),
            std::string::npos)
      << error();
}

// Two cells of a wedge about x: a prism at the axis and a hex behind it.
TEST_F(FoamPolyMeshReader, ReadsAWedge) {
  auto dict =
      dictionary("vertices ((0 0 0) (3 0 0) (3 1 -0.05) (0 1 -0.05) (3 1 0.05) (0 1 0.05));\n"
                 "blocks (hex (0 1 2 3 0 1 4 5) (1 2 1) simpleGrading (1 1 1));\n"
                 "boundary (low { type wedge; faces ((0 1 2 3)); } high { type wedge; faces ((0 1 4 5)); }\n"
                 "outside { type wall; faces ((2 3 5 4)); } ends { type patch; faces ((0 0 3 5) (1 1 2 4)); });\n");
  auto const mesh = read_block_mesh(dict);
  if (world.root()) {
    std::filesystem::create_directories(folder);
    auto const put = [&](std::string const& type, std::string const& name, std::string const& text) {
      write_file(folder + "/" + name, WrittenPolyMesh::head(type, name, false) + text);
    };
    put("vectorField", "points",
        "10((0 0 0)(3 0 0)(0 0.5 -0.025)(3 0.5 -0.025)(0 1 -0.05)(3 1 -0.05)(0 0.5 0.025)(3 0.5 0.025)(0 1 0.05)(3 1 "
        "0.05))");
    put("faceList", "faces",
        "10(4(2 6 7 3)\n4(0 2 3 1)4(2 4 5 3)\n4(0 1 7 6)4(6 7 9 8)\n4(4 8 9 5)\n3(0 6 2)4(2 6 8 4)3(1 3 7)4(3 5 9 7))");
    put("labelList", "owner", "10(0 0 1 0 1 1 0 1 0 1)");
    put("labelList", "neighbour", "1(1)");
    put("polyBoundaryMesh", "boundary",
        "5(low{type wedge;nFaces 2;startFace 1;}high{type wedge;nFaces 2;startFace 3;}outside{type wall;nFaces "
        "1;startFace 5;}"
        "ends{type patch;nFaces 4;startFace 6;}axis{type empty;nFaces 0;startFace 10;})");
  }
  world.barrier();
  auto const found = read();
  ASSERT_TRUE(found.wedge && mesh.wedge);
  EXPECT_EQ(found.wedge->radial, mesh.wedge->radial);
  EXPECT_EQ(found.wedge->thin, mesh.wedge->thin);
  EXPECT_DOUBLE_EQ(found.wedge->slope, mesh.wedge->slope);
  for (int a = 0; a < 3; ++a) EXPECT_EQ(found.grid.axis(a).faces(), mesh.grid.axis(a).faces());
  for (core::Count n = 0; n < 2; ++n) EXPECT_EQ(found.volume(found.cell(n)), mesh.volume(mesh.cell(n)));
  EXPECT_EQ(found.cell(1), mesh.cell(1));
  EXPECT_EQ(found.patch(core::Side::bottom).name, "axis");
  EXPECT_EQ(found.patch(core::Side::top).name, "outside");
  EXPECT_EQ(faces_in_file(*found.find("ends")), faces_in_file(*mesh.find("ends")));
  if (world.root())
    write_bytes(folder + "/boundary", replaced(bytes_of(folder + "/boundary"), "type wedge", "type patch"));
  world.barrier();
  EXPECT_NE(
      error().find("face 1 of cell 0 in the patch 'low' of type patch lies in a plane of a wedge, expected type wedge"),
      std::string::npos)
      << error();
}

}  // namespace
}  // namespace tessera::tests
