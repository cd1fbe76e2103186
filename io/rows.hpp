// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tessera::io {

/// The type of the values in a file, which the element that holds them may be wider than.
struct StoredType {
  std::string name;                                 ///< bool, uint8, int16, float32 ...
  std::optional<std::array<double, 2>> range = {};  ///< least and largest value there can be; none of floating point
};

/// Where the cells of a file lie: the lengths of a cell, and the corner with the smallest coordinates.
struct Placement {
  std::array<double, 3> spacing{1, 1, 1}, origin{0, 0, 0};
};

/// A file opened for reading row by row, on the rank that reads: rows of nx values of one element type, layer by layer
/// (k ascending), and within a layer from the bottom upwards, or downwards from the top as pictures are stored.
/// Nothing needs to hold more than the rows asked for.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual core::Grid::Shape cells() const = 0;  ///< nx, ny, nz
  virtual core::Element element() const = 0;
  virtual bool top_down() const { return false; }
  /// Asks for the other order of rows within a layer, before the first row is read. False if the format cannot.
  virtual bool turn() { return false; }
  /// What messages call it: the path of the file.
  virtual std::string name() const { return "the input"; }
  /// Of a pattern: the rule that its file names, as it is written there; "" where it names none.
  virtual std::string rule() const { return {}; }
  /// The generation of a pattern or of a snapshot, where the file says it.
  virtual std::optional<std::int64_t> generation() const { return std::nullopt; }
  /// The next `rows` rows, nx * rows values of `element()` in the order of the file.
  /// Throws core::Error naming the file when it is truncated or damaged.
  virtual void next(core::Count rows, std::span<std::byte> values) = 0;
  /// Where rows are stored as one bit a value: the values that 0 and 1 stand for. `next_bits` may then take the place of
  /// `next` for all rows: `distribute` sends the bits, and who owns a cell makes a value of its bit.
  virtual std::optional<std::array<double, 2>> bits() const { return std::nullopt; }
  /// The next `rows` rows, (nx + 7) / 8 bytes each, the first value in the highest bit; the bits after the last are any.
  virtual void next_bits(core::Count rows, std::span<std::byte> packed);
  /// Goes to a row, counted in the order of the file, before the first is read. False, and nothing is done, where the
  /// format has to be read from its beginning. `seek(0)` asks which it is.
  virtual bool seek(core::Count) { return false; }
  /// Where several sources read parts of the same file: what the rows read here add to the checksum of all, and the
  /// comparison with the file's own. Throws core::Error where they differ.
  virtual std::uint64_t checksum() const { return 0; }
  virtual void check(std::uint64_t /*sum*/) const {}
  /// The type that the values have in the file.
  virtual StoredType stored() const;
  /// In the file's own unit of length, where it says it.
  virtual std::optional<Placement> placement() const { return std::nullopt; }
  /// What of the file could be taken in two ways, and how it was taken; "" if nothing. For the log of who asked for it.
  virtual std::string note() const { return {}; }
};

/// The other way round: rows are handed over in the order top_down() asks for; `finish` completes the file atomically.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual bool top_down() const { return false; }
  virtual void next(core::Count rows, std::span<std::byte const> values) = 0;
  virtual void finish() = 0;
};

/// Rows as they come, one after the other, into memory that holds them all.
class IntoMemory final : public RowSink {
 public:
  explicit IntoMemory(std::byte* at) : at_(at) {}
  void next(core::Count, std::span<std::byte const> values) override {
    at_ = std::copy(values.begin(), values.end(), at_);
  }
  void finish() override {}

 private:
  std::byte* at_;
};

/// Bytes of one value.
constexpr std::size_t size_of(core::Element element) {
  switch (element) {
  case core::Element::uint8:
    return 1;
  case core::Element::int32:
  case core::Element::float32:
    return 4;
  case core::Element::int64:
  case core::Element::float64:
    break;
  }
  return 8;
}

/// Streams `source` into the owned cells of `field`: source cell (0, 0, 0) goes to grid cell `at`; cells outside the source
/// are left alone, as are halos. `source` is given on the ranks that read, the root among them, and nullptr elsewhere;
/// where these are several, each reads a stretch of the rows (RowSource::seek). Cells travel down the tree of routers of
/// the rank that reads them (io/stream/routers.hpp) in chunks of whole rows, or of parts of a row that is larger than a chunk,
/// while the next rows are read. Memory of any rank: its own tiles and five chunks, or six where several ranks read (those
/// that read: two rows of the source, if that is more).
///
/// Values are converted to T after `map` (given where a source is, optional) is applied to each. To an integer type they
/// are rounded to the nearest; a value that T cannot hold is an error. Throws core::Error, on all ranks alike, for that,
/// for a source that does not fit into the grid or is not the same on all ranks that read, and for what reading throws.
/// Collective.
void distribute(RowSource* source, core::FieldBase& field, core::Index at = {}, double (*map)(double) = nullptr);

/// Streams the cells of `region` to `sink` (given on the root) as values of the field's element type, up the tree and in
/// chunks as `distribute` does down. What the sink throws is thrown on all ranks, when all chunks have arrived. The file
/// is not complete before `finish`. Collective.
void gather(core::FieldBase const& field, core::Box const& region, RowSink* sink);

/// Calls sink->finish() on the root; what it throws is thrown on all ranks. Collective.
void finish(core::Comm const& comm, RowSink* sink);

/// The same source with the other order of rows; where the format cannot (`turn`), a layer at a time is held in memory.
std::unique_ptr<RowSource> turned(std::unique_ptr<RowSource> source);

/// The cells of a box of a source, which must lie in it; `placement` is that of the box. Rows in front of it are passed over
/// (RowSource::seek) or read, those behind it are not looked at.
std::unique_ptr<RowSource> cut(std::unique_ptr<RowSource> source, core::Box const& box);

}  // namespace tessera::io
