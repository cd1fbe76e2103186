// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>

namespace tessera::io {

struct Conversion {
  std::optional<std::string> palette = {};                ///< of a picture: grey, the default, or viridis
  std::optional<std::array<double, 2>> range = {};        ///< values at the ends of the palette
  std::string type = "";                                  ///< of the values in the file, where the format has a choice
  bool binary = false;                                    ///< fields of OpenFOAM, otherwise as text
  std::function<int(std::string const&)> states_of = {};  ///< of a pattern's rule; 0: not known
  std::optional<std::string> name =
      {};  ///< of the field made; nothing keeps that of the input's field, or else "value"
};

/// What `tessera convert IN OUT` does: reads FILE or FILE:ITEM by any reader and writes it by the writer that OUT's
/// extension names, a few rows at a time. One rank.
///
/// A picture's range, where none is given: uint8 from 0 to 255 as it is, grey of fewer bits from 0 to what these hold, but
/// masks (no value above 1) and all other types from their smallest to their largest value, found by reading the input twice.
/// Whole numbers that the format can keep (Writer::largest_kept) stay as they are: their range begins at 0, and others are refused.
/// IN may be a case, for its last snapshot, or where it has none for its latest time directory of OpenFOAM, or a time directory itself:
/// where that has one field alone. OUT may be a time directory, in which the field goes by its name. What is asked for and the format
/// of OUT has no use for is refused.
/// Lengths and places of cells, units, dimensions and description go along where the format of OUT has room for them.
/// Returns how the input was taken, where it could be taken in two ways (RowSource::note), which values the ends of a picture's palette
/// are where they were found, and what was left out, or "". OUT may not be a file that is read.
/// Throws core::Error, core::RunError.
std::string convert(std::string const& in, std::string const& out, Conversion const& how = {});

}  // namespace tessera::io
