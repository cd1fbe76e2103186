// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/field.hpp"
#include "solvers/methods/lanes.hpp"
#include "solvers/stencil_matrix.hpp"

#include <vector>

namespace tessera::solvers::methods {

/// Matrix coefficients of eight cells: conductance to the east and to the north, and mass = row sum of A.
struct SkewedCoefficients {
  Lanes east, north, mass;
};

/// A run of vectors of a strip with its coefficients: vector s has `coefficients[(s - first) * step]`, and its 1 / pivots
/// `pivots[(s - first) * pivot_step]`. A step is 0 where all are the same to the bit, which is most of a grid of few
/// materials (with DIC also most pivots): then nothing is read from memory.
struct Chunk {
  int first, last;           // half open
  bool masked;               // holds lanes outside the tile
  std::size_t at, pivot_at;  // of the first, in the pools
  int step, pivot_step;
};

/// The own tiles of a 2-D layout stored so that a recurrence over west and south neighbours runs on eight rows at a time.
///
/// A tile is cut into strips of eight rows. In a strip lane l holds row l, delayed by l columns: vector s holds column
/// s - 1 - l. So west is the same lane of the vector before, and south is the lane below of the vector before; a
/// recurrence that needs both goes eight cells a step. A strip of ni columns has ni + 9 vectors: columns -1 and ni are
/// halo, what is beyond is padding, zero. Rows above the tile in the last strip are padding, too.
///
/// Four vectors of a solver are stored side by side, strip by strip: `t`, `q`, `x`, `r`.
class SkewedTiles {
 public:
  struct Strip {
    Lanes *t, *q, *x, *r;
    Chunk const* first_chunk;
    Chunk const* last_chunk;
    double const* south;  // conductance to the row below the strip, by column
    int rows;             // of the tile in this strip, 1 .. 8
  };

  /// `reciprocal` holds 1 / pivots. Cost: one pass; memory 33 B a cell, 24 B more where
  /// coefficients vary, and 8 B where pivots do.
  SkewedTiles(StencilMatrix const& matrix, core::Field<double> const& reciprocal);

  int strips(int slot) const { return (layout_.info(slot).nj + lanes - 1) / lanes; }
  Strip strip(int slot, int n);
  SkewedCoefficients const* pool() const { return pool_.data(); }
  Lanes const* pivots() const { return pivots_.data(); }
  /// Share of the cells whose coefficients are not read from memory.
  double uniform_share() const;

  /// x and r from fields, t = q = 0.
  void load(core::Field<double> const& x, core::Field<double> const& r);
  void store(core::Field<double>& x);

  static constexpr int margin = 9;  // vectors of a strip beyond its columns

 private:
  struct Tile {
    std::size_t first_vector, first_south;
    std::vector<std::size_t> chunks;  // strips + 1 offsets
  };
  void add_chunks(StencilMatrix const& matrix, core::Field<double> const& reciprocal, int slot, int strip);
  void load_row(Lanes* to, double const* from, int lane, int ni);

  core::Layout const& layout_;
  std::vector<Tile> tiles_;
  std::vector<Lanes> vectors_;
  std::vector<double> south_;
  std::vector<Chunk> chunks_;
  std::vector<SkewedCoefficients> pool_;
  std::vector<Lanes> pivots_;
};

}  // namespace tessera::solvers::methods
