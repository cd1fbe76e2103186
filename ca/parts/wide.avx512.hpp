// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the files with wide-vector code share. For x86-64 and GCC or clang only; their includer asks.
#include "ca/parts/runs.hpp"

#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // wrong inside g++ 12's intrinsics (GCC bug 105593)

// Only these functions are compiled for the wide processor, whatever the rest of the library is compiled for.
#define TESSERA_WIDE                                                                                                   \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,"                      \
                        "avx512vpopcntdq,bmi,bmi2,popcnt")))

namespace tessera::ca::parts {

TESSERA_WIDE inline __mmask16 first_lanes(Id n) { return n >= 16 ? 0xffff : static_cast<__mmask16>((1u << n) - 1); }
TESSERA_WIDE inline __m512i lanes_from(Id n) {
  return _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                          _mm512_set1_epi32(static_cast<int>(n)));
}

/// Writes base + the positions of the set bits, of which 32 at most are set, and returns their number.
TESSERA_WIDE inline Id list_bits(Word bits, int base, std::uint32_t* out) {
  __m512i const numbers =
      _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                       0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
  __m512i const at = _mm512_maskz_compress_epi8(bits, numbers), from = _mm512_set1_epi32(base);
  _mm512_storeu_si512(out, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(at))));
  _mm512_storeu_si512(out + 16, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(at, 1))));
  return static_cast<Id>(_mm_popcnt_u64(bits));
}

/// Byte x of the result: the number of set bits among 0 .. x.
TESSERA_WIDE inline __m512i prefix_counts(Word bits) {
  __m512i const byte = _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                                        0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  __m512i const up_to = _mm512_set1_epi64(static_cast<long long>(0xff7f3f1f0f070301));
  __m512i const all = _mm512_set1_epi64(static_cast<long long>(bits));
  __m512i const within = _mm512_popcnt_epi8(_mm512_and_si512(_mm512_shuffle_epi8(all, byte), up_to));
  // counts of the bytes, added up by a product: those before each byte
  auto const counts =
      static_cast<Word>(_mm_cvtsi128_si64(_mm_popcnt_epi8(_mm_cvtsi64_si128(static_cast<long long>(bits)))));
  __m512i const before = _mm512_set1_epi64(static_cast<long long>((counts * 0x0101010101010101) << 8));
  return _mm512_add_epi8(within, _mm512_shuffle_epi8(before, byte));
}

/// 16 counts of bytes, moved on by `from`.
TESSERA_WIDE inline void store_16(__m128i counts, __m512i from, Id* out) {
  _mm512_storeu_si512(out, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(counts)));
}
/// Writes the bytes of `counts` at the set bits, moved on by `from`.
TESSERA_WIDE inline void list_counts(Word bits, bool many, __m512i counts, Id from, Id* out) {
  __m512i const some = _mm512_maskz_compress_epi8(bits, counts), base = _mm512_set1_epi32(static_cast<int>(from));
  store_16(_mm512_castsi512_si128(some), base, out);
  if (many) [[unlikely]] {
    store_16(_mm512_extracti32x4_epi32(some, 1), base, out + 16);
    store_16(_mm512_extracti32x4_epi32(some, 2), base, out + 32);
    store_16(_mm512_extracti32x4_epi32(some, 3), base, out + 48);
  }
}

}  // namespace tessera::ca::parts
