// SPDX-License-Identifier: Apache-2.0
#include "io/readers/pattern.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace tessera::io::readers {
namespace {

/// Run-length encoded pattern (Golly's extended RLE), states 0 .. 255 as uint8, one row after the other from the top.
///
/// Lines that begin with `#` are comments, but `#r RULE` in front of the header (XLife) names the rule, and
/// `#CXRLE Pos=X,Y` is the place of the upper left corner, y downwards. The header is
/// `x = NX, y = NY`, then perhaps `, rule = RULE`. Then runs `[COUNT]TAG`: b or . is state 0, o or A state 1,
/// B .. X states 2 .. 24, pA .. pX 25 .. 48, up to yO 255; `$` ends a row, `!` the pattern. What follows is not read.
/// Rows may end early. A cell outside NX x NY is an error, and so is a missing `!`, which the last `next` finds.
/// Memory: nothing but the row asked for.
///
/// Source: golly.sourceforge.io, Help, File Formats.
class Rle final : public Pattern {
 public:
  static constexpr std::array extensions{"rle"};
  static bool knows(std::string_view text) {
    if (text.starts_with("#Life")) return false;
    // the first line that is no comment begins with x =
    while (text.starts_with('#') || text.starts_with('\n') || text.starts_with('\r')) {
      auto const end = text.find_first_of("\r\n");
      if (end == std::string_view::npos) return false;
      text.remove_prefix(end + 1);
    }
    if (!text.starts_with('x')) return false;
    auto const sign = text.find_first_not_of(" \t", 1);
    return sign != std::string_view::npos && text[sign] == '=';
  }

  explicit Rle(std::string const& file) : Pattern(file) {
    skip_comments();
    expect("x");
    expect("=");
    in_.skip_blanks();
    cells_[0] = side("x");
    expect(",");
    expect("y");
    expect("=");
    in_.skip_blanks();
    cells_[1] = side("y");
    in_.skip_blanks();
    if (in_.peek() == ',') {
      in_.get();
      expect("rule");
      expect("=");
      rule_ = detail::trimmed(in_.rest_of_line(detail::longest_rule));
    } else if (in_.peek() != '\n') {
      in_.fail(fmt::format("found {}, expected ', rule =' or the end of the line", detail::shown(in_.peek())));
    }
  }

  /// Where #CXRLE says it; y upwards.
  std::optional<Placement> placement() const override {
    if (!corner_) return std::nullopt;
    auto const& [x, y] = *corner_;
    return Placement{.origin = {static_cast<double>(x), static_cast<double>(-y - cells_[1]), 0}};
  }

 private:
  void read(core::Count rows, std::span<std::byte> values) override {
    for (core::Count r = 0; r < rows; ++r)
      if (row_ == next_ + r) read_row(row_of(values, r));
    // what follows the last row may end rows, but not hold a cell
    while (next_ + rows == cells_[1] && !ended_) read_row({});
  }

  void skip_comments() {
    for (in_.skip_space(); in_.peek() == '#'; in_.skip_space()) {
      auto const line = in_.rest_of_line(detail::longest_rule);
      if (cells_[0] == 0 && line.starts_with("#r ")) rule_ = detail::trimmed(line.substr(3));
      if (cells_[0] == 0 && line.starts_with("#CXRLE")) read_corner(line);
    }
  }
  /// Pos=X,Y in a line #CXRLE: the cell of the upper left corner, y downwards.
  void read_corner(std::string_view line) {
    auto const at = line.find("Pos=");
    if (at == line.npos) return;
    std::array<core::Count, 2> corner{};
    char const* from = line.data() + at + 4;
    char const* const end = line.data() + line.size();
    for (std::size_t a = 0; a < 2; ++a) {
      while (from != end && *from == ' ') ++from;
      auto const [next, code] = std::from_chars(from, end, corner[a]);
      bool const goes_on = a == 1 || (next != end && *next == ',');
      if (code != std::errc() || !goes_on || std::abs(corner[a]) > detail::longest_side)
        in_.fail(fmt::format("found no two numbers up to {} behind Pos=, expected Pos=X,Y", detail::longest_side));
      from = next + 1;
    }
    corner_ = corner;
  }
  void expect(std::string_view word) { Pattern::expect(word, "x = NX, y = NY, rule = RULE"); }

  /// Runs up to the end of row `row_`; leaves there the row that the next run belongs to.
  void read_row(std::span<std::byte> row) {
    for (core::Count at = 0; !ended_;) {
      skip_comments();
      core::Count const count = run_length();
      int const tag = in_.get();
      if (tag == '$') {
        row_ += count;
        return;
      }
      if (tag == '!') {
        ended_ = true;
        return;
      }
      std::byte const state = state_of(tag);
      if (row_ >= cells_[1])
        in_.fail(fmt::format("a cell in row {}, expected {} rows as the header says", row_ + 1, cells_[1]));
      if (count > cells_[0] - at)
        in_.fail(fmt::format("{} cells in row {}, expected {} as the header says", at + count, row_ + 1, cells_[0]));
      std::fill_n(row.begin() + at, count, state);
      at += count;
    }
  }
  std::byte state_of(int tag) {
    if (tag == 'b' || tag == '.') return std::byte{0};
    if (tag == 'o') return std::byte{1};
    return lettered_state(tag, 'p', 'y', "b o . A .. X pA .. yO), $ or !");
  }

  std::optional<std::array<core::Count, 2>> corner_;
  core::Count row_ = 0;  // row of the next run in the file, next_ or one of those above it still to come
  bool ended_ = false;
};

[[maybe_unused]] bool const added = Readers::add<ReaderOf<Rle>>("rle", "run-length encoded pattern, up to 256 states");

}  // namespace
}  // namespace tessera::io::readers
