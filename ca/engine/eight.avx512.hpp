// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words of 64 cells that are computed on together: those of a register, and eight of them, which are one register with AVX-512 and
// several with narrower ones. AVX-512 has any function of three bits as one instruction, which compilers do not find.
#include "core/grid/wide.hpp"

#if defined(__AVX512F__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_EIGHT_AVX512
#include <immintrin.h>
#endif

namespace tessera::ca::bits {

/// The words of one register; compilers for devices have no such vectors: one word.
using Words = core::Wide<std::uint64_t, 8>::Part;
inline constexpr int words_at_once = core::Wide<std::uint64_t, 8>::width;
/// Eight words. g++ keeps a bare vector in a register more often than one that is a member.
using Eight = std::conditional_t<words_at_once == 8, Words, core::Wide<std::uint64_t, 8>>;

/// So many words of 64 cells, from any one on.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V load(std::uint64_t const* from) {
  if constexpr (std::is_same_v<V, core::Wide<std::uint64_t, 8>>) {
    return V::load(from);
  } else {
    V words;
    std::memcpy(&words, from, sizeof words);
    return words;
  }
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void store(std::uint64_t* to, V const& words) {
  std::memcpy(to, &words, sizeof words);
}
KOKKOS_FORCEINLINE_FUNCTION Words all_words(std::uint64_t x) { return x | Words{}; }

/// The function of three bits whose value for a, b, c is bit 4 a + 2 b + c of the table.
template <int table, class V>
KOKKOS_FORCEINLINE_FUNCTION V of_three(V const& a, V const& b, V const& c) {
#ifdef TESSERA_EIGHT_AVX512
  return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, table);
#else
  if constexpr (table == 0x96) {
    return a ^ b ^ c;
  } else if constexpr (table == 0xe8) {
    return (a & b) | (c & (a ^ b));
  } else if constexpr (table == 0xca) {
    return c ^ (a & (b ^ c));
  } else {
    V result{};
    // compilers fold what is constant
    for (int n = 0; n < 8; ++n)
      if (table >> n & 1) result = result | ((n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c));
    return result;
  }
#endif
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V parity(V const& a, V const& b, V const& c) {
  return of_three<0x96>(a, b, c);
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V majority(V const& a, V const& b, V const& c) {
  return of_three<0xe8>(a, b, c);
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V select(V const& mask, V const& a, V const& b) {
  return of_three<0xca>(mask, a, b);
}

/// Each cell's neighbour on the left; `before`: the words before these.
KOKKOS_FORCEINLINE_FUNCTION Words cells_left(Words const& before, Words const& here) {
  Words const words = core::part_from<words_at_once - 1, words_at_once>(before, here);
#if defined(TESSERA_EIGHT_AVX512) && defined(__AVX512VBMI2__)
  return (Words)_mm512_shldi_epi64((__m512i)here, (__m512i)words, 1);
#else
  return here << 1 | words >> 63;
#endif
}
/// On the right; `after`: the words after these.
KOKKOS_FORCEINLINE_FUNCTION Words cells_right(Words const& here, Words const& after) {
  Words const words = core::part_from<1, words_at_once>(here, after);
#if defined(TESSERA_EIGHT_AVX512) && defined(__AVX512VBMI2__)
  return (Words)_mm512_shrdi_epi64((__m512i)here, (__m512i)words, 1);
#else
  return here >> 1 | words << 63;
#endif
}

}  // namespace tessera::ca::bits
