// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/readers/reader_of.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tessera::io::readers {

/// A pattern in characters: states as uint8, of one layer from the top where a reader says nothing else.
class Pattern : public RowSource {
 public:
  static constexpr std::string_view thing = "pattern";
  static constexpr bool pattern = true;

  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return core::Element::uint8; }
  bool top_down() const override { return true; }
  std::string name() const override { return in_.name(); }
  std::string rule() const override { return rule_; }
  void next(core::Count rows, std::span<std::byte> values) override {
    core::expect(next_ + rows <= cells_[1] * cells_[2], "more rows asked for than the pattern has");
    std::fill_n(values.begin(), rows * cells_[0], std::byte{0});
    read(rows, values);
    next_ += rows;
  }

 protected:
  using Characters = detail::Characters;
  explicit Pattern(std::string const& file) : in_(file, true) {}
  /// The rows from next_ on: sets those of `values`, all 0, that are not 0.
  virtual void read(core::Count rows, std::span<std::byte> values) = 0;
  std::span<std::byte> row_of(std::span<std::byte> values, core::Count row) const {
    return values.subspan(row * cells_[0], static_cast<std::size_t>(cells_[0]));
  }

  /// The length of a run in front of its tag, 1 where there is none.
  core::Count run_length() {
    core::Count const count = Characters::is_digit(in_.peek()) ? in_.number("the length of a run") : 1;
    if (count == 0) in_.fail("found a run of 0 cells, expected 1 or more");
    while (in_.peek() == '\n') in_.get();  // a line may end between a run's length and its tag
    return count;
  }
  /// The state of a tag, of which the first character is read: A .. X are 1 .. 24, and 24 more with each of the letters
  /// `first` .. `last` in front. `expected` for messages.
  std::byte lettered_state(int tag, char first, char last, std::string_view expected) {
    int const high = tag >= first && tag <= last ? tag - first + 1 : 0, low = high > 0 ? in_.get() : tag;
    int const state = 24 * high + low - 'A' + 1;
    if (low < 'A' || low > 'X' || state > 255)
      in_.fail(fmt::format("found {}{}, expected a state ({}", detail::shown(low),
                           high > 0 ? fmt::format(" behind '{}'", static_cast<char>(tag)) : "", expected));
    return static_cast<std::byte>(state);
  }
  /// The next characters of a header that looks like `header`, behind blanks.
  void expect(std::string_view word, std::string_view header) {
    in_.skip_blanks();
    for (char const c : word)
      if (in_.peek() != c)
        in_.fail(fmt::format("found {}, expected the header '{}'", detail::shown(in_.peek()), header));
      else
        in_.get();
  }
  /// A number of cells in a header.
  core::Count side(std::string_view what) {
    core::Count const value = in_.number(fmt::format("the size {}", what));
    if (value == 0) in_.fail(fmt::format("the size {} is 0, expected at least one cell", what));
    return value;
  }
  void end_of_line() {
    in_.skip_blanks();
    if (int const c = in_.peek(); c != '\n' && c != Characters::end)
      in_.fail(fmt::format("found {}, expected the end of the line", detail::shown(c)));
  }

  Characters in_;
  std::string rule_;
  core::Grid::Shape cells_{0, 0, 1};
  core::Count next_ = 0;  ///< row to be given
};

}  // namespace tessera::io::readers
