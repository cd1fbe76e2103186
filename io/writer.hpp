// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/registry.hpp"
#include "io/rows.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io {

/// What a writer is told about the rows that will come.
struct RowFormat {
  core::Grid::Shape cells{};
  core::Element element = core::Element::uint8;
  std::string name = "value";    ///< of the quantity, where the format has room for it
  std::string type = "";         ///< of the values in the file, one of Writer::types(); "": the element's own
  bool binary = false;           ///< where a format is text or binary: OpenFOAM's
  bool top_down = false;         ///< order the giver prefers; the sink's top_down() decides
  std::string rule = "";         ///< of a pattern, where the format has room for it; "": not known
  int states = 0;                ///< of that rule; 0: not known
  double lo = 0, hi = 255;       ///< values at the two ends of the palette, for pictures
  std::string palette = "grey";  ///< for pictures
  /// Of the cells, where the format has room for it.
  std::optional<Placement> placement = {};
  /// Of cells that differ in length along an axis: all faces along it, where the format has room for them; otherwise none.
  std::array<std::vector<double>, 3> faces = {};
  /// Units, dimensions and description of the values, where the format has room for them.
  core::FieldInfo about = {.name = "", .description = "converted", .units = "1"};
  /// Of a pattern, where the format has room for it.
  std::optional<std::int64_t> generation = {};
  /// Texts of a pattern by their names, each a word, where the format has room for them: `hash`, that of its cells.
  std::map<std::string, std::string> notes = {};
  bool synced = false;  ///< where the format can: the file is whole after a crash of the machine, too
};

/// A file format that can be written row by row. Runs on one rank, no MPI. Writes aside; RowSink::finish renames.
class Writer {
 public:
  static constexpr std::string_view kind = "writer";
  virtual ~Writer() = default;
  /// Endings of file names, without the dot.
  virtual std::vector<std::string> extensions() const = 0;
  /// Whether values become colours, so that `lo`, `hi` and `palette` matter.
  virtual bool is_picture() const { return false; }
  /// Of a picture: whole numbers from 0 to this one stay as they are where `lo` is 0; 0 where all become colours.
  virtual double largest_kept() const { return 0; }
  /// Whether the file says what its values are called, so that `name` matters.
  virtual bool has_name() const { return false; }
  /// Whether the file says where the cells lie, so that `placement` matters.
  virtual bool has_place() const { return false; }
  /// Whether it says what its values are, and has cells of any lengths, so that `about` and `faces` matter.
  virtual bool has_details() const { return false; }
  /// Whether values are written as text or as they lie in memory, so that `binary` matters.
  virtual bool has_binary() const { return false; }
  /// Types of values in the file that may be asked for (`RowFormat::type`); none where the format has its own.
  virtual std::vector<std::string> types() const { return {}; }
  /// Whether a path without a known extension is such a file.
  virtual bool takes(std::string const& /*path*/) const { return false; }
  /// Throws core::Error for what the format cannot hold, core::RunError when the file cannot be written; so do the sink's
  /// members. A sink that is not finished leaves nothing behind.
  virtual std::unique_ptr<RowSink> create(std::string const& file, RowFormat const& format) const = 0;
};

using Writers = core::Registry<Writer>;

/// The writer for a file by its extension, or else by what its path says (CASE/0/T is a field of OpenFOAM). Throws
/// core::Error listing the extensions there are.
std::unique_ptr<Writer> writer_for(std::string const& file);

}  // namespace tessera::io
