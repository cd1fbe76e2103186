// SPDX-License-Identifier: Apache-2.0
#include "io/readers/pattern.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace tessera::io::readers {
namespace {

/// Plaintext pattern: a row a line, . dead (0), O or * alive (1), from the top; lines with ! in front are comments,
/// rows may end early, an empty line is an empty row. The size is the number of rows and the longest of them, so the
/// file is read twice. Memory: nothing but the row asked for.
///
/// Source: conwaylife.com/wiki, Plaintext.
class Cells final : public Pattern {
 public:
  static constexpr std::array extensions{"cells"};
  static bool knows(std::string_view text) { return text.starts_with("!Name:"); }

  explicit Cells(std::string const& file) : Pattern(file) {
    core::Count width = 0;
    while (skip_comments()) {
      core::Count length = 0;
      read_row([&](std::byte) {
        if (++length > detail::longest_side)
          in_.fail(fmt::format("the row is too long, expected up to {} cells", detail::longest_side));
      });
      width = std::max(width, length);
      ++cells_[1];
    }
    if (width == 0) throw core::Error(file, 0, "has no cells, expected rows of . and O");
    cells_[0] = width;
    in_.rewind();
  }

 private:
  void read(core::Count rows, std::span<std::byte> values) override {
    for (core::Count r = 0; r < rows; ++r) {
      skip_comments();
      auto const row = row_of(values, r);
      std::size_t at = 0;
      read_row([&](std::byte state) {
        if (at == row.size()) in_.fail("the row is longer than it was, the file has changed");
        row[at++] = state;
      });
    }
  }
  /// Whether a row follows.
  bool skip_comments() {
    while (in_.peek() == '!') in_.rest_of_line();
    return in_.peek() != Characters::end;
  }
  template <class F>
  void read_row(F each_cell) {
    for (int c = in_.get(); c != '\n' && c != Characters::end; c = in_.get()) {
      if (c == ' ' || c == '\t') {
        in_.skip_blanks();  // only at the end of a row
        if (in_.peek() == '\n' || in_.peek() == Characters::end) continue;
      }
      if (c != '.' && c != 'O' && c != '*')
        in_.fail(fmt::format("found {}, expected a cell: . (dead), O or * (alive)", detail::shown(c)));
      each_cell(c == '.' ? std::byte{0} : std::byte{1});
    }
  }
};

[[maybe_unused]] bool const added = Readers::add<ReaderOf<Cells>>("cells", "plaintext pattern of . and O");

}  // namespace
}  // namespace tessera::io::readers
