// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/files/types.hpp"
#include "io/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::io::readers {
namespace {

/// `NX x NY [x NZ] : TYPE [: little | big]` without the blanks.
struct RawFormat {
  core::Grid::Shape cells{1, 1, 1};
  detail::RawType type{};
  bool big = false;
  std::optional<Placement> placement;
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

constexpr auto how = "size and type as in FILE.raw:512x512x512:uint8";

RawFormat parse(std::string const& file, std::string const& item) {
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
  if (parts[1] != detail::boolean.name) {
    auto const& types = detail::raw_types;
    auto const* const type =
        std::find_if(types.begin(), types.end(), [&](auto const& t) { return t.name == parts[1]; });
    if (type == types.end()) {
      auto valid = detail::raw_type_names();
      valid.emplace_back(detail::boolean.name);
      throw core::Error(file, 0, core::unknown_name("type", parts[1], valid));
    }
    format.type = *type;
  } else {
    format.type = detail::boolean;
  }
  if (parts.size() == 3 && parts[2] != "little" && parts[2] != "big")
    throw core::Error(file, 0, core::unknown_name("byte order", parts[2], {"little", "big"}));
  format.big = parts.size() == 3 && parts[2] == "big";
  return format;
}

/// A value of a header in the format MetaImage without the blanks around it.
std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// What a MetaImage header says: its data file, size and type. Throws core::Error for what is not read here.
struct MetaHeader {
  std::string data;
  RawFormat format;

  explicit MetaHeader(std::string const& file) : in_(file) {
    while (data.empty()) {
      if (in_.peek() == detail::Characters::end) fail("says nothing of ElementDataFile, size and type");
      std::string const line = in_.rest_of_line(4096);
      if (trimmed(line).empty()) continue;
      auto const sign = line.find('=');
      if (sign == std::string::npos) in_.fail("expected KEY = VALUE");
      take(trimmed(std::string_view(line).substr(0, sign)), trimmed(std::string_view(line).substr(sign + 1)));
    }
    place();
    if (format.type.bytes == 0 || !sized_) fail("has no DimSize or no ElementType in front of ElementDataFile");
    if (data == "LOCAL" || data == "LIST" || data.find('%') != std::string::npos)
      fail(fmt::format("has its data in '{}', expected one file beside it", data));
    if (data.front() != '/') data = (std::filesystem::path(file).parent_path() / data).string();
  }

 private:
  [[noreturn]] void fail(std::string const& message) const { throw core::Error(in_.name(), 0, message); }

  void take(std::string_view key, std::string_view value) {
    if (key == "ElementDataFile") {
      data = value;
      if (data.empty()) fail("names no data file");
    } else if (key == "DimSize") {
      sizes(value);
    } else if (key == "ElementType") {
      auto const& types = detail::raw_types;
      auto const* const type = std::find_if(types.begin(), types.end(), [&](auto const& t) { return t.meta == value; });
      if (type == types.end()) {
        std::vector<std::string> valid;
        for (auto const& t : types) valid.emplace_back(t.meta);
        fail(core::unknown_name("ElementType", std::string(value), valid));
      }
      format.type = *type;
    } else if (key == "ElementSpacing") {
      spacing_ = numbers(key, value);
    } else if (key == "ElementSize") {
      size_ = numbers(key, value);
    } else if (key == "Offset" || key == "Origin" || key == "Position") {
      offset_ = numbers(key, value);
    } else if (key == "BinaryDataByteOrderMSB" || key == "ElementByteOrderMSB") {
      format.big = value == "True";
    } else if ((key == "CompressedData" && value != "False") || (key == "BinaryData" && value != "True") ||
               (key == "ElementNumberOfChannels" && value != "1") || (key == "HeaderSize" && value != "0")) {
      fail(fmt::format("has {} = {}, which is not supported", key, value));
    }
  }
  /// Two or three numbers.
  std::vector<double> numbers(std::string_view key, std::string_view value) const {
    std::vector<double> result;
    for (char const* at = value.begin(); at != value.end();) {
      double number = 0;
      auto const [end, error] = std::from_chars(at, value.end(), number);
      if (error != std::errc{} || !std::isfinite(number) || result.size() == 3)
        fail(fmt::format("has {} = {}, expected 2 or 3 numbers", key, value));
      result.push_back(number);
      for (at = end; at != value.end() && (*at == ' ' || *at == '\t');) ++at;
    }
    if (result.size() < 2) fail(fmt::format("has {} = {}, expected 2 or 3 numbers", key, value));
    return result;
  }
  /// The place of the cells, where the header gives their lengths: `Offset` is the middle of the first one.
  void place() {
    auto lengths = spacing_.empty() ? size_ : spacing_;
    if (lengths.empty()) return;
    if (lengths.size() == 2) lengths.push_back(lengths[0]);
    offset_.resize(3, 0);
    Placement placement;
    for (std::size_t a = 0; a < 3; ++a) {
      if (!(lengths[a] > 0)) fail(fmt::format("has ElementSpacing {}, expected lengths above 0", lengths[a]));
      placement.spacing[a] = lengths[a];
      placement.origin[a] = offset_[a] - lengths[a] / 2;
    }
    format.placement = placement;
  }
  void sizes(std::string_view value) {
    std::size_t axis = 0;
    for (char const* at = value.begin(); at != value.end(); ++axis) {
      core::Count size = 0;
      auto const [end, error] = std::from_chars(at, value.end(), size);
      if (error != std::errc{} || axis > 2 || size < 1 || size > detail::longest_side)
        fail(fmt::format("has DimSize = {}, expected 2 or 3 sizes of 1 .. {}", value, detail::longest_side));
      format.cells[axis] = size;
      for (at = end; at != value.end() && (*at == ' ' || *at == '\t');) ++at;
    }
    sized_ = axis >= 2;
  }

