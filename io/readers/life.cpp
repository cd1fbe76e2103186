// SPDX-License-Identifier: Apache-2.0
#include "io/readers/pattern.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace tessera::io::readers {
namespace {

/// Pattern in the format Life 1.05 or 1.06: live cells as 1, the smallest rectangle that holds them all, from the top.
///
/// 1.06: one live cell a line, `X Y`, y downwards. 1.05: blocks `#P X Y` of lines of . (dead) and * (alive), the first
/// at (X, Y), or at (0, 0) where `#P` stands alone, as Golly takes it; `#N` says that the rule is Conway's, `#R 23/3` names
/// it, survival first; other lines with # are comments.
/// The cells come in any order, so that all of them are held: 8 bytes a live cell. Coordinates are -2^30 .. 2^30.
///
/// Source: conwaylife.com/wiki, Life 1.05 and Life 1.06.
class Life final : public Pattern {
 public:
  static constexpr std::array extensions{"lif", "life"};
  static bool knows(std::string_view text) { return text.starts_with("#Life 1.0"); }

  explicit Life(std::string const& file) : Pattern(file) {
    std::string const version = in_.rest_of_line(12);
    if (version.starts_with("#Life 1.06"))
      read_list();
    else if (version.starts_with("#Life 1.05"))
      read_blocks();
    else
      throw core::Error(file, 0, "expected '#Life 1.05' or '#Life 1.06' in the first line");
    if (alive_.empty()) throw core::Error(file, 0, "has no live cells, expected at least one");
    std::sort(alive_.begin(), alive_.end());
    auto const [west, east] =
        std::minmax_element(alive_.begin(), alive_.end(), [](Place const& a, Place const& b) { return a.x < b.x; });
    west_ = west->x;
    north_ = alive_.front().y;
    cells_ = {core::Count{east->x} - west_ + 1, core::Count{alive_.back().y} - north_ + 1, 1};
  }

 private:
  void read(core::Count rows, std::span<std::byte> values) override {
    for (; place_ < alive_.size(); ++place_) {
      core::Count const row = core::Count{alive_[place_].y} - north_ - next_;
      if (row >= rows) break;
      values[row * cells_[0] + alive_[place_].x - west_] = std::byte{1};
    }
  }

  static constexpr core::Count farthest = core::Count{1} << 30;
  struct Place {
    std::int32_t y, x;
    auto operator<=>(Place const&) const = default;
  };

  core::Count coordinate(std::string_view what) {
    in_.skip_blanks();
    bool const negative = in_.peek() == '-';
    if (negative || in_.peek() == '+') in_.get();
    core::Count const value = in_.number(what);
    if (value > farthest) in_.fail(fmt::format("a coordinate is too large, expected -{0} .. {0}", farthest));
    return negative ? -value : value;
  }
  void add(core::Count x, core::Count y) {
    if (x > farthest || y > farthest) in_.fail(fmt::format("a cell is too far away, expected -{0} .. {0}", farthest));
    alive_.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)});
  }

  void read_list() {
    for (in_.skip_space(); in_.peek() != Characters::end; in_.skip_space()) {
      if (in_.peek() == '#') {
        in_.rest_of_line();
        continue;
      }
      core::Count const x = coordinate("a live cell, X Y");
      if (in_.peek() != ' ' && in_.peek() != '\t')
        in_.fail(fmt::format("found {}, expected a live cell, X Y", detail::shown(in_.peek())));
      core::Count const y = coordinate("the y of a live cell");
      end_of_line();
      add(x, y);
    }
  }
  void read_blocks() {
    core::Count west = 0, x = 0, y = 0;
    bool inside = false;
    for (int c = in_.get(); c != Characters::end; c = in_.get()) {
      if (c == '#' && in_.peek() == 'P') {
        in_.get();
        in_.skip_blanks();
        west = x = y = 0;
        if (in_.peek() != '\n' && in_.peek() != Characters::end) {
          west = x = coordinate("the corner of a block, #P X Y");
          y = coordinate("the y of a block's corner, #P X Y");
        }
        end_of_line();
        in_.get();
        inside = true;
      } else if (c == '#') {
        auto const line = in_.rest_of_line(detail::longest_rule);
        if (line.starts_with("R ")) rule_ = detail::trimmed(line.substr(2));
        if (detail::trimmed(line) == "N") rule_ = "B3/S23";
      } else if (c == '\n') {
        if (inside) ++y;
        x = west;
      } else if (c == '.' || c == '*') {
        if (!inside) in_.fail("a cell in front of the first block, expected '#P X Y'");
        if (c == '*') add(x, y);
        ++x;
      } else if (c != ' ' && c != '\t') {
        in_.fail(fmt::format("found {}, expected a cell, . or *", detail::shown(c)));
      }
    }
  }

  std::vector<Place> alive_;  // by rows from the top
  core::Count west_ = 0, north_ = 0;
  std::size_t place_ = 0;  // first live cell of the rows not given yet
};

[[maybe_unused]] bool const added = Readers::add<ReaderOf<Life>>("life", "pattern in the format Life 1.05 or 1.06");

}  // namespace
}  // namespace tessera::io::readers
