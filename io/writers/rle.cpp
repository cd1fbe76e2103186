// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/files/part_file.hpp"
#include "io/files/values.hpp"
#include "io/writer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::writers {
namespace {

/// Run-length encoded pattern (Golly's extended RLE) of states 0 .. 255; the reader of that name describes the format.
/// States 0 and 1 are written b and o, which every program reads. The header names the rule where it is known, and #CXRLE the
/// place. Lines have up to 70
/// characters. Memory: one row.
class Rle final : public RowSink {
 public:
  Rle(std::string const& file, RowFormat const& format)
      : name_(file),
        format_(checked(file, format)),
        row_(static_cast<std::size_t>(format.cells[0])),
        out_(file) {
    if (format.placement) put_corner(*format.placement);
    out_.write(fmt::format("x = {}, y = {}{}\n", format.cells[0], format.cells[1],
                           format.rule.empty() ? "" : ", rule = " + format.rule));
  }

  bool top_down() const override { return true; }

  void next(core::Count rows, std::span<std::byte const> values) override {
    std::size_t const bytes = row_.size() * size_of(format_.element);
    for (core::Count r = 0; r < rows; ++r, ++ends_) {
      detail::exactly<std::uint8_t>(format_.element, values.subspan(static_cast<std::size_t>(r) * bytes, bytes), row_,
                                    name_);
      put_row();
    }
  }
  void finish() override {
    put(1, "!");
    out_.write(line_ + "\n");
    out_.finish();
  }

 private:
  static RowFormat const& checked(std::string const& file, RowFormat const& format) {
    if (format.cells[2] != 1)
      throw core::Error(file, 0, fmt::format("a pattern holds one layer, not {}", format.cells[2]));
    if (std::max(format.cells[0], format.cells[1]) > detail::longest_side)
      throw core::Error(file, 0,
                        fmt::format("{} x {} cells are too many for a pattern", format.cells[0], format.cells[1]));
    return format;
  }
  /// The place of the upper left cell, y downwards, where cells have the length 1.
  void put_corner(Placement const& place) {
    core::Count const x = std::llround(place.origin[0]), y = std::llround(place.origin[1]);
    bool const whole = static_cast<double>(x) == place.origin[0] && static_cast<double>(y) == place.origin[1];
    if (!whole || place.spacing[0] != 1 || place.spacing[1] != 1) return;
    double const top = place.origin[1] + static_cast<double>(format_.cells[1]);
    if (std::max(std::abs(place.origin[0]), std::abs(top)) > detail::longest_side)
      throw core::Error(name_, 0,
                        fmt::format("its cells begin at ({} {}), expected a place up to {}, as #CXRLE has it", x, y,
                                    detail::longest_side));
    out_.write(fmt::format("#CXRLE Pos={},{}\n", x, -y - format_.cells[1]));
  }
  /// The row without the zeros at its end; rows that are all zero only count as ends of rows.
  void put_row() {
    std::size_t length = row_.size();
    while (length > 0 && row_[length - 1] == 0) --length;
    if (length > 0 && ends_ > 0) {
      put(ends_, "$");
      ends_ = 0;
    }
    for (std::size_t at = 0; at < length;) {
      std::uint8_t const state = row_[at];
      std::size_t run = 1;
      while (at + run < length && row_[at + run] == state) ++run;
      put(static_cast<core::Count>(run), tag_of(state));
      at += run;
    }
  }
  static std::string tag_of(int state) {
    if (state < 2) return state == 0 ? "b" : "o";
    std::string tag;
    if (state > 24) tag += static_cast<char>('p' + (state - 25) / 24);
    return tag += static_cast<char>('A' + (state - 1) % 24);
  }
  void put(core::Count count, std::string const& tag) {
    std::string const run = count > 1 ? std::to_string(count) + tag : tag;
    if (line_.size() + run.size() > 70) {
      out_.write(line_ + "\n");
      line_.clear();
    }
    line_ += run;
  }

  std::string name_;
  RowFormat format_;
  std::vector<std::uint8_t> row_;
  core::Count ends_ = 0;  // ends of rows not written yet
  std::string line_;
  detail::PartFile out_;
};

class RleWriter final : public Writer {
 public:
  std::vector<std::string> extensions() const override { return {"rle"}; }
  bool has_place() const override { return true; }
  std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const override {
    return std::make_unique<Rle>(file, format);
  }
};

[[maybe_unused]] bool const added = Writers::add<RleWriter>("rle", "run-length encoded pattern, up to 256 states");

}  // namespace
}  // namespace tessera::io::writers
