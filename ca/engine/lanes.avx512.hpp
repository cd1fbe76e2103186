// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of several cells that follow each other along a row and are computed on together: eight in a register with AVX-512,
// four with AVX2. Operators work lane by lane, so the bits are those of one cell at a time.
#include <cstdint>
#include <cstring>

#if (defined(__AVX512F__) || defined(__AVX2__)) && !defined(__CUDACC__)
#define TESSERA_SEVERAL_CELLS
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
struct SeveralTrait;
}  // namespace detail

#ifdef TESSERA_SEVERAL_CELLS

/// Cells that are computed at once; 1: this program has no means for it.
#ifdef __AVX512F__
inline constexpr int cells_at_once = 8;
#else
inline constexpr int cells_at_once = 4;
#endif

namespace detail {

template <>
struct SeveralTrait<double> {
  using type = double __attribute__((vector_size(cells_at_once * sizeof(double))));
};
/// Bytes are as wide as numbers, so that `bytes != 0 ? numbers : others` takes lane by lane.
template <>
struct SeveralTrait<std::uint8_t> {
  using type = long long __attribute__((vector_size(cells_at_once * sizeof(double))));
};
using SeveralDoubles = SeveralTrait<double>::type;
using SeveralBytes = SeveralTrait<std::uint8_t>::type;

/// Also has the processor fetch what the cells after the next will ask for: it follows fewer streams by itself than a rule of
/// many fields reads.
inline SeveralDoubles load_several(double const* from) {
  _mm_prefetch(reinterpret_cast<char const*>(from + 16), _MM_HINT_T0);
#ifdef __AVX512F__
  return (SeveralDoubles)_mm512_loadu_pd(from);
#else
  return (SeveralDoubles)_mm256_loadu_pd(from);
#endif
}
inline SeveralBytes load_several(std::uint8_t const* from) {
#ifdef __AVX512F__
  return (SeveralBytes)_mm512_maskz_cvtepu8_epi64(0xff, _mm_loadl_epi64(reinterpret_cast<__m128i const*>(from)));
#else
  std::int32_t bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return (SeveralBytes)_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
#endif
}
/// `past` the caches, whose lines then need not be read before: doubles, at an address aligned to the vector's size.
template <bool past>
inline void store_several(double* to, SeveralDoubles value) {
#ifdef __AVX512F__
  past ? _mm512_stream_pd(to, (__m512d)value) : _mm512_storeu_pd(to, (__m512d)value);
#else
  past ? _mm256_stream_pd(to, (__m256d)value) : _mm256_storeu_pd(to, (__m256d)value);
#endif
}
template <bool past>
inline void store_several(std::uint8_t* to, SeveralBytes value) {
#ifdef __AVX512F__
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm512_maskz_cvtepi64_epi8(0xff, (__m512i)value));
#else
  // the lowest byte of each number to the lowest two bytes of its half
  __m256i const low = _mm256_shuffle_epi8((__m256i)value, _mm256_setr_epi8(0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                                           -1, -1, -1, -1, 0, 8, -1, -1, -1, -1, -1, -1,
                                                                           -1, -1, -1, -1, -1, -1, -1, -1));
  auto const first = static_cast<std::uint16_t>(_mm256_extract_epi16(low, 0)),
             second = static_cast<std::uint16_t>(_mm256_extract_epi16(low, 8));
  std::memcpy(to, &first, 2);
  std::memcpy(to + 2, &second, 2);
#endif
}
/// After it other threads see what went past the caches.
inline void end_stores_past() { _mm_sfence(); }
/// The lanes, as bits, that differ.
inline unsigned unlike(SeveralDoubles a, SeveralDoubles b) {
#ifdef __AVX512F__
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NEQ_UQ);
#else
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_NEQ_UQ)));
#endif
}
inline unsigned unlike(SeveralBytes a, SeveralBytes b) {
#ifdef __AVX512F__
  return _mm512_cmpneq_epi64_mask((__m512i)a, (__m512i)b);
#else
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd((__m256i)(a != b))));
#endif
}

}  // namespace detail

#else

inline constexpr int cells_at_once = 1;

namespace detail {
inline void end_stores_past() {}
}  // namespace detail

#endif

/// The values of several cells, of which one has a double or a byte.
template <class T>
using SeveralOf = typename detail::SeveralTrait<T>::type;

}  // namespace tessera::ca
