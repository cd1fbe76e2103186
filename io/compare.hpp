// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"

#include <functional>
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
/// snapshot, a time directory of OpenFOAM for its volScalarFields, a case without snapshots for its latest one. `field` is
/// compared, or where it is "" all fields: snapshots must have the same ones; with OpenFOAM's on a side, those that both
/// have. `note` gets lines for the user: what was taken, and which fields were left out. One rank.
/// Throws core::Error where there is nothing of that kind.
std::vector<Comparison> compare_results(std::string const& a, std::string const& b, std::string const& field = "",
                                        double tolerance = 0, std::function<void(std::string const&)> const& note = {});

}  // namespace tessera::io