  detail::Characters in_;
  bool sized_ = false;
  std::vector<double> spacing_, size_, offset_;
};

/// The format of FILE.raw from what stands behind its name, or else from FILE.mhd.
RawFormat format_of(std::string const& file, std::string const& item) {
  if (!item.empty()) return parse(file, item);
  std::string const header = detail::header_of(file);
  std::error_code none;
  if (!std::filesystem::exists(header, none))
    throw core::Error(file, 0, fmt::format("says nothing of its content, expected {}, or a header {}", how, header));
  MetaHeader const meta(header);
  if (!std::filesystem::equivalent(meta.data, file, none))
    throw core::Error(header, 0, fmt::format("describes '{}', not {}", meta.data, file));
  return meta.format;
}

/// Values one after the other without a header, as scanners and other programs store volumes: x fastest, then y from
/// the bottom, then z. Size, type and, where it is not little, the byte order stand behind the name of the file:
///   sample.raw:512x512x512:uint16:big
/// or in a MetaImage header sample.mhd beside it (or given itself), as the writer of that name leaves it. A third size
/// of 1 may be left out. The file must have just the bytes that these say. int8, int16 and uint16 are given as int32,
/// uint32 and uint64 as int64, so that values of 2^63 and more are refused. Memory: nothing but the rows asked for.
class Raw final : public RowSource {
 public:
  Raw(std::string const& file, RawFormat const& format) : in_(file), format_(format) {
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
  StoredType stored() const override { return detail::stored_type(format_.type); }
  std::optional<Placement> placement() const override { return format_.placement; }
  bool seek(core::Count row) override {
    next_ = row;
    in_.seek(static_cast<std::uint64_t>(row * format_.cells[0]) * format_.type.bytes);
    return true;
  }

  void next(core::Count rows, std::span<std::byte> values) override {
    core::expect(next_ + rows <= format_.cells[1] * format_.cells[2], "more rows asked for than the volume has");
    next_ += rows;
    std::size_t const count = static_cast<std::size_t>(rows * format_.cells[0]), bytes = format_.type.bytes;
    in_.bytes(values.first(count * bytes));
    detail::unpack_values(format_.type, format_.big, count, values, in_.name());
  }

 private:
  detail::Characters in_;
  RawFormat format_;
  core::Count next_ = 0;
};

class RawReader final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {"raw"}; }
  bool knows(std::span<std::byte const>) const override { return false; }  // any bytes may be a volume
  std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const override {
    return std::make_unique<Raw>(file, format_of(file, item));
  }
};

class MetaReader final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {"mhd"}; }
  bool knows(std::span<std::byte const> beginning) const override {
    return std::string_view(reinterpret_cast<char const*>(beginning.data()), beginning.size())
        .starts_with("ObjectType");
  }
  std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const override {
    refuse_item(file, item, "volume");
    MetaHeader const meta(file);
    std::error_code none;
    if (!std::filesystem::is_regular_file(meta.data, none))
      throw core::Error(file, 0, fmt::format("names the data file '{}', which is not there", meta.data));
    return std::make_unique<Raw>(meta.data, meta.format);
  }
};

[[maybe_unused]] bool const added =
    Readers::add<RawReader>("raw", "volume, FILE.raw:512x512x512:uint8[:big], or with a header FILE.mhd");
[[maybe_unused]] bool const added_header =
    Readers::add<MetaReader>("metaimage", "header (.mhd) of a volume in a file beside it");

}  // namespace
}  // namespace tessera::io::readers
