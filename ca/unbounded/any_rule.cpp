// SPDX-License-Identifier: Apache-2.0
// Any rule of the plane, by its own automaton on a small grid.
#include "ca/unbounded/blocks.hpp"
#include "ca/unbounded/plane_rules.hpp"
#include "ca/unbounded/stepper.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tessera::ca::unbounded {
namespace {

using core::Count;

/// Tiles of a byte a cell. Each is laid with the cells round it into a block of a grid, as far as its generations look; what
/// comes in from beyond the block's sides does not reach the tile meanwhile.
class ByAutomaton final : public Stepper {
 public:
  /// `rules`: that of even generations, and that of odd ones where it is another one.
  ByAutomaton(std::vector<std::string> rules, core::Dictionary& properties)
      : range_(known_rule(rules[0])->range),
        depth_(rules.size() > 1 ? 1 : std::max(1, 8 / range_)),
        side_((Count{range_} * depth_ + 63) / 64 * 64) {
    for (auto& rule : rules) benches_.push_back({std::move(rule), {}});
    for (auto& bench : benches_) blocks(bench, 1).check(properties);
    states_ = blocks(benches_[0], 1).states();
  }

  Count side() const override { return side_; }
  int words() const override { return static_cast<int>(side_ * side_ / 8); }
  int depth() const override { return depth_; }
  int states() const override { return states_; }
  bool alternates() const override { return benches_.size() > 1; }
  std::uint8_t get(Word const* tile, int i, int j) const override { return bytes(tile)[j * side_ + i]; }
  void set(Word* tile, int i, int j, std::uint8_t state) const override {
    reinterpret_cast<std::uint8_t*>(tile)[j * side_ + i] = state;
  }

  void advance(std::span<Nine const> nines, bool odd, int generations, Word* next) override {
    Bench& of_rule = benches_[alternates() && odd ? 1 : 0];
    while (!nines.empty()) {
      auto const n = std::min(std::bit_ceil(nines.size()), most_blocks), used = std::min(n, nines.size());
      Blocks& bench = blocks(of_rule, static_cast<int>(n));
      lay(bench, nines.first(used));
      bench.step(generations);
      take(bench, used, next);
      nines = nines.subspan(used);
      next += used * static_cast<std::size_t>(words());
    }
  }

 private:
  static constexpr std::size_t most_blocks = 16;

  static std::uint8_t const* bytes(Word const* tile) { return reinterpret_cast<std::uint8_t const*>(tile); }
  Count reach() const { return Count{range_} * depth_; }

  /// Grids of 1, 2, 4 .. blocks are kept.
  struct Bench {
    std::string rule;
    std::array<std::unique_ptr<Blocks>, 5> grids;
  };
  Blocks& blocks(Bench& of_rule, int n) {
    auto& kept = of_rule.grids[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(n)) - 1)];
    if (!kept) kept = std::make_unique<Blocks>(of_rule.rule, side_ + 2 * reach(), n);
    return *kept;
  }

  void lay(Blocks& bench, std::span<Nine const> nines) const {
    Count const reach = this->reach(), width = side_ + 2 * reach;
    for (int b = 0; b < bench.squares(); ++b)
      for (Count r = 0; r < width; ++r) {
        std::uint8_t* const row = bench.row(b, r);
        std::fill_n(row, width, std::uint8_t{0});
        if (static_cast<std::size_t>(b) >= nines.size()) continue;
        Count const j = r - reach, up = j < 0 ? 0 : j < side_ ? 1 : 2, from = (j - (up - 1) * side_) * side_;
        Nine const& nine = nines[static_cast<std::size_t>(b)];
        auto const copy = [&](Count n, Count first, Count cells, Count to) {
          if (auto const* const tile = nine[static_cast<std::size_t>(3 * up + n)])
            std::memcpy(row + to, bytes(tile) + from + first, static_cast<std::size_t>(cells));
        };
        copy(0, side_ - reach, reach, 0);
        copy(1, 0, side_, reach);
        copy(2, 0, reach, reach + side_);
      }
  }
  void take(Blocks& bench, std::size_t used, Word* next) const {
    for (std::size_t b = 0; b < used; ++b)
      for (Count j = 0; j < side_; ++j)
        std::memcpy(reinterpret_cast<std::uint8_t*>(next) + (static_cast<Count>(b) * side_ + j) * side_,
                    bench.look(static_cast<int>(b), j + reach()) + reach(), static_cast<std::size_t>(side_));
  }

  int range_, depth_, states_ = 0;
  Count side_;
  std::vector<Bench> benches_;
};

}  // namespace

KnownRule rule_of_planes(std::string const& rule, core::Dictionary& properties) {
  auto const known = known_rule(rule);
  if (!known) properties.fail("rule", core::unknown_name("rule", rule, Rules::names()));
  if (known->dimensions != 2)
    properties.fail("rule",
                    fmt::format("is '{}', which an unbounded plane does not take, expected a rule of the plane by "
                                "its name or rulestring, or a table",
                                rule));
  return *known;
}

std::unique_ptr<Stepper> make_automaton_stepper(std::string const& rule, core::Dictionary& properties) {
  rule_of_planes(rule, properties);
  std::vector<std::string> rules{rule};
  if (auto const of_two = plane_rules(rule)) {
    rules = {of_two->even.text()};
    if (of_two->blinks) rules.push_back(of_two->odd.text());
  }
  return std::make_unique<ByAutomaton>(std::move(rules), properties);
}

std::unique_ptr<Stepper> make_stepper(std::string const& rule, core::Dictionary& properties) {
  if (auto words = make_word_stepper(rule)) return words;
  return make_automaton_stepper(rule, properties);
}

}  // namespace tessera::ca::unbounded
