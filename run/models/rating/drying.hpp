// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/body.hpp"

#include <vector>

namespace tessera::run::rating {

/// Soil that dries out where it is hotter than a temperature: two conductivities, and an isotherm between them that the solution finds.
/// A face whose ends are on either side of it conducts as both soils in series, by the share f of the difference of temperatures
/// that lies above it: lambda = f dry + (1 - f) wet, exact across the isotherm (Kirchhoff's transform), so that nothing jumps
/// from cell to cell.
class Drying {
 public:
  /// `wet`: the same ground where nothing has dried; its halo is filled. Costs 50 B for each face of soil that dries.
  Drying(Site const& site, core::Layout const& layout, Body& wet);

  /// Conductivities of the faces near which soil is dry, at these rises [K]; their halo is filled. Collective.
  std::vector<solvers::CutFace> faces(core::Field<double>& rise) const;
  /// Soil that is dry at these rises stays so at any others from now on. Collective.
  void keep(core::Field<double>& rise);
  /// Of soil that is dry [m2]. Collective.
  double area(core::Field<double> const& rise) const;

 private:
  struct Face {
    int axis, slot, k, j, i;
    double wet, dry;
    double was_dry = 0;  ///< the share of the face that was, in states that were kept
  };
  template <class Faces, class Take>
  void for_faces(Faces& list, core::Field<double>& rise, Take const& take) const;
  core::Layout const& layout_;
  double above_;  // rise [K]
  std::vector<Face> list_;
  core::Field<std::uint8_t> dries_;
};

}  // namespace tessera::run::rating
