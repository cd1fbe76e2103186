// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eight words of 64 cells that are computed on together: one register with AVX-512, several with narrower ones. AVX-512 has any
// function of three bits as one instruction, which compilers do not find.
#include "core/grid/wide.hpp"

#if defined(__AVX512F__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_EIGHT_AVX512
#include <immintrin.h>
#endif

namespace tessera::ca::bits {

template <int n>
using Words = core::Wide<std::uint64_t, n>;
using Eight = Words<8>;
/// Eight of the sixteen words, from one on.
template <int first, int n>
KOKKOS_FORCEINLINE_FUNCTION Words<n> words_from(Words<n> const& low, Words<n> const& high) {
  return core::numbers_from<first>(low, high);
}

KOKKOS_INLINE_FUNCTION Eight load_eight(std::uint64_t const* from) { return Eight::load(from); }
KOKKOS_INLINE_FUNCTION void store_eight(std::uint64_t* to, Eight value) { value.store(to); }
KOKKOS_INLINE_FUNCTION Eight all_eight(std::uint64_t x) { return Eight::all(x); }

/// The function of three bits whose value for a, b, c is bit 4 a + 2 b + c of the table.
template <int table, int m>
KOKKOS_INLINE_FUNCTION Words<m> of_three(Words<m> a, Words<m> b, Words<m> c) {
#ifdef TESSERA_EIGHT_AVX512
  return {(Eight::Part)_mm512_ternarylogic_epi64((__m512i)a.part[0], (__m512i)b.part[0], (__m512i)c.part[0], table)};
#else
  Words<m> result{};
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
template <int n>
KOKKOS_FORCEINLINE_FUNCTION Words<n> parity(Words<n> const& a, Words<n> const& b, Words<n> const& c) {
  return a ^ b ^ c;
}
template <int n>
KOKKOS_FORCEINLINE_FUNCTION Words<n> majority(Words<n> const& a, Words<n> const& b, Words<n> const& c) {
  return (a & b) | (c & (a ^ b));
}
template <int n>
KOKKOS_FORCEINLINE_FUNCTION Words<n> select(Words<n> const& mask, Words<n> const& a, Words<n> const& b) {
  return b ^ (mask & (a ^ b));
}
#endif

/// Each cell's neighbour on the left; `before`: the eight words before these.
template <int n>
KOKKOS_FORCEINLINE_FUNCTION Words<n> cells_left(Words<n> const& before, Words<n> const& here) {
  auto const words = words_from<n - 1>(before, here);
#if defined(TESSERA_EIGHT_AVX512) && defined(__AVX512VBMI2__)
  return {(Eight::Part)_mm512_shldi_epi64((__m512i)here.part[0], (__m512i)words.part[0], 1)};
#else
  return here << 1 | words >> 63;
#endif
}
/// On the right; `after`: the eight words after these.
template <int n>
KOKKOS_FORCEINLINE_FUNCTION Words<n> cells_right(Words<n> const& here, Words<n> const& after) {
  auto const words = words_from<1>(here, after);
#if defined(TESSERA_EIGHT_AVX512) && defined(__AVX512VBMI2__)
  return {(Eight::Part)_mm512_shrdi_epi64((__m512i)here.part[0], (__m512i)words.part[0], 1)};
#else
  return here >> 1 | words << 63;
#endif
}

}  // namespace tessera::ca::bits
