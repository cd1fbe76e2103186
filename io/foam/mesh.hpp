// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/grid.hpp"

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam {

/// A boundary patch: one or more sides of the grid, or parts of them. Cyclic and empty ones hold whole sides.
struct Patch {
  /// Faces of a block on a side of the grid.
  struct Piece {
    core::Side side;
    core::Box cells;  ///< behind the faces
    /// The place of a cell's face among those of the piece, and the cell at that place: across x, y is fastest; across y
    /// and z, the upper axis, as in OpenFOAM.
    core::Count number(core::Index const& cell) const;
    core::Index cell(core::Count number) const;
  };
  std::string name;
  std::string type;                      ///< patch, wall, empty, cyclic, symmetryPlane or symmetry
  std::vector<core::Side> sides;         ///< in the order in which the mesh file lists them first
  std::vector<Piece> pieces = {};        ///< in the order of the mesh file, which values of the patch follow
  std::vector<std::string> groups = {};  ///< `inGroups`, and its type where that is not patch

  /// Cells behind its faces on a side, box by box, and the number of these faces.
  std::vector<core::Box> cells(core::Side side) const;
  core::Count faces(core::Side side) const;
  bool in_group(std::string_view group) const;
};

/// A grid with its boundary patches, to one of which every boundary face belongs. The sides' names in `grid` are the
/// patches' names, `bottom` and so on where there are several on a side.
struct Mesh {
  core::Grid grid;
  std::vector<Patch> patches;
  /// Blocks of cells in the order in which OpenFOAM numbers cells: block after block, x fastest inside each.
  std::vector<core::Box> blocks{grid.box()};
  /// Zones that blocks belong to: name and number of the block.
  std::vector<std::pair<std::string, std::size_t>> block_zones = {};

  /// OpenFOAM's number of a cell, and the cell of a number.
  core::Count number(core::Index const& cell) const;
  core::Index cell(core::Count number) const;

  /// The first patch with faces on the side: the only one where it is cyclic or empty.
  Patch const& patch(core::Side side) const;
  /// nullptr if there is no patch of that name.
  Patch const* find(std::string_view name) const;
  std::vector<std::string> patch_names() const;
};

/// Largest grid: cell numbers stay exact as doubles, and an axis fits into memory.
inline constexpr core::Count most_cells_along = 2'147'483'647;
inline constexpr double most_cells = 9e15;

/// The cells along a side of the grid.
core::Box cells_along(core::Grid const& grid, core::Side side);

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
/// boundary) wants periodic, too. With `rates`, the speeds of the workers, `tile auto` is the shape for automata
/// (core::choose_tile). Throws core::Error with file and line, also for entries that are not in this list.
Mesh read_grid_dict(core::Dictionary& dictionary, std::array<bool, 3> periodic = {},
                    std::span<double const> rates = {});
/// Whether a dictionary names the shape of the tiles.
bool tile_by_hand(core::Dictionary const& dictionary);
/// The shape of the tiles of a grid of so many cells by `tile` of a dictionary; {0, 0, 0} where there is none, or `auto`.
/// Throws core::Error at the entry where there can be no such tiles.
core::Grid::Shape read_tile(core::Dictionary const& dictionary, core::Grid::Shape cells);

/// Reads blockMesh's `system/blockMeshDict` (or constant/polyMesh/blockMeshDict): `scale` or `convertToMeters`,
/// `vertices`, `hex` blocks that are boxes along the axes (first corner lowest, local directions x, y, z) and together
/// fill a box, sharing whole faces; `simpleGrading` or `edgeGrading` with ratios or sections, equal on the four edges
/// along an axis; `boundary`, or `patches` of old files, with patches of faces of blocks, several on one side too, and
/// `defaultPatch`. Faces that no patch lists go to `defaultFaces` of type empty, as in blockMesh. A pair of `cyclic`
/// patches, each a whole side, makes an axis periodic.
///
/// Refused by name: other blocks, curved edges, projections, merged patches, other patch types. Throws core::Error with
/// file and line.
Mesh read_block_mesh(core::Dictionary& dictionary, core::Grid::Shape tile = {0, 0, 0});

}  // namespace tessera::io::foam
