// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"

#include <algorithm>
#include <vector>

namespace tessera::ca::parts {
namespace {

/// For each byte of starts: the number of starts in bits 0 .. x.
struct StartCounts {
  alignas(64) std::uint8_t of[256][8] = {};
  constexpr StartCounts() {
    for (int byte = 0; byte < 256; ++byte)
      for (int x = 0, n = 0; x < 8; ++x) of[byte][x] = static_cast<std::uint8_t>(n += byte >> x & 1);
  }
};
constexpr StartCounts counts;

void pack_row(std::uint8_t const* cells, std::uint8_t wanted, int n, Word* row) {
  for (int w = 0; 64 * w < n; ++w) row[w] = pack_64(cells + 64 * w, wanted) & BitTile::below(w, n);
}

void unpack_row(Word const* row, int n, std::uint8_t* cells) {
  int w = 0;
  for (; 64 * w + 64 <= n; ++w) unpack_64(row[w], cells + 64 * w);
  if (64 * w == n) return;
  std::uint8_t block[64];
  unpack_64(row[w], block);
  std::copy_n(block, n - 64 * w, cells + 64 * w);
}

void join_row(Contacts const* contacts, int words, Id last, Id last_below, Id* parent, Id* scratch) {
  Id* later = scratch;
  for (int w = 0; w < words; ++w) {
    Contacts const& at = contacts[w];
    auto const here = [&](Word m) {
      return last + static_cast<Id>(std::popcount(at.starts & m) + std::popcount(at.more & m));
    };
    auto const below = [&](Word m) {
      return last_below + static_cast<Id>(std::popcount(at.starts_below & m) + std::popcount(at.more_below & m));
    };
    for (Word q = at.first; q != 0; q &= q - 1) {
      Word const m = through_lowest(q);
      parent[here(m)] = parent[parent[below(m)]];
    }
    for (Word q = at.later; q != 0; q &= q - 1) {
      Word const m = through_lowest(q);
      *later++ = below(m);
      *later++ = here(m);
    }
    last = here(~Word{0});
    last_below = below(~Word{0});
  }
  for (Id const* pair = scratch; pair != later; pair += 2) unite(parent, pair[0], pair[1]);
}

Id number(Id* parent, Id n) {
  Id count = 0;
  for (Id k = 0; k < n; ++k) {
    Id const p = parent[k];
    bool const root = p == k;
    Id const fresh = -static_cast<Id>(root);
    parent[k] = (count & fresh) | (parent[p] & ~fresh);
    count += root;
  }
  return count;
}

Id number_row(Word const* starts, int words, Id n, Id* parent, Id count, std::uint32_t* columns) {
  int position[64 + 8];
  for (int w = 0; w < words; ++w) {
    int const runs = positions(starts[w], 64 * w, position);
    for (int k = 0; k < runs; ++k, ++n) {
      // written for every run, kept for roots: no branch asks which they are
      *columns = static_cast<std::uint32_t>(position[k]);
      Id const p = parent[n];
      bool const root = p == n;
      Id const fresh = -static_cast<Id>(root);
      parent[n] = (count & fresh) | (parent[p] & ~fresh);
      count += root;
      columns += root;
    }
  }
  return count;
}

void relabel(Id* of, Id n, Id const* value) {
  for (Id k = 0; k < n; ++k) of[k] = value[of[k]];
}

void add_cells(Word const* row, Word const* starts, int words, Id const* of, std::uint32_t* cells) {
  int begin[64 + 8], end[64 + 8];
  int open = 0;
  begin[0] = 0;  // begins of runs that go on into the next word come first there
  for (int w = 0; w < words; ++w) {
    Word const next = w + 1 < words ? row[w + 1] << 63 : 0;
    int const begins = open + positions(starts[w], 64 * w, begin + open);
    int const ends = positions(row[w] & ~(row[w] >> 1 | next), 64 * w, end);
    for (int k = 0; k < ends; ++k) cells[*of++] += static_cast<std::uint32_t>(end[k] - begin[k] + 1);
    open = begins - ends;
    begin[0] = begin[ends];
  }
}

void deal(Word const* chosen, Id n, Word const* starts, Word const* more, int words, Word* to_starts, Word* to_more) {
  auto const next = [&] {
    Word const bit = chosen[n / 64] >> (n % 64) & 1;
    ++n;
    return -bit;
  };
  for (int w = 0; w < words; ++w) {
    Word const s = starts[w], m = more != nullptr ? more[w] : 0;
    Word first = 0, second = 0;
    for (Word q = s | m; q != 0; q &= q - 1) {
      Word const bit = q & -q;
      if (m == 0 || s & bit) first |= bit & next();
      if (m & bit) second |= bit & next();
    }
    to_starts[w] = first;
    if (more != nullptr) to_more[w] = second;
  }
}

template <class Label>
void write_row(Word const* row, Word const* starts, int ni, Id const* of, Label const* value, Label* scratch,
               Label* out) {
  int const words = (ni + 63) / 64;
  Label* end = scratch + 1;
  for (int w = 0; w < words; ++w)
    for (int n = std::popcount(starts[w]); n > 0; --n) *end++ = value[*of++];

  // runs are counted on, eight cells at a time
  Label const* at = scratch;
  for (int w = 0; w < words; ++w) {
    Word const cells = row[w], first = starts[w];
    for (int q = 0; q < 64 && 64 * w + q < ni; q += 8) {
      unsigned const c = cells >> q & 0xff;
      std::uint8_t const* const count = counts.of[first >> q & 0xff];
      Label chunk[8];
      for (int x = 0; x < 8; ++x) chunk[x] = at[count[x]] & -static_cast<Label>(c >> x & 1);
      Label* const to = out + 64 * w + q;
      if (64 * w + q + 8 <= ni)
        std::copy_n(chunk, 8, to);
      else
        std::copy_n(chunk, ni - 64 * w - q, to);
      at += count[7];
    }
  }
}

}  // namespace

void choose(Id const* of, Id n, std::uint8_t const* in, Word* chosen) {
  Id k = 0;
  for (; k + 64 <= n; k += 64) {
    Word bits = 0;
    for (Id q = 0; q < 64; q += 8) {  // eight at a time, as bytes of a word, drawn together by a product
      Word eight = 0;
      for (Id x = 0; x < 8; ++x) eight |= static_cast<Word>(in[of[k + q + x]]) << (8 * x);
      bits |= (eight * 0x0102040810204080u >> 56) << q;
    }
    chosen[k / 64] = bits;
  }
  if (k < n) chosen[k / 64] = 0;
  for (; k < n; ++k) chosen[k / 64] |= static_cast<Word>(in[of[k]]) << (k % 64);
}

Kernels const& portable_kernels() {
  static constexpr Kernels table{join_row,
                                 pack_row,
                                 unpack_row,
                                 number,
                                 number_row,
                                 relabel,
                                 add_cells,
                                 deal,
                                 write_row<std::int32_t>,
                                 write_row<std::int64_t>};
  return table;
}

}  // namespace tessera::ca::parts
