// SPDX-License-Identifier: Apache-2.0
#include "io/snapshot.hpp"
#include "core/case/dictionary.hpp"
#include "core/error.hpp"
#include "io/files/reading.hdf5.hpp"
#include "io/files/types.hpp"
#include "io/files/values.hpp"
#include "io/reader.hpp"
#include "io/readers/described.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace tessera::io {
namespace {

using hdf5::element_for;
using hdf5::fail_damaged;
using hdf5::Handle;
using hdf5::is_boolean;
using hdf5::members;
using hdf5::open_hdf5;

std::string joined(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// The end of an item cut off: `/fields/T[k0:k1,j0:j1,i0:i1]`, one range an axis in the order of the dataset.
struct Slab {
  std::string item;
  std::optional<std::string> ranges;  ///< without the brackets

  explicit Slab(std::string const& whole) : item(whole) {
    if (auto const open = whole.rfind('['); whole.ends_with(']') && open != std::string::npos) {
      item = whole.substr(0, open);
      ranges = whole.substr(open + 1, whole.size() - open - 2);
    }
  }
};

/// One range of a slab, FIRST:END as in Python; either may be left out, and FIRST alone is one layer, row or column.
/// Throws core::Error unless 0 <= FIRST < END <= size.
std::array<core::Count, 2> range_of(std::string const& text, core::Count size, std::string const& file) {
  auto const fail = [&] {
    throw core::Error(file, 0, fmt::format("found the range '{}', expected FIRST:END within 0:{}", text, size));
  };
  auto const number = [&](std::string const& digits, core::Count otherwise) {
    if (digits.empty()) return otherwise;
    core::Count value = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) fail();
    return value;
  };
  auto const colon = text.find(':');
  core::Count const first = number(text.substr(0, colon), colon == std::string::npos ? -1 : 0);
  core::Count const end = colon == std::string::npos ? first + 1 : number(text.substr(colon + 1), size);
  if (first < 0 || first >= end || end > size) fail();
  return {first, end};
}

/// A dataset of two or three dimensions, (ny, nx) or (nz, ny, nx), or the part of it behind its name,
/// `/fields/T[k0:k1,j0:j1,i0:i1]`, read by hyperslabs of rows, in either order of rows.
/// If it carries a `hash` and is read whole, from the first to the last row, the values are checked against it.
class Dataset final : public RowSource, public Described {
 public:
  Dataset(std::string const& file, std::string const& item) : file_name_(file), file_(open_hdf5(file)) {
    Slab const slab(item);
    open(slab.item.empty() ? only_field() : slab.item);
    type_ = Handle(H5Dget_type(dataset_), H5Tclose);
    space_ = Handle(H5Dget_space(dataset_), H5Sclose);
    auto const element = element_for(type_);
    if (!element) throw core::Error(name(), 0, "holds no numbers");
    element_ = *element;
    dimensions_ = H5Sget_simple_extent_ndims(space_);
    if (dimensions_ != 2 && dimensions_ != 3)
      throw core::Error(name(), 0, fmt::format("has {} dimensions, expected (ny, nx) or (nz, ny, nx)", dimensions_));
    std::array<hsize_t, 3> shape{};
    H5Sget_simple_extent_dims(space_, shape.data(), nullptr);
    cells_ = {1, 1, 1};
    for (int a = 0; a < dimensions_; ++a) cells_[dimensions_ - 1 - a] = static_cast<core::Count>(shape[a]);
    whole_ = cells_;
    check_storage();
    if (slab.ranges)
      cut(*slab.ranges);
    else
      hash_ = hdf5::read_text(dataset_, "hash");
  }

