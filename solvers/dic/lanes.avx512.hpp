// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eight doubles that are computed on together, by the vector extensions of GCC and Clang: one register with AVX-512, two
// with AVX, and plain code elsewhere. The operators work lane by lane, so the bits are those of scalar arithmetic.

#if defined(__FMA__) || defined(__AVX2__)
#include <immintrin.h>
#endif

// vectors are handed over inside one translation unit only, so it does not matter how a call would pass them
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tessera::solvers::methods {

inline constexpr int lanes = 8;
using Vector = double __attribute__((vector_size(8 * sizeof(double))));
using Mask = long long __attribute__((vector_size(8 * sizeof(long long))));

#if !defined(__AVX512F__) && (defined(__FMA__) || defined(__AVX2__))
union Halves {
  Vector whole;
  __m256d half[2];
};
#endif

/// A vector in memory (standard containers drop the attributes of a bare one).
struct alignas(64) Lanes {
  Vector v;
  void set(int lane, double x) { v[lane] = x; }
};

inline Vector splat(double x) { return Vector{x, x, x, x, x, x, x, x}; }
inline Mask lane_numbers() { return Mask{0, 1, 2, 3, 4, 5, 6, 7}; }

/// Lane l gets lane l - 1, lane 0 gets x.
inline Vector shift_up(Vector v, double x) {
#if !defined(__AVX512F__) && defined(__AVX2__)  // g++ goes lane by lane there
  Halves h;
  h.whole = v;
  __m256d const low = _mm256_permute4x64_pd(h.half[0], 0b10010011), high = _mm256_permute4x64_pd(h.half[1], 0b10010011);
  h.half[0] = _mm256_blend_pd(low, _mm256_set1_pd(x), 1);
  h.half[1] = _mm256_blend_pd(high, low, 1);
  return h.whole;
#else
  return __builtin_shufflevector(v, splat(x), 8, 0, 1, 2, 3, 4, 5, 6);
#endif
}
/// Lane l gets lane l + 1, the lane chosen by `top` gets x.
inline Vector shift_down(Vector v, double x, Mask top) {
#if !defined(__AVX512F__) && defined(__AVX2__)
  Halves h;
  h.whole = v;
  __m256d const low = _mm256_permute4x64_pd(h.half[0], 0b00111001), high = _mm256_permute4x64_pd(h.half[1], 0b00111001);
  h.half[0] = _mm256_blend_pd(low, high, 8);
  h.half[1] = _mm256_blend_pd(high, h.half[1], 8);
  return top ? splat(x) : h.whole;
#else
  return top ? splat(x) : __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 7);
#endif
}

/// a b + c, rounded once where the processor has the instruction.
inline Vector fma(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
  return (Vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  Halves x, y, z;
  x.whole = a;
  y.whole = b;
  z.whole = c;
  for (int n = 0; n < 2; ++n) z.half[n] = _mm256_fmadd_pd(x.half[n], y.half[n], z.half[n]);
  return z.whole;
#else
  return a * b + c;
#endif
}

inline Vector magnitude(Vector v) {
  constexpr long long keep = 0x7fffffffffffffff;
  return reinterpret_cast<Vector>(reinterpret_cast<Mask>(v) & Mask{keep, keep, keep, keep, keep, keep, keep, keep});
}

/// The lanes added in order.
inline double total(Vector v) {
  double sum = 0;
  for (int l = 0; l < lanes; ++l) sum += v[l];
  return sum;
}

}  // namespace tessera::solvers::methods
