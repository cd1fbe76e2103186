// SPDX-License-Identifier: Apache-2.0
#pragma once
// core::Random for 64 cells at once, by the vector extensions of GCC and Clang, in registers of AVX-512 or of AVX2.
#include "core/random.hpp"

#include <cmath>

#ifdef __AVX2__
#include <immintrin.h>
#endif

// vectors are handed over inside one translation unit only, so it does not matter how a call would pass them
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // wrong inside g++ 12's intrinsics (GCC bug 105593)

namespace tessera::ca::bits {

/// Which cells have random.uniform(cell) < p, 0 < p < 1, by 64 at once: bit n for cell first + n.
/// Cost: 0.9 ns a cell with AVX-512, 1.8 ns with AVX2, at 3.65 GHz.
class Draws {
 public:
  Draws(core::Random random, double p) : random_(random), p_(p) {
    // uniform is a whole number of 53 bits by 2^53; the upper 32 of them mostly decide
    auto const limit = static_cast<std::uint64_t>(std::ceil(std::ldexp(p, 53)));
    upper_ = static_cast<std::uint32_t>(limit >> 21);
    exact_ = limit % (1u << 21) == 0;
    auto key0 = static_cast<std::uint32_t>(random.seed), key1 = static_cast<std::uint32_t>(random.seed >> 32);
    for (int round = 0; round < 9; ++round) {
      key0_[round] = Numbers{} + key0;
      key1_[round] = Numbers{} + key1;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
  }

  std::uint64_t operator()(std::uint64_t first) const {
    std::uint64_t word = 0, undecided = 0;
    if (static_cast<std::uint32_t>(first) > ~std::uint32_t{63}) {
      undecided = ~std::uint64_t{0};  // the upper half of the cells' numbers changes
    } else {
      Numbers cells = Numbers{} + static_cast<std::uint32_t>(first), upper[groups];
      for (unsigned n = 0; n < lanes; ++n) cells[n] += 2 * n;
      Numbers const products = times(cells, m0);
      for (unsigned g = 0; g < groups; ++g) upper[g] = products + (2 * lanes * (g / 2) + g % 2) * std::uint64_t{m0};
      upper_words(begin(first), upper);
      for (int g = 0; g < groups; g += 2) compare(upper[g], upper[g + 1], lanes * g, word, undecided);
      if (undecided == 0 || exact_) return word;
    }
    for (unsigned n = 0; n < 64; ++n)
      if ((undecided >> n & 1) != 0 && random_.uniform(first + n) < p_) word |= std::uint64_t{1} << n;
    return word;
  }

 private:
#ifdef __AVX512F__
  using Numbers = std::uint64_t __attribute__((vector_size(64)));
#else
  using Numbers = std::uint64_t __attribute__((vector_size(32)));
#endif
  static constexpr int lanes = sizeof(Numbers) / 8;
  static constexpr int groups =
      64 / lanes;  ///< that go side by side, so that none waits for a product: even cells, odd ones, ...
  static constexpr std::uint32_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;

  /// Products of the lower halves with a number of 32 bits.
  static Numbers times(Numbers x, std::uint32_t factor) {
#if defined(__AVX512F__)
    return (Numbers)_mm512_mul_epu32((__m512i)x, _mm512_set1_epi32(static_cast<int>(factor)));
#elif defined(__AVX2__)
    return (Numbers)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi32(static_cast<int>(factor)));
#else
    return (x & (Numbers{} + 0xffffffffu)) * factor;
#endif
  }
  static Numbers parity(Numbers a, Numbers b, Numbers c) {
#ifdef __AVX512F__
    return (Numbers)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
#else
    return a ^ b ^ c;
#endif
  }
  /// From bit `at` on, those of the lower halves, even and odd ones in turn, that are less than the limit, or equal to it.
  void compare(Numbers even, Numbers odd, int at, std::uint64_t& less, std::uint64_t& equal) const {
#if defined(__AVX512F__)
    __m512i const all = _mm512_mask_blend_epi32(0xaaaa, (__m512i)even, (__m512i)(odd << 32)),
                  limit = _mm512_set1_epi32(static_cast<int>(upper_));
    less |= std::uint64_t{_mm512_cmplt_epu32_mask(all, limit)} << at;
    equal |= std::uint64_t{_mm512_cmpeq_epi32_mask(all, limit)} << at;
#elif defined(__AVX2__)
    __m256i const all = _mm256_blend_epi32((__m256i)even, (__m256i)(odd << 32), 0xaa),
                  limit = _mm256_set1_epi32(static_cast<int>(upper_)), same = _mm256_cmpeq_epi32(all, limit),
                  up_to = _mm256_cmpeq_epi32(_mm256_min_epu32(all, limit), all);
    less |= bits_of(_mm256_andnot_si256(same, up_to)) << at;
    equal |= bits_of(same) << at;
#else
    for (int n = 0; n < 2 * lanes; ++n) {
      auto const x = static_cast<std::uint32_t>((n % 2 == 0 ? even : odd)[n / 2]);
      less |= std::uint64_t{x < upper_} << (at + n);
      equal |= std::uint64_t{x == upper_} << (at + n);
    }
#endif
  }
#if defined(__AVX2__) && !defined(__AVX512F__)
  static std::uint64_t bits_of(__m256i mask) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
  }
#endif

  /// What the first rounds have alike for cells whose numbers have one upper half.
  struct Start {
    Numbers first, second, third;
  };
  Start begin(std::uint64_t cell) const {
    std::uint64_t const product = (cell >> 32 ^ key0_[0][0]) * m0;
    return {key1_[0] ^ random_.sample, key1_[1] ^ (product >> 32), key1_[2] ^ product};
  }

  /// The second word of Philox's block, the upper one of random.bits(cell), in the lower halves, takes the place of the products of
  /// cells with m0. Upper halves of what is between are of no matter. Step is 0.
  void upper_words(Start const& start, Numbers (&words)[groups]) const {
    Numbers x0[groups], x1[groups], x2[groups], x3[groups];
    for (int g = 0; g < groups; ++g) {
      x1[g] = times(words[g] >> 32 ^ start.first, m1);
      Numbers const a = times(x1[g] >> 32 ^ key0_[1], m0), b = times(words[g] ^ start.second, m1);
      x0[g] = parity(b >> 32, x1[g], key0_[2]);
      x1[g] = b;
      x2[g] = a >> 32 ^ start.third;
      x3[g] = a;
    }
    for (int round = 3; round < 8; ++round)
      for (int g = 0; g < groups; ++g) {
        Numbers const a = times(x0[g], m0), b = times(x2[g], m1);
        x0[g] = parity(b >> 32, x1[g], key0_[round]);
        x1[g] = b;
        x2[g] = parity(a >> 32, x3[g], key1_[round]);
        x3[g] = a;
      }
    for (int g = 0; g < groups; ++g) words[g] = times(parity(times(x0[g], m0) >> 32, x3[g], key1_[8]), m1);
  }

  core::Random random_;
  double p_;
  std::uint32_t upper_;
  bool exact_;
  Numbers key0_[9], key1_[9];
};

}  // namespace tessera::ca::bits
