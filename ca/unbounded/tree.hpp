// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/leaf.hpp"
#include "ca/unbounded/plane.hpp"
#include "ca/unbounded/pool.hpp"

#include <array>
#include <map>
#include <tuple>

namespace tessera::ca::unbounded {

/// Cells as a tree of squares, each of 2^level x 2^level cells in four parts, and HashLife: equal squares are one, and what becomes of
/// the middle of a square is computed once. The middle of all, the corner of the cell (0, 0), is the middle of the root.
///
/// A square of level L knows its middle of half its side after 2^min(L - 2, k) generations, made of those of nine squares of half its side
/// and of the four that these form. Where generations are less than that, the four are taken as they are.
/// Memory: 28 B a square, 16 B a leaf, and some 6 B to find it; what no longer belongs to the cells is thrown away where `memory` is
/// used up, results last.
///
/// Source: R. W. Gosper 1984, Physica D 10:75; T. Rokicki 2006, "An algorithm for compressing space and time", for generations that are
/// less.
class Tree {
 public:
  /// Of a square; 0 is none.
  using Number = std::uint32_t;
  using Four = std::array<Number, 4>;  ///< lower left, lower right, upper left, upper right
  static constexpr int highest = 62;   ///< level: numbers of cells are less than 2^61

  Tree(std::unique_ptr<LeafRule> rule, double memory);

  LeafRule const& rule() const { return *rule_; }
  /// Sets cells, which come back in another order.
  void put(std::span<Cell> cells);
  /// Cells of a box become 0. Cost: that of the different squares that its sides cross.
  void erase(core::Box const& box);
  /// Squares from the smallest one on, which are there until cells are put or advance: of 8 x 8 states, row by row from below,
  /// and of four of equal level.
  Number square_of(std::array<std::uint8_t, 64> const& states);
  Number square(Four const& parts);
  /// The cells of a square, whose middle is that of all, are added, where all is 0 so far.
  void add(Number square);
  /// The other way round: hands each square over once, after its parts, and all cells last; the numbers are those of who takes them, 0 a
  /// square all of whose cells are 0, of which none is handed over.
  struct Taker {
    std::function<Number(LeafForm::Word)> of_bits;           ///< of 8 x 8 cells of two states
    std::function<Number(int level, Four const&)> of_parts;  ///< of states at level 1, where cells have more states
  };
  void hand_over(Taker const& taker) const;

  /// 2^k generations. Returns whether anything is other than before. Throws core::RunError where the memory is too little, and where
  /// life comes to cells beyond 2^61.
  bool advance(int k);

  /// Cells of each state; those of 0 are not counted.
  std::array<Population, 256> census() const;
  std::optional<core::Box> box() const;
  std::uint64_t hash() const;  ///< PlaceHash
  void for_cells(std::function<void(Cell const&)> const& f) const;

  std::int64_t squares() const { return static_cast<std::int64_t>(squares_.size() + leaves_.size()); }
  /// [B].
  std::int64_t most_bytes() const { return static_cast<std::int64_t>(std::max(most_bytes_, bytes())); }
  std::int64_t collections() const { return collections_; }
  std::int64_t updates() const { return updates_; }  ///< cells of leaves times generations

 private:
  struct Square {
    Four parts{};
    Number later = 0, next = 0;  // later: its middle after 2^step generations
    std::uint8_t level = 0, step = 0;
    bool kept = false;
    std::size_t hash() const;
    bool same(Square const& other) const { return parts == other.parts; }
  };
  struct Leaf {
    LeafForm::Word cells = 0;
    Number next = 0;
    bool kept = false;
    std::size_t hash() const;
    bool same(Leaf const& other) const { return cells == other.cells; }
  };
  /// Of a square the cells in a box, which counts from its lower left one.
  using Part = std::tuple<Number, core::Count, core::Count, core::Count, core::Count>;
  /// Numbers of leaves have this bit.
  static constexpr Number of_leaf = Number{1} << 31;
  static bool is_leaf(Number n) { return (n & of_leaf) != 0; }

  Number leaf(LeafForm::Word cells) { return of_leaf | leaves_.find({.cells = cells}); }
  LeafForm::Word cells(Number leaf) const { return leaves_[leaf & ~of_leaf].cells; }
  Four const& parts(Number square) const { return squares_[square].parts; }
  int level(Number n) const { return is_leaf(n) ? form_.level : squares_[n].level; }
  Number empty(int level);

  Number grown(Number square);
  void grow() { root_ = grown(root_); }
  void shrink();
  bool is_within_half();
  Number sum(Number a, Number b, std::map<std::array<Number, 2>, Number>& known);
  Number erased(Number square, core::Box const& box, std::map<Part, Number>& known);
  Number laid(Number square, core::Count i0, core::Count j0, std::span<Cell> cells);
  Number later(Number square);
  Number middle_of(Four const& squares);
  Number hold(Number n);

  double bytes() const { return squares_.bytes() + leaves_.bytes(); }
  bool is_full() const;
  void collect();
  double mark(bool results);
  template <class T, class OfLeaf, class Join>
  T fold(OfLeaf const& of_leaf, Join const& join) const;

  std::unique_ptr<LeafRule> rule_;
  LeafForm form_;
  double memory_;
  Pool<Square> squares_;
  Pool<Leaf> leaves_;
  std::vector<Number> empties_;  // by level
  std::vector<Number> held_;     // that are being worked on
  Number root_ = 0;
  int k_ = 0;
  double most_bytes_ = 0;
  std::int64_t collections_ = 0, updates_ = 0;
};

}  // namespace tessera::ca::unbounded
