// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::ca::blocks {

/// Positions of cells as one number: bits for i, for j, for k.
class Places {
 public:
  explicit Places(core::Grid const& grid);
  std::uint64_t at(core::Index const& x) const {
    return static_cast<std::uint64_t>(x.i) | static_cast<std::uint64_t>(x.j) << j_ |
           static_cast<std::uint64_t>(x.k) << k_;
  }
  core::Index cell(std::uint64_t place) const {
    return {static_cast<core::Count>(place & ((std::uint64_t{1} << j_) - 1)),
            static_cast<core::Count>((place & ((std::uint64_t{1} << k_) - 1)) >> j_),
            static_cast<core::Count>(place >> k_)};
  }

 private:
  int j_, k_;
};

/// Pieces of tiles, which regions begin with, and the tree in which regions meet. It follows from the grid and the owners
/// of its tiles, alike on all ranks.
///
/// A piece is at most 62 cells wide, so that a row of it and of the cells beside it are a word. Where a region is one
/// rank's, up to 2 x 2 x 2 regions meet at once; elsewhere two, parted so that few ranks have to do with both.
class Tree {
 public:
  struct Node {
    core::Box box;
    int owner;                  ///< the rank that joins the children: that of most of the pieces
    int height = 0;             ///< 0: a piece
    std::vector<int> children;  ///< nodes; of a piece none
  };

  explicit Tree(core::Layout const& layout);

  std::vector<Node> const& nodes() const { return nodes_; }
  int root() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Nodes of each height in the order of their numbers.
  std::vector<std::vector<int>> const& levels() const { return levels_; }

  /// The piece `by` pieces further (each -1, 0 or 1), round periodic axes; -1 beyond the grid.
  int beside(int piece, core::Index const& by) const;

 private:
  using Corner = std::array<int, 3>;
  int piece_at(Corner const& p) const { return (p[2] * n_[1] + p[1]) * n_[0] + p[0]; }
  int build(Corner const& lo, Corner const& hi);
  Corner cut(Corner const& lo, Corner const& hi, bool mixed) const;
  void add(Node node);

  core::Layout const& layout_;
  Corner n_{};                                     ///< pieces along each axis
  std::array<std::vector<core::Count>, 3> faces_;  ///< between them
  std::vector<Node> nodes_;                        ///< pieces first, in raster order
  std::vector<std::vector<int>> levels_;
};

}  // namespace tessera::ca::blocks
