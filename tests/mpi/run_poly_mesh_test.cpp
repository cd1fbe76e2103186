// SPDX-License-Identifier: Apache-2.0
// Cases whose mesh lies in constant/polyMesh, from end to end.
#include "io/foam/fields.hpp"
#include "io/foam/poly_mesh_reader.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/poly_mesh.hpp"
#include "tests/support/written_case.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::tests {
namespace {

using namespace io::foam;

std::string const blocks_of_l =
    "scale 1;\nvertices ((0 0 0) (1 0 0) (2 0 0) (0 1 0) (1 1 0) (2 1 0) (0 2.5 0) (1 2.5 0)\n"
    "(0 0 1) (1 0 1) (2 0 1) (0 1 1) (1 1 1) (2 1 1) (0 2.5 1) (1 2.5 1));\n"
    "blocks (hex (0 1 4 3 8 9 12 11) (9 8 1) simpleGrading (1 1 1)\n"
    "hex (5 4 1 2 13 12 9 10) (7 8 1) simpleGrading (1 1 1)\n"
    "hex (3 4 7 6 11 12 15 14) (9 12 1) simpleGrading (1 2 1));\n"
    "boundary (bottom { type wall; faces ((0 1 9 8) (1 2 10 9)); }\n"
    "notch { type wall; faces ((4 7 15 12) (4 5 13 12)); }\n"
    "rest { type patch; faces ((0 3 11 8) (3 6 14 11) (2 5 13 10) (6 7 15 14)); });\n";

std::string const control_of_l =
    "application laplacianFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 0.2; deltaT 0.1;\n"
    "writeControl timeStep; writeInterval 1; writeFormat ascii; writePrecision 17;\n"
    "functions { flow { type wallHeatFlux; writeControl writeTime; } }\n";

/// An L of 9 x 8, 7 x 8 and 9 x 12 cells, two of whose blocks lie straight, and its cells as renumberMesh might leave them.
struct LCase {
  core::Comm world;
  Mesh mesh = mesh_of(blocks_of_l);
  WrittenCase made{
      {{"system/controlDict", control_of_l},
       {"system/fvSchemes",
        "ddtSchemes { default Euler; } gradSchemes { default Gauss linear; } divSchemes { default none; }\n"
        "laplacianSchemes { default Gauss linear corrected; } interpolationSchemes { default linear; }\n"
        "snGradSchemes { default corrected; }\n"},
       {"system/fvSolution", "solvers { T { solver PCG; preconditioner DIC; tolerance 1e-11; relTol 0; } }\n"},
       {"system/decomposeParDict", "method scotch;\ntile (5 4 1);\n"},
       {"system/fvOptions",
        "heat { type scalarSemiImplicitSource; active yes; selectionMode cellZone; cellZone heated;\n"
        "volumeMode specific; injectionRateSuSp { T (70 0); } }\n"},
       {"constant/transportProperties", "DT DT [0 2 -1 0 0 0 0] 1;\n"}}};

  static double start(core::Index const& x) { return 300 + 3 * std::sin(x.i) + 2 * std::cos(3 * x.j); }
  static double at_face(core::Index const& x, int side) { return 310 + x.i + 0.5 * x.j + side; }

  /// 0/T for a mesh whose cells and faces of the notch follow each other so.
  std::string temperature(std::vector<core::Index> const& cells,
                          std::vector<WrittenPolyMesh::Outer> const& notch) const {
    std::string text = "FoamFile { version 2.0; format ascii; class volScalarField; object T; }\n"
                       "dimensions [0 0 0 1 0 0 0];\ninternalField nonuniform List<scalar> " +
                       std::to_string(cells.size()) + "(";
    for (auto const& x : cells) text += fmt::format("{:.17g}\n", start(x));
    text += ");\nboundaryField {\nbottom { type fixedValue; value uniform 350; }\nnotch { type fixedValue; value "
            "nonuniform "
            "List<scalar> " +
            std::to_string(notch.size()) + "(";
    for (auto const& face : notch) text += fmt::format("{:.17g} ", at_face(face.cell, face.side));
    return text + "); }\nrest { type fixedGradient; gradient uniform 20; }\ndefaultFaces { type empty; } }\n";
  }
  std::vector<core::Index> cells() const {
    std::vector<core::Index> all;
    for (core::Count n = 0; n < mesh.total(); ++n) all.push_back(mesh.cell(n));
    return all;
  }
  WrittenPolyMesh poly_mesh() const {
    WrittenPolyMesh result;
    for (int a = 0; a < 3; ++a) result.planes[static_cast<std::size_t>(a)] = mesh.grid.axis(a).faces();
    result.cells = cells();
    result.patches = {{"bottom", "wall"}, {"notch", "wall"}, {"rest", "patch"}, {"defaultFaces", "empty"}};
    result.patch = [this](core::Index const& x, int side) {
      for (std::size_t p = 0; p < mesh.patches.size(); ++p)
        for (auto const& piece : mesh.patches[p].pieces)
          if (static_cast<int>(piece.side) == side && piece.cells.contains(x)) return static_cast<int>(p);
      return 3;
    };
    return result;
  }
  /// Names three cells by their numbers.
  void heat(std::vector<core::Index> const& of) {
    std::string labels;
    for (core::Index const& x : {core::Index{2, 3, 0}, core::Index{12, 1, 0}, core::Index{4, 15, 0}})
      labels += fmt::format("{} ", std::find(of.begin(), of.end(), x) - of.begin());
    made.write("system/topoSetDict",
               "actions ( { name heated; type cellSet; action new; source labelToCell; value (" + labels +
                   "); }\n{ name heated; type cellZoneSet; action new; source setToCellZone; set heated; } );\n");
  }
  /// The case with the blockMeshDict.
  void with_dict() {
    std::vector<WrittenPolyMesh::Outer> notch;
    for (auto const& piece : mesh.find("notch")->pieces)
      for (core::Count n = 0; n < piece.cells.cells(); ++n)
        notch.push_back({piece.cell(n), static_cast<int>(piece.side)});
    made.write("system/blockMeshDict", blocks_of_l);
    made.write("0/T", temperature(cells(), notch));
    heat(cells());
  }
  /// The same with constant/polyMesh in its place.
  void with_files(WrittenPolyMesh written) {
    if (world.root()) {
      std::filesystem::remove(made.path("system/blockMeshDict"));
      written.write(made.path("constant/polyMesh").string());
    } else {
      written.write(made.path(fmt::format("rank{}", world.rank())).string());  // what it knows of its faces
    }
    world.barrier();
    made.write("0/T", temperature(written.cells, written.outer[1]));
    heat(written.cells);
  }

