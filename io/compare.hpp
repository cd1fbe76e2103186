// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// How two fields of the same shape differ.
struct Comparison {
  std::string field;  ///< "" for a picture
  core::Count cells = 0;
  core::Count different = 0;       ///< cells with |a - b| > tolerance, or with just one of a, b not a number
  double max_absolute = 0;         ///< largest |a - b|; infinite where just one is not a number
  double max_relative = 0;         ///< largest |a - b| / max(|a|, |b|)
  core::Index worst;               ///< where |a - b| is largest, y upwards
  std::vector<std::string> notes;  ///< how the files were taken: FILE: RowSource::note()
  bool equal() const { return different == 0; }
};

/// Compares what two readers give (FILE or FILE:ITEM), row by row; memory of a few rows, and a layer where one file counts
/// rows upwards and the other downwards and neither can be turned. Integers are compared exactly.
/// Throws core::Error if the shapes differ or a file cannot be read. One rank.
Comparison compare(std::string const& a, std::string const& b, double tolerance = 0);

/// What `tessera compare A B` does. A and B are files, or folders: a results folder or a case stand for their last
/// snapshot. Of snapshots, `field` is compared, or where it is "" all fields; both must have the same. One rank.
std::vector<Comparison> compare_results(std::string const& a, std::string const& b, std::string const& field = "",
                                        double tolerance = 0);

/// A file itself, or the last snapshot of a results folder or of a case. Throws core::Error if there is none.
std::string result_file(std::string const& path);

}  // namespace tessera::io
