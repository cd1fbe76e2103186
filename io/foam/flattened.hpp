// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/wedge.hpp"
#include "io/foam/blocks.hpp"

#include <optional>

namespace tessera::io::foam {

/// The wedge that a mesh's vertices bound: all of them on two planes through an axis of coordinates, which lie
/// symmetrically about a plane of coordinates, at radii of 0 and more. None where they do not. `rounding`: of coordinates,
/// relative; by default what people leave who write them.
std::optional<core::Wedge> wedge_of(std::vector<std::array<double, 3>> const& vertices, double rounding = 1e-6);

/// The corners of a block as if the two planes were parallel, one on each side: at the largest radius of the mesh they
/// lie where they are. Those on the axis, where one vertex stands for two corners, become two.
std::array<std::array<double, 3>, 8> flattened(core::Wedge const& wedge,
                                               std::vector<std::array<double, 3>> const& vertices,
                                               std::array<std::int64_t, 8> const& corners);

}  // namespace tessera::io::foam
