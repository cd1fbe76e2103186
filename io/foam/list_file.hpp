// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "io/rows.hpp"

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// Where the values of `internalField nonuniform List<scalar> N ( ... )` lie in a file.
struct ListPlace {
  std::string path;
  int line = 0;             ///< of the first byte after the opening bracket
  std::int64_t offset = 0;  ///< of that byte
  std::int64_t count = 0;   ///< as the file says, or counted
  bool binary = false;      ///< little-endian, otherwise text
  int bytes = 8;            ///< of a binary value: 8, or 4 of OpenFOAM in single precision
};

/// A field file without the values of its internal list: what is small enough for every rank.
struct ListFile {
  std::string text;  ///< the file with `internalField nonuniform;` in place of the list, and as many lines
  std::optional<ListPlace> list;
};

/// Reads a field file on the root in pieces of 1 MiB and gives its text without the internal list to all ranks, so that
/// nobody holds the list. Where there is no such file PATH.gz is taken. Throws core::Error on all ranks when there is
/// neither, or the list does not close. Cost: one pass over the file (a seek where the list is binary). Collective.
ListFile read_list_file(std::string const& path, core::Comm const& comm);

/// The values of a list, row by row, from an open stream that stands at the first of them. Text may hold any white
/// space. Throws core::Error, with the line where the list is text and the number of the value, for text that is no
/// number, for nan and inf, and for a list that is shorter or longer than announced.
class ListRows final : public RowSource {
 public:
  /// `place.offset` is not used: `in` stands there already.
  ListRows(std::unique_ptr<std::istream> in, ListPlace place);
  /// The rows to come are those of a block of cells of the grid.
  void begin(core::Box const& block);
  core::Grid::Shape cells() const override { return {block_.shape().i, block_.shape().j, block_.shape().k}; }
  core::Element element() const override { return core::Element::float64; }
  std::string name() const override { return place_.path; }
  void next(core::Count rows, std::span<std::byte> values) override;

 private:
  void read_text(std::span<double> values);
  bool refill();
  void skip_space();
  std::string where(std::int64_t value) const;

  std::unique_ptr<std::istream> in_;
  ListPlace place_;
  core::Box block_;
  std::int64_t done_ = 0, block_begin_ = 0;
  int line_ = 0;
  std::vector<char> buffer_;
  std::vector<float> single_;
  std::size_t at_ = 0, end_ = 0;
};

/// Opens the list for reading; on the rank that reads only.
std::unique_ptr<ListRows> open_list(ListPlace const& place);

}  // namespace tessera::io::foam
