// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/mesh.hpp"

#include <map>
#include <optional>
#include <string>

namespace tessera::io::foam {

/// The mesh that belongs to the field CASE/TIME/NAME: system/gridDict, system/blockMeshDict,
/// constant/polyMesh/blockMeshDict or constant/polyMesh of CASE, or the last before the others but gridDict where
/// controlDict says `readMesh yes`; none where the case has no such file. One rank.
/// Throws core::Error with file and line for a dictionary that is wrong.
std::optional<Mesh> mesh_beside(std::string const& field);

/// The name of the field that a file holds, if it is a volScalarField: `object` of its header, or else the file's own name.
/// "" for other files. NAME may stand for NAME.gz. One rank.
std::string field_in(std::string const& file);

/// The fields of a time directory, name -> file; none for other folders. One rank.
std::map<std::string, std::string> fields_in(std::string const& folder);

/// The latest time directory of a case that holds fields; "" where there is none. One rank.
std::string latest_fields(std::string const& directory);

}  // namespace tessera::io::foam
