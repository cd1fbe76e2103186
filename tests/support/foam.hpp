// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "io/foam/mesh.hpp"
#include "tests/support/error_of.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

namespace tessera::tests {

inline core::Dictionary dictionary(std::string const& text, std::string const& name = "dict") {
  return core::Dictionary::parse(text, name);
}

inline void write_file(std::string const& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// The mesh of a blockMeshDict.
inline io::foam::Mesh mesh_of(std::string const& text) {
  auto d = dictionary(text, "blockMeshDict");
  return io::foam::read_block_mesh(d);
}
/// The message of the core::Error that the text ends in; empty if it is a mesh.
inline std::string mesh_error(std::string const& text) {
  return error_of([&] { mesh_of(text); });
}

/// `text` with `to` for the first `from`, which must be there.
inline std::string replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A side of the grid as the plane of a patch's faces.
inline io::foam::Patch::Plane plane_of(io::foam::Mesh const& mesh, core::Side side) {
  auto const cells = io::foam::cells_along(mesh.grid, side);
  return {side, io::foam::Patch::Piece{side, cells}.layer()};
}

/// A blockMeshDict: the box [0 lx] x [0 ly] x [0 0.01] of nx x ny cells, with patches bottom, right, top, left,
/// frontAndBack.
inline std::string block_mesh(int nx, int ny, double lx, double ly) {
  std::string const x = std::to_string(lx), y = std::to_string(ly);
  return "scale 1;\nvertices\n(\n (0 0 0) (" + x + " 0 0) (" + x + " " + y + " 0) (0 " + y + " 0)\n (0 0 0.01) (" + x +
         " 0 0.01) (" + x + " " + y + " 0.01) (0 " + y + " 0.01)\n);\nblocks ( hex (0 1 2 3 4 5 6 7) (" +
         std::to_string(nx) + " " + std::to_string(ny) +
         " 1) simpleGrading (1 1 1) );\nedges ();\nboundary\n(\n bottom { type patch; faces ((0 1 5 4)); }\n"
         " right { type patch; faces ((1 2 6 5)); }\n top { type patch; faces ((2 3 7 6)); }\n left { type patch; "
         "faces ((3 0 4 7)); }\n"
         " frontAndBack { type empty; faces ((0 3 2 1) (4 5 6 7)); }\n);\n";
}

/// A volScalarField file with the given internal field, zeroGradient all round.
inline std::string scalar_field(std::string const& internal, std::string const& format = "ascii") {
  return "FoamFile\n{\n    version 2.0;\n    format " + format +
         ";\n    class volScalarField;\n    object T;\n}\n\ndimensions [0 0 0 1 0 0 0];\ninternalField " + internal +
         ";\nboundaryField\n{\n    \".*\" { type zeroGradient; }\n    frontAndBack { type empty; }\n}\n";
}

}  // namespace tessera::tests
