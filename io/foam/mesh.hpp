// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/dictionary.hpp"
#include "core/grid.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// A boundary patch: one or more whole sides of the grid, in the order in which the mesh file lists their faces
/// (values of the patch follow that order).
struct Patch {
  std::string name;
  std::string type;  ///< patch, wall, empty, cyclic, symmetryPlane or symmetry
  std::vector<core::Side> sides;
};

/// A grid with its boundary patches; every side belongs to exactly one. The sides' names in `grid` are the patches'
/// names.
struct Mesh {
  core::Grid grid;
  std::vector<Patch> patches;
  /// Blocks of cells in the order in which OpenFOAM numbers cells: block after block, x fastest inside each.
  std::vector<core::Box> blocks{grid.box()};

  /// OpenFOAM's number of a cell, and the cell of a number.
  core::Count number(core::Index const& cell) const;
  core::Index cell(core::Count number) const;

  Patch const& patch(core::Side side) const;
  /// nullptr if there is no patch of that name.
  Patch const* find(std::string_view name) const;
  std::vector<std::string> patch_names() const;
};

/// Largest grid: cell numbers stay exact as doubles, and an axis fits into memory.
inline constexpr core::Count most_cells_along = 2'147'483'647;
inline constexpr double most_cells = 9e15;

/// Boundary faces of a side.
core::Count faces(core::Grid const& grid, core::Side side);

/// Reads `system/gridDict`:
///   cells (nx ny nz);         required, nx nz >= 1
///   origin (0 0 0);           corner with the smallest coordinates [m]
///   size (nx ny nz);          edge lengths [m]; by default cells are unit cubes
///   grading (1 1 1);          width of the last cell / width of the first, per axis, as simpleGrading
///   tile auto | (256 64 1);   shape of the tiles
///   periodic (no no no);
/// Patches are the sides left, right, bottom, top, back, front: `cyclic` on periodic axes, `empty` in front and behind
/// when there is one layer of cells, `patch` elsewhere. `periodic` holds the axes that something else (an automaton's
/// boundary) wants periodic, too. Throws core::Error with file and line, also for entries that are not in this list.
Mesh read_grid_dict(core::Dictionary& dictionary, std::array<bool, 3> periodic = {});

/// Reads blockMesh's `system/blockMeshDict` (or constant/polyMesh/blockMeshDict): `scale` or `convertToMeters`,
/// `vertices`, one `hex` block that is a box along the axes (first corner lowest, local directions x, y, z) with
/// `simpleGrading (gx gy gz)`, `boundary` with patches that cover whole sides, and `defaultPatch`. Sides that no patch
/// lists go to `defaultFaces` of type empty, as in blockMesh. A pair of `cyclic` patches makes an axis periodic.
///
/// Refused by name: several blocks, curved edges, projections, edgeGrading, gradings in sections, zones of blocks,
/// merged patches, the `patches` list of old files, other patch types. Throws core::Error with file and line.
Mesh read_block_mesh(core::Dictionary& dictionary, core::Grid::Shape tile = {0, 0, 0});

}  // namespace tessera::io::foam
