// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"
#include "ca/plane/blocks.hpp"

namespace tessera::ca::percolation {
namespace {

using parts::through_lowest;

/// A row of black bits with its neighbours to the left and right, and the white runs of the row.
struct Line {
  Word const* bits;
  Word const* starts;
  Id const* before;
  int words;

  Line(BitTile const& black, parts::Runs const& white, int r)
      : bits(black.row(r)),
        starts(white.starts.data() + white.word(r, 0)),
        before(white.before.data() + white.word(r, 0)),
        words(black.words) {}
  Word at(int w) const { return bits[w]; }
  Word left(int w) const { return bits[w] << 1 | (w > 0 ? bits[w - 1] >> 63 : 0); }
  Word right(int w) const { return bits[w] >> 1 | (w + 1 < words ? bits[w + 1] << 63 : 0); }
  /// Number of the last white run that starts in the bits m (from bit 0 on) of word w, or before the word.
  Id run(int w, Word m) const { return before[w] + static_cast<Id>(std::popcount(starts[w] & m)) - 1; }
};

/// Bits of `candidates` for which same(bits up to this one, this bit) holds.
template <class F>
Word filter(Word candidates, F const& same) {
  Word result = 0;
  for (Word q = candidates; q != 0; q &= q - 1)
    result |= (q & -q) & -static_cast<Word>(same(through_lowest(q), q & -q));
  return result;
}

/// Edges between columns in one word of a row: dead if the face below is the face above. A white cell beside the edge,
/// at x - 1 or x, lies in the last white run up to x.
Word live_beside(Line const& below, Line const& here, Line const& above, int w, Word mask,
                 std::vector<Id> const& face) {
  Word const edges = here.at(w) & here.left(w) & mask;
  Word const open = edges & ~(below.at(w) & below.left(w)) & ~(above.at(w) & above.left(w));
  return edges & ~filter(open, [&](Word m, Word) { return face[below.run(w, m)] == face[above.run(w, m)]; });
}

/// Edges between two rows in one word: dead if the face on the left is the face on the right. The left face is the run
/// that ends at x - 1 in the lower row, or in the upper one where the lower is black there; the right one likewise.
Word live_below(Line const& below, Line const& here, int w, Word mask, std::vector<Id> const& face) {
  Word const edges = here.at(w) & below.at(w) & mask, left = below.left(w), right = below.right(w);
  Word const open = edges & ~(left & here.left(w)) & ~(right & here.right(w));
  return edges & ~filter(open, [&](Word m, Word bit) {
           Id const lower = below.run(w, m), upper = here.run(w, m);
           return face[left & bit ? upper : lower] == face[(right & bit ? upper : lower) + 1];
         });
}

}  // namespace

void classify_portable(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges) {
  for (BitTile* tile : {&edges.beside, &edges.below, &edges.split_a, &edges.split_b})
    tile->shape(black.ni, black.nj, 1);
  for (int r = 1; r <= black.nj + 1; ++r) {
    Line const below(black, white, r - 1), here(black, white, r);
    for (int w = 0; w < black.words; ++w) edges.below.row(r)[w] = live_below(below, here, w, black.own(w), face);
    if (r == black.nj + 1) break;
    Line const above(black, white, r + 1);
    for (int w = 0; w < black.words; ++w) {
      Word const own = black.own(w);
      edges.beside.row(r)[w] =
          live_beside(below, here, above, w, black.valid(w) & (w == 0 ? ~Word{1} : ~Word{0}), face);
      // four black neighbours, one white cluster in opposite corners
      Word const crossing = here.at(w) & here.left(w) & here.right(w) & below.at(w) & above.at(w) & own;
      Word const a = filter(crossing & ~below.right(w) & ~above.left(w),
                            [&](Word m, Word) { return face[below.run(w, m) + 1] == face[above.run(w, m)]; });
      Word const b = filter(crossing & ~below.left(w) & ~above.right(w),
                            [&](Word m, Word) { return face[below.run(w, m)] == face[above.run(w, m) + 1]; });
      edges.split_a.row(r)[w] = a;
      edges.split_b.row(r)[w] = b & ~a;
    }
  }
}

void classify(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges) {
  if (parts::wide_kernels() != nullptr)
    classify_wide(black, white, face, edges);
  else
    classify_portable(black, white, face, edges);
}

void articulation_cells(BitTile const& black, Edges const& edges, BitTile& out) {
  BitTile cells;
  cells.shape(black.ni, black.nj, 1);
  for (int r = 1; r <= black.nj; ++r) {
    Word const *const c = black.row(r), *const u = black.row(r - 1), *const d = black.row(r + 1);
    Word const *const beside = edges.beside.row(r), *const below = edges.below.row(r),
                      *const above = edges.below.row(r + 1);
    for (int w = 0; w < black.words; ++w) {
      bool const more = w + 1 < black.words;
      Word const left = c[w] & (c[w] << 1 | (w > 0 ? c[w - 1] >> 63 : 0)),
                 right = c[w] & (c[w] >> 1 | (more ? c[w + 1] << 63 : 0));
      Word const down = c[w] & u[w], up = c[w] & d[w];
      Word const two = (left & right) | (down & up) | ((left | right) & (down | up));
      // gaps with an arm between them have one face exactly if the arm is dead; opposite gaps if the cell is split
      Word const live_right = beside[w] >> 1 | (more ? beside[w + 1] << 63 : 0);
      Word const dead = (left & ~beside[w]) | (right & ~live_right) | (down & ~below[w]) | (up & ~above[w]);
      cells.row(r)[w] = ((two & dead) | edges.split_a.row(r)[w] | edges.split_b.row(r)[w]) & black.own(w);
    }
  }
  parts::drop_ring(cells, out);
}

bool red_cells(parts::TileParts const& faces, std::vector<std::uint8_t> const& flags, BitTile const& black,
               Place const& place, BitTile& out) {
  bool some_low = false, some_high = false;
  std::vector<std::uint8_t> in_low(flags.size()), in_high(flags.size());
  for (std::size_t c = 0; c < flags.size(); ++c) {
    some_low = some_low || flags[c] == low;
    some_high = some_high || flags[c] == high;
    in_low[c] = flags[c] == low;
    in_high[c] = flags[c] == high;
  }
  if (!some_low || !some_high) return false;
  BitTile lower, upper;
  parts::select(faces, in_low, lower);
  parts::select(faces, in_high, upper);
  auto const near = [](BitTile const& t, int r, int w) {
    Word result = 0;
    for (int row = r - 1; row <= r + 1; ++row) {
      Word const* const c = t.row(row);
      result |= c[w] | c[w] << 1 | c[w] >> 1 | (w > 0 ? c[w - 1] >> 63 : 0) | (w + 1 < t.words ? c[w + 1] << 63 : 0);
    }
    return result;
  };
  BitTile cells;
  cells.shape(black.ni, black.nj, 1);
  for (int r = 1; r <= black.nj; ++r)
    for (int w = 0; w < black.words; ++w)
      cells.row(r)[w] = black.row(r)[w] & black.own(w) & place.inner(r, w) & near(lower, r, w) & near(upper, r, w);
  parts::drop_ring(cells, out);
  return true;
}

}  // namespace tessera::ca::percolation
