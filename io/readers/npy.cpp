// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/files/types.hpp"
#include "io/readers/reader_of.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <vector>

namespace tessera::io::readers {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// What the header says: a Python dictionary with the keys descr, fortran_order and shape, each once.
struct Header {
  detail::RawType type{};
  bool big = false, fortran = false;
  std::vector<core::Count> shape;

  Header(std::string text, std::string const& file) : text_(std::move(text)), file_(file) {
    bool typed = false, ordered = false, shaped = false;
    expect('{');
    while (!accept('}')) {
      std::string const key = quoted();
      expect(':');
      bool* const seen = key == "descr"           ? &typed
                         : key == "fortran_order" ? &ordered
                         : key == "shape"         ? &shaped
                                                  : nullptr;
      if (seen == nullptr || *seen) fail(fmt::format("the key '{}'", key));
      *seen = true;
      if (seen == &typed)
        set_type();
      else if (seen == &ordered)
        fortran = truth();
      else
        set_shape();
      if (accept('}')) break;
      expect(',');
    }
    if (!typed || !ordered || !shaped) fail("a key missing");
    if (next() != '\0') fail("text behind the dictionary");
  }

 private:
  [[noreturn]] void fail(std::string const& found) const {
    throw core::Error(file_, 0,
                      fmt::format("has {} in its header, expected {{'descr': '<f8', 'fortran_order': False, 'shape': "
                                  "(nz, ny, nx), }}",
                                  found));
  }
  /// The next character that is no blank; 0 at the end.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (next() != c || c == '\0') return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(detail::shown(at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : -1));
  }
  std::string quoted() {
    char const quote = next();
    if (quote != '\'' && quote != '"') expect('\'');
    auto const end = text_.find(quote, ++at_);
    if (end == std::string::npos) fail("a text without its end");
    std::string const result = text_.substr(at_, end - at_);
    at_ = end + 1;
    return result;
  }
  bool truth() {
    next();
    for (std::string_view const word : {"True", "False"})
      if (std::string_view(text_).substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    fail("another word than True or False");
  }
  void set_type() {
    if (next() == '[')
      throw core::Error(file_, 0, "is an array of records, expected one number a cell: save one field, a['NAME']");
    std::string const descr = quoted();
    std::string const kind = descr.size() > 2 ? descr.substr(1) : "";
    if (kind == "b1") {
      type = detail::boolean;
    } else {
      auto const& types = detail::raw_types;
      auto const* const found = std::find_if(types.begin(), types.end(), [&](detail::RawType const& t) {
        return kind == fmt::format("{}{}", t.name[0], t.bytes);
      });
      if (found == types.end() || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
        throw core::Error(file_, 0,
                          fmt::format("holds values of type '{}', expected bool, integers of up to 64 bits or "
                                      "floating point of 32 or 64 bits",
                                      descr));
      type = *found;
    }
    big = descr[0] == '>';
  }
  void set_shape() {
    expect('(');
    while (!accept(')')) {
      core::Count size = 0;
      next();
      auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc{} || size < 1 || size > detail::longest_side)
        fail(fmt::format("a side that is not 1 .. {}", detail::longest_side));
      at_ = static_cast<std::size_t>(end - text_.data());
      accept('L');  // Python 2
      shape.push_back(size);
      if (accept(')')) break;
      expect(',');
    }
    if (shape.empty() || shape.size() > 3)
      throw core::Error(file_, 0,
                        fmt::format("has {} dimensions, expected (nx), (ny, nx) or (nz, ny, nx)", shape.size()));
  }

  std::string text_;
  std::string const& file_;
  std::size_t at_ = 0;
};

/// An array as numpy.save writes it, of shape (nz, ny, nx), (ny, nx) or (nx,), y upwards: as datasets of HDF5 files.
/// In C order rows lie one after the other; memory: the rows asked for. In Fortran order the first index is fastest, so
/// a row lies all over the file: bands of rows are gathered, each in one pass over the file. Memory then: a sixteenth of
/// the file, or 1 MiB, whichever is more.
///
/// Source: numpy.lib.format, versions 1.0 to 3.0.
class Npy final : public RowSource {
 public:
  static constexpr std::string_view thing = "array";
  static constexpr std::array extensions{"npy"};
  static bool knows(std::string_view text) { return text.starts_with(magic); }

