// SPDX-License-Identifier: Apache-2.0
// Rules of two states by numbers of neighbours, a bit a cell.
#include "ca/engine/rulestring.hpp"
#include "ca/unbounded/stepper.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>

namespace tessera::ca::unbounded {
namespace {

/// A tile is a square of 64 x 64 cells, a word a row. With the cells round it, as many as generations, a row has two words:
/// up to 30 generations follow each other in the nearest cache. 30, so that patterns of period 2, 3, 5, 6, 10 and 15 rest.
template <class Rule>
class Words final : public Stepper {
 public:
  explicit Words(Rule const& rule) : rule_(rule) {}
  core::Count side() const override { return 64; }
  int words() const override { return 64; }
  int depth() const override { return most; }
  int states() const override { return 2; }
  std::uint8_t get(Word const* tile, int i, int j) const override {
    return static_cast<std::uint8_t>(tile[j] >> i & 1);
  }
  void set(Word* tile, int i, int j, std::uint8_t state) const override {
    tile[j] = (tile[j] & ~(Word{1} << i)) | Word{state == 1} << i;
  }
  void advance(std::span<Nine const> nines, int generations, Word* next) override {
    auto const n = static_cast<core::Count>(nines.size());
    core::for_each_by_threads("tiles of a plane", n, core::Count{64} * generations,
                              [&](core::Count q) { advance(nines[q], generations, next + 64 * q); });
  }

 private:
  static constexpr int most = 30;
  /// Rows of a tile and those round it, and one more at each end; in two words each, the first bit `generations` cells left
  /// of the tile.
  struct Rows {
    Word low[64 + 2 * most + 2], high[64 + 2 * most + 2];
  };

  void advance(Nine const& nine, int k, Word* next) const {
    Rows both[2];
    int const rows = 64 + 2 * k;
    int first = rows, last = -1;  // that have life
    for (int r = 0; r < rows; ++r) {
      int const j = r - k, lattice = j < 0 ? 0 : j < 64 ? 3 : 6, row = j & 63;
      auto const word = [&](int n) { return nine[lattice + n] == nullptr ? 0 : nine[lattice + n][row]; };
      Word const left = word(0), own = word(1), right = word(2);
      both[0].low[r + 1] = left >> (64 - k) | own << k;
      both[0].high[r + 1] = own >> (64 - k) | right << k;
      if ((both[0].low[r + 1] | both[0].high[r + 1]) == 0) continue;
      first = std::min(first, r);
      last = r;
    }
    if (last < 0) {
      std::fill_n(next, 64, Word{0});
      return;
    }
    both[0].low[0] = both[0].high[0] = both[0].low[rows + 1] = both[0].high[rows + 1] = 0;
    both[1] = Rows{};
    for (int g = 1; g <= k; ++g)
      step(both[(g - 1) % 2], both[g % 2], std::max(g, first - g), std::min(rows - 1 - g, last + g));
    Rows const& end = both[k % 2];
    for (int j = 0; j < 64; ++j) next[j] = end.low[j + k + 1] >> k | end.high[j + k + 1] << (64 - k);
  }

  /// Rows first .. last of the next generation.
  void step(Rows const& from, Rows& to, int first, int last) const {
    Rule const rule = rule_;
    auto const low = [&](int r) {
      return Rule::row(from.low[r] << 1, from.low[r], from.low[r] >> 1 | from.high[r] << 63);
    };
    auto const high = [&](int r) {
      return Rule::row(from.high[r] << 1 | from.low[r] >> 63, from.high[r], from.high[r] >> 1);
    };
    TESSERA_INDEPENDENT
    for (int r = first + 1; r <= last + 1; ++r) {
      to.low[r] = rule.next(low(r - 1), low(r), low(r + 1));
      to.high[r] = rule.next(high(r - 1), high(r), high(r + 1));
    }
  }

  Rule rule_;
};

template <class Rule>
std::unique_ptr<Stepper> made(Rule const& rule) {
  return std::make_unique<Words<Rule>>(rule);
}

}  // namespace

std::unique_ptr<Stepper> make_word_stepper(std::string const& rule) {
  auto const known = known_rule(rule);
  if (!known || !known->bits) return nullptr;
  auto const parsed = Rulestring::parse(known->canonical);
  auto const totals = parsed ? parsed->totals() : std::nullopt;
  if (!totals || (totals->born & 1) != 0) return nullptr;
  bits::AnyChoice const any(*totals);
  if (parsed->neighbours == Neighbours::four) return made(bits::FewerCountRule<bits::AnyChoice, false>{any});
  if (parsed->neighbours == Neighbours::six) return made(bits::FewerCountRule<bits::AnyChoice, true>{any});
  using Conway = bits::FixedChoice<1u << 3, 1u << 2 | 1u << 3>;
  if (*totals == bits::Totals{1u << 3, 1u << 2 | 1u << 3}) return made(bits::CountRule<Conway>{});
  return made(bits::CountRule<bits::AnyChoice>{any});
}

}  // namespace tessera::ca::unbounded