  core::Grid::Shape cells() const override { return cells_; }
  core::Element element() const override { return element_; }
  StoredType stored() const override {
    if (is_boolean(type_)) return detail::stored_type(detail::boolean);
    auto const kind = H5Tget_class(type_);
    if (kind != H5T_INTEGER && kind != H5T_ENUM) return RowSource::stored();
    bool const is_signed = H5Tget_sign(type_) == H5T_SGN_2;
    int const bits = static_cast<int>(8 * H5Tget_size(type_));
    return {fmt::format("{}{}", is_signed ? "int" : "uint", bits),
            std::array{is_signed ? -std::ldexp(1.0, bits - 1) : 0.0, std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1}};
  }
  bool top_down() const override { return top_down_; }
  bool turn() override {
    top_down_ = !top_down_;
    return true;
  }
  std::string name() const override { return item_.empty() ? file_name_ : file_name_ + ":" + item_; }
  /// That of the case whose snapshot this is, where it is an automaton's.
  std::string rule() const override {
    try {
      auto const texts = read_snapshot(file_name_).provenance;
      auto const properties = texts.find("constant/automatonProperties");
      if (properties == texts.end()) return {};
      return core::Dictionary::parse(properties->second, file_name_).get_or<std::string>("rule", "");
    } catch (core::Error const&) {  // no snapshot of ours
      return {};
    }
  }
  std::optional<std::int64_t> generation() const override {
    try {
      return read_snapshot(file_name_).step;
    } catch (core::Error const&) {  // no snapshot of ours
      return std::nullopt;
    }
  }
  /// Of a plane without end, whose cells have a place; whole, not a part of it.
  std::optional<Placement> placement() const override {
    try {
      auto const info = read_snapshot(file_name_);
      if (!info.state.contains("plane") || info.cells != cells_) return std::nullopt;
      Placement place{.origin = {info.faces[0].front(), info.faces[1].front(), 0}};
      // whole numbers, of places that a grid, whose places are doubles, may not have
      if (auto const corner = corner_of(info.state, file_name_))
        place.origin = {static_cast<double>(corner->i), static_cast<double>(corner->j), 0};
      return place;
    } catch (core::Error const&) {  // no snapshot of ours
      return std::nullopt;
    }
  }
  Faces faces() const override {
    Faces part;
    try {
      auto const info = read_snapshot(file_name_);
      for (std::size_t a = 0; a < 3; ++a) {
        auto const all = static_cast<std::size_t>(info.cells[a]), first = static_cast<std::size_t>(start_[a]),
                   last = first + static_cast<std::size_t>(cells_[a]);
        auto const& faces = info.faces[a];
        if (faces.empty() || last > all || info.cells != whole_) return {};
        auto const place = [&](std::size_t face) {
          return std::lerp(faces.front(), faces.back(), static_cast<double>(face) / static_cast<double>(all));
        };
        if (faces.size() == all + 1)
          part[a].assign(faces.begin() + static_cast<std::ptrdiff_t>(first),
                         faces.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        else
          part[a] = {place(first), place(last)};
      }
    } catch (core::Error const&) {  // no snapshot of ours
      return {};
    }
    return part;
  }
  core::FieldInfo about() const override {
    core::FieldInfo info{.name = "",
                         .description = hdf5::read_text(dataset_, "description"),
                         .units = hdf5::read_text(dataset_, "units")};
    hdf5::read_numbers(dataset_, "dimensions", info.dimensions);
    return info;
  }
  bool seek(core::Count row) override {
    next_ = row;
    checked_here_ = checked_here_ && row == 0;
    return true;
  }
  std::uint64_t checksum() const override { return checksum_.sum(); }
  void check(std::uint64_t sum) const override {
    if (!hash_.empty() && detail::Checksum::digits(sum) != hash_)
      throw core::Error(name(), 0, "the values do not have the checksum they were written with: the file is damaged");
  }

  /// Reads what HDF5 may stumble over: a row, or all where they lie in chunks.
  void try_rows() {
    Handle const properties(H5Dget_create_plist(dataset_), H5Pclose);
    core::Count const all = cells_[1] * cells_[2];
    std::vector<std::byte> row(static_cast<std::size_t>(cells_[0]) * size_of(element_));
    if (H5Pget_layout(properties) == H5D_CONTIGUOUS) return read(0, 0, 1, row.data());
    hdf5::limit_time(0);  // large files take their time
    for (core::Count r = 0; r < all; ++r) read(r / cells_[1], r % cells_[1], 1, row.data());
  }

  void next(core::Count rows, std::span<std::byte> values) override {
    hdf5::Quiet const quiet;
    std::size_t const row = static_cast<std::size_t>(cells_[0]) * size_of(element_);
    core::expect(next_ + rows <= cells_[1] * cells_[2], "more rows asked for than the dataset has");
    while (rows > 0) {
      // as many rows as the layer still has; downwards they are read as they lie and then turned round
      core::Count const layer = next_ / cells_[1], in_layer = next_ % cells_[1];
      core::Count const n = std::min(rows, cells_[1] - in_layer);
      core::Count const first = top_down_ ? cells_[1] - in_layer - n : in_layer;
      read(layer, first, n, values.data());
      with_checksum(layer * cells_[1] + first, n, values.first(static_cast<std::size_t>(n) * row));
      if (top_down_)
        for (core::Count r = 0; r < n / 2; ++r)
          std::swap_ranges(values.begin() + r * static_cast<core::Count>(row),
                           values.begin() + (r + 1) * static_cast<core::Count>(row),
                           values.begin() + (n - 1 - r) * static_cast<core::Count>(row));
      next_ += n;
      rows -= n;
      values = values.subspan(static_cast<std::size_t>(n) * row);
    }
    if (next_ == cells_[1] * cells_[2] && checked_here_) check(checksum());
  }

 private:
  std::string only_field() const {
    auto const names = members(file_, "/fields");
    if (names.size() == 1) return "/fields/" + names[0];
    throw core::Error(file_name_, 0,
                      names.empty()
                          ? "has no /fields; name the dataset: FILE:/path/of/dataset"
                          : "has several fields; name one: FILE:/fields/NAME with NAME one of " + joined(names));
  }
  void open(std::string const& item) {
    // "T" stands for "/fields/T"
    item_ = item.starts_with("/") ? item : "/fields/" + item;
    dataset_ = Handle(H5Dopen2(file_, item_.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset_.ok())
      throw core::Error(file_name_, 0,
                        fmt::format("has no dataset '{}' that can be read; its fields: {}", item_,
                                    joined(members(file_, "/fields"))));
  }
  /// A damaged header may claim any size: what the file cannot hold is refused before memory is asked for.
  void check_storage() const {
    double const claimed = static_cast<double>(cells_[0]) * static_cast<double>(cells_[1]) *
                           static_cast<double>(cells_[2]) * static_cast<double>(H5Tget_size(type_));
    if (cells_[0] < 1 || cells_[1] < 1 || cells_[2] < 1) throw core::Error(name(), 0, "is empty");
    Handle const properties(H5Dget_create_plist(dataset_), H5Pclose);
    bool const plain = H5Pget_nfilters(properties) == 0;
    double const stored = static_cast<double>(H5Dget_storage_size(dataset_));
    if (plain ? stored < claimed : 1100 * stored < claimed)
      throw core::Error(name(), 0,
                        fmt::format("holds {} bytes of {}: the file is damaged or was not finished", stored, claimed));
  }
  void cut(std::string const& ranges) {
    std::vector<std::string> parts{""};
    for (char const c : ranges)
      if (c == ',')
        parts.emplace_back();
      else if (c != ' ')
        parts.back() += c;
    if (static_cast<int>(parts.size()) != dimensions_)
      throw core::Error(name(), 0,
                        fmt::format("found [{}], expected {} ranges as in [{}]", ranges, dimensions_,
                                    dimensions_ == 2 ? "j0:j1,i0:i1" : "k0:k1,j0:j1,i0:i1"));
    for (std::size_t n = 0; n < parts.size(); ++n) {
      std::size_t const axis = parts.size() - 1 - n;
      auto const [first, end] = range_of(parts[n], cells_[axis], name());
      start_[axis] = first;
      cells_[axis] = end - first;
    }
  }
  void read(core::Count layer, core::Count first, core::Count rows, std::byte* to) {
    std::array<hsize_t, 3> const all_start{static_cast<hsize_t>(start_[2] + layer),
                                           static_cast<hsize_t>(start_[1] + first), static_cast<hsize_t>(start_[0])};
    std::array<hsize_t, 3> const all_count{1, static_cast<hsize_t>(rows), static_cast<hsize_t>(cells_[0])};
    auto const skip = static_cast<std::size_t>(3 - dimensions_);
    H5Sselect_hyperslab(space_, H5S_SELECT_SET, all_start.data() + skip, nullptr, all_count.data() + skip, nullptr);
    Handle const memory(H5Screate_simple(dimensions_, all_count.data() + skip, nullptr), H5Sclose);
    if (H5Dread(dataset_, hdf5::memory_type(element_), memory, space_, H5P_DEFAULT, to) < 0)
      throw core::Error(name(), 0, "cannot be read: " + hdf5::reason());
  }
  void with_checksum(core::Count row, core::Count rows, std::span<std::byte const> values) {
    if (hash_.empty()) return;
    detail::with_type(element_, [&]<class T>(std::type_identity<T>) {
      checksum_.add(row * cells_[0],
                    std::span(reinterpret_cast<T const*>(values.data()), static_cast<std::size_t>(rows * cells_[0])));
    });
  }

  std::string file_name_, item_;
  Handle file_, dataset_, type_, space_;
  core::Element element_ = core::Element::float64;
  int dimensions_ = 3;
  core::Grid::Shape cells_{}, start_{};  // of the part that is read
  core::Grid::Shape whole_{};            // of the dataset
  core::Count next_ = 0;
  bool top_down_ = false, checked_here_ = true;  // checked: where this source reads all rows
  std::string hash_;
  detail::Checksum checksum_;
};

class Hdf5Reader final : public Reader {
 public:
  std::vector<std::string> extensions() const override { return {"h5"}; }
  bool knows(std::span<std::byte const> beginning) const override {
    return beginning.size() >= 8 && std::memcmp(beginning.data(), "\x89HDF\r\n\x1a\n", 8) == 0;
  }
  std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const override {
    hdf5::Quiet const quiet;
    if (!hdf5::survives([&] { Dataset(file, item).try_rows(); })) fail_damaged(file);
    return open_known(file, item);
  }
  std::unique_ptr<RowSource> open_known(std::string const& file, std::string const& item) const override {
    hdf5::Quiet const quiet;
    return std::make_unique<Dataset>(file, item);
  }
};

[[maybe_unused]] bool const hdf5_added =
    Readers::add<Hdf5Reader>("hdf5", "dataset of an HDF5 file, FILE.h5:/fields/NAME, as results are written");

}  // namespace

}  // namespace tessera::io
