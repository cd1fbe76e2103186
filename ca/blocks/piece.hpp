// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/blocks/piece_rules.hpp"

namespace tessera::ca::blocks {

/// Finds the blocks of pieces, one after the other; a thread has one.
class PieceWork {
 public:
  explicit PieceWork(std::vector<core::Index> directions);

  PieceBits bits;  ///< read before `reduce`

  /// Cost: 3 to 30 ns an occupied cell. Memory: 30 B a cell of the piece.
  void reduce(core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced);

 private:
  void find_terminals();
  template <int size>
  void search();
  void write(core::Index const& corner, Places const& places, PieceRecord& record, Reduced& reduced);

  std::vector<core::Index> directions_;
  bool faces_;  ///< they are the six to cells that share a face
  std::vector<Id> terminals_;
  std::vector<Ways> leaving_;  ///< of the terminals
  // of the search
  struct Step {
    Id v, low;
    Ways ways;  ///< directions to try
  };
  std::vector<Id> order_, vertex_;
  std::vector<Step> path_;
  Forest forest_;
  RuleWork rules_;
};

}  // namespace tessera::ca::blocks
