// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the loops over rows of bits are made of, for any processor. bits.avx512.hpp has the same for wide vectors; the
// loops themselves are written once, in row_loops.hpp and ca/plane/medium_loops.hpp.
#include "ca/parts/runs.hpp"

#include <vector>

namespace tessera::ca::parts {

struct PlainBits {
  /// Cells of a row that are worked on together. A block with fewer words than it has room for holds zeros there.
  struct Block {
    static constexpr int words = 1;
    Word v = 0;
    static Block load(Word const* from, int) { return {*from}; }
    void store(Word* to, int) const { *to = v; }
    friend Block operator&(Block a, Block b) { return {a.v & b.v}; }
    friend Block operator|(Block a, Block b) { return {a.v | b.v}; }
    /// Bit x: bit x - 1 of the row, where `before` is the block before this one; bit x + 1.
    Block left(Block before) const { return {v << 1 | before.v >> 63}; }
    Block right(Block after) const { return {v >> 1 | after.v << 63}; }
  };

  /// The bits that begin runs in a word, some of them two: what numbers of runs are counted from.
  struct Counts {
    Word starts, more;
    Id up_to(Word m) const { return static_cast<Id>(std::popcount(starts & m) + std::popcount(more & m)); }
  };
  static Counts counts(Word starts, Word more = 0) { return {starts, more}; }

  /// Joins the runs of two rows at their first contacts `q`, as list_pairs finds them: at once, or they are listed for
  /// later. Returns how many are listed.
  static Id join_first(Word q, Counts const& a, Id last_a, Id*, Counts const& b, Id last_b, Id*, Id* parent) {
    for (; q != 0; q &= q - 1) {
      Word const m = through_lowest(q);
      parent[last_a + a.up_to(m)] = parent[parent[last_b + b.up_to(m)]];
    }
    return 0;
  }

  /// For each bit of `q`: the runs of two rows that are the last ones up to it, counted from `last_a` and `last_b`.
  /// Returns their number; writes up to 64 of each.
  static Id list_pairs(Word q, Counts const& a, Id last_a, Id* to_a, Counts const& b, Id last_b, Id* to_b) {
    Id n = 0;
    for (; q != 0; q &= q - 1, ++n) {
      Word const m = through_lowest(q);
      to_a[n] = last_a + a.up_to(m);
      to_b[n] = last_b + b.up_to(m);
    }
    return n;
  }

  /// Writes base + the positions of the set bits, of which 32 at most are set, and returns their number. Writes up to 32.
  static Id list_bits(Word bits, int base, std::uint32_t* out) {
    return static_cast<Id>(positions(bits, base, reinterpret_cast<int*>(out)));
  }

  /// Parts take the place of the parents of runs n .. n + runs - 1: a root opens part `count`, any other run has its
  /// parent's. The `column` of each root goes to `columns`. Returns the number of roots.
  static Id number(Id* parent, Id n, Id runs, Id count, std::uint32_t const* column, std::uint32_t* columns) {
    Id const before = count;
    for (Id k = 0; k < runs; ++k) {
      Id const p = parent[n + k];
      bool const root = p == n + k;
      Id const fresh = -static_cast<Id>(root);
      parent[n + k] = (count & fresh) | (parent[p] & ~fresh);
      count += root;
      if (column == nullptr) continue;
      // written for every run, kept for roots: no branch asks which they are
      *columns = column[k];
      columns += root;
    }
    return count - before;
  }

  /// Pairs of runs in a row's bits, and whether the numbers of their faces are equal.
  class Questions {
   public:
    /// Kept from row to row.
    using Room = std::vector<Word>;
    Questions(Room& room, int words, Id const* face) : face_(face) {
      room.resize(words);
      answers_ = room.data();
    }
    /// For each bit of `q` in word w: the last run of row a up to it, and of row b.
    void ask(int w, Word q, Counts const& a, Id last_a, Counts const& b, Id last_b) {
      Word equal = 0;
      for (; q != 0; q &= q - 1) {
        Word const m = through_lowest(q);
        equal |= (q & -q) & -static_cast<Word>(face_[last_a + a.up_to(m)] == face_[last_b + b.up_to(m)]);
      }
      answers_[w] = equal;
    }
    /// The last run up to it of row a, or of row b where `left` is set; the run after that of row a, or of row b where
    /// `right` is set.
    void ask_across(int w, Word q, Counts const& a, Id last_a, Counts const& b, Id last_b, Word left, Word right) {
      Word equal = 0;
      for (; q != 0; q &= q - 1) {
        Word const m = through_lowest(q), bit = q & -q;
        Id const in_a = last_a + a.up_to(m), in_b = last_b + b.up_to(m);
        equal |= bit & -static_cast<Word>(face_[left & bit ? in_b : in_a] == face_[(right & bit ? in_b : in_a) + 1]);
      }
      answers_[w] = equal;
    }
    void compare() {}
    /// The bits with equal faces, word by word from 0 on.
    Word answer(int w) { return answers_[w]; }

   private:
    Id const* face_;
    Word* answers_;
  };
};

}  // namespace tessera::ca::parts
