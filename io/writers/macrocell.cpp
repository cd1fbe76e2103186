// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/version.hpp"
#include "io/files/characters.hpp"
#include "io/files/part_file.hpp"
#include "io/files/values.hpp"
#include "io/writer.hpp"
#include "io/writers/square_sink.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace tessera::io::writers {
namespace {

using core::Count;
using Number = SquareSink::Number;
using Four = std::array<Number, 4>;  // upper left, upper right, lower left, lower right, as in the file

constexpr int highest = 62;  // level, as in the reader

/// The lines of a file: squares, numbered from 1.
class Lines {
 public:
  Lines(std::string const& file, RowFormat const& format) : name_(file), out_(file, format.synced) {
    out_.write(fmt::format("[M2] (tessera {})\n", core::version));
    if (!format.rule.empty()) out_.write("#R " + format.rule + "\n");
    if (format.generation) out_.write(fmt::format("#G {}\n", *format.generation));
    for (auto const& [name, text] : format.notes)
      if (!text.empty()) note(name, text);
  }
  /// 8 x 8 cells, row by row from above, the leftmost of a row highest.
  Number leaf(std::uint64_t cells) {
    std::string line;
    for (; cells != 0; cells <<= 8) {
      for (std::uint64_t row = cells >> 56; row != 0; row = row << 1 & 255) line += (row & 128) != 0 ? '*' : '.';
      line += '$';
    }
    last_ = {.level = 3};
    return put(line);
  }
  Number square(int level, Four const& parts) {
    last_ = {level, parts};
    return put(fmt::format("{} {} {} {} {}", level, parts[0], parts[1], parts[2], parts[3]));
  }
  /// The last one is the root. Golly wants one of 16 x 16 at least.
  void finish() {
    if (number_ == 0)
      throw core::Error(name_, 0, "no cell is other than 0, but a Macrocell pattern holds one at least");
    while (last_.level < 4) {
      auto const [level, parts] = last_;
      Four larger{};
      for (std::size_t p = 0; p < 4; ++p) {
        Four part{};
        part[3 - p] = parts[p];
        larger[p] = parts[p] == 0 ? 0 : square(level, part);
      }
      square(level + 1, larger);
    }
    out_.finish();
  }
  std::string const& name() const { return name_; }

 private:
  struct Last {
    int level = 0;
    Four parts{};
  };
  Number put(std::string const& line) {
    if (number_ == detail::longest_side)
      throw core::Error(name_, 0, fmt::format("the tree has more than the {} squares of a file", number_));
    out_.write(line + "\n");
    return ++number_;
  }
  /// In lines of which bgolly can read each; the reader joins those of one name.
  void note(std::string const& name, std::string text) {
    constexpr std::size_t longest = 900;
    while (text.size() > longest) {
      auto const end = text.rfind(' ', longest);
      if (end == std::string::npos) break;
      out_.write(fmt::format("#C {} {}\n", name, text.substr(0, end)));
      text.erase(0, end + 1);
    }
    out_.write(fmt::format("#C {} {}\n", name, text));
  }

  std::string name_;
  detail::PartFile out_;
  Number number_ = 0;
  Last last_;
};

/// Squares of rows from the top, each once, from those of 2 x 2 cells on.
class Squares {
 public:
  /// Of 2 x 2 states, or of four squares of level - 1; 0 where all are 0.
  Number find(int level, Four const& parts) {
    if (parts == Four{}) return 0;
    Square const made{parts, static_cast<std::uint8_t>(level)};
    if (3 * squares_.size() >= 2 * places_.size()) make_room();
    Number& place = place_of(made);
    if (place != 0) return place;
    squares_.push_back(made);
    return place = static_cast<Number>(squares_.size());
  }
  /// Lines of squares of two states, of 8 x 8 cells and more, or of more states, of 2 x 2 and more.
  void write(Lines& to, bool two_states) const {
    std::vector<Number> lines(squares_.size() + 1);
    for (std::size_t n = 1; n < lines.size(); ++n) {
      auto [parts, level] = squares_[n - 1];
      if (two_states && level < 3) continue;
      if (two_states && level == 3) {
        lines[n] = to.leaf(bits(static_cast<Number>(n), 0, 0));
        continue;
      }
      if (level > 1)
        for (Number& part : parts) part = lines[part];
      lines[n] = to.square(level, parts);
    }
  }

