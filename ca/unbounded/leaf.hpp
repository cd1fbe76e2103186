// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera::ca::unbounded {

/// The smallest square of a tree, in a word: 2^level x 2^level cells of `bits` each, row by row from below.
struct LeafForm {
  using Word = std::uint64_t;
  int level, bits;

  int side() const { return 1 << level; }
  int place(int i, int j) const { return ((j << level) + i) * bits; }
  Word mask() const { return (Word{1} << bits) - 1; }
  void set(Word& leaf, int i, int j, std::uint8_t state) const {
    leaf = (leaf & ~(mask() << place(i, j))) | static_cast<Word>(state) << place(i, j);
  }
  /// Calls f(i, j, state) for each cell that is not 0.
  template <class F>
  void for_cells(Word leaf, F const& f) const {
    while (leaf != 0) {
      int const cell = std::countr_zero(leaf) / bits;
      auto const state = static_cast<std::uint8_t>(leaf >> (cell * bits) & mask());
      f(cell & (side() - 1), cell >> level, state);
      leaf &= ~(mask() << (cell * bits));
    }
  }
};

/// What computes squares of leaves. It looks one cell far.
class LeafRule {
 public:
  using Word = LeafForm::Word;
  /// Two by two leaves: lower left, lower right, upper left, upper right.
  using Four = std::array<Word, 4>;
  virtual ~LeafRule() = default;
  virtual LeafForm form() const = 0;
  virtual int states() const = 0;
  /// The leaf in the middle of four, so many generations later: 0, or a power of 2 up to 2^(level - 1).
  virtual Word advance(Four const& leaves, int generations) = 0;
};

/// 8 x 8 cells of a bit for rules such as B3/S23, else 2 x 2 cells of a byte, by the rule's automaton. Throws core::Error at the entry
/// `rule` of `properties` for what is not for an unbounded plane, and for a rule that looks farther than one cell.
std::unique_ptr<LeafRule> make_leaf_rule(std::string const& rule, core::Dictionary& properties);

}  // namespace tessera::ca::unbounded
