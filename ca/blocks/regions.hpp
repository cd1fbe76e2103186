// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/blocks/joining.hpp"
#include "ca/blocks/piece.hpp"

#include <functional>
#include <map>
#include <variant>
#include <vector>

namespace tessera::ca::blocks {

/// The blocks of a medium, found region by region over tiles and ranks; see backbone_between. All members are collective.
class Regions {
 public:
  Regions(core::Field<std::uint8_t> const& occupied, EndCells const& inlet, EndCells const& outlet,
          Lattice const& lattice);

  /// Up the tree. Whether inlet and outlet are joined.
  bool join();
  /// Pieces of this rank.
  int pieces() const;
  /// Down the tree, once: f(number, place, cells, marks) for each piece of this rank, by several threads.
  using MarkPiece = std::function<void(int number, PieceReader::Place const&, PieceBits const&, PieceMarks const&)>;
  void mark(MarkPiece const& f);

 private:
  struct Region {
    std::variant<PieceRecord, JoinRecord> record;
    Reduced reduced;  ///< until it is joined or sent
    Answers answers;
  };

  bool mine(int node) const { return tree_.nodes()[node].owner == layout_.comm().rank(); }
  void reduce_pieces();
  void join_level(std::vector<int> const& level);
  void answer_level(std::vector<int> const& level);

  core::Layout const& layout_;
  std::vector<core::Index> directions_;
  Tree tree_;
  Places places_;
  PieceReader reader_;
  std::map<int, Region> regions_;  ///< of this rank, and on their way
};

}  // namespace tessera::ca::blocks
