// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/bits.hpp"
#include "io/files/characters.hpp"
#include "io/readers/reader_of.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace tessera::io::readers {
namespace {

/// PBM or PGM picture, plain (P1, P2) or binary (P4, P5), one row after the other.
///
/// A PGM gives its values 0 .. maxval as they are, as uint8, or int32 where the maxval is above 255 (16 bits). The bits of
/// a PBM, of which 1 is black, become luminance 0 black, 255 white. Memory: one row. The last `next` fails unless the file
/// ends there.
///
/// Source: the Netpbm manual, pbm(5) and pgm(5).
class Pnm final : public RowSource {
 public:
  static constexpr std::string_view thing = "picture";
  static constexpr std::array extensions{"pgm", "pbm", "pnm"};
  static bool knows(std::string_view text) {
    return text.size() >= 3 && text[0] == 'P' && text[1] >= '1' && text[1] <= '6' &&
           (detail::Characters::is_space(text[2]) || text[2] == '#');
  }

  explicit Pnm(std::string const& file) : in_(file) {
    int const letter = in_.get();
    kind_ = letter == 'P' ? in_.get() : 0;
    if (kind_ == '3' || kind_ == '6')
      in_.fail(fmt::format("is a picture in colours (PPM, P{}), expected grey or black and white: P1, P2, P4 or P5",
                           static_cast<char>(kind_)));
    if (kind_ != '1' && kind_ != '2' && kind_ != '4' && kind_ != '5')
      throw core::Error(file, 0, "is not a PBM or PGM picture, expected P1, P2, P4 or P5 at its beginning");
    width_ = header("the width in pixels");
    height_ = header("the height in pixels");
    maxval_ = two_values() ? 1 : header("the largest value, 1 .. 65535,");
    if (maxval_ > 65535) in_.fail(fmt::format("the largest value is {}, expected 1 .. 65535", maxval_));
    if (!Characters::is_space(in_.peek()))
      in_.fail(fmt::format("found {}, expected a space after the header", detail::shown(in_.peek())));
    in_.get();
    data_ = in_.position();
    check_size();
  }

  core::Grid::Shape cells() const override { return {width_, height_, 1}; }
  core::Element element() const override { return maxval_ > 255 ? core::Element::int32 : core::Element::uint8; }
  bool top_down() const override { return true; }
  std::string name() const override { return in_.name(); }
  StoredType stored() const override {
    if (two_values()) return RowSource::stored();
    return {maxval_ > 255 ? "uint16" : "uint8", std::array{0.0, static_cast<double>(maxval_)}};
  }
  bool seek(core::Count row) override {
    if (plain()) return false;
    next_ = row;
    in_.seek(data_ + static_cast<std::uint64_t>(row) * row_bytes());
    return true;
  }

  void next(core::Count rows, std::span<std::byte> values) override {
    core::expect(next_ + rows <= height_, "more rows asked for than the picture has");
    for (core::Count r = 0; r < rows; ++r, ++next_) {
      if (plain())
        read_plain(r, values);
      else
        read_binary(r, values);
    }
    if (next_ == height_) check_end();
  }

  std::optional<std::array<double, 2>> bits() const override {
    if (kind_ != '4') return std::nullopt;
    return std::array{255.0, 0.0};
  }
  void next_bits(core::Count rows, std::span<std::byte> packed) override {
    core::expect(next_ + rows <= height_, "more rows asked for than the picture has");
    in_.bytes(packed.first(static_cast<std::size_t>(rows) * row_bytes()));
    next_ += rows;
    if (next_ == height_) check_end();
  }

 private:
  using Characters = detail::Characters;

  bool plain() const { return kind_ == '1' || kind_ == '2'; }
  /// Of a binary picture.
  std::size_t row_bytes() const {
    auto const width = static_cast<std::size_t>(width_);
    return kind_ == '4' ? (width + 7) / 8 : maxval_ > 255 ? 2 * width : width;
  }
  bool two_values() const { return kind_ == '1' || kind_ == '4'; }

