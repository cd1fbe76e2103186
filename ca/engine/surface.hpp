// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tessera::ca {

/// Sides of a plane grid joined with shifts or mirrored, as in Golly's bounded grids:
///   `torus`         both pairs of opposite sides
///   `kleinBottle`   one of the pairs mirrored
///   `crossSurface`  both mirrored: the projective plane
///   `sphere`        left and top, bottom and right, of a square
/// `mirrored x`: the row that is seen above the top is the bottom row from right to left; `mirrored y`: the column that
/// is seen right of the right side is the left one upside down. `shift (SX SY)`: that row is then moved SX cells to the
/// right, that column SY cells up. Where one goes two ways round a corner, first left or right, then up or down.
struct Surface {
  enum class Kind { none, torus, klein_bottle, cross_surface, sphere };
  Kind kind = Kind::none;
  std::array<bool, 2> mirrored{};
  std::array<core::Count, 2> shift{};
  std::array<core::Count, 2> cells{};  ///< of the grid
  std::string where;                   ///< FILE:LINE of the entry `surface`

  bool joined() const { return kind != Kind::none; }
  /// Reads `surface`, `mirrored` and `shift` of `boundary { ... }`. Throws core::Error for what is no surface.
  static Surface read(core::Dictionary const& boundary);
  /// Throws core::Error where the grid cannot be such a surface.
  void set_grid(core::Dictionary const& boundary, core::Grid const& grid);
  /// The cell of the grid that is seen at a cell outside.
  core::Index inside(core::Index cell) const;
};

/// Sets the halo cells outside the grid of some tiles to what is seen there. The cells within `depth` of a side, which
/// every rank is given, are 16 depth (nx + ny) bytes: made for patterns, whose grids are small.
class Seams {
 public:
  Seams() = default;
  /// Throws core::Error for a corner that cannot be seen so deep: cross-surfaces and spheres have corners of depth 1.
  Seams(Surface const& surface, core::Layout const& layout, core::Tiles const& tiles, int depth);

  /// Collective.
  template <class T>
  void apply(core::Field<T>& field) const {
    if (border_cells_ == 0) return;
    auto const values = field.host();
    std::vector<std::int64_t> border(border_cells_);
    for (auto const& cell : own_) std::memcpy(&border[cell.at], &values(cell.slot, 0, cell.j, cell.i), sizeof(T));
    field.layout().comm().sum(border);  // one rank gives each
    for (auto const& cell : outside_) std::memcpy(&values(cell.slot, 0, cell.j, cell.i), &border[cell.at], sizeof(T));
  }

 private:
  struct Cell {
    int slot, j, i;
    std::size_t at;  ///< in the border
  };
  std::vector<Cell> own_, outside_;
  std::size_t border_cells_ = 0;
};

}  // namespace tessera::ca
