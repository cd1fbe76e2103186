// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eight words of 64 cells that are computed on together, by the vector extensions of GCC and Clang: one register with AVX-512,
// several with narrower ones. AVX-512 has any function of three bits as one instruction, which compilers do not find.
#include <cstdint>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

// vectors are handed over inside one translation unit only, so it does not matter how a call would pass them
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tessera::ca::bits {

using Eight = std::uint64_t __attribute__((vector_size(64)));

inline Eight load_eight(std::uint64_t const* from) { return *reinterpret_cast<Eight const*>(from); }
inline void store_eight(std::uint64_t* to, Eight value) { *reinterpret_cast<Eight*>(to) = value; }
inline Eight all_eight(std::uint64_t x) { return Eight{x, x, x, x, x, x, x, x}; }

/// The function of three bits whose value for a, b, c is bit 4 a + 2 b + c of the table.
template <int table>
inline Eight of_three(Eight a, Eight b, Eight c) {
#ifdef __AVX512F__
  return (Eight)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, table);
#else
  Eight result{};
  // compilers fold what is constant
  for (int n = 0; n < 8; ++n)
    if (table >> n & 1) result |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
  return result;
#endif
}
#ifdef __AVX512F__
inline Eight parity(Eight a, Eight b, Eight c) { return of_three<0x96>(a, b, c); }
inline Eight majority(Eight a, Eight b, Eight c) { return of_three<0xe8>(a, b, c); }
inline Eight select(Eight mask, Eight a, Eight b) { return of_three<0xca>(mask, a, b); }
#else
inline Eight parity(Eight a, Eight b, Eight c) { return a ^ b ^ c; }
inline Eight majority(Eight a, Eight b, Eight c) { return (a & b) | (c & (a ^ b)); }
inline Eight select(Eight mask, Eight a, Eight b) { return b ^ (mask & (a ^ b)); }
#endif

/// Each cell's neighbour on the left; `before`: the eight words before these.
inline Eight cells_left(Eight before, Eight here) {
  Eight const words = __builtin_shufflevector(before, here, 7, 8, 9, 10, 11, 12, 13, 14);
#ifdef __AVX512VBMI2__
  return (Eight)_mm512_shldi_epi64((__m512i)here, (__m512i)words, 1);
#else
  return here << 1 | words >> 63;
#endif
}
/// On the right; `after`: the eight words after these.
inline Eight cells_right(Eight here, Eight after) {
  Eight const words = __builtin_shufflevector(here, after, 1, 2, 3, 4, 5, 6, 7, 8);
#ifdef __AVX512VBMI2__
  return (Eight)_mm512_shrdi_epi64((__m512i)here, (__m512i)words, 1);
#else
  return here >> 1 | words << 63;
#endif
}

}  // namespace tessera::ca::bits
