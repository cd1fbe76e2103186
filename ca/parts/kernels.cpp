// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/row_loops.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
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

void unpack_row(Word const* row, int n, std::uint8_t* cells, bool) {
  int w = 0;
  for (; 64 * w + 64 <= n; ++w) unpack_64(row[w], cells + 64 * w);
  if (64 * w == n) return;
  std::uint8_t block[64];
  unpack_64(row[w], block);
  std::copy_n(block, n - 64 * w, cells + 64 * w);
}

void relabel(Id* of, Id n, Id const* value) {
  for (Id k = 0; k < n; ++k) of[k] = value[of[k]];
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

/// Eight cells get the labels at[count[x]] where bit x of `cells` is set, else 0; count[x] <= 4.
template <class Label>
void write_eight(Label const* at, std::uint8_t const* count, unsigned cells, Label* to) {
  for (int x = 0; x < 8; ++x) to[x] = at[count[x]] & -static_cast<Label>(cells >> x & 1);
}

#if defined(__AVX2__) && !defined(__clang__)  // which has no permutation by a vector
void write_eight(std::int32_t const* at, std::uint8_t const* count, unsigned cells, std::int32_t* to) {
  using Eight = std::int32_t __attribute__((vector_size(32)));
  using Bytes = std::uint8_t __attribute__((vector_size(8)));
  Eight labels;
  Bytes number;
  std::memcpy(&labels, at, sizeof labels);
  std::memcpy(&number, count, sizeof number);
  Eight const set = ((Eight{} + static_cast<std::int32_t>(cells)) & Eight{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
  labels = __builtin_shuffle(labels, __builtin_convertvector(number, Eight)) & set;
  std::memcpy(to, &labels, sizeof labels);
}
#endif

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
      Label* const to = out + 64 * w + q;
      if (64 * w + q + 8 <= ni) {
        write_eight(at, count, c, to);
      } else {
        Label chunk[8];
        write_eight(at, count, c, chunk);
        std::copy_n(chunk, ni - 64 * w - q, to);
      }
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

bool portable_wanted() {
  static char const* const wanted = std::getenv("TESSERA_KERNELS");
  static bool const portable = wanted != nullptr && std::string_view(wanted) == "portable";
  return portable;
}

Kernels const& portable_kernels() {
  static constexpr Kernels table{join_row<PlainBits>,
                                 pack_row,
                                 unpack_row,
                                 number<PlainBits>,
                                 number_row<PlainBits>,
                                 relabel,
                                 add_cells<PlainBits>,
                                 deal,
                                 write_row<std::int32_t>,
                                 write_row<std::int64_t>};
  return table;
}

}  // namespace tessera::ca::parts
