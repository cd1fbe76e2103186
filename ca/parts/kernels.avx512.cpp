// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)

namespace tessera::ca::parts {

extern Kernels const wide_table;

Kernels const* wide_kernels() {
  static bool const here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
                           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return here && !portable_wanted() ? &wide_table : nullptr;
}

}  // namespace tessera::ca::parts

// from here on for the wide processor
#include "ca/parts/bits.avx512.hpp"

#include "ca/parts/row_loops.hpp"

namespace tessera::ca::parts {
namespace {

void pack_row(std::uint8_t const* cells, std::uint8_t wanted, int n, Word* row) {
  __m512i const all = _mm512_set1_epi8(static_cast<char>(wanted));
  for (int w = 0; 64 * w < n; ++w)
    row[w] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(cells + 64 * w), all) & BitTile::below(w, n);
}

void unpack_row(Word const* row, int n, std::uint8_t* cells, bool soon) {
  // whole lines go past the caches where rows begin at a line
  bool const whole_lines = !soon && reinterpret_cast<std::uintptr_t>(cells) % 64 == 0;
  int w = 0;
  for (; 64 * w + 64 <= n; ++w) {
    __m512i const bytes = _mm512_maskz_set1_epi8(row[w], 1);
    if (whole_lines)
      _mm512_stream_si512(reinterpret_cast<__m512i*>(cells + 64 * w), bytes);
    else
      _mm512_storeu_si512(cells + 64 * w, bytes);
  }
  if (64 * w < n) _mm512_mask_storeu_epi8(cells + 64 * w, BitTile::below(w, n), _mm512_maskz_set1_epi8(row[w], 1));
}

void relabel(Id* of, Id n, Id const* value) {
  for (Id k = 0; k < n; k += 16) {
    __mmask16 const in = first_lanes(n - k);
    __m512i const c = _mm512_maskz_loadu_epi32(in, of + k);
    _mm512_mask_storeu_epi32(of + k, in, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), in, c, value, 4));
  }
}

void deal(Word const* chosen, Id n, Word const* starts, Word const* more, int words, Word* to_starts, Word* to_more) {
  for (int w = 0; w < words; ++w) {
    Word const s = starts[w], m = more != nullptr ? more[w] : 0;
    Id const used = static_cast<Id>(_mm_popcnt_u64(s) + _mm_popcnt_u64(m));
    Word bits = chosen[n / 64] >> (n % 64);
    if (n % 64 + used > 64) bits |= chosen[n / 64 + 1] << (64 - n % 64);
    if (m == 0) {
      to_starts[w] = _pdep_u64(bits, s);
      if (more != nullptr) to_more[w] = 0;
    } else if (used <= 64) {
      // the bits of `more` come after those of `starts` up to the same cell
      Word seconds = 0;
      int before = 0;
      for (Word q = m; q != 0; q &= q - 1, ++before)
        seconds |= Word{1} << (_mm_popcnt_u64(s & through_lowest(q)) + before);
      to_starts[w] = _pdep_u64(_pext_u64(bits, ~seconds), s);
      to_more[w] = _pdep_u64(_pext_u64(bits, seconds), m);
    } else {
      Word first = 0, second = 0;
      Id k = n;
      for (Word q = s | m; q != 0; q &= q - 1) {
        Word const bit = q & -q;
        if (s & bit) first |= bit & -(chosen[k / 64] >> (k % 64) & 1);
        k += (s & bit) != 0;
        if (m & bit) second |= bit & -(chosen[k / 64] >> (k % 64) & 1);
        k += (m & bit) != 0;
      }
      to_starts[w] = first;
      to_more[w] = second;
    }
    n += used;
  }
}

/// scratch[1 ..] = value[of[..]]
inline void gather(Id const* of, Id runs, std::int32_t const* value, std::int32_t* scratch) {
  for (Id k = 0; k < runs; k += 16) {
    __mmask16 const in = first_lanes(runs - k);
    __m512i const c = _mm512_maskz_loadu_epi32(in, of + k);
    _mm512_storeu_si512(scratch + 1 + k, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), in, c, value, 4));
  }
}
inline void gather(Id const* of, Id runs, std::int64_t const* value, std::int64_t* scratch) {
  for (Id k = 0; k < runs; k += 8) {
    auto const in = static_cast<__mmask8>(first_lanes(runs - k));
    __m256i const c = _mm256_maskz_loadu_epi32(in, of + k);
    _mm512_storeu_si512(scratch + 1 + k, _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), in, c, value, 8));
  }
}

/// Lane x of the next cells holds the label of the run that is popcount(starts 0 .. x) after the one so far.
inline __m512i pick(Word cells, Word starts, std::int32_t const* at) {
  __m512i const up_to =
      _mm512_setr_epi32(1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, 65535);
  __m512i const n = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(static_cast<int>(starts)), up_to));
  return _mm512_maskz_permutexvar_epi32(static_cast<__mmask16>(cells), n, _mm512_loadu_si512(at));
}
inline __m512i pick(Word cells, Word starts, std::int64_t const* at) {
  __m512i const up_to = _mm512_setr_epi64(1, 3, 7, 15, 31, 63, 127, 255);
  __m512i const n = _mm512_popcnt_epi64(_mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(starts)), up_to));
  return _mm512_maskz_permutexvar_epi64(static_cast<__mmask8>(cells), n, _mm512_loadu_si512(at));
}

template <class Label>
void write_row(Word const* row, Word const* starts, int ni, Id const* of, Label const* value, Label* scratch,
               Label* out) {
  constexpr int lanes = 64 / sizeof(Label);
  constexpr Word lane_bits = (Word{1} << lanes) - 1;
  int const words = (ni + 63) / 64;
  Id runs = 0;
  for (int w = 0; w < words; ++w) runs += static_cast<Id>(_mm_popcnt_u64(starts[w]));
  gather(of, runs, value, scratch);

  Label const* at = scratch;
  // labels are not read again soon: whole lines go past the caches where rows begin at a line
  bool const whole_lines = reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
  for (int w = 0; w < words; ++w) {
    Word const cells = row[w], first = starts[w];
    for (int q = 0; q < 64; q += lanes) {
      int const left = ni - 64 * w - q;
      if (left <= 0) break;
      __m512i const labels = pick(cells >> q & lane_bits, first >> q & lane_bits, at);
      Label* const to = out + 64 * w + q;
      if (left < lanes) {
        alignas(64) Label chunk[lanes];
        _mm512_store_si512(chunk, labels);
        for (int x = 0; x < left; ++x) to[x] = chunk[x];
      } else if (whole_lines) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), labels);
      } else {
        _mm512_storeu_si512(to, labels);
      }
      at += _mm_popcnt_u64(first >> q & lane_bits);
    }
  }
}

}  // namespace

constinit Kernels const wide_table{join_row<WideBits>,
                                   pack_row,
                                   unpack_row,
                                   number<WideBits>,
                                   number_row<WideBits>,
                                   relabel,
                                   add_cells<WideBits>,
                                   deal,
                                   write_row<std::int32_t>,
                                   write_row<std::int64_t>};

}  // namespace tessera::ca::parts

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else

namespace tessera::ca::parts {
Kernels const* wide_kernels() { return nullptr; }
}  // namespace tessera::ca::parts

#endif
