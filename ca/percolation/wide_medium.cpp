// SPDX-License-Identifier: Apache-2.0
#include "ca/percolation/blocks.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#include "ca/components/wide.hpp"

#include <array>

namespace tessera::ca::percolation {
namespace {

using components::through_lowest;

TESSERA_WIDE inline __mmask8 first_words(int n) {
  return n >= 8 ? 0xff : n <= 0 ? 0 : static_cast<__mmask8>((1u << n) - 1);
}

/// One row of a sweep, 512 cells at a time: the words on their left are done already, those on their right are not.
/// Dead ends along the row lose two cells.
TESSERA_WIDE void prune_row(Word* row, Word const* below, Word const* above, Word const* stay, int words) {
  __m512i left = _mm512_setzero_si512(), next = _mm512_maskz_loadu_epi64(first_words(words), row);
  for (int w = 0; w < words; w += 8) {
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

/// Pairs of runs whose faces are to be compared, in the order of the row's bits, and the answers.
struct Pairs {
  std::vector<Id> a, b;
  std::vector<std::uint8_t> equal;
  Id n = 0;

  void restart(int words) {
    n = 0;
    std::size_t const room = 64 * static_cast<std::size_t>(words) + 128;
    if (a.size() >= room) return;
    a.resize(room);
    b.resize(room);
    equal.resize(room);
  }
  /// At each candidate the runs counted by `counts_a` and `counts_b`, one byte a bit.
  TESSERA_WIDE void add(Word candidates, __m512i counts_a, Id last_a, __m512i counts_b, Id last_b) {
    auto const m = static_cast<Id>(_mm_popcnt_u64(candidates));
    components::list_counts(candidates, m > 16, counts_a, last_a, a.data() + n);
    components::list_counts(candidates, m > 16, counts_b, last_b, b.data() + n);
    n += m;
  }
  /// At each candidate, of the runs counted by `lower` and `upper`: on the left the upper one where `left` is set, on
  /// the right the one after the upper where `right` is set.
  TESSERA_WIDE void add_chosen(Word candidates, __m512i lower, Id last_lower, __m512i upper, Id last_upper, Word left,
                               Word right) {
    auto const m = static_cast<Id>(_mm_popcnt_u64(candidates));
    lower = _mm512_maskz_compress_epi8(candidates, lower);
    upper = _mm512_maskz_compress_epi8(candidates, upper);
    left = _pext_u64(left, candidates);
    right = _pext_u64(right, candidates);
    choose_16(_mm512_castsi512_si128(lower), last_lower, _mm512_castsi512_si128(upper), last_upper, left, right, 0);
    if (m > 16) [[unlikely]] {
      choose_16(_mm512_extracti32x4_epi32(lower, 1), last_lower, _mm512_extracti32x4_epi32(upper, 1), last_upper, left,
                right, 16);
      choose_16(_mm512_extracti32x4_epi32(lower, 2), last_lower, _mm512_extracti32x4_epi32(upper, 2), last_upper, left,
                right, 32);
      choose_16(_mm512_extracti32x4_epi32(lower, 3), last_lower, _mm512_extracti32x4_epi32(upper, 3), last_upper, left,
                right, 48);
    }
    n += m;
  }
  /// Single loads: gathers take longer on some processors, and are no faster on the others.
  void compare(Id const* face) {
    for (Id k = 0; k < n; ++k) equal[k] = face[a[k]] == face[b[k]];
    n = 0;
  }
  /// The next answers, as bits at the candidates.
  TESSERA_WIDE Word take(Word candidates) {
    Word const bits = _mm512_test_epi8_mask(_mm512_loadu_si512(equal.data() + n), _mm512_set1_epi8(1));
    n += static_cast<Id>(_mm_popcnt_u64(candidates));
    return _pdep_u64(bits, candidates);
  }

 private:
  TESSERA_WIDE void choose_16(__m128i lower, Id last_lower, __m128i upper, Id last_upper, Word left, Word right,
                              Id at) {
    __m512i const low = _mm512_add_epi32(_mm512_cvtepu8_epi32(lower), _mm512_set1_epi32(static_cast<int>(last_lower)));
    __m512i const up = _mm512_add_epi32(_mm512_cvtepu8_epi32(upper), _mm512_set1_epi32(static_cast<int>(last_upper)));
    __m512i const on_left = _mm512_mask_blend_epi32(static_cast<__mmask16>(left >> at), low, up);
    __m512i const on_right = _mm512_mask_blend_epi32(static_cast<__mmask16>(right >> at), low, up);
    _mm512_storeu_si512(a.data() + n + at, on_left);
    _mm512_storeu_si512(b.data() + n + at, _mm512_add_epi32(on_right, _mm512_set1_epi32(1)));
  }
};

/// The rows round row r: bits and white runs.
struct Lines {
  struct Line {
    Word const *bits, *starts;
    Id const* before;
    int words;
    Word at(int w) const { return bits[w]; }
    Word left(int w) const { return bits[w] << 1 | (w > 0 ? bits[w - 1] >> 63 : 0); }
    Word right(int w) const { return bits[w] >> 1 | (w + 1 < words ? bits[w + 1] << 63 : 0); }
    /// One less than the number of the first run that starts in word w.
    Id last(int w) const { return before[w] - 1; }
  };
  Line below, here, above;
  Lines(BitTile const& black, components::Runs const& white, int r)
      : below(line(black, white, r - 1)),
        here(line(black, white, r)),
        above(line(black, white, r <= black.nj ? r + 1 : r)) {}

 private:
  static Line line(BitTile const& black, components::Runs const& white, int r) {
    return {black.row(r), white.starts.data() + white.word(r, 0), white.before.data() + white.word(r, 0), black.words};
  }
};

/// Edges whose faces have to be compared: those without a black pair beside them.
Word open_beside(Lines const& l, int w) {
  return l.here.at(w) & l.here.left(w) & ~(l.below.at(w) & l.below.left(w)) & ~(l.above.at(w) & l.above.left(w));
}
Word open_below(Lines const& l, int w) {
  return l.here.at(w) & l.below.at(w) & ~(l.below.left(w) & l.here.left(w)) & ~(l.below.right(w) & l.here.right(w));
}

/// Split cells among those with four black neighbours.
TESSERA_WIDE void split(Lines const& l, int w, Word own, Id const* face, Word& a, Word& b) {
  a = b = 0;
  Word const crossing = l.here.at(w) & l.here.left(w) & l.here.right(w) & l.below.at(w) & l.above.at(w) & own;
  auto const run = [&](Lines::Line const& line, Word m)
                       TESSERA_WIDE { return line.last(w) + static_cast<Id>(_mm_popcnt_u64(line.starts[w] & m)); };
  for (Word q = crossing & ~l.below.right(w) & ~l.above.left(w); q != 0; q &= q - 1) {
    Word const m = through_lowest(q);
    a |= (q & -q) & -static_cast<Word>(face[run(l.below, m) + 1] == face[run(l.above, m)]);
  }
  for (Word q = crossing & ~l.below.left(w) & ~l.above.right(w); q != 0; q &= q - 1) {
    Word const m = through_lowest(q);
    b |= (q & -q) & -static_cast<Word>(face[run(l.below, m)] == face[run(l.above, m) + 1]);
  }
  b &= ~a;
}

}  // namespace

TESSERA_WIDE void prune_wide(BitTile& cells) {
  // bits 0 and 1, ni and ni + 1 stay
  static thread_local std::vector<Word> stay;
  stay.resize(static_cast<std::size_t>(cells.words));
  for (int w = 0; w < cells.words; ++w) stay[static_cast<std::size_t>(w)] = ~cells.own(w);
  stay[0] |= 2;
  stay[static_cast<std::size_t>(cells.ni >> 6)] |= Word{1} << (cells.ni & 63);
  auto const sweep = [&](int r) {
    prune_row(cells.row(r), cells.row(r - 1), cells.row(r + 1), stay.data(), cells.words);
  };
  for (int r = 2; r < cells.nj; ++r) sweep(r);
  for (int r = cells.nj - 1; r > 1; --r) sweep(r);
  for (int r = 2; r < cells.nj; ++r) sweep(r);
}

TESSERA_WIDE void classify_wide(BitTile const& black, components::Runs const& white, std::vector<Id> const& face,
                                Edges& edges) {
  for (BitTile* tile : {&edges.beside, &edges.below, &edges.split_a, &edges.split_b})
    tile->shape(black.ni, black.nj, 1);
  static thread_local std::array<Pairs, 2> kept;
  Pairs &upright = kept[0], &level = kept[1];
  auto const level_mask = [&](int w) { return black.valid(w) & (w == 0 ? ~Word{1} : ~Word{0}); };
  for (int r = 1; r <= black.nj + 1; ++r) {
    Lines const l(black, white, r);
    bool const last = r > black.nj;
    upright.restart(black.words);
    level.restart(black.words);
    for (int w = 0; w < black.words; ++w) {
      __m512i const below = components::prefix_counts(l.below.starts[w]);
      // the left face of an upright edge is the run that ends at x - 1 in the lower row, or in the upper one where the
      // lower is black there; the right one likewise
      upright.add_chosen(open_below(l, w) & black.own(w), below, l.below.last(w),
                         components::prefix_counts(l.here.starts[w]), l.here.last(w), l.below.left(w),
                         l.below.right(w));
      if (!last)
        level.add(open_beside(l, w) & level_mask(w), below, l.below.last(w),
                  components::prefix_counts(l.above.starts[w]), l.above.last(w));
    }
    upright.compare(face.data());
    level.compare(face.data());
    for (int w = 0; w < black.words; ++w) {
      Word const own = black.own(w);
      edges.below.row(r)[w] = l.here.at(w) & l.below.at(w) & own & ~upright.take(open_below(l, w) & own);
      if (last) continue;
      edges.beside.row(r)[w] =
          l.here.at(w) & l.here.left(w) & level_mask(w) & ~level.take(open_beside(l, w) & level_mask(w));
      split(l, w, own, face.data(), edges.split_a.row(r)[w], edges.split_b.row(r)[w]);
    }
  }
}

}  // namespace tessera::ca::percolation

#else

#include "core/error.hpp"

namespace tessera::ca::percolation {
void prune_wide(BitTile&) { core::expect(false, "no wide vectors here"); }
void classify_wide(BitTile const&, components::Runs const&, std::vector<Id> const&, Edges&) {
  core::expect(false, "no wide vectors here");
}
}  // namespace tessera::ca::percolation

#endif
