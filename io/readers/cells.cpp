// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/reader.hpp"

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
class Cells final : public RowSource {
 public:
  explicit Cells(std::string const& file) : in_(file, true) {
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

  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return core::Element::uint8; }
  bool top_down() const override { return true; }
  std::string name() const override { return in_.name(); }

  void next(core::Count rows, std::span<std::byte> values) override {
    core::expect(next_ + rows <= cells_[1], "more rows asked for than the pattern has");
    std::fill_n(values.begin(), rows * cells_[0], std::byte{0});
    for (core::Count r = 0; r < rows; ++r, ++next_) {
      skip_comments();
      core::Count at = r * cells_[0];
      core::Count const end = at + cells_[0];
      read_row([&](std::byte state) {
        if (at == end) in_.fail("the row is longer than it was, the file has changed");
        values[at++] = state;
      });
    }
  }

 private:
  /// Whether a row follows.
  bool skip_comments() {
    while (in_.peek() == '!') in_.rest_of_line();
    return in_.peek() != detail::Characters::end;
  }
  template <class F>
  void read_row(F each_cell) {
    for (int c = in_.get(); c != '\n' && c != detail::Characters::end; c = in_.get()) {
      if (c == ' ' || c == '\t') {
        in_.skip_blanks();  // only at the end of a row
        if (in_.peek() == '\n' || in_.peek() == detail::Characters::end) continue;
      }
      if (c != '.' && c != 'O' && c != '*')
        in_.fail(fmt::format("found {}, expected a cell: . (dead), O or * (alive)", detail::shown(c)));
      each_cell(c == '.' ? std::byte{0} : std::byte{1});
    }
  }

  detail::Characters in_;
  core::Grid::Shape cells_{0, 0, 1};
  core::Count next_ = 0;
};

class CellsReader final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {"cells"}; }
  bool pattern() const override { return true; }
  bool knows(std::span<std::byte const> beginning) const override {
    return std::string_view(reinterpret_cast<char const*>(beginning.data()), beginning.size()).starts_with("!Name:");
  }
  std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const override {
    refuse_item(file, item, "pattern");
    return std::make_unique<Cells>(file);
  }
};

[[maybe_unused]] bool const added = Readers::add<CellsReader>("cells", "plaintext pattern of . and O");

}  // namespace
}  // namespace tessera::io::readers
