// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/bit_tile.hpp"
#include "ca/parts/record.hpp"

#include <utility>

namespace tessera::ca::parts {

/// Union-find in which a parent is never larger than its child: the root is the smallest, first in raster order.
inline void unite(Id* parent, Id a, Id b) {
  // nearly always both roots are at most two steps away: then no branch asks which is the smaller, or if they are one
  Id pa = parent[parent[a]], pb = parent[parent[b]];
  if ((parent[pa] == pa) & (parent[pb] == pb)) [[likely]] {
    parent[pa > pb ? pa : pb] = pa > pb ? pb : pa;
    return;
  }
  // Rem's algorithm with splicing
  pa = parent[a];
  pb = parent[b];
  while (pa != pb) {
    if (pa < pb) {
      std::swap(a, b);
      std::swap(pa, pb);
    }
    parent[a] = pb;
    if (a == pa) return;
    a = pa;
    pa = parent[a];
  }
}

/// The runs of set bits of a tile's rows, numbered in raster order. No list of them is kept: the number of the run at
/// or left of a bit is a count of starts.
struct Runs {
  int rows = 0, words = 0;
  bool single = false;       ///< each cell is a run of its own
  std::vector<Word> starts;  ///< a bit for the first cell of each run
  std::vector<Id> before;    ///< runs that start before a word; one more entry at the end

  std::size_t word(int r, int x) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(words) + static_cast<std::size_t>(x >> 6);
  }
  Id count() const { return before.back(); }
  Id begin_of_row(int r) const { return before[word(r, 0)]; }
  Id end_of_row(int r) const { return before[word(r + 1, 0)]; }
  /// The run that holds bit x of row r, or the last one before it.
  Id at(int r, int x) const {
    std::size_t const w = word(r, x);
    return before[w] + static_cast<Id>(std::popcount(starts[w] & through(x))) - 1;
  }
};

/// Finds the runs of a tile, or takes each cell as one; each is its own parent. `parent` gets room for 64 entries more.
void find_runs(BitTile const& tile, Runs& runs, std::vector<Id>& parent, bool single = false);

/// Writes the positions of the set bits, base + bit number, and returns their number. Writes up to 7 entries more.
inline int positions(Word bits, int base, int* out) {
  int const n = std::popcount(bits);
  for (int k = 0; k < n; k += 8)
    for (int q = 0; q < 8; ++q, bits &= bits - 1) out[k + q] = base + std::countr_zero(bits);
  return n;
}

/// Calls f(run, first bit, last bit) for the runs of a row, left to right. `scratch` is any vector, kept between rows.
template <class F>
void for_each_run(BitTile const& tile, Runs const& runs, int r, std::vector<int>& scratch, F const& f) {
  std::size_t const half = static_cast<std::size_t>(tile.words) * 32 + 16;
  scratch.resize(2 * half);
  int* const begin = scratch.data();
  int* const end = scratch.data() + half;
  Line const row = tile.line(r);
  int n = 0, m = 0;
  for (int w = 0; w < tile.words; ++w) {
    n += positions(runs.starts[runs.word(r, 64 * w)], 64 * w, begin + n);
    m += positions(row[w] & ~row.right(w), 64 * w, end + m);
  }
  Id const first = runs.begin_of_row(r);
  for (int k = 0; k < n; ++k) f(first + static_cast<Id>(k), begin[k], end[k]);
}

}  // namespace tessera::ca::parts
