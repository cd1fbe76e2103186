// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/grid.hpp"
#include "core/grid/wedge.hpp"
#include "io/foam/mesh.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// A part of a graded edge: shares of its length and of its cells (of any sum), and last width / first width.
struct GradingSection {
  double length = 1, cells = 1, expansion = 1;
  friend bool operator==(GradingSection const&, GradingSection const&) = default;
};
using Grading = std::vector<GradingSection>;

/// Face coordinates from lo to hi of n cells, as blockMesh divides an edge: cells go to the sections by their shares,
/// rounded, what is left over to the section with the largest share; without a cell for each section the edge is
/// divided evenly.
std::vector<double> divide(core::Count n, double lo, double hi, Grading const& grading);
/// The same of an edge that runs from hi to lo; coordinates still ascend.
std::vector<double> divide_back(core::Count n, double lo, double hi, Grading const& grading);

/// An entry `hex (v0 .. v7) ZONE (nx ny nz) simpleGrading (...)` of `blocks`.
struct Block {
  std::array<std::int64_t, 8> corners{};  ///< vertex numbers
  std::string zone;                       ///< may be empty
  core::Grid::Shape cells{};              ///< along its own axes
  std::array<Grading, 3> grading;         ///< along its own axes
  int line = 0;
  Turn turn = {};                              ///< how its own axes lie in the grid
  std::array<std::array<double, 3>, 2> box{};  ///< lowest and highest corner
  core::Box place;                             ///< in the lattice
};

/// The blocks of a blockMeshDict that are boxes along the axes and form one lattice, perhaps with holes.
struct BlockLattice {
  std::vector<Block> blocks;                     ///< in the order of the file
  std::array<std::vector<core::Count>, 3> cuts;  ///< an axis: number of the first cell of each slab, and of all cells
  std::array<std::vector<double>, 3> faces;      ///< an axis: coordinates of the cells' faces, before scaling

  core::Grid::Shape places{};             ///< along the axes: slabs between corners of blocks
  std::vector<int> taken = {};            ///< a place, x fastest: number of its block, -1 where there is none
  std::optional<core::Wedge> wedge = {};  ///< that it stands for, with parallel planes in place of the wedge's

  /// Cells of a block, or of a place, in the grid.
  core::Box cells(core::Box const& place) const;
  int block_at(core::Index const& place) const;
  /// The places along a side of a block (by core::Side, of the grid), and those beside it: none at the lattice's end.
  core::Box face(Block const& block, int side) const;
  core::Box beside(Block const& block, int side) const;
  /// Whether a side of a block lies on the surface, all of it.
  bool outside(Block const& block, int side) const;
  /// Whether it lies on a wedge's axis, where faces have no area.
  bool on_axis(Block const& block, int side) const;
};

/// Reads `vertices` and `blocks`; coordinates are multiplied by `scale` before edges are divided, as blockMesh does.
/// Blocks of a wedge (core/grid/wedge.hpp) are taken as boxes, too.
/// Throws core::Error with file and line: for blocks that are no boxes along the axes, that are inside out, or whose cells
/// do not match. Whether blocks that touch are joined is for `contacts` to say.
BlockLattice read_blocks(core::Dictionary const& dictionary, double scale);

/// Calls f(place) for all places of a box, x fastest.
template <class F>
void over_places(core::Box const& box, F const& f) {
  for (core::Count k = box.lo.k; k < box.hi.k; ++k)
    for (core::Count j = box.lo.j; j < box.hi.j; ++j)
      for (core::Count i = box.lo.i; i < box.hi.i; ++i) f(core::Index{i, j, k});
}

/// Where the eight corners of a hex lie, in the order of the file: (0 0 0) (1 0 0) (1 1 0) (0 1 0), then the same above.
inline constexpr std::array<std::array<std::size_t, 3>, 8> corner_position{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

/// Corners of a block, by their place in the file, that make up each side: low and high along its own axes.
inline constexpr std::array<std::array<int, 4>, 6> corners_of_side{
    {{0, 3, 4, 7}, {1, 2, 5, 6}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}}};

/// The side of the grid that a block's own side (0 to 5, as in corners_of_side) is.
inline int side_of_grid(Turn const& turn, int own) {
  auto const a = static_cast<std::size_t>(own / 2);
  return 2 * turn.axis[a] + ((own % 2 != 0) != turn.back[a] ? 1 : 0);
}

}  // namespace tessera::io::foam
