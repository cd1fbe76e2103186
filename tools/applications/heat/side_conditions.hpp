// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/fields.hpp"
#include "solvers/heat/boundary.hpp"

#include <functional>
#include <string>

namespace tessera::tools::heat {

/// What holds on one side of the grid, as a function of time.
struct SideCondition {
  std::function<solvers::Boundary(double time)> at;
  bool varies = false;
};

/// Reads the entry of a patch in 0/T for one of its sides:
///   fixedValue              value
///   uniformFixedValue       uniformValue, a Function1 of time
///   zeroGradient, symmetry, symmetryPlane, empty, cyclic
///   fixedGradient           gradient
///   uniformFixedGradient    uniformGradient, a Function1 of time
///   mixed                   refValue, refGradient, valueFraction
///   convective              h [W/(m2 K)], Tinf [K], both Function1 of time
///   externalWallHeatFluxTemperature   mode coefficient (h, Ta; thicknessLayers and kappaLayers add to 1/h) | flux (q) |
///                           power (Q [W] on the whole patch)
/// The last two want a conductivity, which laplacianFoam's equation has not (`in_watts` false). Values may be uniform or
/// one a face. Other types are refused by name: core::Error with file and line.
SideCondition read_side_condition(io::foam::FieldFile& file, io::foam::Mesh const& mesh, io::foam::Patch const& patch,
                                  core::Side side, bool in_watts, core::Dictionary::Reader const& reader);

}  // namespace tessera::tools::heat
