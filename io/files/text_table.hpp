// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// A table as texts: the names of its columns, then as many cells a row. A cell may be empty.
struct TextTable {
  std::string name;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;

  /// CSV: a line of names, then a line a row, cells in quotes where they would be read as something else.
  std::string csv() const;
};

/// A line of CSV.
std::string csv_line(std::vector<std::string> const& cells);

/// Writes tables as groups of an HDF5 file, each column as a dataset of one value a row: doubles (NaN where a cell is empty)
/// where all its other cells are numbers, else (and where all are empty) texts of UTF-8. A slash in the name of a column becomes a point. Equal tables
/// give equal bytes. For one rank. Throws core::RunError; the file is then as it was.
void write_tables(std::string const& file, std::span<TextTable const> tables);

}  // namespace tessera::io