  /// What a run writes at its end: T in cells, and the heat flux on the patches' faces, by their places in the grid.
  struct Result {
    std::vector<double> cells;
    std::map<std::array<core::Count, 4>, double> faces;
    std::string hash;
  };
  Result run(Mesh const& of) {
    Result result;
    result.hash = made.run()["hash"]["T"];
    auto const grid = std::make_shared<core::Grid const>(of.grid);
    core::Comm const alone(MPI_COMM_SELF);
    core::Layout const layout(grid, std::vector<int>(static_cast<std::size_t>(grid->tiles()), 0), alone);
    world.barrier();
    core::Field<double> t("T", layout, 0, 0.0);
    set_cells(read_field(made.path("0.2/T").string(), alone), t, of.blocks);
    for_each_cell(t, [&](core::Index x, double& v) {
      if (of.exists(x)) result.cells.push_back(v);
    });
    auto flux = read_field(made.path("0.2/wallHeatFlux").string(), alone);
    for (char const* name : {"bottom", "notch", "rest"}) {
      auto const& patch = *of.find(name);
      auto const values = face_values(*patch_entry(flux, patch), "value", patch);
      std::size_t at = 0;
      for (auto const& piece : patch.pieces)
        for (core::Count n = 0; n < piece.cells.cells(); ++n) {
          auto const x = piece.cell(n);
          result.faces[{x.i, x.j, x.k, static_cast<core::Count>(piece.side)}] = values[at++];
        }
    }
    world.barrier();
    return result;
  }
};

TEST(RunPolyMesh, GivesTheFieldsOfTheBlockMeshDictInAnyOrder) {
  LCase c;
  c.with_dict();
  auto const expected = c.run(c.mesh);
  for (bool const shuffled : {false, true}) {
    auto written = c.poly_mesh();
    if (shuffled) {
      std::mt19937 random(11);
      std::shuffle(written.cells.begin(), written.cells.end(), random);
      written.shuffled = 3;
    }
    c.with_files(written);
    auto const mesh = read_poly_mesh(c.made.path("constant/polyMesh").string(), core::Comm(MPI_COMM_SELF));
    EXPECT_EQ(mesh.blocks.size(), shuffled ? 1U : 3U);
    auto const found = c.run(mesh);
    EXPECT_EQ(found.hash, expected.hash);
    EXPECT_EQ(found.cells, expected.cells);
    EXPECT_EQ(found.faces, expected.faces);
    // from a time directory in the mesh's order
    if (c.world.root())
      for (char const* folder : {"0.2", "results"}) std::filesystem::remove_all(c.made.path(folder));
    c.world.barrier();
    c.made.write("system/controlDict", replaced(control_of_l, "startFrom startTime", "startFrom latestTime"));
    EXPECT_EQ(c.run(mesh).cells, expected.cells);
    c.made.write("system/controlDict", control_of_l);
    if (c.world.root())
      for (char const* folder : {"0.1", "0.2", "results"}) std::filesystem::remove_all(c.made.path(folder));
    c.world.barrier();
  }
}

TEST(RunPolyMesh, TakesTheOneThatIsAskedFor) {
  LCase c;
  c.with_dict();
  auto written = c.poly_mesh();
  std::reverse(written.cells.begin(), written.cells.end());
  c.with_files(written);
  EXPECT_EQ(c.made.complaint(), "");
  c.made.write("system/blockMeshDict", replaced(blocks_of_l, "(9 12 1)", "(9 11 1)"));
  // T has the cells of constant/polyMesh
  EXPECT_NE(c.made.complaint().find("entry 'value' has 19 values, but the patch 'notch' has 18 faces"),
            std::string::npos)
      << c.made.complaint();
  EXPECT_EQ(c.made.complaint({"controlDict:readMesh=yes"}), "");
  EXPECT_NE(c.made.complaint({"controlDict:readMesh=yes", "controlDict:writeMesh=yes"})
                .find("writeMesh is yes, but the mesh is read from constant/polyMesh"),
            std::string::npos);
  EXPECT_NE(c.made.complaint({"decomposeParDict:method=manual"}).find("manual"), std::string::npos);
  if (c.world.root()) {
    std::filesystem::remove_all(c.made.path("constant/polyMesh"));
    std::filesystem::remove(c.made.path("system/blockMeshDict"));
  }
  c.world.barrier();
  EXPECT_NE(
      c.made.complaint().find("system/blockMeshDict: no such file, and the case needs it, system/gridDict or the files "
                              "of constant/polyMesh"),
      std::string::npos)
      << c.made.complaint();
}

}  // namespace
}  // namespace tessera::tests
