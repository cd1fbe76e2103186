// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/grid.hpp"
#include "core/grid/wedge.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam {

/// How a block of a blockMeshDict lies in the grid: its own axis a runs along the grid's axis[a], against it where back[a].
struct Turn {
  std::array<int, 3> axis{0, 1, 2};
  std::array<bool, 3> back{};
  bool none() const { return *this == Turn{}; }
  friend bool operator==(Turn const&, Turn const&) = default;

  /// Cells along the block's own axes of a box that lies so.
  core::Index shape(core::Box const& box) const;
  /// Place along the block's own axes of a cell of the box, and back.
  core::Index inside(core::Box const& box, core::Index const& cell) const;
  core::Index outside(core::Box const& box, core::Index const& place) const;
};

/// Numbers of cells that follow no axes, as renumberMesh leaves them.
struct CellOrder {
  core::Count cells = 0;
  std::vector<core::Count> places;  ///< of each cell in the box, x fastest; empty but on the rank that read them
};

/// The cells of a block, which OpenFOAM numbers along the block's own axes, the first fastest.
struct CellBlock : core::Box {
  Turn turn = {};
  /// Says the numbers where it is there; cells of the box that it leaves out do not exist.
  std::shared_ptr<CellOrder const> order = {};
  CellBlock(core::Box const& box, Turn const& lies = {}) : core::Box(box), turn(lies) {}
  core::Count cells() const { return order ? order->cells : core::Box::cells(); }
  /// Numbered as rows of the grid.
  bool straight() const { return turn.none() && !order; }
  /// With an order, on the rank that has it; the first takes the time of a search then.
  core::Count number(core::Index const& cell) const;
  core::Index cell(core::Count number) const;
};

/// A boundary patch: one or more sides of the grid, parts of them, or faces towards cells that do not exist.
struct Patch {
  /// Faces of a block on a side of it.
  struct Piece {
    core::Side side;
    core::Box cells;  ///< behind the faces
    Turn turn = {};   ///< of the block
    /// The place of a cell's face among those of the piece, and the cell at that place: across the block's x, y is
    /// fastest; across y and z, the upper axis, as in OpenFOAM.
    core::Count number(core::Index const& cell) const;
    core::Index cell(core::Count number) const;
    /// Of the cells behind, along the axis across the faces.
    core::Count layer() const;
  };
  /// Faces in one plane: their side, and the layer of the cells behind.
  struct Plane {
    core::Side side;
    core::Count layer;
    friend bool operator==(Plane const&, Plane const&) = default;
  };
  std::string name;
  std::string type;                ///< patch, wall, empty, cyclic, symmetryPlane, symmetry or wedge
  std::vector<core::Side> sides;   ///< in the order in which the mesh file lists them first
  std::vector<Piece> pieces = {};  ///< in the order of the mesh file, which values of the patch follow
  /// Where faces follow no axes: of each face of the pieces its place among the values in files; empty where it is the same.
  std::vector<core::Count> order = {};
  std::vector<std::string> groups = {};  ///< `inGroups`, and its type where that is not patch
  /// What a mappedPatch or mappedWall samples, where it says.
  struct Sample {
    std::string mode, region, patch;  ///< sampleMode, sampleRegion (empty: its own), samplePatch
    bool beside = true;               ///< no offset leads away from its own faces
  };
  std::optional<Sample> sample = {};
  /// Its file has no types of patches, as gridDict: what fields say of it holds, such as symmetryPlane.
  bool untyped = false;

  /// Where its faces lie, in the order of the mesh file.
  std::vector<Plane> planes() const;
  /// Cells behind its faces in a plane, box by box, and the number of these faces.
  std::vector<core::Box> cells(Plane const& plane) const;
  core::Count faces(Plane const& plane) const;
  core::Count faces() const;
  bool in_group(std::string_view group) const;
  /// Of type empty, or wedge: the equation is not solved across it.
  bool unsolved() const { return type == "empty" || type == "wedge"; }
};

/// A grid with its boundary patches, to one of which every boundary face belongs. The sides' names in `grid` are the
/// patches' names, `bottom` and so on where there are several on a side.
struct Mesh {
  core::Grid grid;
  std::vector<Patch> patches;
  /// Blocks of cells in the order in which OpenFOAM numbers cells: block after block.
  std::vector<CellBlock> blocks{grid.box()};
  /// Zones of cells: name and a box of its cells, of which it may have several.
  std::vector<std::pair<std::string, core::Box>> zones = {};
  /// Read from the files of a polyMesh, which thus need not be written.
  bool of_poly_mesh = false;
  /// Cells of the grid that no block has: they do not exist.
  std::vector<core::Box> absent = {};
  /// The grid stands for a wedge: what lies between its two parallel patches of type wedge.
  std::optional<core::Wedge> wedge = {};

  /// Of a cell, its face on a side, and from there to its centre.
  double volume(core::Index const& cell) const;
  double area(core::Side side, core::Index const& cell) const;
  double distance(core::Side side, core::Index const& cell) const;

  /// Cells that exist, in all.
  core::Count total() const;
  bool exists(core::Index const& cell) const;
  /// Whether the plane is a side of the grid, and whether it holds all faces there of cells that exist.
  bool outer(Patch::Plane const& plane) const;
  bool whole(Patch const& patch, Patch::Plane const& plane) const;

  /// OpenFOAM's number of a cell that exists, and the cell of a number; where blocks have an order, on the rank that has it.
  core::Count number(core::Index const& cell) const;
  core::Index cell(core::Count number) const;

  /// The first patch with faces on the side of the grid.
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
/// `vertices`, `hex` blocks that are boxes along the axes, in any of the 24 positions, and share whole faces; where they do
/// not fill a box the grid has cells that do not exist; `simpleGrading` or `edgeGrading` with ratios or sections, equal on
/// the four edges along an axis; `boundary`, or `patches` of old files, with patches of faces of blocks, several on one side
/// too, and `defaultPatch`. Faces that no patch lists go to `defaultFaces` of type empty, as in blockMesh. Pairs of `cyclic`
/// patches that together hold two opposite sides make an axis periodic.
///
/// `mergePatchPairs` joins blocks that touch where their cells' faces meet.
///
/// Refused by name: other blocks, curved edges, projections, other patch types. Throws core::Error with
/// file and line.
Mesh read_block_mesh(core::Dictionary& dictionary, core::Grid::Shape tile = {0, 0, 0});

}  // namespace tessera::io::foam
