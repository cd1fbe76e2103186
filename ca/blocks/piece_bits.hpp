// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/backbones.hpp"
#include "ca/blocks/tree.hpp"
#include "ca/lattices/lattice.hpp"
#include "ca/parts/bit_tile.hpp"
#include "core/grid/field.hpp"

#include <map>
#include <vector>

namespace tessera::ca::blocks {

using parts::Word;

/// Neighbours of a cell within a grid; where an axis has one cell, none along it. offset(size() - 1 - d) = -offset(d).
std::vector<core::Index> directions(Lattice const& lattice, core::Grid const& grid);

/// One row of bits a row of a piece and of the cells within reach of it: bit i + ri of row (j + rj) + (nj + 2 rj) (k + rk) is
/// cell (i, j, k) of the piece, 64 row + bit its number.
struct PieceBits {
  int ni = 0, nj = 0, nk = 0;
  int ri = 0, rj = 0, rk = 0;  ///< how far steps reach
  std::vector<Word> own;       ///< occupied cells of the piece
  std::vector<Word> around;    ///< those beside it
  std::vector<Word> in, out;   ///< occupied inlet and outlet cells

  int layer() const { return nj + 2 * rj; }  ///< rows of a layer
  int rows() const { return layer() * (nk + 2 * rk); }
  int row(int j, int k) const { return (j + rj) + layer() * (k + rk); }
  /// Steps between numbers of cells.
  int step(core::Index const& d) const { return static_cast<int>(d.i + 64 * (d.j + layer() * d.k)); }
  /// Position of a cell in the piece.
  core::Index cell(std::uint32_t number) const {
    int const row = static_cast<int>(number >> 6);
    return {static_cast<int>(number & 63) - ri, row % layer() - rj, row / layer() - rk};
  }
};

/// Calls f(position of a set bit).
template <class F>
void for_bits(Word word, F const& f) {
  for (; word != 0; word &= word - 1) f(std::countr_zero(word));
}

/// Reads pieces from fields, and what lies beside them in tiles of other ranks: that is sent when this is made, 16 B a row
/// of an edge.
class PieceReader {
 public:
  /// `reach`: the longest steps. Collective.
  PieceReader(Tree const& tree, core::Index const& reach, core::Field<std::uint8_t> const& occupied,
              EndCells const& inlet, EndCells const& outlet);

  void read(int piece, PieceBits& bits) const;
  /// The occupied cells alone.
  void read_own(int piece, PieceBits& bits) const;

  /// Where a piece of this rank lies in its tile.
  struct Place {
    int slot;
    int i, j, k;
  };
  Place place(int piece) const;

 private:
  struct Row {
    int row;
    Word bits;
  };
  struct Letter {
    int piece, row;
    Word bits;
  };
  void shape(int piece, PieceBits& bits) const;
  template <class F>
  void rows_beside(PieceBits const& shape, int other, Tree::Span const& x, Tree::Span const& y, Tree::Span const& z,
                   F const& f) const;

  Tree const& tree_;
  core::Index reach_;
  core::Layout const& layout_;
  /// Cells of an end in a row of a piece, occupied or not.
  struct End {
    core::FieldView<std::uint8_t const> mask;  ///< or none
    core::Side side;
  };
  static End end_of(EndCells const& cells);
  Word row_of_end(End const& end, core::Box const& box, Place const& place, int j, int k) const;

  core::FieldView<std::uint8_t const> occupied_;
  End inlet_, outlet_;
  std::map<int, std::vector<Row>> from_others_;  ///< by piece
};

/// Up to 62 bytes at `bytes` that are 1, or that are not 0, as bits `first` and on.
Word row_of_ones(std::uint8_t const* bytes, int n, int first);
Word row_of_set(std::uint8_t const* bytes, int n, int first);

}  // namespace tessera::ca::blocks
