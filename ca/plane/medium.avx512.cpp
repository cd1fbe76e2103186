// SPDX-License-Identifier: Apache-2.0
#include "ca/plane/blocks.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#include "ca/parts/wide.avx512.hpp"

#include <array>

namespace tessera::ca::percolation {
namespace {

using parts::through_lowest;

TESSERA_WIDE inline __mmask8 first_words(int n) {
  return n >= 8 ? 0xff : n <= 0 ? 0 : static_cast<__mmask8>((1u << n) - 1);
}

/// One row of a sweep, 512 cells at a time: the words on their left are done already, those on their right are not.
/// Dead ends along the row lose two cells. Words from `end` on stay.
TESSERA_WIDE void prune_row(Word* row, Word const* below, Word const* above, Word const* stay, int words, int end) {
  __m512i left = _mm512_setzero_si512(), next = _mm512_maskz_loadu_epi64(first_words(words), row);
  for (int w = 0; w < end; w += 8) {
    __mmask8 const in = first_words(words - w), in_right = first_words(words - w - 8);
    __m512i const right = in_right != 0 ? _mm512_maskz_loadu_epi64(in_right, row + w + 8) : _mm512_setzero_si512();
    __m512i const d = _mm512_maskz_loadu_epi64(in, below + w), u = _mm512_maskz_loadu_epi64(in, above + w);
    __m512i const kept = _mm512_or_si512(_mm512_and_si512(d, u), _mm512_maskz_loadu_epi64(in, stay + w));
    __m512i const some = _mm512_or_si512(d, u);
    __m512i c = next;
    for (int round = 0; round < 2; ++round) {
      __m512i const l =
          _mm512_or_si512(_mm512_slli_epi64(c, 1), _mm512_srli_epi64(_mm512_alignr_epi64(c, left, 7), 63));
      __m512i const r =
          _mm512_or_si512(_mm512_srli_epi64(c, 1), _mm512_slli_epi64(_mm512_alignr_epi64(right, c, 1), 63));
      __m512i const two =
          _mm512_or_si512(_mm512_or_si512(kept, _mm512_and_si512(l, r)), _mm512_and_si512(some, _mm512_or_si512(l, r)));
      c = _mm512_and_si512(c, two);
    }
    _mm512_mask_storeu_epi64(row + w, in, c);
    left = c;
    next = right;
  }
}

/// Writes 16 runs counted from `last_lower` by bytes of `lower`, or from `last_upper` by `upper` where a bit is set: as
/// `left` says to `a`, and the ones after them as `right` says to `b`.
TESSERA_WIDE inline void choose_16(__m128i lower, Id last_lower, __m128i upper, Id last_upper, Word left, Word right,
                                   Id* a, Id* b) {
  __m512i const low = _mm512_add_epi32(_mm512_cvtepu8_epi32(lower), _mm512_set1_epi32(static_cast<int>(last_lower)));
  __m512i const up = _mm512_add_epi32(_mm512_cvtepu8_epi32(upper), _mm512_set1_epi32(static_cast<int>(last_upper)));
  __m512i const on_right = _mm512_mask_blend_epi32(static_cast<__mmask16>(right), low, up);
  _mm512_storeu_si512(a, _mm512_mask_blend_epi32(static_cast<__mmask16>(left), low, up));
  _mm512_storeu_si512(b, _mm512_add_epi32(on_right, _mm512_set1_epi32(1)));
}

/// The same for all candidates of a word.
TESSERA_WIDE inline void choose_runs(Word candidates, bool many, __m512i lower, Id last_lower, __m512i upper,
                                     Id last_upper, Word left, Word right, Id* a, Id* b) {
  lower = _mm512_maskz_compress_epi8(candidates, lower);
  upper = _mm512_maskz_compress_epi8(candidates, upper);
  left = _pext_u64(left, candidates);
  right = _pext_u64(right, candidates);
  choose_16(_mm512_castsi512_si128(lower), last_lower, _mm512_castsi512_si128(upper), last_upper, left, right, a, b);
  if (!many) [[likely]]
    return;
  choose_16(_mm512_extracti32x4_epi32(lower, 1), last_lower, _mm512_extracti32x4_epi32(upper, 1), last_upper,
            left >> 16, right >> 16, a + 16, b + 16);
  choose_16(_mm512_extracti32x4_epi32(lower, 2), last_lower, _mm512_extracti32x4_epi32(upper, 2), last_upper,
            left >> 32, right >> 32, a + 32, b + 32);
  choose_16(_mm512_extracti32x4_epi32(lower, 3), last_lower, _mm512_extracti32x4_epi32(upper, 3), last_upper,
            left >> 48, right >> 48, a + 48, b + 48);
}

/// Pairs of runs whose faces are to be compared, in the order of a row's bits, and the answers.
struct Pairs {
  std::vector<Word> candidates;  // of each word
  std::vector<Id> a, b;
  std::vector<std::uint8_t> equal;

