// SPDX-License-Identifier: Apache-2.0
#pragma once
// What bits.hpp has, for processors with AVX-512. For x86-64 and GCC or clang only; the includer asks. Functions from here
// on to the end of the including file are compiled for that processor, whatever the rest of the library is compiled for:
// headers of others come first.
#include "ca/parts/bits.hpp"

#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // wrong inside g++ 12's intrinsics (GCC bug 105593)
#if !defined(__clang__)
#pragma GCC target(                                                                                                    \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,bmi,bmi2,popcnt")
#else
// clang-format off
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,bmi,bmi2,popcnt"))), apply_to = function)
// clang-format on
#endif

namespace tessera::ca::parts {

inline __mmask16 first_lanes(Id n) { return n >= 16 ? 0xffff : static_cast<__mmask16>((1u << n) - 1); }
inline __m512i all_lanes(Id n) { return _mm512_set1_epi32(static_cast<int>(n)); }
inline __m512i lanes_from(Id n) {
  return _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), all_lanes(n));
}
inline Id count_bits(Word bits) { return static_cast<Id>(_mm_popcnt_u64(bits)); }

struct WideBits {
  struct Block {
    static constexpr int words = 8;
    __m512i v;
    static __mmask8 first_words(int n) { return n >= 8 ? 0xff : n <= 0 ? 0 : static_cast<__mmask8>((1u << n) - 1); }
    static Block load(Word const* from, int n) { return {_mm512_maskz_loadu_epi64(first_words(n), from)}; }
    void store(Word* to, int n) const { _mm512_mask_storeu_epi64(to, first_words(n), v); }
    // members: to friends that are defined in a class g++ does not give the target
    Block operator&(Block b) const { return {_mm512_and_si512(v, b.v)}; }
    Block operator|(Block b) const { return {_mm512_or_si512(v, b.v)}; }
    Block left(Block before) const {
      return {_mm512_or_si512(_mm512_slli_epi64(v, 1), _mm512_srli_epi64(_mm512_alignr_epi64(v, before.v, 7), 63))};
    }
    Block right(Block after) const {
      return {_mm512_or_si512(_mm512_srli_epi64(v, 1), _mm512_slli_epi64(_mm512_alignr_epi64(after.v, v, 1), 63))};
    }
  };

  /// Byte x: the number of runs that begin in bits 0 .. x.
  using Counts = __m512i;
  static Counts counts(Word starts) {
    __m512i const byte =
        _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                         0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    __m512i const up_to = _mm512_set1_epi64(static_cast<long long>(0xff7f3f1f0f070301));
    __m512i const all = _mm512_set1_epi64(static_cast<long long>(starts));
    __m512i const within = _mm512_popcnt_epi8(_mm512_and_si512(_mm512_shuffle_epi8(all, byte), up_to));
    // counts of the bytes, added up by a product: those before each byte
    auto const of_bytes =
        static_cast<Word>(_mm_cvtsi128_si64(_mm_popcnt_epi8(_mm_cvtsi64_si128(static_cast<long long>(starts)))));
    __m512i const before = _mm512_set1_epi64(static_cast<long long>((of_bytes * 0x0101010101010101) << 8));
    return _mm512_add_epi8(within, _mm512_shuffle_epi8(before, byte));
  }
  static Counts counts(Word starts, Word more) {
    Counts const first = counts(starts);
    return more == 0 ? first : _mm512_add_epi8(first, counts(more));
  }

  static Id join_first(Word q, Counts a, Id last_a, Id* to_a, Counts b, Id last_b, Id* to_b, Id*) {
    return list_pairs(q, a, last_a, to_a, b, last_b, to_b);
  }
  static Id list_pairs(Word q, Counts a, Id last_a, Id* to_a, Counts b, Id last_b, Id* to_b) {
    Id const n = count_bits(q);
    list_counts(q, n > 16, a, last_a, to_a);
    list_counts(q, n > 16, b, last_b, to_b);
    return n;
  }

  static Id list_bits(Word bits, int base, std::uint32_t* out) {
    __m512i const numbers =
        _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                         0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    __m512i const at = _mm512_maskz_compress_epi8(bits, numbers), from = _mm512_set1_epi32(base);
    store_16(_mm512_castsi512_si128(at), from, out);
    store_16(_mm512_extracti32x4_epi32(at, 1), from, out + 16);
    return count_bits(bits);
  }

  static Id number(Id* parent, Id n, Id runs, Id count, std::uint32_t const* column, std::uint32_t* columns) {
    Id const before = count;
    for (Id k = 0; k < runs; k += 16) {
      __mmask16 const root = number_16(parent, n + k, first_lanes(runs - k), count);
      Id const roots = count_bits(root);
      if (column != nullptr) {
        _mm512_storeu_si512(columns, _mm512_maskz_compress_epi32(root, _mm512_loadu_si512(column + k)));
        columns += roots;
      }
      count += roots;
    }
    return count - before;
  }

