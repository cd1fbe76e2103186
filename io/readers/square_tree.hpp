// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tessera::io {

/// What a RowSource may be besides: one whose cells are a tree of squares of which equal ones are one, so that it may stand for more cells
/// than anybody can go through.
class SquareTree {
 public:
  using Number = std::uint32_t;
  /// What makes a square of 8 x 8 states, row by row from below, and of four squares of equal size: lower left, lower right, upper
  /// left, upper right. Both give it a number of their own.
  struct Maker {
    std::function<Number(std::array<std::uint8_t, 64> const&)> of_states;
    std::function<Number(std::array<Number, 4> const&)> of_squares;
  };
  virtual ~SquareTree() = default;
  /// The number of the square that holds all cells, whose middle is the corner (0, 0) of the plane; each is made once, after its
  /// parts. Nothing where it is not larger than 8 x 8.
  virtual std::optional<Number> make_squares(Maker const& maker) const = 0;
  /// RowFormat::notes of the file; words that any comment begins with count as names, too.
  virtual std::map<std::string, std::string> const& notes() const = 0;
};

}  // namespace tessera::io
