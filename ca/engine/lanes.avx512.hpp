// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of eight cells that follow each other along a row and are computed on together: one register with AVX-512. Operators
// work lane by lane, so the bits are those of one cell at a time.
#include <cstdint>

#if defined(__AVX512F__) && !defined(__CUDACC__)
#include <immintrin.h>

// vectors are handed over inside one translation unit only, so it does not matter how a call would pass them
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace tessera::ca {

/// A value of one cell.
template <class T>
using One = T;

namespace detail {
template <class T>
struct EightTrait;
}  // namespace detail

#if defined(__AVX512F__) && !defined(__CUDACC__)

/// Whether this program has the means to compute eight cells at once.
inline constexpr bool has_eights = true;

namespace detail {

template <>
struct EightTrait<double> {
  using type = double __attribute__((vector_size(64)));
};
/// Bytes are as wide as numbers, so that `bytes != 0 ? numbers : others` takes lane by lane.
template <>
struct EightTrait<std::uint8_t> {
  using type = long long __attribute__((vector_size(64)));
};
using EightDoubles = EightTrait<double>::type;
using EightBytes = EightTrait<std::uint8_t>::type;

/// Also has the processor fetch what the eight after the next will ask for: it follows fewer streams by itself than a rule of many
/// fields reads.
inline EightDoubles load_eight(double const* from) {
  _mm_prefetch(reinterpret_cast<char const*>(from + 16), _MM_HINT_T0);
  return (EightDoubles)_mm512_loadu_pd(from);
}
inline EightBytes load_eight(std::uint8_t const* from) {
  return (EightBytes)_mm512_maskz_cvtepu8_epi64(0xff, _mm_loadl_epi64(reinterpret_cast<__m128i const*>(from)));
}
/// `past` the caches, whose lines then need not be read before: doubles, at an address aligned to 64 bytes.
template <bool past>
inline void store_eight(double* to, EightDoubles value) {
  if constexpr (past)
    _mm512_stream_pd(to, (__m512d)value);
  else
    _mm512_storeu_pd(to, (__m512d)value);
}
template <bool past>
inline void store_eight(std::uint8_t* to, EightBytes value) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm512_maskz_cvtepi64_epi8(0xff, (__m512i)value));
}
/// After it other threads see what went past the caches.
inline void end_stores_past() { _mm_sfence(); }
/// The lanes, as bits, that differ.
inline unsigned unlike(EightDoubles a, EightDoubles b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NEQ_UQ);
}
inline unsigned unlike(EightBytes a, EightBytes b) { return _mm512_cmpneq_epi64_mask((__m512i)a, (__m512i)b); }

}  // namespace detail

#else

inline constexpr bool has_eights = false;

namespace detail {
inline void end_stores_past() {}
}  // namespace detail

#endif

/// The values of eight cells, of which one has a double or a byte.
template <class T>
using EightOf = typename detail::EightTrait<T>::type;

}  // namespace tessera::ca
