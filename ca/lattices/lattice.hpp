// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::ca {

/// The longest of these steps along each axis, of steps that come with their opposites.
core::Index reach_of(std::vector<core::Index> const& steps);

/// Which cells are neighbours, row by row: cell (i, j, k) touches the cells from (i + from, j + dj, k + dk) to
/// (i + to, j + dj, k + dk) of each of `before`, where `runs` the cell (i - 1, j, k), and all cells that touch it in this way.
/// `from` to `to` is 0 .. 0, -1 .. 0, 0 .. 1, -1 .. 1 or one step of any length. So clusters can be joined run by run: two
/// runs of black cells in rows (j, k) and (j + dj, k + dk) are neighbours where some cells i and i + d, from <= d <= to, lie
/// in them.
struct Lattice {
  struct Row {
    int dj, dk, from, to;
  };
  std::string name;         ///< `square`, `triangular`, `cubic`; `listed neighbours`
  int connectivity;         ///< neighbours of a cell
  std::vector<Row> before;  ///< rows before this one in raster order; of listed neighbours also the row itself
  bool runs = true;         ///< cells beside each other in a row are joined
  bool listed = false;      ///< steps may be longer than one cell

  /// All neighbours of a cell, in raster order.
  std::vector<core::Index> offsets() const;
  /// The longest step along each axis.
  core::Index reach() const { return reach_of(offsets()); }
  /// The same of all axes: how deep a halo has to be.
  int depth() const;
  /// Two layers are joined somewhere: the grid may have more than one.
  bool spatial() const;
};

/// The lattice of a name and a number of neighbours:
///   square 4 (cells that share an edge), square 8 (corners too),
///   triangular 6 (square 4 with the corners (+1, +1) and (-1, -1): a rhombus of the triangular lattice),
///   honeycomb 3 and kagome 4, which are the triangular lattice without some of its cells (whoever makes the medium leaves
///   them empty): those with i + j divisible by 3; those with odd i and odd j,
///   cubic 6 (faces), 18 (edges too), 26 (corners too),
///   bcc 8 and fcc 12, cells numbered along their primitive vectors a, b, c (a rhombohedron): bcc +-a, +-b, +-c, +-(a + b + c);
///   fcc +-a, +-b, +-c, +-(a - b), +-(b - c), +-(c - a).
/// Throws core::Error naming the valid ones.
Lattice make_lattice(std::string_view name, int connectivity);

/// A lattice of any neighbours, given as steps to them; one of two opposite steps is enough, both may be there.
/// Throws core::Error if there are none or more than most_neighbours of them, a step is zero, comes twice or is longer than
/// longest_step along an axis.
Lattice make_lattice(std::vector<core::Index> const& steps);
inline constexpr int most_neighbours = 62;
inline constexpr core::Count longest_step = 8;

/// Names, and the numbers of neighbours of each; the first is the usual one.
struct LatticeChoice {
  std::string name;
  std::vector<int> connectivities;
};
std::vector<LatticeChoice> const& lattices();

}  // namespace tessera::ca