 private:
  struct Square {
    Four parts;
    std::uint8_t level;
    bool operator==(Square const&) const = default;
  };

  Number& place_of(Square const& square) {
    std::uint64_t hash = square.level;
    for (Number const part : square.parts) hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    std::size_t const mask = places_.size() - 1;
    for (std::size_t at = (hash ^ hash >> 32) & mask;; at = (at + 1) & mask)
      if (Number& place = places_[at]; place == 0 || squares_[place - 1] == square) return place;
  }
  void make_room() {
    places_.assign(2 * places_.size(), 0);
    for (std::size_t n = 0; n < squares_.size(); ++n) place_of(squares_[n]) = static_cast<Number>(n + 1);
  }
  /// Cells of a square in 8 x 8, its upper left one at (x, y), y downwards.
  std::uint64_t bits(Number square, int x, int y) const {
    if (square == 0) return 0;
    auto const& [parts, level] = squares_[square - 1];
    std::uint64_t cells = 0;
    for (int p = 0; p < 4; ++p) {
      Number const part = parts[static_cast<std::size_t>(p)];
      int const half = 1 << (level - 1), i = x + p % 2 * half, j = y + p / 2 * half;
      if (level > 1)
        cells |= bits(part, i, j);
      else
        cells |= std::uint64_t{part} << (63 - 8 * j - i);
    }
    return cells;
  }

  std::vector<Square> squares_;
  std::vector<Number> places_ = std::vector<Number>(1 << 10);
};

/// Golly's Macrocell pattern [M2] of states 0 .. 255; the reader of that name describes the format. Two states are leaves of 8 x 8 cells,
/// more states leaves of 2 x 2, as Golly's algorithms for the one and the other want them. The middle of the tree is the corner (0, 0) of the plane;
/// cells without a place have their upper left one below and right of it.
///
/// Rows become squares two by two, and rows of squares, too. Memory: up to 100 bytes a square that is not equal to another, and some 13 bytes a cell of a row.
/// Squares that are given as such are written as they come.
class Macrocell final : public RowSink, public SquareSink {
 public:
  Macrocell(std::string const& file, RowFormat const& format)
      : format_(checked(file, format)),
        lines_(file, format),
        row_(static_cast<std::size_t>(format.cells[0])) {
    place();
    Count const last_x = x_ + format.cells[0] - 1, last_y = y_ + format.cells[1] - 1;
    while (std::min(x_ >> top_, y_ >> top_) < -1 || std::max(last_x >> top_, last_y >> top_) > 0) ++top_;
    if (top_ >= highest)
      throw core::Error(file, 0, fmt::format("cells lie farther than 2^{} from the corner (0 0)", highest - 1));
    rows_.resize(static_cast<std::size_t>(top_) + 1);
  }

  bool top_down() const override { return true; }

  void next(Count rows, std::span<std::byte const> values) override {
    std::size_t const bytes = row_.size() * size_of(format_.element);
    for (Count r = 0; r < rows; ++r) {
      detail::exactly<std::uint8_t>(format_.element, values.subspan(static_cast<std::size_t>(r) * bytes, bytes), row_,
                                    lines_.name());
      Row cells{y_++, x_, {row_.begin(), row_.end()}};
      for (std::uint8_t const state : row_) most_ = std::max(most_, state);
      put(0, std::move(cells));
    }
  }

  Number leaf(std::uint64_t cells) override { return lines_.leaf(mirrored(cells)); }
  Number square(int level, std::array<Number, 4> const& parts) override {
    return lines_.square(level, {parts[2], parts[3], parts[0], parts[1]});
  }

  void finish() override {
    // rows that still wait for the one below them
    for (int level = 0; level < top_; ++level)
      if (auto& row = rows_[static_cast<std::size_t>(level)]; !row.squares.empty()) join(level, std::move(row), {});
    if (top_ > 0 && root_ != Four{}) {
      squares_.find(top_ + 1, root_);
      squares_.write(lines_, most_ < 2 && format_.states <= 2);
    }
    lines_.finish();
  }