  void reserve(int words) {
    std::size_t const room = 64 * static_cast<std::size_t>(words) + 128;
    if (a.size() >= room) return;
    candidates.resize(words);
    a.resize(room);
    b.resize(room);
    equal.resize(room);
  }
};

/// Single loads: gathers take longer on some processors, and are no faster on the others.
void compare(Id const* __restrict a, Id const* __restrict b, Id const* __restrict face, Id n,
             std::uint8_t* __restrict equal) {
  for (Id k = 0; k < n; k += 4) {
    equal[k] = face[a[k]] == face[b[k]];
    equal[k + 1] = face[a[k + 1]] == face[b[k + 1]];
    equal[k + 2] = face[a[k + 2]] == face[b[k + 2]];
    equal[k + 3] = face[a[k + 3]] == face[b[k + 3]];
  }
}

/// The next answers, as bits at the candidates.
TESSERA_WIDE inline Word take(Word candidates, std::uint8_t const*& equal) {
  Word const bits = _mm512_test_epi8_mask(_mm512_loadu_si512(equal), _mm512_set1_epi8(1));
  equal += _mm_popcnt_u64(candidates);
  return _pdep_u64(bits, candidates);
}

/// A row of bits and its white runs.
struct Line {
  Word const *bits, *starts;
  Id const* before;
  Line(BitTile const& black, parts::Runs const& white, int r)
      : bits(black.row(r)),
        starts(white.starts.data() + white.word(r, 0)),
        before(white.before.data() + white.word(r, 0)) {}
};

/// The run that starts last in the bits `up_to` of word w, or before it.
TESSERA_WIDE inline Id last_run(Line const& line, int w, Word up_to) {
  return line.before[w] - 1 + static_cast<Id>(_mm_popcnt_u64(line.starts[w] & up_to));
}

/// Finds pairs of upright edges (between the rows below and here) and of level ones (in the row here).
///
/// The left face of an upright edge is the run that ends at x - 1 in the lower row, or in the upper one where the lower
/// is black there; the right one likewise. A level edge has the last runs up to x of the rows above and below.
TESSERA_WIDE std::array<Id, 2> list_pairs(BitTile const& black, Line const& below, Line const& here, Line const* above,
                                          Pairs& upright, Pairs& level) {
  int const words = black.words;
  Id uprights = 0, levels = 0;
  Word left_below = 0, left_here = 0, left_above = 0;
  for (int w = 0; w < words; ++w) {
    bool const more = w + 1 < words;
    Word const c = here.bits[w], d = below.bits[w], own = black.own(w);
    Word const cl = c << 1 | left_here, dl = d << 1 | left_below;
    Word const cr = c >> 1 | (more ? here.bits[w + 1] << 63 : 0), dr = d >> 1 | (more ? below.bits[w + 1] << 63 : 0);
    left_here = c >> 63;
    left_below = d >> 63;
    __m512i const lower = parts::prefix_counts(below.starts[w]);
    Word const q = c & d & ~(cl & dl) & ~(cr & dr) & own;
    upright.candidates[w] = q;
    auto const n = static_cast<Id>(_mm_popcnt_u64(q));
    choose_runs(q, n > 16, lower, below.before[w] - 1, parts::prefix_counts(here.starts[w]), here.before[w] - 1, dl, dr,
                upright.a.data() + uprights, upright.b.data() + uprights);
    uprights += n;
    if (above == nullptr) continue;
    Word const u = above->bits[w], ul = u << 1 | left_above;
    left_above = u >> 63;
    Word const valid = black.valid(w) & (w == 0 ? ~Word{1} : ~Word{0});
    Word const v = c & cl & ~(d & dl) & ~(u & ul) & valid;
    level.candidates[w] = v;
    auto const m = static_cast<Id>(_mm_popcnt_u64(v));
    parts::list_counts(v, m > 16, lower, below.before[w] - 1, level.a.data() + levels);
    parts::list_counts(v, m > 16, parts::prefix_counts(above->starts[w]), above->before[w] - 1,
                       level.b.data() + levels);
    levels += m;
  }
  // four are compared at a time
  for (Pairs* pairs : {&upright, &level}) {
    Id const n = pairs == &upright ? uprights : levels;
    for (auto* runs : {&pairs->a, &pairs->b})
      _mm_storeu_si128(reinterpret_cast<__m128i*>(runs->data() + n), _mm_setzero_si128());
  }
  return {uprights, levels};
}

/// Cells with four black neighbours and one face in opposite corners.
TESSERA_WIDE void find_split(BitTile const& black, Line const& below, Line const& here, Line const& above,
                             Id const* face, Word* split_a, Word* split_b) {
  int const words = black.words;
  Word left_below = 0, left_here = 0, left_above = 0;
  for (int w = 0; w < words; ++w) {
    bool const more = w + 1 < words;
    Word const c = here.bits[w], d = below.bits[w], u = above.bits[w];
    Word const cl = c << 1 | left_here, dl = d << 1 | left_below, ul = u << 1 | left_above;
    Word const cr = c >> 1 | (more ? here.bits[w + 1] << 63 : 0), dr = d >> 1 | (more ? below.bits[w + 1] << 63 : 0);
    Word const ur = u >> 1 | (more ? above.bits[w + 1] << 63 : 0);
    left_here = c >> 63;
    left_below = d >> 63;
    left_above = u >> 63;
    Word const crossing = c & cl & cr & d & u & black.own(w);
    Word a = 0, b = 0;
    for (Word q = crossing & ~dr & ~ul; q != 0; q &= q - 1) {
      Word const m = through_lowest(q);
      a |= (q & -q) & -static_cast<Word>(face[last_run(below, w, m) + 1] == face[last_run(above, w, m)]);
    }
    for (Word q = crossing & ~dl & ~ur; q != 0; q &= q - 1) {
      Word const m = through_lowest(q);
      b |= (q & -q) & -static_cast<Word>(face[last_run(below, w, m)] == face[last_run(above, w, m) + 1]);
    }
    split_a[w] = a;
    split_b[w] = b & ~a;
  }
}

}  // namespace

TESSERA_WIDE void prune_wide(BitTile& cells) {
  // bits 0 and 1, ni and ni + 1 stay
  static thread_local std::vector<Word> stay;
  stay.resize(cells.words);
  for (int w = 0; w < cells.words; ++w) stay[w] = ~cells.own(w);
  stay[0] |= 2;
  stay[cells.ni >> 6] |= Word{1} << (cells.ni & 63);
  int const end = (cells.ni + 63) / 64;
  auto const sweep = [&](int r) {
    prune_row(cells.row(r), cells.row(r - 1), cells.row(r + 1), stay.data(), cells.words, end);
  };
  for (int r = 2; r < cells.nj; ++r) sweep(r);
  for (int r = cells.nj - 1; r > 1; --r) sweep(r);
  for (int r = 2; r < cells.nj; ++r) sweep(r);
}

TESSERA_WIDE void classify_wide(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face,
                                Edges& edges) {
  for (BitTile* tile : {&edges.beside, &edges.below, &edges.split_a, &edges.split_b})
    tile->shape(black.ni, black.nj, 1);
  static thread_local std::array<Pairs, 2> kept;
  Pairs &upright = kept[0], &level = kept[1];
  upright.reserve(black.words);
  level.reserve(black.words);
  for (int r = 1; r <= black.nj + 1; ++r) {
    Line const below(black, white, r - 1), here(black, white, r), above(black, white, r <= black.nj ? r + 1 : r);
    bool const last = r > black.nj;
    auto const [uprights, levels] = list_pairs(black, below, here, last ? nullptr : &above, upright, level);
    compare(upright.a.data(), upright.b.data(), face.data(), uprights, upright.equal.data());
    Word *const out_below = edges.below.row(r), *const candidates = upright.candidates.data();
    std::uint8_t const* answers = upright.equal.data();
    for (int w = 0; w < black.words; ++w)
      out_below[w] = here.bits[w] & below.bits[w] & black.own(w) & ~take(candidates[w], answers);
    if (last) break;
    compare(level.a.data(), level.b.data(), face.data(), levels, level.equal.data());
    Word *const out_beside = edges.beside.row(r), *const level_candidates = level.candidates.data();
    answers = level.equal.data();
    Word over = 0;
    for (int w = 0; w < black.words; ++w) {
      Word const c = here.bits[w];
      out_beside[w] = c & (c << 1 | over) & black.valid(w) & ~take(level_candidates[w], answers);
      over = c >> 63;
    }
    find_split(black, below, here, above, face.data(), edges.split_a.row(r), edges.split_b.row(r));
  }
}

}  // namespace tessera::ca::percolation

#else

#include "core/error.hpp"

namespace tessera::ca::percolation {
void prune_wide(BitTile&) { core::expect(false, "no wide vectors here"); }
void classify_wide(BitTile const&, parts::Runs const&, std::vector<Id> const&, Edges&) {
  core::expect(false, "no wide vectors here");
}
}  // namespace tessera::ca::percolation

#endif
