// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tessera::core {

/// The six sides of the grid, in the order of the axes; `low(axis)` = 2 axis, `high(axis)` = 2 axis + 1.
enum class Side { left, right, bottom, top, back, front };
inline constexpr std::array<char const*, 6> side_names{"left", "right", "bottom", "top", "back", "front"};

/// One axis of a rectilinear grid: cells + 1 face coordinates [m], strictly increasing. Those of equal cells are computed,
/// so that an axis of any length takes no memory.
class Axis {
 public:
  Axis() = default;
  explicit Axis(std::vector<double> faces, bool is_periodic = false)
      : periodic(is_periodic),
        cells_(static_cast<Count>(faces.size()) - 1),
        faces_(std::move(faces)) {}
  /// Equal cells from `origin` over `length` [m]. Throws Error if cells < 1 or length <= 0.
  static Axis make_uniform(Count cells, double origin, double length, bool periodic = false);
  /// Geometric grading as blockMesh's `simpleGrading`: last cell width / first cell width = `expansion`.
  static Axis make_graded(Count cells, double origin, double length, double expansion, bool periodic = false);

  Count cells() const { return cells_; }
  double face(Count i) const {
    if (!faces_.empty()) return faces_[i];
    return i == cells_ ? origin_ + length_ : origin_ + length_ * (static_cast<double>(i) / static_cast<double>(cells_));
  }
  double low() const { return face(0); }
  double high() const { return face(cells_); }
  double length() const { return high() - low(); }
  double width(Count i) const { return face(i + 1) - face(i); }
  double centre(Count i) const { return 0.5 * (face(i) + face(i + 1)); }
  bool uniform() const;

  /// Faces with a coordinate below x, and at most x.
  Count faces_below(double x) const;
  Count faces_up_to(double x) const;
  /// Coordinates of the faces first .. last, both included.
  std::vector<double> faces(Count first, Count last) const;
  std::vector<double> faces() const { return faces(0, cells_); }

  bool periodic = false;

 private:
  Count cells_ = 0;
  double origin_ = 0, length_ = 0;  ///< of equal cells
  std::vector<double> faces_;       ///< of others
};

/// A logically rectangular grid, always 3-D (a 2-D grid has one layer of cells), cut into tiles of one shape
/// (edge tiles are partly used). Pure geometry: equal on all ranks; who owns which tile is `Layout`.
class Grid {
 public:
  using Shape = std::array<Count, 3>;

  /// `tile` {0, 0, 0} chooses the shape of TileUse::sums (tile_shape.hpp). A tile larger than the grid is cut to the grid.
  /// Throws Error for a negative tile size.
  explicit Grid(std::array<Axis, 3> axes, Shape tile = {0, 0, 0});
  /// What is wrong with tiles of this shape, "" if nothing.
  static std::string fault_of(Shape cells, Shape tile);
  /// The same grid in other tiles.
  Grid with_tile(Shape tile) const;

  /// Uniform grid of unit cells: what automata need.
  static Grid unit(Shape cells, Shape tile = {0, 0, 0}, std::array<bool, 3> periodic = {false, false, false});

  Axis const& axis(int a) const { return axes_[a]; }
  Shape cells() const { return cells_; }
  Count total() const { return cells_[0] * cells_[1] * cells_[2]; }
  bool periodic(int a) const { return axis(a).periodic; }
  /// An axis of one cell carries no halo: a 2-D grid has none in z.
  bool thin(int a) const { return cells_[a] == 1; }
  Box box() const { return {{0, 0, 0}, {cells_[0], cells_[1], cells_[2]}}; }
  /// Raster number of a cell: (k ny + j) nx + i.
  Count number(Index const& x) const { return (x.k * cells_[1] + x.j) * cells_[0] + x.i; }
  double volume(Index const& x) const { return axis(0).width(x.i) * axis(1).width(x.j) * axis(2).width(x.k); }

  Shape tile() const { return tile_; }
  /// Tiles per axis, and in all; tiles are numbered in raster order.
  Shape tile_lattice() const { return lattice_; }
  int tiles() const { return static_cast<int>(lattice_[0] * lattice_[1] * lattice_[2]); }
  Index tile_position(int tile) const;
  int tile_number(Index const& position) const;
  Box tile_box(int tile) const;
  int tile_of(Index const& cell) const;
  /// Calls f(other tile, cells of the face) for each tile that shares faces with a tile, across periodic sides too. Two
  /// tiles on a periodic axis meet on both sides: once, with the cells of both. One tile alone meets nobody.
  template <class F>
  void for_each_beside(int tile, F const& f) const;

  std::string const& patch(Side s) const { return patches_[static_cast<std::size_t>(s)]; }
  void name_patch(Side s, std::string name) { patches_[static_cast<std::size_t>(s)] = std::move(name); }

 private:
  std::array<Axis, 3> axes_;
  Shape cells_, tile_, lattice_;
  std::array<std::string, 6> patches_;
};

template <class F>
void Grid::for_each_beside(int tile, F const& f) const {
  Index const p = tile_position(tile), n = tile_box(tile).shape();
  Count const face[3] = {n.j * n.k, n.i * n.k, n.i * n.j};
  for (std::size_t a = 0; a < 3; ++a) {
    bool const both = lattice_[a] == 2 && periodic(static_cast<int>(a));
    for (int const step : {-1, 1}) {
      Index q = p;
      Count& along = a == 0 ? q.i : a == 1 ? q.j : q.k;
      along += step;
      if (along < 0 || along >= lattice_[a]) {
        if (!periodic(static_cast<int>(a)) || lattice_[a] < 3) continue;
        along = (along + lattice_[a]) % lattice_[a];
      }
      f(tile_number(q), both ? 2 * face[a] : face[a]);
    }
  }
}

}  // namespace tessera::core
