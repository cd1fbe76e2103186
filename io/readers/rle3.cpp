// SPDX-License-Identifier: Apache-2.0
#include "io/readers/pattern.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace tessera::io::readers {
namespace {

/// Pattern in space as Golly's 3D.lua writes it (RLE3), states 0 and 1 as uint8, layer after layer, row after row.
///
/// The first line is `3D version=1`, perhaps with size=N, pos=X,Y,Z and gen=G: where the pattern lies in that program's torus of N
/// cells along each axis, which is told and not taken. Then, after lines with #, `x=NX y=NY z=NZ rule=RULE`, and runs
/// `[COUNT]TAG`: b is state 0, o state 1, `$` ends a row, `/` a layer, `!` the pattern. What follows is not read. Rows and layers
/// may end early. A cell outside NX x NY x NZ is an error, and so is a missing `!`. The axes are those of the grid here: a
/// rule of packed spheres tells left from right. Memory: nothing but the row asked for.
///
/// Source: Golly 4, Scripts/Lua/3D.lua, its help and ReadPattern.
class Rle3 final : public Pattern {
 public:
  static constexpr std::array extensions{"rle3"};
  static bool knows(std::string_view text) {
    return text.starts_with("3D") && (text.size() == 2 || Characters::is_space(text[2]));
  }

  explicit Rle3(std::string const& file) : Pattern(file) {
    read_first_line(in_.rest_of_line());
    for (in_.skip_space(); in_.peek() == '#'; in_.skip_space()) in_.rest_of_line();
    constexpr std::string_view names[3] = {"x", "y", "z"};
    for (std::size_t a = 0; a < 3; ++a) {
      expect(names[a]);
      expect("=");
      cells_[a] = side(names[a]);
    }
    expect("rule");
    expect("=");
    rule_ = detail::trimmed(in_.rest_of_line(detail::longest_rule));
  }

  bool top_down() const override { return false; }
  std::string note() const override { return note_; }

 private:
  void read_first_line(std::string const& line) {
    std::string_view rest = line;
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 2));
    bool version = false;
    std::string places;
    while (!rest.empty()) {
      auto const first = rest.find_first_not_of(" \t\r");
      if (first == rest.npos) break;
      rest.remove_prefix(first);
      auto const word = rest.substr(0, rest.find_first_of(" \t\r"));
      rest.remove_prefix(word.size());
      if (word.starts_with("version=")) {
        version = true;
        if (word != "version=1") fail_in_first_line(fmt::format("found {}, expected version=1", word));
      } else {
        places += fmt::format(" {}", word);
      }
    }
    if (!version) fail_in_first_line("expected '3D version=1' in the first line of an RLE3 pattern");
    if (!places.empty())
      note_ = fmt::format("of the first line{} is not taken: the case says grid, place and generation", places);
  }
  [[noreturn]] void fail_in_first_line(std::string const& what) const { throw core::Error(in_.name(), 1, what); }

  void expect(std::string_view word) { Pattern::expect(word, "x=NX y=NY z=NZ rule=RULE"); }

  void read(core::Count rows, std::span<std::byte> values) override {
    for (core::Count r = 0; r < rows; ++r)
      while (!ended_ && row() <= next_ + r) take_run(row_of(values, r));
    // what follows the last row may end rows and layers, but not hold a cell
    while (next_ + rows == cells_[1] * cells_[2] && !ended_) take_run({});
  }
  /// Number of the row that the next run belongs to; of one behind the last row of its layer, that of the next layer.
  core::Count row() const { return k_ * cells_[1] + std::min(j_, cells_[1]); }

  void take_run(std::span<std::byte> row) {
    for (in_.skip_space(); in_.peek() == '#'; in_.skip_space()) in_.rest_of_line();
    core::Count const count = run_length();
    switch (int const tag = in_.get()) {
    case 'b':
    case 'o':
      if (j_ >= cells_[1] || k_ >= cells_[2])
        in_.fail(fmt::format("a cell in row {} of layer {}, expected {} rows and {} layers as the header says", j_ + 1,
                             k_ + 1, cells_[1], cells_[2]));
      if (count > cells_[0] - i_)
        in_.fail(fmt::format("{} cells in row {} of layer {}, expected {} as the header says", i_ + count, j_ + 1,
                             k_ + 1, cells_[0]));
      if (tag == 'o') std::fill_n(row.begin() + i_, count, std::byte{1});
      i_ += count;
      break;
    case '$':
      i_ = 0;
      j_ += count;
      break;
    case '/':
      i_ = j_ = 0;
      k_ += count;
      break;
    case '!':
      ended_ = true;
      break;
    default:
      in_.fail(fmt::format("found {}, expected b, o, $, / or !", detail::shown(tag)));
    }
  }

  std::string note_;
  core::Count i_ = 0, j_ = 0, k_ = 0;  // of the next run
  bool ended_ = false;
};

[[maybe_unused]] bool const added =
    Readers::add<ReaderOf<Rle3>>("rle3", "pattern in space of Golly's 3D.lua, run-length encoded");

}  // namespace
}  // namespace tessera::io::readers
