// SPDX-License-Identifier: Apache-2.0
#include "io/readers/live_cells.hpp"
#include "io/readers/pattern.hpp"
#include "io/readers/square_tree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <vector>

namespace tessera::io::readers {
namespace {

/// A rectangle of cells, lo inclusive, hi exclusive; y downwards.
struct Frame {
  std::int64_t x0 = std::numeric_limits<std::int64_t>::max(), y0 = x0, x1 = std::numeric_limits<std::int64_t>::min(),
               y1 = x1;
  bool empty() const { return x0 >= x1; }
  void add(Frame const& other, std::int64_t dx, std::int64_t dy) {
    if (other.empty()) return;
    x0 = std::min(x0, other.x0 + dx);
    y0 = std::min(y0, other.y0 + dy);
    x1 = std::max(x1, other.x1 + dx);
    y1 = std::max(y1, other.y1 + dy);
  }
};

/// A square of 2^level cells. Level 3 of two states: `bits` are its 8 rows, the leftmost cell highest. Otherwise the parts
/// nw ne sw se: numbers of nodes (0: all cells are 0), at level 1 states of cells.
struct Node {
  int level = 0;
  std::uint64_t bits = 0;
  std::array<std::uint32_t, 4> parts{};
  bool leaf() const { return level == 3 && parts == std::array<std::uint32_t, 4>{}; }
};

/// Golly's Macrocell pattern [M2], states 0 .. 255 as uint8: the smallest rectangle that holds all cells that are not 0,
/// from the top, as with Life 1.06 (the square around it is as large as the tree is high, and says nothing).
///
/// A node a line, numbered from 1: `.`, `*` and `$` (end of row) of 8 x 8 cells of two states, or `LEVEL NW NE SW SE` with
/// the numbers of nodes of the level below, 0 for one without live cells; at level 1 the four are states. The last node is
/// the pattern. Lines with # are comments, but for `#R RULE`, `#G GENERATION` and our own `#C NAME TEXT`, which goes on where the
/// next one has the same name. The tree is expanded only where the rows asked for are, so
/// that memory is that of the tree, 40 bytes a node, whatever the size of the pattern.
/// Cost of a row: one visit a node that it crosses, at most nx / 6.
///
/// Source: golly.sourceforge.io, Help, File Formats (Macrocell format).
class Macrocell final : public Pattern, public LiveCells, public SquareTree {
 public:
  static constexpr std::array extensions{"mc"};
  static bool knows(std::string_view text) { return text.starts_with("[M2]"); }

  explicit Macrocell(std::string const& file) : Pattern(file) {
    if (!in_.rest_of_line().starts_with("[M2]"))
      throw core::Error(file, 0, "expected '[M2]' in the first line of a Macrocell pattern");
    read_nodes();
    if (nodes_.size() == 1) throw core::Error(file, 0, "has no nodes, expected at least one");
    frame_ = frame_of_root();
    if (frame_.empty()) throw core::Error(file, 0, "has no live cells, expected at least one");
    cells_ = {frame_.x1 - frame_.x0, frame_.y1 - frame_.y0, 1};
  }

  void for_live_cells(std::function<void(core::Count, core::Count, std::uint8_t)> const& f) const override {
    walk(static_cast<std::uint32_t>(nodes_.size() - 1), -frame_.x0, frame_.y1 - 1, f);
  }
  /// The middle of the tree is the corner (0 0), as in Golly.
  std::array<core::Count, 2> corner() const override {
    std::int64_t const half = std::int64_t{1} << (nodes_.back().level - 1);
    return {frame_.x0 - half, half - frame_.y1};
  }

  std::optional<std::int64_t> generation() const override { return generation_; }
  std::map<std::string, std::string> const& notes() const override { return notes_; }

