// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/function_object.hpp"
#include "io/foam/shapes.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam::functions {

/// The cell that holds a point, none outside the grid. A point on a face between cells belongs to the lower one.
std::optional<core::Index> cell_at(Mesh const& mesh, Point const& point);

/// A point and the cell that its value is taken from.
struct Sample {
  Point point;
  core::Index cell;
};

/// `interpolationScheme` of a function object, cell or cellPoint. Throws core::Error where the mesh has no cellPoint.
std::string read_interpolation(core::Dictionary const& in, Mesh const& mesh);

/// Values of fields at points, on all ranks.
///
/// `cell`: the value of the cell. `cellPoint`, as OpenFOAM's: the cell is cut into 12 tetrahedra, each of its centre and
/// a triangle of a face (faces cut from their lowest to their highest corner); in the tetrahedron the value is linear
/// between centre and corners of the cell. A corner has the mean of the cells around it, weighted by the inverse of the
/// distance to their centres; on the boundary that of the boundary faces around it (empty and cyclic sides count as
/// inside).
///
/// Memory: the cells needed, at most 27 a point. One reduction of these a field and evaluation.
class Sampler {
 public:
  /// `scheme` is cell or cellPoint.
  Sampler(FunctionContext const& context, std::vector<Sample> samples, std::string const& scheme);
  std::vector<Sample> const& samples() const { return samples_; }
  /// One value a sample. Collective.
  std::vector<double> values(FunctionField const& field) const;

 private:
  using Terms = std::vector<std::pair<std::size_t, double>>;  // place in sources_, weight
  enum : int { inside = -1 };
  struct Source {
    core::Index cell;
    int side;  // of a boundary face of the cell, or inside
  };
  std::size_t source(core::Index const& cell, int side);
  Terms const& corner(core::Index const& vertex);
  Terms in_tetrahedron(Sample const& sample);
  Point position(core::Index const& vertex) const;

  FunctionContext const& context_;
  std::vector<Sample> samples_;
  std::vector<Source> sources_;
  std::vector<Terms> terms_;                          // of each sample
  std::map<core::Count, std::size_t> source_places_;  // while building
  std::map<core::Count, Terms> corners_;
};

}  // namespace tessera::io::foam::functions
