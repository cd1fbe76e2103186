// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eight doubles that are computed on together: one register with AVX-512, two with AVX2.
#include "core/grid/wide.hpp"

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace tessera::solvers::methods {

inline constexpr int lanes = 8;
using Lanes = core::Wide<double, lanes>;
using Mask = core::Wide<std::int64_t, lanes>;
using core::magnitude, core::select;

inline Lanes splat(double x) { return Lanes::all(x); }
inline Mask lane_numbers() { return Mask::numbers(); }

/// Lane l gets lane l - 1, lane 0 gets x.
inline Lanes shift_up(Lanes v, double x) { return core::numbers_from<lanes - 1>(splat(x), v); }
/// Lane l gets lane l + 1, the lane chosen by `top` gets x.
inline Lanes shift_down(Lanes v, double x, Mask top) { return select(top, splat(x), core::numbers_from<1>(v, v)); }

/// a b + c, rounded once where the processor has the instruction.
inline Lanes fma(Lanes a, Lanes b, Lanes c) {
#ifdef __FMA__
  for (int p = 0; p < Lanes::parts; ++p) {
#if defined(__CUDACC__)
    c.part[p] = __builtin_fma(a.part[p], b.part[p], c.part[p]);
#elif defined(__AVX512F__)
    c.part[p] = (Lanes::Part)_mm512_fmadd_pd((__m512d)a.part[p], (__m512d)b.part[p], (__m512d)c.part[p]);
#elif defined(__AVX2__)
    c.part[p] = (Lanes::Part)_mm256_fmadd_pd((__m256d)a.part[p], (__m256d)b.part[p], (__m256d)c.part[p]);
#else
    c.part[p] = (Lanes::Part)_mm_fmadd_pd((__m128d)a.part[p], (__m128d)b.part[p], (__m128d)c.part[p]);
#endif
  }
  return c;
#else
  return a * b + c;
#endif
}

/// The lanes added in order.
inline double total(Lanes v) {
  double sum = 0;
  for (int l = 0; l < lanes; ++l) sum += v[l];
  return sum;
}

}  // namespace tessera::solvers::methods
