// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"
#include "ca/plane/medium_loops.hpp"

namespace tessera::ca::percolation {

void classify_portable(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges) {
  classify_with<parts::PlainBits>(black, white, face, edges);
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
    parts::Line const c = black.line(r), d = black.line(r - 1), u = black.line(r + 1), beside = edges.beside.line(r),
                      below = edges.below.line(r), above = edges.below.line(r + 1);
    for (int w = 0; w < black.words; ++w) {
      Word const left = c[w] & c.left(w), right = c[w] & c.right(w), down = c[w] & d[w], up = c[w] & u[w];
      Word const two = (left & right) | (down & up) | ((left | right) & (down | up));
      // gaps with an arm between them have one face exactly if the arm is dead; opposite gaps if the cell is split
      Word const dead = (left & ~beside[w]) | (right & ~beside.right(w)) | (down & ~below[w]) | (up & ~above[w]);
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
      parts::Line const c = t.line(row);
      result |= c[w] | c.left(w) | c.right(w);
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
