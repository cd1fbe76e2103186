// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/blocks/reduced.hpp"
#include "ca/parts/bit_tile.hpp"

#include <span>

namespace tessera::ca::blocks {

using parts::Word;

/// What a piece keeps until the answers come.
struct PieceRecord {
  std::vector<Id> cells;                 ///< of the reduced vertices
  std::vector<Id> run_begin, run_label;  ///< labels of the occupied cells, in raster order, where they change
  std::vector<Id> swallowed, into;       ///< cells taken into an element
  std::vector<Word> cuts;                ///< rows: heads of dropped blocks; empty: none
};

/// Which cells of a piece are marked, in rows as PieceBits.
struct PieceMarks {
  std::vector<Word> backbone, articulation, red;
};

/// A vertex or an element is dropped where its block hung: in the component of the terminal from which it was searched, the
/// reduced vertex of this number.
inline Id dropped_at(Id terminal) { return dead | terminal; }

/// The answers to a piece's reduced vertices and elements become marks of its cells. `occupied`: the rows of PieceBits::own.
void mark_cells(PieceRecord const& record, Answers const& answers, std::span<Word const> occupied, PieceMarks& marks);

}  // namespace tessera::ca::blocks
