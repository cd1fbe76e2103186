// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "ca/parts/runs.hpp"
#include "ca/parts/shell.hpp"
#include "core/grid/field.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::ca::parts {

/// What a cluster of a ClusterFinder meets, as bits: sides of the grid (bit = core::Side), inlet, outlet, and axes that it
/// wraps round.
enum Flag : std::uint32_t { inlet = 1u << 6, outlet = 1u << 7 };
inline std::uint32_t touches(int axis, bool high) { return 1u << (2 * axis + (high ? 1 : 0)); }
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

/// Parts of clusters within one tile, or within a tile of one layer and its ring.
struct TileParts {
  BitTile bits;  ///< row k nj + j holds row (j, k) of the tile
  Runs runs;
  std::vector<Id> of;                ///< part of each run, numbered from 0 in raster order of their first cells
  std::vector<std::uint32_t> first;  ///< of each part, where measured: number of its first cell in raster order
  std::vector<std::uint32_t> cells;  ///< of each part, where measured
  std::vector<std::uint8_t> flags;   ///< of each part: 0, set by others
  std::vector<Id> border;            ///< of each part: number among those that may go on in other tiles + 1, or 0
  std::vector<Id> borders;           ///< those parts in the order of their numbers
  Rim rim;                           ///< of tiles without a ring
  Shell shell;                       ///< instead of the rim where neighbours are listed

  Id count() const { return static_cast<Id>(border.size()); }
  std::size_t bytes() const;
};

/// What a tile with a ring tells of its parts that may go on in other tiles. Strips hold border part + 1, or 0, by
/// core::Side: `own` along the tile's edge cells (nj, nj, ni, ni of them), `halo` along the ring (nj, nj, ni + 2, ni + 2:
/// bottom and top with the corners).
struct Strips {
  std::array<std::vector<Id>, 4> own, halo;
  std::vector<std::uint8_t> flags;  ///< of each border part

  /// All 0, for a tile of ni x nj cells.
  void shape(int ni, int nj);
};

/// What find_parts finds out about each part besides which it is: the time of `first_and_cells` is about 1.6 times that
/// of `none`.
enum class Measure { none, first_and_cells };

/// Finds the parts of clusters of set bits of a tile of so many layers, joined as the lattice says. Measures tiles without
/// a ring alone.
/// Memory: 4 B a run and 5 (none) or 13 B a part: near the percolation threshold 1.1 to 1.4 B a cell.
/// Throws core::Error if the tile has 2^32 cells or more.
void find_parts(TileParts& tile, int layers, Lattice const& lattice, Measure measure);

/// Flags the parts of a tile with what they touch: sides of the grid; cells other than 0 of a mask.
void flag_sides(TileParts& tile, core::Grid const& grid, core::TileInfo const& info, Lattice const& lattice);
void flag_port(TileParts& tile, core::FieldView<std::uint8_t const> const& mask, int nj, int slot, Flag flag);

/// The number of a part among those that may go on in other tiles, counted from 1.
Id border_of(TileParts& tile, Id part);

/// Numbers the parts that may go on in other tiles: those of a tile without a ring at faces where the lattice joins it to
/// a tile (perhaps itself, round an axis), with its rim or shell; those of a tile with a ring at its edge or in its ring.
void list_borders(TileParts& tile, core::Grid const& grid, core::TileInfo const& info, Lattice const& lattice);
void list_borders(TileParts& tile, Strips& strips);

/// Cell number in the grid of cell `n` of a tile, counted in raster order within it.
inline std::int64_t grid_number(core::Grid const& grid, core::TileInfo const& info, std::uint32_t n) {
  auto const ni = static_cast<std::uint32_t>(info.ni), rows = n / ni, nj = static_cast<std::uint32_t>(info.nj);
  return grid.number(
      info.global(static_cast<int>(rows / nj), static_cast<int>(rows % nj), static_cast<int>(n - rows * ni)));
}

/// Writes value[part] on the cells of a tile without a ring, 0 elsewhere; `value` has room for 16 more. Label: int32 or
/// int64.
template <class Label>
void write_labels(TileParts const& tile, core::TileInfo const& info, std::vector<Label> const& value,
                  core::FieldView<Label> const& labels, int slot);

/// The cells of the chosen parts (`in` by part, 0 or 1): `out` has the shape of the tile's bits.
void select(TileParts const& tile, std::vector<std::uint8_t> const& in, BitTile& out);

}  // namespace tessera::ca::parts
