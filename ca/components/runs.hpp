// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/components/bit_tile.hpp"

#include <utility>

namespace tessera::ca::components {

/// Number of a run, a node or a component within a tile.
using Id = std::uint32_t;

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

/// Room that `join_runs` needs for the parents of a tile.
inline std::size_t most_runs(BitTile const& tile) { return tile.bits.size() * 32 + 32; }

/// Finds the runs of a tile and joins those that touch, with 4 or 8 neighbours. `parent` has room for `most_runs`.
///
/// A contact is one bit for each touching pair of an upper and a lower run, at the later of the two starts; with 8
/// neighbours each run is thought one cell longer to the right. The first contact of a lower run links it without a
/// search, P[lower] = P[P[upper]]; the others are unions. Which contacts come first, one addition with carry tells:
/// adding the contacts to the runs turns a run's bits off from its first contact onwards.
/// Cost: about 1 ns a cell near the percolation threshold.
template <bool eight>
void join_runs(BitTile const& tile, Runs& runs, Id* parent) {
  runs.rows = tile.rows();
  runs.words = tile.words;
  runs.starts.resize(tile.bits.size());
  runs.before.resize(tile.bits.size() + 1);
  Id n = 0;
  for (int r = 0; r < runs.rows; ++r) {
    Word const* const row = tile.row(r);
    std::size_t const at = runs.word(r, 0), below = r > 0 ? runs.word(r - 1, 0) : 0;
    Word last = 0, last_below = 0, carry = 0;
    for (int w = 0; w < runs.words; ++w) {
      Word const c = row[w], shifted = c << 1 | last, s = c & ~shifted;
      last = c >> 63;
      runs.starts[at + static_cast<std::size_t>(w)] = s;
      runs.before[at + static_cast<std::size_t>(w)] = n;
      for (Id q = 0; q < 32; ++q) parent[n + q] = n + q;
      if (r > 0) {
        Word const u = row[w - runs.words], shifted_below = u << 1 | last_below;
        last_below = u >> 63;
        Word const t = runs.starts[below + static_cast<std::size_t>(w)];
        Word const contacts = eight ? (u | shifted_below) & (c | shifted) & (s | t) : u & c & (s | t);
        Word const sum = add_with_carry(c, contacts & c, carry);
        Id const upper = runs.before[below + static_cast<std::size_t>(w)] - 1, lower = n - 1;
        for (Word first = contacts & ~sum; first != 0; first &= first - 1) {
          Word const m = through_lowest(first);
          parent[lower + static_cast<Id>(std::popcount(s & m))] =
              parent[parent[upper + static_cast<Id>(std::popcount(t & m))]];
        }
        for (Word later = contacts & sum; later != 0; later &= later - 1) {
          Word const m = through_lowest(later);
          unite(parent, upper + static_cast<Id>(std::popcount(t & m)), lower + static_cast<Id>(std::popcount(s & m)));
        }
      }
      n += static_cast<Id>(std::popcount(s));
    }
  }
  runs.before.back() = n;
}

/// Writes the positions of the set bits, base + bit number, and returns their number. Writes up to 7 entries more.
inline int positions(Word bits, int base, int* out) {
  int const n = std::popcount(bits);
  for (int k = 0; k < n; k += 8)
    for (int q = 0; q < 8; ++q, bits &= bits - 1) out[k + q] = base + std::countr_zero(bits);
  return n;
}

/// Calls f(run, first bit) for the runs of a row, left to right.
template <class F>
void for_each_run_start(BitTile const& tile, Runs const& runs, int r, std::vector<int>& scratch, F const& f) {
  scratch.resize(static_cast<std::size_t>(tile.words) * 32 + 16);
  int n = 0;
  for (int w = 0; w < tile.words; ++w) n += positions(runs.starts[runs.word(r, 64 * w)], 64 * w, scratch.data() + n);
  Id const first = runs.begin_of_row(r);
  for (int k = 0; k < n; ++k) f(first + static_cast<Id>(k), scratch[static_cast<std::size_t>(k)]);
}

/// Calls f(run, first bit, last bit) for the runs of a row, left to right. `scratch` is any vector, kept between rows.
template <class F>
void for_each_run(BitTile const& tile, Runs const& runs, int r, std::vector<int>& scratch, F const& f) {
  std::size_t const half = static_cast<std::size_t>(tile.words) * 32 + 16;
  scratch.resize(2 * half);
  int* const begin = scratch.data();
  int* const end = scratch.data() + half;
  Word const* const row = tile.row(r);
  int n = 0, m = 0;
  for (int w = 0; w < tile.words; ++w) {
    Word const next = w + 1 < tile.words ? row[w + 1] << 63 : 0;
    n += positions(runs.starts[runs.word(r, 64 * w)], 64 * w, begin + n);
    m += positions(row[w] & ~(row[w] >> 1 | next), 64 * w, end + m);
  }
  Id const first = runs.begin_of_row(r);
  for (int k = 0; k < n; ++k) f(first + static_cast<Id>(k), begin[k], end[k]);
}

}  // namespace tessera::ca::components
