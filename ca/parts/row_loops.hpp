// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops over one row that find and measure the parts of clusters (kernels.hpp), made of the primitives of bits.hpp.
#include "ca/parts/bits.hpp"
#include "ca/parts/kernels.hpp"

namespace tessera::ca::parts {

/// Words whose runs are listed at once, so that the lists stay small.
inline constexpr int row_chunk = 8;

template <class Bits>
void join_row(Contacts const* contacts, int words, Id last, Id last_below, Id* parent, Id* scratch) {
  // pairs are listed, then worked off: no loop whose end is hard to foresee runs for a single word
  std::size_t const room = 64 * static_cast<std::size_t>(words) + 64;
  Id* const first = scratch;
  Id *const first_below = first + room, *const later = first + 2 * room, *const later_below = first + 3 * room;
  Id firsts = 0, laters = 0;
  for (int w = 0; w < words; ++w) {
    Contacts const& at = contacts[w];
    auto const here = Bits::counts(at.starts, at.more), below = Bits::counts(at.starts_below, at.more_below);
    firsts += Bits::join_first(at.first, here, last, first + firsts, below, last_below, first_below + firsts, parent);
    laters += Bits::list_pairs(at.later, here, last, later + laters, below, last_below, later_below + laters);
    last += static_cast<Id>(std::popcount(at.starts) + std::popcount(at.more));
    last_below += static_cast<Id>(std::popcount(at.starts_below) + std::popcount(at.more_below));
  }
  for (Id k = 0; k < firsts; ++k) parent[first[k]] = parent[parent[first_below[k]]];
  for (Id k = 0; k < laters; ++k) unite(parent, later_below[k], later[k]);
}

template <class Bits>
Id number(Id* parent, Id n) {
  return Bits::number(parent, 0, n, 0, nullptr, nullptr);
}

template <class Bits>
Id number_row(Word const* starts, int words, Id n, Id* parent, Id count, std::uint32_t* columns) {
  std::uint32_t column[32 * row_chunk + 32];
  for (int w0 = 0; w0 < words; w0 += row_chunk) {
    Id runs = 0;
    for (int w = w0; w < w0 + row_chunk && w < words; ++w) runs += Bits::list_bits(starts[w], 64 * w, column + runs);
    Id const roots = Bits::number(parent, n, runs, count, column, columns);
    columns += roots;
    count += roots;
    n += runs;
  }
  return count;
}

template <class Bits>
void add_cells(Word const* row, Word const* starts, int words, Id const* of, std::uint32_t* cells) {
  std::uint32_t begin[32 * row_chunk + 48], end[32 * row_chunk + 48];
  Id open = 0;
  begin[0] = 0;  // begins of runs that go on into the next words come first there
  for (int w0 = 0; w0 < words; w0 += row_chunk) {
    Id begins = open, ends = 0;
    for (int w = w0; w < w0 + row_chunk && w < words; ++w) {
      begins += Bits::list_bits(starts[w], 64 * w, begin + begins);
      ends += Bits::list_bits(row[w] & ~Line{row, words}.right(w), 64 * w, end + ends);
    }
    for (Id k = 0; k < ends; ++k) cells[of[k]] += end[k] + 1 - begin[k];
    of += ends;
    open = begins - ends;
    begin[0] = begin[ends];
  }
}

}  // namespace tessera::ca::parts