  std::optional<Number> make_squares(Maker const& maker) const override {
    if (nodes_.back().level <= 3) return std::nullopt;
    std::vector<Number> made(nodes_.size()), empty(1, maker.of_states({}));  // the latter by level, from 3 on
    for (int level = 4; level < nodes_.back().level; ++level)
      empty.push_back(maker.of_squares({empty.back(), empty.back(), empty.back(), empty.back()}));
    for (std::uint32_t n = 1; n < nodes_.size(); ++n) {
      Node const& node = nodes_[n];
      if (node.level == 3) {
        std::array<std::uint8_t, 64> states{};
        walk(n, 0, 7, [&](core::Count i, core::Count j, std::uint8_t state) {
          states[static_cast<std::size_t>(8 * j + i)] = state;
        });
        made[n] = maker.of_states(states);
      } else if (node.level > 3) {
        auto const part = [&](std::size_t p) {
          return node.parts[p] == 0 ? empty[static_cast<std::size_t>(node.level - 4)] : made[node.parts[p]];
        };
        made[n] = maker.of_squares({part(2), part(3), part(0), part(1)});
      }
    }
    return made.back();
  }

 private:
  void read(core::Count rows, std::span<std::byte> values) override {
    first_ = frame_.y0 + next_;
    last_ = first_ + rows;
    values_ = values;
    paint(static_cast<std::uint32_t>(nodes_.size() - 1), 0, 0);
  }

  static constexpr int highest = 62;  // sides stay far below 2^63

  void read_nodes() {
    nodes_.emplace_back();  // number 0, without live cells
    for (in_.skip_space(); in_.peek() != Characters::end; in_.skip_space()) {
      if (in_.peek() == '#') {
        auto const line = in_.rest_of_line(detail::longest_rule);
        if (line.starts_with("#R ")) rule_ = detail::trimmed(line.substr(3));
        if (line.starts_with("#C ")) read_note(detail::trimmed(line.substr(3)));
        if (line.starts_with("#G ")) read_generation(detail::trimmed(line.substr(3)));
        continue;
      }
      if (nodes_.size() == std::numeric_limits<std::uint32_t>::max()) in_.fail("there are too many nodes");
      Node const node = Characters::is_digit(in_.peek()) ? read_branch() : read_leaf();
      end_of_line();
      nodes_.push_back(node);
    }
  }
  void read_note(std::string const& text) {
    auto const space = std::min(text.find(' '), text.size());
    std::string& note = notes_[text.substr(0, space)];
    note = detail::trimmed(note + text.substr(space));
  }
  /// Golly's may have any number of digits: one of more than ours have is not known.
  void read_generation(std::string const& text) {
    std::int64_t value = 0;
    char const* const end = text.data() + text.size();
    auto const [next, code] = std::from_chars(text.data(), end, value);
    bool const number = !text.empty() && Characters::is_digit(text[0]) && next == end;
    if (!number)
      throw core::Error(in_.name(), in_.line() - 1, fmt::format("found the generation '{}', expected a number", text));
    if (code == std::errc()) generation_ = value;
  }
  Node read_leaf() {
    Node node{.level = 3};
    for (int row = 0, column = 0;;) {
      int const c = in_.peek();
      if (c != '.' && c != '*' && c != '$') {
        if (row == 0 && column == 0)
          in_.fail(fmt::format("found {}, expected a node: cells . * $ or LEVEL NW NE SW SE", detail::shown(c)));
        return node;
      }
      in_.get();
      if (c == '$') {
        ++row;
        column = 0;
        continue;
      }
      if (row > 7 || column > 7) in_.fail("more cells than the 8 x 8 of a node");
      if (c == '*') node.bits |= std::uint64_t{1} << (63 - 8 * row - column);
      ++column;
    }
  }
  Node read_branch() {
    Node node;
    node.level = static_cast<int>(in_.number("the level of a node"));
    if (node.level < 1 || node.level > highest)
      in_.fail(fmt::format("found a node of level {}, expected 1 .. {}", node.level, highest));
    for (auto& part : node.parts) {
      in_.skip_blanks();
      auto const number = in_.number(node.level == 1 ? "a state" : "the number of a node");
      if (node.level == 1 && number > 255) in_.fail(fmt::format("found the state {}, expected 0 .. 255", number));
      if (node.level > 1 && number >= static_cast<std::int64_t>(nodes_.size()))
        in_.fail(fmt::format("found the node {}, expected one of those above, 0 .. {}", number, nodes_.size() - 1));
      part = static_cast<std::uint32_t>(number);
      if (node.level > 1 && part > 0 && nodes_[part].level != node.level - 1)
        in_.fail(fmt::format("node {} is of level {}, expected {}", part, nodes_[part].level, node.level - 1));
    }
    return node;
  }

