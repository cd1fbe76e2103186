// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/mesh.hpp"

#include <optional>
#include <string>

namespace tessera::io::foam {

/// The mesh that belongs to the field CASE/TIME/NAME: system/gridDict, system/blockMeshDict or
/// constant/polyMesh/blockMeshDict of CASE; none where the case has no such file. One rank.
/// Throws core::Error with file and line for a dictionary that is wrong.
std::optional<Mesh> mesh_beside(std::string const& field);

}  // namespace tessera::io::foam
