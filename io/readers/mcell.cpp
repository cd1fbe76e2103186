// SPDX-License-Identifier: Apache-2.0
#include "io/readers/pattern.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace tessera::io::readers {
namespace {

/// Pattern of MCell (.mcl), states 0 .. 255 as uint8, from the top: the lines `#L`, together one text of runs `[COUNT]TAG`
/// in which . is state 0, A .. X are states 1 .. 24, aA .. aX 25 .. 48, up to jO 255, and `$` ends a row.
///
/// The size is the number of rows and the longest of them, so the file is read twice. Behind the rule `#BOARD 80x60` becomes
/// :P80,60, or with `#WRAP 1` :T80,60, as in Golly; of the place on the board MCell's files say nothing. `#RULE`, which may go on over
/// several lines, names the rule; its family, `#GAME`, stands in front where the rule alone does not tell it (`Rules table
/// 1,0,0 ...`). `#GOLLY WireWorld` names it as Golly knows it, and counts before them. Other lines begin with # too, and are comments. Memory: nothing but the row asked for.
///
/// Source: mirekw.com/ca/ca_files_formats.html (MCell format 4.20), and what Golly makes of it.
class MCell final : public Pattern {
 public:
  static constexpr std::array extensions{"mcl"};
  static bool knows(std::string_view text) { return text.starts_with("#MCell"); }

  explicit MCell(std::string const& file) : Pattern(file) {
    if (!in_.rest_of_line(6).starts_with("#MCell"))
      throw core::Error(file, 0, "expected '#MCell' in the first line of an MCell pattern");
    core::Count rows = 0, width = 0;
    for (Run run; next_run(run);) {
      if (run.ends_row) {
        rows += run.count;
        at_ = 0;
      } else {
        width = std::max(width, at_ += run.count);
        cells_[1] = rows + 1;
      }
      if (std::max(rows, at_) > detail::longest_side)
        in_.fail(fmt::format("the pattern is too large, expected sides up to {}", detail::longest_side));
    }
    if (width == 0) throw core::Error(file, 0, "has no cells, expected lines #L with some");
    cells_[0] = width;
    if (!golly_.empty())
      rule_ = golly_;
    else if (!game_.empty() && game_ != "Life" && game_ != "Generations" && game_ != "Larger than Life")
      rule_ = rule_.empty() ? game_ : game_ + " " + rule_;
    if (!board_.empty()) rule_ += (around_ ? ":T" : ":P") + board_;
    in_.rewind();
    in_.rest_of_line();
    inside_ = false;
  }

 private:
  void read(core::Count rows, std::span<std::byte> values) override {
    for (core::Count r = 0; r < rows; ++r) {
      auto const row = row_of(values, r);
      core::Count at = 0;
      for (Run run; row_ == next_ + r && next_run(run);) {
        if (run.ends_row) {
          row_ += run.count;
        } else {
          if (run.count > cells_[0] - at) in_.fail("the row is longer than it was, the file has changed");
          std::fill_n(row.begin() + at, run.count, run.state);
          at += run.count;
        }
      }
    }
  }

  struct Run {
    core::Count count = 1;
    bool ends_row = false;
    std::byte state{};
  };

  /// The next run of the lines #L; false at the end of the file.
  bool next_run(Run& run) {
    for (;;) {
      if (!inside_ && !next_line()) return false;
      in_.skip_blanks();
      int const c = in_.peek();
      if (c != '\n' && c != Characters::end) break;
      in_.get();
      inside_ = false;
    }
    run.count = run_length();
    int const tag = in_.get();
    run.ends_row = tag == '$';
    run.state = tag == '$' || tag == '.' ? std::byte{0} : lettered_state(tag, 'a', 'j', ". A .. X aA .. jO) or $");
    return true;
  }

  /// Goes into the next line #L, and notes the rule on the way; false where there is none.
  bool next_line() {
    for (in_.skip_space(); in_.peek() != Characters::end; in_.skip_space()) {
      if (in_.peek() != '#')
        in_.fail(fmt::format("found {}, expected a line that begins with #", detail::shown(in_.peek())));
      in_.get();
      std::string key;
      for (int c = in_.peek(); c != Characters::end && !Characters::is_space(c) && key.size() < 8; c = in_.peek())
        key += static_cast<char>(in_.get());
      if (key == "L") return inside_ = true;
      auto const text = detail::trimmed(in_.rest_of_line(detail::longest_rule));
      if (cells_[0] > 0) continue;  // read before
      if (key == "RULE" && rule_.size() < detail::longest_rule) rule_ += text;
      if (key == "GAME") game_ = text;
      if (key == "GOLLY") golly_ = text;
      if (key == "WRAP") around_ = text == "1";
      if (key == "BOARD" && std::count(text.begin(), text.end(), 'x') == 1) {
        board_ = text;
        std::replace(board_.begin(), board_.end(), 'x', ',');
      }
    }
    return false;
  }

  std::string game_, golly_, board_;  // board: W,H
  bool around_ = false;               // a torus
  bool inside_ = false;               // a line #L
  core::Count at_ = 0;                // cells of the row so far, while the size is found
  core::Count row_ = 0;               // row of the next run in the file
};

[[maybe_unused]] bool const added = Readers::add<ReaderOf<MCell>>("mcell", "pattern of MCell (.mcl), up to 256 states");

}  // namespace
}  // namespace tessera::io::readers
