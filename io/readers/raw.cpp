// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/detail/characters.hpp"
#include "io/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace tessera::io::readers {
namespace {

struct Type {
  std::string_view name;
  std::size_t bytes;  // in the file
  core::Element element;
};
constexpr std::array<Type, 8> types{{{"uint8", 1, core::Element::uint8},
                                     {"int16", 2, core::Element::int32},
                                     {"uint16", 2, core::Element::int32},
                                     {"int32", 4, core::Element::int32},
                                     {"uint32", 4, core::Element::int64},
                                     {"int64", 8, core::Element::int64},
                                     {"float32", 4, core::Element::float32},
                                     {"float64", 8, core::Element::float64}}};

/// `NX x NY [x NZ] : TYPE [: little | big]` without the blanks.
struct RawFormat {
  core::Grid::Shape cells{1, 1, 1};
  Type type{};
  bool big = false;
};

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (auto at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

RawFormat parse(std::string const& file, std::string const& item) {
  constexpr auto how = "size and type as in FILE.raw:512x512x512:uint8";
  if (item.empty()) throw core::Error(file, 0, fmt::format("says nothing of its content, expected {}", how));
  auto const parts = parts_of(item, ':');
  auto const sides = parts_of(parts[0], 'x');
  if (parts.size() < 2 || parts.size() > 3 || sides.size() < 2 || sides.size() > 3)
    throw core::Error(file, 0, fmt::format("found '{}', expected {}", item, how));
  RawFormat format;
  for (std::size_t a = 0; a < sides.size(); ++a) {
    auto const [end, error] = std::from_chars(sides[a].begin(), sides[a].end(), format.cells[a]);
    if (error != std::errc{} || end != sides[a].end() || format.cells[a] < 1 || format.cells[a] > detail::longest_side)
      throw core::Error(file, 0, fmt::format("found the size '{}', expected 1 .. {}", sides[a], detail::longest_side));
  }
  auto const* const type = std::find_if(types.begin(), types.end(), [&](Type const& t) { return t.name == parts[1]; });
  if (type == types.end()) {
    std::vector<std::string> valid;
    for (auto const& t : types) valid.emplace_back(t.name);
    throw core::Error(file, 0, core::unknown_name("type", parts[1], valid));
  }
  format.type = *type;
  if (parts.size() == 3 && parts[2] != "little" && parts[2] != "big")
    throw core::Error(file, 0, core::unknown_name("byte order", parts[2], {"little", "big"}));
  format.big = parts.size() == 3 && parts[2] == "big";
  return format;
}

/// Values one after the other without a header, as scanners and other programs store volumes: x fastest, then y from
/// the bottom, then z. Size, type and, where it is not little, the byte order stand behind the name of the file:
///   sample.raw:512x512x512:uint16:big
/// A third size of 1 may be left out. The file must have just the bytes that these say. int16 and uint16 are given as
/// int32, uint32 as int64. Memory: nothing but the rows asked for.
class Raw final : public RowSource {
 public:
  Raw(std::string const& file, std::string const& item) : in_(file), format_(parse(file, item)) {
    auto const [nx, ny, nz] = format_.cells;
    auto const bytes = static_cast<core::Count>(format_.type.bytes), most = std::numeric_limits<core::Count>::max();
    bool const countable = ny * nz <= most / (nx * bytes);  // sides below 2^31
    auto const size = in_.size();
    if (!countable || static_cast<std::uint64_t>(nx * bytes * ny * nz) != size)
      throw core::Error(file, 0,
                        fmt::format("has {} bytes, expected {} for {} x {} x {} values of {} bytes", size,
                                    countable ? std::to_string(nx * bytes * ny * nz) : "far more", nx, ny, nz, bytes));
  }

  core::Grid::Shape cells() const override { return format_.cells; }
  core::Element element() const override { return format_.type.element; }
  std::string name() const override { return in_.name(); }

  void next(core::Count rows, std::span<std::byte> values) override {
    core::expect(next_ + rows <= format_.cells[1] * format_.cells[2], "more rows asked for than the volume has");
    next_ += rows;
    std::size_t const count = static_cast<std::size_t>(rows * format_.cells[0]), bytes = format_.type.bytes;
    auto const data = values.first(count * bytes);
    in_.bytes(data);
    // values lie in memory as on a little-endian machine
    if (format_.big && bytes > 1)
      for (std::size_t n = 0; n < count; ++n)
        std::reverse(data.begin() + static_cast<std::ptrdiff_t>(n * bytes),
                     data.begin() + static_cast<std::ptrdiff_t>((n + 1) * bytes));
    if (format_.type.name == "int16") widen<std::int16_t, std::int32_t>(count, values);
    if (format_.type.name == "uint16") widen<std::uint16_t, std::int32_t>(count, values);
    if (format_.type.name == "uint32") widen<std::uint32_t, std::int64_t>(count, values);
  }

 private:
  /// In place, from the last to the first, since the wider values lie behind the narrow ones still to be read.
  template <class From, class To>
  static void widen(std::size_t count, std::span<std::byte> values) {
    for (std::size_t n = count; n-- > 0;) {
      From narrow;
      std::memcpy(&narrow, values.data() + n * sizeof(From), sizeof(From));
      To const wide = narrow;
      std::memcpy(values.data() + n * sizeof(To), &wide, sizeof(To));
    }
  }

  detail::Characters in_;
  RawFormat format_;
  core::Count next_ = 0;
};

class RawReader final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {"raw"}; }
  bool knows(std::span<std::byte const>) const override { return false; }  // any bytes may be a volume
  std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const override {
    return std::make_unique<Raw>(file, item);
  }
};

[[maybe_unused]] bool const added =
    Readers::add<RawReader>("raw", "volume without a header, FILE.raw:512x512x512:uint8[:big]");

}  // namespace
}  // namespace tessera::io::readers