  explicit Npy(std::string const& file) : in_(file), header_(header_of(in_)) {
    data_ = in_.position();
    auto const& shape = header_.shape;
    for (std::size_t a = 0; a < shape.size(); ++a) cells_[a] = shape[shape.size() - 1 - a];
    auto const bytes = static_cast<core::Count>(header_.type.bytes), most = std::numeric_limits<core::Count>::max();
    bool const countable = cells_[1] * cells_[2] <= most / (cells_[0] * bytes);  // sides below 2^31
    core::Count const rows = cells_[1] * cells_[2], left = static_cast<core::Count>(in_.size() - data_);
    if (!countable || rows * cells_[0] * bytes != left)
      throw core::Error(file, 0,
                        fmt::format("has {} bytes behind its header, expected {} for {} x {} x {} values of {} bytes",
                                    left, countable ? std::to_string(rows * cells_[0] * bytes) : "far more", cells_[2],
                                    cells_[1], cells_[0], bytes));
    scattered_ = header_.fortran && shape.size() > 1;
    if (scattered_)
      band_rows_ = std::clamp<core::Count>(std::max<core::Count>(left / 16, 1 << 20) / (cells_[0] * bytes), 1, rows);
  }

  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return header_.type.element; }
  std::string name() const override { return in_.name(); }
  StoredType stored() const override { return detail::stored_type(header_.type); }
  bool seek(core::Count row) override {
    next_ = row;
    if (!scattered_) in_.seek(data_ + static_cast<std::uint64_t>(row) * row_bytes());
    return true;
  }

  void next(core::Count rows, std::span<std::byte> values) override {
    core::expect(next_ + rows <= cells_[1] * cells_[2], "more rows asked for than the array has");
    if (scattered_)
      for (core::Count r = 0; r < rows; ++r)
        std::ranges::copy(row(next_ + r), values.begin() + r * static_cast<core::Count>(row_bytes()));
    else
      in_.bytes(values.first(static_cast<std::size_t>(rows) * row_bytes()));
    next_ += rows;
    std::size_t const count = static_cast<std::size_t>(rows * cells_[0]);
    detail::RawType const& type = header_.type;
    detail::unpack_values(type, header_.big, count, values, in_.name());
  }

 private:
  static Header header_of(detail::Characters& in) {
    std::array<std::byte, 8> start;
    in.bytes(start);
    if (std::memcmp(start.data(), magic.data(), magic.size()) != 0)
      throw core::Error(in.name(), 0, "is no array of numpy");
    int const version = std::to_integer<int>(start[6]);
    if (version < 1 || version > 3)
      throw core::Error(in.name(), 0, fmt::format("is of version {} of numpy's format, expected 1, 2 or 3", version));
    std::array<std::byte, 4> bytes{};
    in.bytes(std::span(bytes).first(version == 1 ? 2 : 4));
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data(), 4);
    if (length > 65536 || length > in.size())
      throw core::Error(in.name(), 0, fmt::format("says that its header has {} bytes: it is damaged", length));
    std::string text(length, '\0');
    in.bytes(std::as_writable_bytes(std::span(text)));
    return {std::move(text), in.name()};
  }

  std::size_t row_bytes() const { return static_cast<std::size_t>(cells_[0]) * header_.type.bytes; }

  /// Of an array in Fortran order.
  std::span<std::byte const> row(core::Count r) {
    if (band_.empty() || r < band_first_ || r >= band_first_ + band_rows_) gather_band(r);
    return std::span(band_).subspan(static_cast<std::size_t>(r - band_first_) * row_bytes(), row_bytes());
  }
  void gather_band(core::Count first) {
    auto const [nx, ny, nz] = cells_;
    std::size_t const bytes = header_.type.bytes;
    core::Count const rows = std::min(band_rows_, ny * nz - first);
    band_first_ = first;
    band_.resize(static_cast<std::size_t>(band_rows_) * row_bytes());
    std::vector<std::byte> column(static_cast<std::size_t>(ny * nz) * bytes);  // the values of one x, z fastest
    in_.seek(data_);
    for (core::Count i = 0; i < nx; ++i) {
      in_.bytes(column);
      for (core::Count r = 0; r < rows; ++r) {
        core::Count const k = (first + r) / ny, j = (first + r) % ny;
        std::memcpy(band_.data() + static_cast<std::size_t>(r * nx + i) * bytes,
                    column.data() + static_cast<std::size_t>(k + nz * j) * bytes, bytes);
      }
    }
  }

  detail::Characters in_;
  Header header_;
  std::uint64_t data_ = 0;
  core::Grid::Shape cells_{1, 1, 1};
  core::Count next_ = 0;
  bool scattered_ = false;
  core::Count band_rows_ = 0, band_first_ = 0;
  std::vector<std::byte> band_;
};

[[maybe_unused]] bool const added =
    Readers::add<ReaderOf<Npy>>("npy", "array of numpy, (nz, ny, nx) or (ny, nx), y upwards");

}  // namespace
}  // namespace tessera::io::readers