 private:
  /// Squares of a level beside each other: y and the first x in their own lengths, y downwards.
  struct Row {
    Count y = 0, x = 0;
    std::vector<Number> squares;
    Number at(Count place) const {
      return place < x || place >= x + static_cast<Count>(squares.size())
                 ? 0
                 : squares[static_cast<std::size_t>(place - x)];
    }
  };

  static RowFormat const& checked(std::string const& file, RowFormat const& format) {
    if (format.cells[2] != 1)
      throw core::Error(file, 0, fmt::format("a pattern holds one layer, not {}", format.cells[2]));
    return format;
  }
  /// Where the rows begin: as their place says, where cells have the length 1; of a plane with bounds, which Golly lays round the corner, so that
  /// they are in its middle.
  void place() {
    auto const& [nx, ny, nz] = format_.cells;
    if (format_.rule.find(':') != std::string::npos) {
      x_ = -(nx / 2);
      y_ = -(ny / 2) - 1;  // Golly's row 0 is the last one above the middle of a tree
    } else if (format_.placement && format_.placement->spacing[0] == 1 && format_.placement->spacing[1] == 1) {
      auto const& origin = format_.placement->origin;
      if (std::max(std::abs(origin[0]), std::abs(origin[1])) >= 0x1p53)
        throw core::Error(lines_.name(), 0,
                          "its cells lie beyond 2^53, where their place is known to a few cells only, expected a place "
                          "nearer to (0 0), or a run by `algorithm hash;`, which writes .mc itself");
      bool const whole = std::all_of(origin.begin(), origin.begin() + 2, [](double x) { return x == std::floor(x); });
      if (whole) x_ = std::llround(origin[0]), y_ = -std::llround(origin[1]) - ny;
    }
  }
  /// Each row from right to left: the order of rows is the same, the first from above being highest.
  static std::uint64_t mirrored(std::uint64_t rows) {
    rows = (rows & 0x5555555555555555u) << 1 | (rows >> 1 & 0x5555555555555555u);
    rows = (rows & 0x3333333333333333u) << 2 | (rows >> 2 & 0x3333333333333333u);
    return (rows & 0x0f0f0f0f0f0f0f0fu) << 4 | (rows >> 4 & 0x0f0f0f0f0f0f0f0fu);
  }

  void put(int level, Row row) {
    if (level == top_) {
      for (Count x = -1; x <= 0; ++x) root_[static_cast<std::size_t>(2 * (row.y + 1) + x + 1)] = row.at(x);
      return;
    }
    Row& above = rows_[static_cast<std::size_t>(level)];
    if ((row.y & 1) == 0) {
      above = std::move(row);
    } else {
      Row const upper = std::exchange(above, {});
      join(level, upper, row);
    }
  }
  /// Two rows, of which the one or the other may have no squares, become one of the next level.
  void join(int level, Row const& upper, Row const& lower) {
    Row const& any = upper.squares.empty() ? lower : upper;
    Row made{any.y >> 1, any.x >> 1, {}};
    Count const end = (any.x + static_cast<Count>(any.squares.size()) + 1) >> 1;
    for (Count x = made.x; x < end; ++x)
      made.squares.push_back(
          squares_.find(level + 1, {upper.at(2 * x), upper.at(2 * x + 1), lower.at(2 * x), lower.at(2 * x + 1)}));
    put(level + 1, std::move(made));
  }

  RowFormat format_;
  Lines lines_;
  std::vector<std::uint8_t> row_;
  std::uint8_t most_ = 0;
  Squares squares_;
  Count x_ = 0, y_ = 0;    // of the upper left cell of the next row, y downwards
  int top_ = 3;            // level of the four parts of the root
  std::vector<Row> rows_;  // by level: that waits for the one below it
  Four root_{};
};

class MacrocellWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"mc"}; }
  bool has_place() const override { return true; }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Macrocell>(file, format);
  }
};

[[maybe_unused]] bool const added =
    Writers::add<MacrocellWriter>("macrocell", "Golly's Macrocell pattern (.mc), up to 256 states");

}  // namespace
}  // namespace tessera::io::writers