  void skip_space_and_comments() {
    for (in_.skip_space(); in_.peek() == '#'; in_.skip_space()) in_.rest_of_line();
  }
  core::Count header(std::string_view what) {
    if (!Characters::is_space(in_.peek()) && in_.peek() != '#')
      in_.fail(fmt::format("found {}, expected a space and then {}", detail::shown(in_.peek()), what));
    skip_space_and_comments();
    core::Count const value = in_.number(what);
    if (value == 0) in_.fail(fmt::format("found 0, expected {}", what));
    return value;
  }
  /// A picture that claims more pixels than its file can hold is refused before anybody sets memory aside for it.
  void check_size() const {
    core::Count const pixels = width_ * height_;  // < 2^62
    core::Count const least = kind_ == '1'   ? pixels
                              : kind_ == '2' ? 2 * pixels - 1  // a digit each and something in between
                                             : static_cast<core::Count>(row_bytes()) * height_;
    auto const size = static_cast<core::Count>(in_.size()), left = size - static_cast<core::Count>(data_);
    if (least > left)
      throw core::Error(
          in_.name(), 0,
          fmt::format("is truncated or damaged: {} bytes after the header, expected {}{} for {} x {} pixels", left,
                      plain() ? "at least " : "", least, width_, height_));
  }

  void check_value(core::Count value) const {
    if (value > maxval_) in_.fail(fmt::format("found the value {}, expected 0 .. {}", value, maxval_));
  }
  void put(std::size_t at, core::Count value, std::span<std::byte> values) const {
    check_value(value);
    if (maxval_ > 255) {
      auto const wide = static_cast<std::int32_t>(value);
      std::memcpy(values.data() + 4 * at, &wide, 4);
    } else {
      values[at] = static_cast<std::byte>(two_values() ? 255 * (1 - value) : value);
    }
  }
  void read_plain(core::Count r, std::span<std::byte> values) {
    for (core::Count i = 0; i < width_; ++i) {
      skip_space_and_comments();
      core::Count value = 0;
      if (kind_ == '1') {
        int const c = in_.get();  // bits need no space in between
        if (c != '0' && c != '1') in_.fail(fmt::format("found {}, expected a pixel, 0 or 1", detail::shown(c)));
        value = c - '0';
      } else {
        value = in_.number("the value of a pixel");
        if (in_.peek() != Characters::end && !Characters::is_space(in_.peek()) && in_.peek() != '#')
          in_.fail(fmt::format("found {}, expected a space after a value", detail::shown(in_.peek())));
      }
      put(static_cast<std::size_t>(r * width_ + i), value, values);
    }
  }
  void read_binary(core::Count r, std::span<std::byte> values) {
    auto const width = static_cast<std::size_t>(width_), first = static_cast<std::size_t>(r) * width;
    std::span<std::byte> const row = values.subspan(first, maxval_ > 255 ? 0 : width);
    if (kind_ == '4') {
      row_.resize(row_bytes());
      in_.bytes(row_);
      unpack_(row_.data(), 0, width, row.data());
    } else if (maxval_ <= 255) {
      in_.bytes(row);
      check_value(static_cast<core::Count>(*std::max_element(row.begin(), row.end())));
    } else {
      row_.resize(row_bytes());
      in_.bytes(row_);
      for (std::size_t i = 0; i < width; ++i)
        put(first + i, static_cast<int>(row_[2 * i]) << 8 | static_cast<int>(row_[2 * i + 1]), values);
    }
  }
  void check_end() {
    if (plain())
      skip_space_and_comments();
    else
      in_.skip_space();
    if (in_.peek() != Characters::end)
      throw core::Error(in_.name(), 0,
                        fmt::format("goes on after the {} x {} pixels, expected one picture", width_, height_));
  }

  Characters in_;
  int kind_ = 0;
  std::uint64_t data_ = 0;  // where the pixels begin
  core::Count width_ = 0, height_ = 0, maxval_ = 1, next_ = 0;
  std::vector<std::byte> row_;
  detail::Unpacker<std::byte> unpack_{std::byte{255}, std::byte{0}};  // of a PBM's bits
};

[[maybe_unused]] bool const added =
    Readers::add<ReaderOf<Pnm>>("pnm", "PGM picture with its own values, PBM as luminance 0 or 255");

}  // namespace
}  // namespace tessera::io::readers
