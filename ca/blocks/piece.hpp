// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/blocks/piece_bits.hpp"
#include "ca/blocks/reduced.hpp"

#include <span>

namespace tessera::ca::blocks {

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

/// Finds the blocks of pieces, one after the other; a thread has one.
class PieceWork {
 public:
  explicit PieceWork(std::vector<core::Index> directions) : directions_(std::move(directions)) {}

  PieceBits bits;  ///< read before `reduce`

  /// Cost: 3 to 30 ns an occupied cell. Memory: 30 B a cell of the piece.
  void reduce(core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced);

 private:
  void find_terminals();
  template <int size>
  void search();
  void write(core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced);

  std::vector<core::Index> directions_;
  std::vector<Id> terminals_;
  std::vector<std::uint32_t> leaving_;  ///< of the terminals
  // of the search
  struct Step {
    Id v, low;
    std::uint32_t ways;  ///< directions to try
  };
  std::vector<Id> order_, vertex_;
  std::vector<Step> path_;
  Forest forest_;
};

/// The answers to a piece's reduced vertices and elements become marks of its cells. `occupied`: the rows of PieceBits::own.
void mark_cells(PieceRecord const& record, Answers const& answers, std::span<Word const> occupied, PieceMarks& marks);

}  // namespace tessera::ca::blocks
