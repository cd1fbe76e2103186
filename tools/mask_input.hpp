// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/field.hpp"
#include "tools/application.hpp"

#include <string>

namespace tessera::tools {

/// A picture (or any file that a reader reads) of two kinds of cells, as cases name it:
///   file "constant/medium.png"; threshold 0.5; occupied dark | light;
/// A value is light if it is at least threshold x the white of the file: 255 for bytes, 1 for bytes that are all 0 or 1
/// (patterns), the largest value of the file for other types.
struct MaskInput {
  std::string file;
  double threshold = 0.5;
  bool dark = true;
  core::Grid::Shape cells{};

  /// Reads the entries and opens the file for its size. Throws core::Error with the place. Collective.
  MaskInput(Session& session, core::Dictionary& input);
  MaskInput() = default;

  /// Streams the picture into `mask`, its bottom left cell at `at`: 1 where occupied, else 0. Cells outside the picture
  /// become 0. Throws core::Error if it is damaged or does not fit into the grid. Collective.
  void load(core::Field<std::uint8_t>& mask, core::Index at) const;
};

}  // namespace tessera::tools
