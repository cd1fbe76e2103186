// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/registry.hpp"
#include "io/rows.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// A file format that can be read. Runs on one rank, no MPI.
class Reader {
 public:
  static constexpr std::string_view kind = "reader";
  virtual ~Reader() = default;
  /// Endings of file names, without the dot.
  virtual std::vector<std::string> extensions() const = 0;
  /// Whether a file that begins with these bytes (up to 512) is of this format.
  virtual bool knows(std::span<std::byte const> beginning) const = 0;
  /// Whether its files are patterns: states of cells, never a brightness. They may be packed by gzip.
  virtual bool pattern() const { return false; }
  /// `item` names what is to be read of a file that holds several things; "" where the user did not say.
  /// Throws core::Error `FILE: what, what was expected`.
  virtual std::unique_ptr<RowSource> open(std::string const& file, std::string const& item) const = 0;
  /// The same for a file that another rank has opened, so that what takes long to find out is known of it.
  virtual std::unique_ptr<RowSource> open_known(std::string const& file, std::string const& item) const {
    return open(file, item);
  }
};

using Readers = core::Registry<Reader>;

/// Opens FILE or FILE:ITEM (`results/000010.h5:/fields/T`) with the reader that knows its content, or else its extension.
/// Throws core::Error for a file that is missing, empty or of an unknown format; the last lists the known ones.
std::unique_ptr<RowSource> open_rows(std::string const& path);

/// The same for who takes its cells as LiveCells or SquareTree: one whose rows are longer than memory is, which open_rows refuses, is opened, too.
std::unique_ptr<RowSource> open_cells(std::string const& path);

/// The same for `distribute`: opens the file on the root and, where its format can be read from any row (RowSource::seek),
/// on further ranks that see it, as many as `router_settings().readers` asks for: the first of each node, then the second.
/// Chosen (0) are up to four ranks a node, where the file has 64 MiB or more. nullptr on the others. Collective.
std::unique_ptr<RowSource> open_rows(core::Comm const& comm, std::string const& path);

/// Whether a file is a pattern, as the reader says that `open_rows` would open it with. Throws core::Error as that does.
bool is_pattern(std::string const& path);

/// FILE:ITEM cut in two: FILE is the longest part in front of a colon that names an existing file; else all of it.
struct ItemPath {
  std::string file, item;
};
ItemPath split_item(std::string const& path);

/// For readers of files that hold one thing: throws core::Error if an item is named. `thing`: what the file is.
void refuse_item(std::string const& file, std::string const& item, std::string_view thing);

}  // namespace tessera::io
