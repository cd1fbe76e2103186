// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/files.hpp"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// A history as CSV: a line with the names of the columns, then a line a row, each on disk when `row` returns.
/// Numbers are written with as few digits as read back to the same value. For one rank.
class Table {
 public:
  /// Makes the file anew, and its folder. With `resume_at`, rows of an existing file whose first column is less than that
  /// are kept (a run that goes on from a snapshot); it must then have the same columns, else core::Error.
  /// Throws core::RunError when it cannot be written.
  Table(std::string file, std::vector<std::string> columns,
        double resume_at = -std::numeric_limits<double>::infinity());
  /// Throws core::RunError, also when the disk is full.
  void row(std::span<double const> values);

 private:
  void write(std::string const& line);
  std::string file_;
  std::size_t columns_;
  core::FilePointer out_;
};

}  // namespace tessera::io
