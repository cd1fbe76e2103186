// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eight words of 64 cells that are computed on together, by the vector extensions of GCC and Clang: one register with AVX-512,
// several with narrower ones. AVX-512 has any function of three bits as one instruction, which compilers do not find.
// Compilers for devices have no such vectors: there they are words in a row.
#include <Kokkos_Core.hpp>
#include <cstdint>

#if defined(__AVX512F__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_EIGHT_AVX512
#include <immintrin.h>
#endif

// vectors are handed over inside one translation unit only, so it does not matter how a call would pass them
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tessera::ca::bits {

#if defined(__CUDACC__) || defined(__HIPCC__)
struct alignas(64) Eight {
  std::uint64_t word[8];
  KOKKOS_FUNCTION std::uint64_t operator[](int n) const { return word[n]; }
};
#define TESSERA_OF_EIGHT(op)                                                                                           \
  KOKKOS_INLINE_FUNCTION Eight operator op(Eight a, Eight b) {                                                         \
    for (int n = 0; n < 8; ++n) a.word[n] = a[n] op b[n];                                                              \
    return a;                                                                                                          \
  }
TESSERA_OF_EIGHT(&)
TESSERA_OF_EIGHT(|)
TESSERA_OF_EIGHT(^)
#undef TESSERA_OF_EIGHT
KOKKOS_INLINE_FUNCTION Eight operator~(Eight a) {
  for (int n = 0; n < 8; ++n) a.word[n] = ~a[n];
  return a;
}
KOKKOS_INLINE_FUNCTION Eight operator+(Eight a, std::uint64_t x) {
  for (int n = 0; n < 8; ++n) a.word[n] += x;
  return a;
}
KOKKOS_INLINE_FUNCTION Eight operator<<(Eight a, int by) {
  for (int n = 0; n < 8; ++n) a.word[n] <<= by;
  return a;
}
KOKKOS_INLINE_FUNCTION Eight operator>>(Eight a, int by) {
  for (int n = 0; n < 8; ++n) a.word[n] >>= by;
  return a;
}
/// Eight of the sixteen words, from one on.
template <int first>
KOKKOS_INLINE_FUNCTION Eight words_from(Eight low, Eight high) {
  Eight result{};
  for (int n = 0; n < 8; ++n) result.word[n] = first + n < 8 ? low[first + n] : high[first + n - 8];
  return result;
}
#else
using Eight = std::uint64_t __attribute__((vector_size(64)));
template <int q>
inline Eight words_from(Eight low, Eight high) {
  return __builtin_shufflevector(low, high, q, q + 1, q + 2, q + 3, q + 4, q + 5, q + 6, q + 7);
}
#endif

KOKKOS_INLINE_FUNCTION Eight load_eight(std::uint64_t const* from) { return *reinterpret_cast<Eight const*>(from); }
KOKKOS_INLINE_FUNCTION void store_eight(std::uint64_t* to, Eight value) { *reinterpret_cast<Eight*>(to) = value; }
KOKKOS_INLINE_FUNCTION Eight all_eight(std::uint64_t x) { return Eight{x, x, x, x, x, x, x, x}; }

/// The function of three bits whose value for a, b, c is bit 4 a + 2 b + c of the table.
template <int table>
KOKKOS_INLINE_FUNCTION Eight of_three(Eight a, Eight b, Eight c) {
#ifdef TESSERA_EIGHT_AVX512
  return (Eight)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, table);
#else
  Eight result{};
  // compilers fold what is constant
  for (int n = 0; n < 8; ++n)
    if (table >> n & 1) result = result | ((n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c));
  return result;
#endif
}
#ifdef TESSERA_EIGHT_AVX512
KOKKOS_INLINE_FUNCTION Eight parity(Eight a, Eight b, Eight c) { return of_three<0x96>(a, b, c); }
KOKKOS_INLINE_FUNCTION Eight majority(Eight a, Eight b, Eight c) { return of_three<0xe8>(a, b, c); }
KOKKOS_INLINE_FUNCTION Eight select(Eight mask, Eight a, Eight b) { return of_three<0xca>(mask, a, b); }
#else
KOKKOS_INLINE_FUNCTION Eight parity(Eight a, Eight b, Eight c) { return a ^ b ^ c; }
KOKKOS_INLINE_FUNCTION Eight majority(Eight a, Eight b, Eight c) { return (a & b) | (c & (a ^ b)); }
KOKKOS_INLINE_FUNCTION Eight select(Eight mask, Eight a, Eight b) { return b ^ (mask & (a ^ b)); }
#endif

/// Each cell's neighbour on the left; `before`: the eight words before these.
KOKKOS_INLINE_FUNCTION Eight cells_left(Eight before, Eight here) {
  Eight const words = words_from<7>(before, here);
#if defined(TESSERA_EIGHT_AVX512) && defined(__AVX512VBMI2__)
  return (Eight)_mm512_shldi_epi64((__m512i)here, (__m512i)words, 1);
#else
  return here << 1 | words >> 63;
#endif
}
/// On the right; `after`: the eight words after these.
KOKKOS_INLINE_FUNCTION Eight cells_right(Eight here, Eight after) {
  Eight const words = words_from<1>(here, after);
#if defined(TESSERA_EIGHT_AVX512) && defined(__AVX512VBMI2__)
  return (Eight)_mm512_shrdi_epi64((__m512i)here, (__m512i)words, 1);
#else
  return here >> 1 | words << 63;
#endif
}

}  // namespace tessera::ca::bits