  Frame frame_of_root() const {
    // a node's parts stand above it
    std::vector<Frame> frames(nodes_.size());
    for (std::size_t n = 1; n < nodes_.size(); ++n) {
      Node const& node = nodes_[n];
      if (node.leaf()) {
        for (int bit = 0; bit < 64; ++bit)
          if (node.bits >> (63 - bit) & 1) frames[n].add({0, 0, 1, 1}, bit % 8, bit / 8);
        continue;
      }
      std::int64_t const half = std::int64_t{1} << (node.level - 1);
      for (std::uint32_t p = 0; p < 4; ++p) {
        bool const cell = node.level == 1 && node.parts[p] != 0;
        frames[n].add(cell              ? Frame{0, 0, 1, 1}
                      : node.level == 1 ? Frame{}
                                        : frames[node.parts[p]],
                      p % 2 * half, p / 2 * half);
      }
    }
    return frames.back();
  }

  void put(std::int64_t x, std::int64_t y, std::byte state) {
    if (y < first_ || y >= last_ || x < frame_.x0 || x >= frame_.x1) return;
    values_[(y - first_) * cells_[0] + x - frame_.x0] = state;
  }
  void paint(std::uint32_t number, std::int64_t x, std::int64_t y) {
    if (number == 0) return;
    Node const& node = nodes_[number];
    std::int64_t const side = std::int64_t{1} << node.level, half = side / 2;
    if (y >= last_ || y + side <= first_ || x >= frame_.x1 || x + side <= frame_.x0) return;
    if (node.leaf()) {
      for (std::int64_t row = std::max<std::int64_t>(first_ - y, 0); row < std::min<std::int64_t>(last_ - y, 8); ++row)
        for (int column = 0; column < 8; ++column)
          if (node.bits >> (63 - 8 * row - column) & 1) put(x + column, y + row, std::byte{1});
      return;
    }
    for (std::uint32_t p = 0; p < 4; ++p) {
      std::int64_t const px = x + p % 2 * half, py = y + p / 2 * half;
      if (node.level > 1)
        paint(node.parts[p], px, py);
      else if (node.parts[p] != 0)
        put(px, py, static_cast<std::byte>(node.parts[p]));
    }
  }

  /// The cells of a node whose upper left one is (i, j), y upwards.
  void walk(std::uint32_t number, core::Count i, core::Count j,
            std::function<void(core::Count, core::Count, std::uint8_t)> const& f) const {
    if (number == 0) return;
    Node const& node = nodes_[number];
    if (node.leaf()) {
      for (int bit = 0; bit < 64; ++bit)
        if (node.bits >> (63 - bit) & 1) f(i + bit % 8, j - bit / 8, 1);
      return;
    }
    std::int64_t const half = std::int64_t{1} << (node.level - 1);
    for (std::uint32_t p = 0; p < 4; ++p) {
      core::Count const pi = i + p % 2 * half, pj = j - p / 2 * half;
      if (node.level > 1)
        walk(node.parts[p], pi, pj, f);
      else if (node.parts[p] != 0)
        f(pi, pj, static_cast<std::uint8_t>(node.parts[p]));
    }
  }

  std::vector<Node> nodes_;
  std::map<std::string, std::string> notes_;
  std::optional<std::int64_t> generation_;
  Frame frame_;
  std::int64_t first_ = 0, last_ = 0;  // rows asked for, y in the tree
  std::span<std::byte> values_;
};

[[maybe_unused]] bool const added =
    Readers::add<ReaderOf<Macrocell>>("macrocell", "Golly's Macrocell pattern (.mc), up to 256 states");

}  // namespace
}  // namespace tessera::io::readers