  /// Listed for a whole row, then compared: no loop whose end is hard to foresee runs for a single word.
  class Questions {
   public:
    struct Room {
      std::vector<Word> bits;
      std::vector<Id> a, b;
      std::vector<std::uint8_t> equal;
    };
    Questions(Room& room, int words, Id const* face) : face_(face) {
      if (std::size_t const n = 64 * static_cast<std::size_t>(words) + 128; room.a.size() < n) {
        room.bits.resize(words);
        room.a.resize(n);
        room.b.resize(n);
        room.equal.resize(n);
      }
      bits_ = room.bits.data();
      a_ = room.a.data();
      b_ = room.b.data();
      equal_ = room.equal.data();
    }
    void ask(int w, Word q, Counts a, Id last_a, Counts b, Id last_b) {
      bits_[w] = q;
      n_ += list_pairs(q, a, last_a, a_ + n_, b, last_b, b_ + n_);
    }
    void ask_across(int w, Word q, Counts a, Id last_a, Counts b, Id last_b, Word left, Word right) {
      bits_[w] = q;
      Id const n = count_bits(q);
      Id *const to_a = a_ + n_, *const to_b = b_ + n_;
      a = _mm512_maskz_compress_epi8(q, a);
      b = _mm512_maskz_compress_epi8(q, b);
      left = _pext_u64(left, q);
      right = _pext_u64(right, q);
      choose_16(_mm512_castsi512_si128(a), last_a, _mm512_castsi512_si128(b), last_b, left, right, to_a, to_b);
      if (n > 16) [[unlikely]] {
        choose_16(_mm512_extracti32x4_epi32(a, 1), last_a, _mm512_extracti32x4_epi32(b, 1), last_b, left >> 16,
                  right >> 16, to_a + 16, to_b + 16);
        choose_16(_mm512_extracti32x4_epi32(a, 2), last_a, _mm512_extracti32x4_epi32(b, 2), last_b, left >> 32,
                  right >> 32, to_a + 32, to_b + 32);
        choose_16(_mm512_extracti32x4_epi32(a, 3), last_a, _mm512_extracti32x4_epi32(b, 3), last_b, left >> 48,
                  right >> 48, to_a + 48, to_b + 48);
      }
      n_ += n;
    }
    /// Single loads: gathers take longer on some processors, and are no faster on the others.
    void compare() {
      Id const* const __restrict a = a_;
      Id const* const __restrict b = b_;
      Id const* const __restrict face = face_;
      std::uint8_t* const __restrict equal = equal_;
      // four at a time
      for (Id* runs : {a_, b_}) _mm_storeu_si128(reinterpret_cast<__m128i*>(runs + n_), _mm_setzero_si128());
      for (Id k = 0; k < n_; k += 4) {
        equal[k] = face[a[k]] == face[b[k]];
        equal[k + 1] = face[a[k + 1]] == face[b[k + 1]];
        equal[k + 2] = face[a[k + 2]] == face[b[k + 2]];
        equal[k + 3] = face[a[k + 3]] == face[b[k + 3]];
      }
      n_ = 0;
    }
    Word answer(int w) {
      Word const q = bits_[w];
      Word const bits = _mm512_test_epi8_mask(_mm512_loadu_si512(equal_ + n_), _mm512_set1_epi8(1));
      n_ += count_bits(q);
      return _pdep_u64(bits, q);
    }

   private:
    /// 16 runs counted from `last_a` by bytes of a, or from `last_b` by b where a bit is set: as `left` says, and the
    /// ones after them as `right` says.
    static void choose_16(__m128i a, Id last_a, __m128i b, Id last_b, Word left, Word right, Id* to_a, Id* to_b) {
      __m512i const in_a = _mm512_add_epi32(_mm512_cvtepu8_epi32(a), all_lanes(last_a));
      __m512i const in_b = _mm512_add_epi32(_mm512_cvtepu8_epi32(b), all_lanes(last_b));
      __m512i const on_right = _mm512_mask_blend_epi32(static_cast<__mmask16>(right), in_a, in_b);
      _mm512_storeu_si512(to_a, _mm512_mask_blend_epi32(static_cast<__mmask16>(left), in_a, in_b));
      _mm512_storeu_si512(to_b, _mm512_add_epi32(on_right, _mm512_set1_epi32(1)));
    }

    Id const* face_;
    Word* bits_;
    Id *a_, *b_;
    std::uint8_t* equal_;
    Id n_ = 0;  ///< asked so far, then answered
  };

 private:
  /// 16 counts of bytes, moved on by `from`.
  static void store_16(__m128i counts, __m512i from, Id* out) {
    _mm512_storeu_si512(out, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(counts)));
  }
  /// Writes the bytes of `counts` at the set bits, moved on by `from`.
  static void list_counts(Word bits, bool many, __m512i counts, Id from, Id* out) {
    __m512i const some = _mm512_maskz_compress_epi8(bits, counts), base = all_lanes(from);
    store_16(_mm512_castsi512_si128(some), base, out);
    if (many) [[unlikely]] {
      store_16(_mm512_extracti32x4_epi32(some, 1), base, out + 16);
      store_16(_mm512_extracti32x4_epi32(some, 2), base, out + 32);
      store_16(_mm512_extracti32x4_epi32(some, 3), base, out + 48);
    }
  }
  /// Numbers runs n .. n + 15 as far as they are `in`; returns the roots among them.
  static __mmask16 number_16(Id* parent, Id n, __mmask16 in, Id count) {
    __m512i const p = _mm512_maskz_loadu_epi32(in, parent + n);
    __mmask16 const root = _mm512_mask_cmpeq_epi32_mask(in, p, lanes_from(n));
    // a parent among these 16 is rare and done afterwards
    __mmask16 const late = _mm512_mask_cmpge_epu32_mask(in & ~root, p, all_lanes(n));
    __m512i const fresh = _mm512_maskz_expand_epi32(root, lanes_from(count));
    __m512i const c = _mm512_mask_i32gather_epi32(fresh, in & ~root & ~late, p, parent, 4);
    _mm512_mask_storeu_epi32(parent + n, in & ~late, c);
    for (unsigned q = late; q != 0; q &= q - 1) {
      Id const run = n + static_cast<Id>(__builtin_ctz(q));
      parent[run] = parent[parent[run]];
    }
    return root;
  }
};

}  // namespace tessera::ca::parts
