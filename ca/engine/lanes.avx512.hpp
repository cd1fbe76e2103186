// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of eight cells that follow each other along a row and are computed on together, as core::Wide, with AVX2 or AVX-512.
// Operators work lane by lane, so the bits are those of one cell at a time.
#include "core/grid/wide.hpp"

#include <cstdint>
#include <cstring>

#if (defined(__AVX512F__) || defined(__AVX2__)) && !defined(__CUDACC__)
#define TESSERA_SEVERAL_CELLS
#include <immintrin.h>
#endif

namespace tessera::ca {

using core::select;

/// A value of one cell.
template <class T>
using One = T;

namespace detail {
template <class T>
struct SeveralTrait;
template <>
struct SeveralTrait<double> {
  using type = core::Wide<double, 8>;
};
/// Bytes are as wide as numbers, so that select(bytes != 0, numbers, others) takes lane by lane.
template <>
struct SeveralTrait<std::uint8_t> {
  using type = core::Wide<std::int64_t, 8>;
};
}  // namespace detail

/// The values of several cells, of which one has a double or a byte.
template <class T>
using SeveralOf = typename detail::SeveralTrait<T>::type;

#ifdef TESSERA_SEVERAL_CELLS

/// Cells that are computed at once, whose doubles fill a line of the cache; 1: this program has no means for it.
inline constexpr int cells_at_once = 8;

namespace detail {

using SeveralDoubles = SeveralOf<double>;
using SeveralBytes = SeveralOf<std::uint8_t>;

/// Also has the processor fetch what the cells after the next but one will ask for: it follows fewer streams by itself than a
/// rule of many fields reads.
inline SeveralDoubles load_several(double const* from) {
  _mm_prefetch(reinterpret_cast<char const*>(from + 24), _MM_HINT_T0);
  return SeveralDoubles::load(from);
}
inline SeveralBytes load_several(std::uint8_t const* from) {
  SeveralBytes all;
  for (int p = 0; p < SeveralBytes::parts; ++p) {
    std::uint8_t const* const bytes = from + p * SeveralBytes::width;
#ifdef __AVX512F__
    all.part[p] = (SeveralBytes::Part)_mm512_maskz_cvtepu8_epi64(0xff, _mm_loadl_epi64((__m128i const*)bytes));
#else
    std::int32_t four;
    std::memcpy(&four, bytes, sizeof four);
    all.part[p] = (SeveralBytes::Part)_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
#endif
  }
  return all;
}
/// `past` the caches, whose lines then need not be read before: doubles, a whole line of the cache.
template <bool past>
inline void store_several(double* to, SeveralDoubles const& value) {
  if constexpr (!past)
    value.store(to);
  else
    for (int p = 0; p < SeveralDoubles::parts; ++p)
#ifdef __AVX512F__
      _mm512_stream_pd(to, (__m512d)value.part[p]);
#else
      _mm256_stream_pd(to + p * SeveralDoubles::width, (__m256d)value.part[p]);
#endif
}
template <bool past>
inline void store_several(std::uint8_t* to, SeveralBytes const& value) {
#ifdef __AVX512F__
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm512_maskz_cvtepi64_epi8(0xff, (__m512i)value.part[0]));
#else
  // the lowest byte of each number to the lowest two bytes of its half
  __m256i const lowest = _mm256_setr_epi8(0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 8, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  std::uint64_t eight = 0;
  for (int p = SeveralBytes::parts - 1; p >= 0; --p) {
    __m256i const low = _mm256_shuffle_epi8((__m256i)value.part[p], lowest);
    auto const first = static_cast<std::uint16_t>(_mm256_extract_epi16(low, 0)),
               second = static_cast<std::uint16_t>(_mm256_extract_epi16(low, 8));
    eight = eight << 32 | std::uint64_t{second} << 16 | first;
  }
  std::memcpy(to, &eight, sizeof eight);
#endif
}
/// After it other threads see what went past the caches.
inline void end_stores_past() { _mm_sfence(); }
/// The lanes, as bits, that differ, as detail::values_differ has it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION unsigned unlike(core::Wide<T, 8> const& a, core::Wide<T, 8> const& b) {
  auto differ = a != b;
  if constexpr (std::is_floating_point_v<T>) differ = differ & ((a == a) | (b == b));
  unsigned lanes = 0;
  for (int p = 0; p < differ.parts; ++p)
#ifdef __AVX512F__
    lanes |= _mm512_test_epi64_mask((__m512i)differ.part[p], (__m512i)differ.part[p]);
#else
    lanes |= static_cast<unsigned>(_mm256_movemask_pd((__m256d)differ.part[p])) << p * differ.width;
#endif
  return lanes;
}

}  // namespace detail

#else

inline constexpr int cells_at_once = 1;

namespace detail {
inline void end_stores_past() {}
}  // namespace detail

#endif

}  // namespace tessera::ca
