// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <array>
#include <vector>

namespace tessera::io {

/// What a RowSource may be besides: one whose file says what its values are, and where the cells lie that a case lays out itself
/// (RowSource::placement is of files that lay out a case). A copy of the file has both.
class Described {
 public:
  /// Faces of the cells along x, y, z: the first and the last where they are equally far apart, else all. None: not known.
  using Faces = std::array<std::vector<double>, 3>;
  virtual ~Described() = default;
  virtual Faces faces() const = 0;
  /// Units, dimensions and description; no name.
  virtual core::FieldInfo about() const = 0;
};

}  // namespace tessera::io
