// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops over the cells of a tile that take most of the time, made of the primitives of ca/parts/bits.hpp.
#include "ca/parts/bits.hpp"
#include "ca/plane/blocks.hpp"

#include <vector>

namespace tessera::ca::percolation {

/// One row of a sweep, block by block: the cells on the left of a block are done already, those on its right are not. Dead
/// ends along the row lose two cells. Words from `end` on stay.
template <class Bits>
void prune_row(BitTile& cells, int r, Word const* stay, int end) {
  using Block = typename Bits::Block;
  Word *const row = cells.row(r), *const below = cells.row(r - 1), *const above = cells.row(r + 1);
  int const words = cells.words;
  Block left{}, next = Block::load(row, words);
  for (int w = 0; w < end; w += Block::words) {
    int const n = words - w;
    Block right{};
    if (n > Block::words) right = Block::load(row + w + Block::words, n - Block::words);
    Block const d = Block::load(below + w, n), u = Block::load(above + w, n);
    Block const kept = (d & u) | Block::load(stay + w, n), some = d | u;
    Block c = next;
    for (int round = 0; round < 2; ++round) {
      Block const l = c.left(left), r2 = c.right(right);
      c = c & (kept | (l & r2) | (some & (l | r2)));
    }
    c.store(row + w, n);
    left = c;
    next = right;
  }
}

template <class Bits>
void prune_with(BitTile& cells) {
  // bits 0 and 1, ni and ni + 1 stay
  static thread_local std::vector<Word> stay;
  stay.resize(cells.words);
  for (int w = 0; w < cells.words; ++w) stay[w] = ~cells.own(w);
  stay[0] |= 2;
  stay[cells.ni >> 6] |= Word{1} << (cells.ni & 63);
  int const end = (cells.ni + 63) / 64;
  for (int r = 2; r < cells.nj; ++r) prune_row<Bits>(cells, r, stay.data(), end);
  for (int r = cells.nj - 1; r > 1; --r) prune_row<Bits>(cells, r, stay.data(), end);
  for (int r = 2; r < cells.nj; ++r) prune_row<Bits>(cells, r, stay.data(), end);
}

/// A row of black bits and its white runs.
struct FaceLine : parts::Line {
  Word const* starts;
  Id const* before;
  FaceLine(BitTile const& black, parts::Runs const& white, int r)
      : Line(black.line(r)),
        starts(white.starts.data() + white.word(r, 0)),
        before(white.before.data() + white.word(r, 0)) {}
  /// One less than the number of the first white run that starts in word w.
  Id last(int w) const { return before[w] - 1; }
  /// The last white run that starts in the bits m (from bit 0 on) of word w, or before the word.
  Id run(int w, Word m) const { return last(w) + static_cast<Id>(std::popcount(starts[w] & m)); }
};

/// Bits of `candidates` where the last runs of two rows up to the bit, some runs on, have one face.
inline Word same_face(Word candidates, FaceLine const& a, Id on_a, FaceLine const& b, Id on_b, int w, Id const* face) {
  Word result = 0;
  for (Word q = candidates; q != 0; q &= q - 1) {
    Word const m = parts::through_lowest(q);
    result |= (q & -q) & -static_cast<Word>(face[a.run(w, m) + on_a] == face[b.run(w, m) + on_b]);
  }
  return result;
}

/// Cells with four black neighbours and one face in opposite corners.
inline void find_split(BitTile const& black, FaceLine const& below, FaceLine const& here, FaceLine const& above,
                       Id const* face, Word* split_a, Word* split_b) {
  parts::BitsBefore here_before, below_before, above_before;
  for (int w = 0; w < black.words; ++w) {
    Word const c = here[w], d = below[w], u = above[w], dl = below_before(d), ul = above_before(u);
    Word const crossing = c & here_before(c) & here.right(w) & d & u & black.own(w);
    Word const a = same_face(crossing & ~below.right(w) & ~ul, below, 1, above, 0, w, face);
    split_a[w] = a;
    split_b[w] = same_face(crossing & ~dl & ~above.right(w), below, 0, above, 1, w, face) & ~a;
  }
}

/// See classify.
///
/// The left face of an upright edge, between the rows below and here, is the run that ends at x - 1 in the lower row, or in
/// the upper one where the lower is black there; the right one likewise. A white cell beside a level edge, at x - 1 or x
/// of the rows below and above, lies in the last white run up to x.
template <class Bits>
void classify_with(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges) {
  using Questions = typename Bits::Questions;
  static thread_local typename Questions::Room upright_room, level_room;
  for (BitTile* tile : {&edges.beside, &edges.below, &edges.split_a, &edges.split_b})
    tile->shape(black.ni, black.nj, 1);
  int const words = black.words;
  for (int r = 1; r <= black.nj + 1; ++r) {
    bool const last = r > black.nj;
    FaceLine const below(black, white, r - 1), here(black, white, r), above(black, white, last ? r : r + 1);
    Questions upright(upright_room, words, face.data()), level(level_room, words, face.data());
    parts::BitsBefore here_before, below_before, above_before;
    for (int w = 0; w < words; ++w) {
      Word const c = here[w], d = below[w], cl = here_before(c), dl = below_before(d), dr = below.right(w);
      auto const lower = Bits::counts(below.starts[w]);
      upright.ask_across(w, c & d & ~(cl & dl) & ~(here.right(w) & dr) & black.own(w), lower, below.last(w),
                         Bits::counts(here.starts[w]), here.last(w), dl, dr);
      if (last) continue;
      Word const u = above[w], edge = c & cl & black.valid(w) & (w == 0 ? ~Word{1} : ~Word{0});
      level.ask(w, edge & ~(d & dl) & ~(u & above_before(u)), lower, below.last(w), Bits::counts(above.starts[w]),
                above.last(w));
    }
    upright.compare();
    Word* const out_below = edges.below.row(r);
    for (int w = 0; w < words; ++w) out_below[w] = here[w] & below[w] & black.own(w) & ~upright.answer(w);
    if (last) break;
    level.compare();
    Word* const out_beside = edges.beside.row(r);
    parts::BitsBefore before;
    for (int w = 0; w < words; ++w) {
      Word const edge = here[w] & before(here[w]) & black.valid(w) & (w == 0 ? ~Word{1} : ~Word{0});
      out_beside[w] = edge & ~level.answer(w);
    }
    find_split(black, below, here, above, face.data(), edges.split_a.row(r), edges.split_b.row(r));
  }
}

}  // namespace tessera::ca::percolation
