// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::solvers {

/// A number for all faces of a side of the grid, or one a face: the lower of the side's two axes fastest.
class FaceValues {
 public:
  FaceValues(double value = 0) : uniform_(value) {}
  FaceValues(std::vector<double> each) : each_(std::move(each)) {}
  bool uniform() const { return each_.empty(); }
  /// Numbers there are: one, or one a face.
  std::size_t size() const { return uniform() ? 1 : each_.size(); }
  double operator[](std::size_t face) const { return uniform() ? uniform_ : each_[face]; }
  friend bool operator==(FaceValues const&, FaceValues const&) = default;

 private:
  double uniform_ = 0;
  std::vector<double> each_;
};

/// What holds on one side of the grid. With T the cell's temperature, d the distance of its centre to the face (half its
/// width) and lambda the conductivity at the face (its own, unless given), the heat that flows in through a face [W/m^2] is
///   fixed_value     lambda (value - T) / d
///   zero_gradient   0
///   fixed_gradient  lambda gradient                                        gradient along the outward normal [K/m]
///   mixed           lambda (weight (value - T) / d + (1 - weight) gradient)  as OpenFOAM's mixed, weight = valueFraction
///   convective      (value - T) / (1 / weight + d / lambda)                weight = h [W/(m^2 K)], value = T of the fluid
///   heat_flux       gradient                                               here the flux itself [W/m^2]
/// `empty` is a direction that is not solved; on a periodic axis both sides must be `cyclic`.
struct Boundary {
  enum class Type { fixed_value, zero_gradient, empty, cyclic, fixed_gradient, mixed, convective, heat_flux };
  Type type = Type::zero_gradient;
  FaceValues value = 0;                   ///< [K]
  FaceValues weight = 1;                  ///< [1] or [W/(m^2 K)]
  FaceValues gradient = 0;                ///< [K/m] or [W/m^2]
  std::optional<FaceValues> lambda = {};  ///< conductivity at the faces [W/(m K)]; none: that of the cells behind

  /// Whether heat may flow through the side.
  bool open() const { return type != Type::zero_gradient && type != Type::empty && type != Type::cyclic; }
  friend bool operator==(Boundary const&, Boundary const&) = default;
};

}  // namespace tessera::solvers
