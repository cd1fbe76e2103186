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
/// A piece is at most 62 cells wide, so that a row of it and of the cells beside it, as far as steps reach, are a word. Where a region is one
/// rank's, up to 2 x 2 x 2 regions meet at once; elsewhere two, parted so that few ranks have to do with both.
class Tree {
 public:
  struct Node {
    core::Box box;
    int owner;                  ///< the rank that joins the children: that of most of the pieces
    int height = 0;             ///< 0: a piece
    std::vector<int> children;  ///< nodes; of a piece none
  };

  /// Along one axis, cells of a piece and within reach of it that lie in one piece. On a periodic axis it may come many times.
  struct Span {
    int piece;          ///< along the axis
    core::Count at;     ///< the first cell, counted from the first of the piece that looks
    core::Count from;   ///< and counted from the first of the piece that it lies in
    core::Count cells;  ///< how many
  };

  /// `reach`: the longest steps.
  Tree(core::Layout const& layout, core::Index const& reach);

  std::vector<Node> const& nodes() const { return nodes_; }
  int root() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Nodes of each height in the order of their numbers.
  std::vector<std::vector<int>> const& levels() const { return levels_; }

  /// Calls f(other, x, y, z) for the cells within reach of a piece: number of the piece that they lie in, and where. The
  /// cells of the piece itself are left out, its images round periodic axes are not.
  template <class F>
  void for_each_beside(int piece, F const& f) const;

 private:
  using Corner = std::array<int, 3>;
  int piece_at(Corner const& p) const { return (p[2] * n_[1] + p[1]) * n_[0] + p[0]; }
  Corner corner(int piece) const { return {piece % n_[0], piece / n_[0] % n_[1], piece / n_[0] / n_[1]}; }
  /// Of a piece along an axis, its own first.
  std::vector<Span> spans(int here, std::size_t axis) const;
  int build(Corner const& lo, Corner const& hi);
  Corner cut(Corner const& lo, Corner const& hi, bool mixed) const;
  void add(Node node);

  core::Layout const& layout_;
  core::Index reach_;
  Corner n_{};                                     ///< pieces along each axis
  std::array<std::vector<core::Count>, 3> faces_;  ///< between them
  std::vector<Node> nodes_;                        ///< pieces first, in raster order
  std::vector<std::vector<int>> levels_;
};

template <class F>
void Tree::for_each_beside(int piece, F const& f) const {
  Corner const here = corner(piece);
  auto const along_x = spans(here[0], 0), along_y = spans(here[1], 1), along_z = spans(here[2], 2);
  for (Span const& z : along_z)
    for (Span const& y : along_y)
      for (Span const& x : along_x)
        if (&x != along_x.data() || &y != along_y.data() || &z != along_z.data())
          f(piece_at({x.piece, y.piece, z.piece}), x, y, z);
}

}  // namespace tessera::ca::blocks
