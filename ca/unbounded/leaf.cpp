// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/leaf.hpp"

#include "ca/unbounded/blocks.hpp"
#include "ca/unbounded/stepper.hpp"
#include "ca/unbounded/word_rule.hpp"

#include <fmt/format.h>

namespace tessera::ca::unbounded {
namespace {

/// 16 x 16 cells are four words of four rows each. What is wrong at their sides comes one cell further in each of four generations.
template <class Rule>
class BitLeaves final : public LeafRule {
 public:
  explicit BitLeaves(Rule const& rule) : rule_(rule) {}
  LeafForm form() const override { return {3, 1}; }
  int states() const override { return 2; }
  Word advance(Four const& leaves, int generations) override {
    auto const [sw, se, nw, ne] = leaves;
    std::array<Word, 6> rows{0, beside(sw, se), beside(sw >> 32, se >> 32), beside(nw, ne), beside(nw >> 32, ne >> 32),
                             0};
    for (int g = 0; g < generations; ++g) {
      std::array<Word, 6> next{};
      for (std::size_t q = 1; q < 5; ++q)
        next[q] =
            rule_.next(row(rows[q] << 16 | rows[q - 1] >> 48), row(rows[q]), row(rows[q] >> 16 | rows[q + 1] << 48));
      rows = next;
    }
    return middle(rows[2]) | middle(rows[3]) << 32;
  }

 private:
  static auto row(Word own) { return Rule::row(Word{own << 1}, own, Word{own >> 1}); }
  /// Four rows of 8 cells on the left and on the right, from the lower half of each.
  static Word beside(Word left, Word right) { return apart(left) | apart(right) << 8; }
  static Word apart(Word rows) {
    rows &= 0xffffffffu;
    rows = (rows | rows << 16) & 0x0000ffff0000ffffu;
    return (rows | rows << 8) & 0x00ff00ff00ff00ffu;
  }
  /// The 8 cells in the middle of each of four rows of 16.
  static Word middle(Word rows) {
    rows = rows >> 4 & 0x00ff00ff00ff00ffu;
    rows = (rows | rows >> 8) & 0x0000ffff0000ffffu;
    return (rows | rows >> 16) & 0xffffffffu;
  }

  Rule rule_;
};

/// A square of 4 x 4 cells is seldom a new one, so that its own grid may take its time.
class ByteLeaves final : public LeafRule {
 public:
  ByteLeaves(std::string const& rule, core::Dictionary& properties) : square_(rule, 4, 1) { square_.check(properties); }
  LeafForm form() const override { return {1, 8}; }
  int states() const override { return square_.states(); }
  Word advance(Four const& leaves, int generations) override {
    if (generations == 0)
      return leaves[0] >> 24 | (leaves[1] >> 16 & 255) << 8 | (leaves[2] >> 8 & 255) << 16 | (leaves[3] & 255) << 24;
    for (int j = 0; j < 4; ++j) {
      std::uint8_t* const row = square_.row(0, j);
      for (int i = 0; i < 4; ++i)
        row[i] = static_cast<std::uint8_t>(leaves[static_cast<std::size_t>(j / 2 * 2 + i / 2)] >>
                                           form().place(i % 2, j % 2));
    }
    square_.step(generations);
    Word next = 0;
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) form().set(next, i, j, square_.look(0, j + 1)[i + 1]);
    return next;
  }

 private:
  Blocks square_;
};

}  // namespace

std::unique_ptr<LeafRule> make_leaf_rule(std::string const& rule, core::Dictionary& properties) {
  auto const known = rule_of_planes(rule, properties);
  if (known.range > 1)
    properties.fail(
        "rule", fmt::format("is '{}', which looks {} cells far, but `algorithm hash;` is for rules that look one cell "
                            "far, expected algorithm tiles",
                            rule, known.range));
  std::unique_ptr<LeafRule> made;
  auto const make = [&]<class Rule>(Rule const& of, Rule const&, bool blinks) {
    if (blinks)
      properties.fail("rule", fmt::format("is '{}', under which an empty plane blinks, while `algorithm hash;` has one "
                                          "rule for all generations, expected algorithm tiles",
                                          rule));
    made = std::make_unique<BitLeaves<Rule>>(of);
  };
  if (!with_word_rule(rule, make)) made = std::make_unique<ByteLeaves>(rule, properties);
  return made;
}

}  // namespace tessera::ca::unbounded
