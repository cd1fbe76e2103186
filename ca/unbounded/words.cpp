// SPDX-License-Identifier: Apache-2.0
// Rules of two states by numbers of neighbours, a bit a cell.
#include "ca/unbounded/stepper.hpp"
#include "ca/unbounded/word_rule.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera::ca::unbounded {
namespace {

/// A tile is a square of 64 x 64 cells, a word a row. With the cells round it, as many as generations, a row has two words:
/// up to 30 generations follow each other in the nearest cache. 30, so that patterns of period 2, 3, 5, 6, 10 and 15 rest.
template <class Rule>
class Words final : public Stepper {
 public:
  Words(Rule const& even, Rule const& odd, bool alternates) : rules_{even, odd}, alternates_(alternates) {}
  core::Count side() const override { return 64; }
  int words() const override { return 64; }
  int depth() const override { return most; }
  int states() const override { return 2; }
  bool alternates() const override { return alternates_; }
  std::uint8_t get(Word const* tile, int i, int j) const override {
    return static_cast<std::uint8_t>(tile[j] >> i & 1);
  }
  void set(Word* tile, int i, int j, std::uint8_t state) const override {
    tile[j] = (tile[j] & ~(Word{1} << i)) | Word{state == 1} << i;
  }
  void advance(std::span<Nine const> nines, bool odd, int generations, Word* next) override {
    auto const n = static_cast<core::Count>(nines.size());
    core::for_each_by_threads("tiles of a plane", n, core::Count{64} * generations,
                              [&](core::Count q) { advance(nines[q], odd, generations, next + 64 * q); });
  }

 private:
  static constexpr int most = 30;
  /// Rows of a tile and those round it in two words each, the first bit `generations` cells left of the tile; by blocks of eight rows.
  static constexpr int blocks = (64 + 2 * most + 7) / 8;
  struct Rows {
    static constexpr int before =
        8;  ///< rows of zeros at each end, a block of them so that each block begins at a line
    alignas(64) Word low[8 * blocks + 2 * before] = {}, high[8 * blocks + 2 * before] = {};
  };
  /// A bit a block.
  using Blocks = std::uint32_t;
  /// What differs in the two words from two generations before, and whether by a cell beside the other word.
  struct Moved {
    Blocks low = 0, high = 0, low_end = 0, high_end = 0;
  };
  static Blocks round(Blocks of) { return of | of << 1 | of >> 1; }

  void advance(Nine const& nine, bool odd, int k, Word* next) const {
    Rows both[2];
    int const rows = 64 + 2 * k;
    Moved moved;
    for (int r = 0; r < rows; ++r) {
      int const j = r - k, lattice = j < 0 ? 0 : j < 64 ? 3 : 6, row = j & 63;
      auto const word = [&](int n) { return nine[lattice + n] == nullptr ? 0 : nine[lattice + n][row]; };
      Word const left = word(0), own = word(1), right = word(2);
      Word const low = left >> (64 - k) | own << k, high = own >> (64 - k) | right << k;
      both[0].low[Rows::before + r] = low;
      both[0].high[Rows::before + r] = high;
      moved.low |= Blocks{low != 0} << r / 8;
      moved.high |= Blocks{high != 0} << r / 8;
    }
    if ((moved.low | moved.high) == 0) {
      std::fill_n(next, 64, Word{0});
      return;
    }
    // as if nothing had lived before: what has no life round it in the first generation keeps none, and in the second what
    // had none in the first either
    Moved const living{moved.low, moved.high, moved.low, moved.high};
    moved = living;
    for (int g = 1; g <= k; ++g) {
      Blocks low = round(moved.low | moved.high_end), high = round(moved.high | moved.low_end);
      if (g == 2) {
        low |= living.low;
        high |= living.high;
      }
      // rows from g to rows - g are those that what follows needs
      Blocks const needed = ((Blocks{2} << (rows - 1 - g) / 8) - 1) & ~((Blocks{1} << g / 8) - 1);
      moved = step(rules_[(g + odd) % 2 == 0], both[(g - 1) % 2], both[g % 2], low & needed, high & needed);
    }
    Word const* const low = both[k % 2].low + Rows::before + k;
    Word const* const high = both[k % 2].high + Rows::before + k;
    for (int j = 0; j < 64; ++j) next[j] = low[j] >> k | high[j] << (64 - k);
  }

  /// The next generation of the blocks that are not known to be as two generations before, which is what `to` holds.
  static Moved step(Rule const& rule, Rows const& from, Rows& to, Blocks low, Blocks high) {
    Moved moved;
    for (; low != 0; low &= low - 1) {
      int const b = std::countr_zero(low);
      Word const different = step_block(rule, to.low + Rows::before + 8 * b, [&](int r) {
        Eight const own = load(from.low + Rows::before + 8 * b + r), right = load(from.high + Rows::before + 8 * b + r);
        return Rule::row(own << 1, own, own >> 1 | right << 63);
      });
      moved.low |= Blocks{different != 0} << b;
      moved.low_end |= static_cast<Blocks>(different >> 63) << b;
    }
    for (; high != 0; high &= high - 1) {
      int const b = std::countr_zero(high);
      Word const different = step_block(rule, to.high + Rows::before + 8 * b, [&](int r) {
        Eight const own = load(from.high + Rows::before + 8 * b + r), left = load(from.low + Rows::before + 8 * b + r);
        return Rule::row(own << 1 | left >> 63, own, own >> 1);
      });
      moved.high |= Blocks{different != 0} << b;
      moved.high_end |= static_cast<Blocks>(different & 1) << b;
    }
    return moved;
  }
  /// Eight words, where row(r) is what the rule reads of those r rows above. Returns the bits in which any of them differs.
  template <class Row>
  static Word step_block(Rule const& rule, Word* to, Row const& row) {
    Eight const fresh = rule.next(row(-1), row(0), row(1));
    Eight const different = fresh ^ load(to);
    bits::store(to, fresh);
    Word any = 0;
    for (int n = 0; n < 8; ++n) any |= different[n];
    return any;
  }
  using Eight = bits::Eight;
  static Eight load(Word const* from) { return bits::load<Eight>(from); }

  Rule rules_[2];  // of even and of odd generations
  bool alternates_;
};

}  // namespace

std::unique_ptr<Stepper> make_word_stepper(std::string const& rule) {
  std::unique_ptr<Stepper> made;
  with_word_rule(rule, [&]<class Rule>(Rule const& even, Rule const& odd, bool blinks) {
    made = std::make_unique<Words<Rule>>(even, odd, blinks);
  });
  return made;
}

}  // namespace tessera::ca::unbounded
