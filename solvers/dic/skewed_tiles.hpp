// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "solvers/dic/lanes.avx512.hpp"
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
  bool masked;               // holds lanes outside the block
  bool split;                // lanes lie in two tiles: part and, in columns from `border` on, part + 1
  int part, border;          // tile of the block, along the row, that its terms count for
  std::size_t at, pivot_at;  // of the first, in the pools
  int step, pivot_step;
};

/// The own tiles of a 2-D layout stored so that a recurrence over west and south neighbours runs on eight rows at a time.
///
/// Each tile is a block; on a single rank the whole grid is one, since no other rank waits for a part of it (unless tiles
/// are not of whole strips, or narrow): longer rows cost less. Sums are of tiles all the same, so their bits do not depend
/// on that. A block is cut into strips of eight rows. In a strip lane l holds row l, delayed by l columns: vector s holds column
/// s - 1 - l. So west is the same lane of the vector before, and south is the lane below of the vector before; a
/// recurrence that needs both goes eight cells a step. A strip of ni columns has ni + 9 vectors: columns -1 and ni are
/// halo, what is beyond is padding, zero. Rows above the block in the last strip are padding, too.
///
/// Four vectors of a solver are stored side by side, strip by strip: `t`, `q`, `x`, `r`.
class SkewedTiles {
 public:
  struct Strip {
    Lanes *t, *q, *x, *r;
    Chunk const* first_chunk;
    Chunk const* last_chunk;
    double const* south;  // conductance to the row below the strip, by column
    int rows;             // of the block in this strip, 1 .. 8
  };
  struct Block {
    int ni, nj;
    int parts;  // tiles along a row
    int strips() const { return (nj + lanes - 1) / lanes; }
  };

  /// `reciprocal` holds 1 / pivots. Cost: one pass; memory 33 B a cell, 24 B more where coefficients vary, and 8 B where
  /// pivots do.
  SkewedTiles(StencilMatrix const& matrix, core::Field<double> const& reciprocal);

  /// By slot where each tile is one; otherwise one, numbered 0.
  Block const& block(int b) const { return blocks_[b]; }
  bool whole() const { return whole_; }
  /// The row of tiles, from 0 in each block, that a strip runs through.
  int row_of_tiles(int n) const { return n / strips_of_tile_; }
  /// Along the row, the first column of a tile of the block.
  int first_column(int part) const { return part * wide_; }
  Strip strip(int b, int n);
  SkewedCoefficients const* pool() const { return pool_.data(); }
  Lanes const* pivots() const { return pivots_.data(); }
  /// Share of the cells whose coefficients are not read from memory.
  double uniform_share() const;

  /// x and r from fields, t = q = 0.
  void load(core::Field<double> const& x, core::Field<double> const& r);
  void store(core::Field<double>& x);

  static constexpr int margin = 9;  // vectors of a strip beyond its columns

 private:
  struct Place {
    std::size_t first_vector, first_south;
    std::vector<std::size_t> chunks;  // strips + 1 offsets
  };
  /// A column of a block in its tile: which one along the row, and the column there.
  struct Column {
    int part, i;
  };
  Column column(int i) const { return whole_ && i > 0 ? Column{i / wide_, i % wide_} : Column{0, i}; }
  int slot(int b, int j, int part) const { return whole_ ? j / high_ * block(0).parts + part : b; }
  int row(int j) const { return whole_ ? j % high_ : j; }
  void add_chunks(StencilMatrix const& matrix, core::Field<double> const& reciprocal, int b, int strip);
  int next_part(int b, int first) const;
  /// Calls f(block, number, strip) for all strips, those of a block shared over the threads.
  template <class F>
  void for_each_strip(char const* label, F const& f);
  /// Calls f(row of a field in one tile, first column in the block, columns) along row j of a block.
  template <class View, class F>
  void along_row(View const& view, int b, int j, F const& f) const;

  core::Layout const& layout_;
  bool whole_;
  int wide_, high_, strips_of_tile_;
  std::vector<Block> blocks_;
  std::vector<Place> places_;
  std::vector<Lanes> vectors_;
  std::vector<double> south_;
  std::vector<Chunk> chunks_;
  std::vector<SkewedCoefficients> pool_;
  std::vector<Lanes> pivots_;
};

}  // namespace tessera::solvers::methods
