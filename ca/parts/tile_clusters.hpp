// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "ca/parts/runs.hpp"
#include "core/grid/field.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::ca::clusters {

using components::BitTile;
using components::Id;
using components::Runs;
using components::Word;

/// What a cluster meets, as bits: sides of the grid (bit = core::Side), inlet, outlet, and axes that it wraps round.
enum Flag : std::uint32_t { inlet = 1u << 6, outlet = 1u << 7 };
inline std::uint32_t touches(int axis, bool high) { return 1u << (2 * axis + (high ? 1 : 0)); }
using components::wraps;
inline bool spans(std::uint64_t flags, int axis) { return (flags >> (2 * axis) & 3) == 3; }

/// The part of a tile that tiles after it in raster order, or beside it, are joined with: the runs of the last layer,
/// of the last rows of the other layers and, where the lattice asks for them, of the first ones; and the first and last
/// cells of all rows. Numbers are border parts + 1, or 0.
struct Rim {
  int words = 0;
  std::vector<Word> bits;     ///< of the rows, as in the tile
  std::vector<Id> begin;      ///< first entry of `of` of each row; one more at the end
  std::vector<Id> of;         ///< of each run
  std::vector<Id> column[2];  ///< first and last cell of each row of the tile

  /// Where a row of a tile of nj x nk rows stands in the rim.
  static int row(int j, int k, int nj, int nk, bool spatial) {
    if (!spatial) return k;
    if (k == nk - 1) return j;
    return j == nj - 1 ? nj + k : nj + nk - 1 + k;
  }
};

/// Parts of clusters within one tile.
struct TileClusters {
  BitTile bits;  ///< row k nj + j holds row (j, k) of the tile
  Runs runs;
  std::vector<Id> of;                ///< part of each run, numbered from 0 in raster order of their first cells
  std::vector<std::uint32_t> first;  ///< of each part: number of its first cell in raster order within the tile
  std::vector<std::uint32_t> cells;  ///< of each part
  std::vector<std::uint8_t> flags;   ///< of each part: sides, inlet, outlet
  std::vector<Id> border;            ///< of each part: number among those at joined faces + 1, 0 if it is inside
  Id borders = 0;
  Rim rim;

  Id count() const { return static_cast<Id>(border.size()); }
  std::size_t bytes() const;
};

/// Cell number in the grid of cell `n` of a tile, counted in raster order within it.
inline std::int64_t grid_number(core::Grid const& grid, core::TileInfo const& info, std::uint32_t n) {
  auto const ni = static_cast<std::uint32_t>(info.ni), rows = n / ni, nj = static_cast<std::uint32_t>(info.nj);
  return grid.number(
      info.global(static_cast<int>(rows / nj), static_cast<int>(rows % nj), static_cast<int>(n - rows * ni)));
}

/// The faces of a tile, by core::Side, over which the lattice joins it to a tile (perhaps itself, round an axis).
std::array<bool, 6> joined_faces(core::Grid const& grid, int tile, bool spatial);

/// Masks of inlet and outlet; null where there are none.
struct Ports {
  core::FieldView<std::uint8_t const> inlet, outlet;
};

/// Finds the parts of clusters of one tile. Cost: see ClusterFinder.
void find_parts(core::FieldView<std::uint8_t const> const& field, std::uint8_t occupied, Ports const& ports,
                core::Grid const& grid, core::TileInfo const& info, int slot, Lattice const& lattice,
                TileClusters& result);

}  // namespace tessera::ca::clusters
