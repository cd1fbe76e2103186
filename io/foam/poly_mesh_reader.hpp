// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "io/foam/mesh.hpp"

#include <string>

namespace tessera::io::foam {

/// Reads the mesh of FOLDER = CASE/constant/polyMesh: points, faces, owner, neighbour, boundary and cellZones; faceZones and
/// pointZones are passed over. Its cells are boxes along the axes and form one rectilinear grid, perhaps with holes; or they
/// are those of a wedge. Cells are numbered, and faces of patches listed, as the files have them, in any order.
///
/// Coordinates may differ by what the digits of the files leave (ascii: 1e-5 of themselves, binary 1e-9): a plane of points
/// lies in the middle of them. The root reads (poly_mesh_files.hpp tells memory and time) and sends the axes, boxes of
/// patches, zones and holes to all ranks. The order of cells that follow no axes stays with it: 8 bytes a cell.
///
/// Throws core::Error on all ranks with the file and the first cell that is no such box, or the line of what `boundary` says
/// and is not there: types of patches, cyclic ones that are no sides, patches between cells. Collective.
Mesh read_poly_mesh(std::string const& folder, core::Comm const& comm);

/// `readMesh yes;` in controlDict: constant/polyMesh goes before blockMeshDict.
bool asks_for_poly_mesh(core::Dictionary const& control);

/// In what a polyMesh differs from the mesh of a blockMeshDict, as far as its `owner` and `boundary` tell in their first
/// lines: number of cells, names of patches and their faces. Empty where it does not, or cannot be read. One rank.
std::string difference_of_poly_mesh(std::string const& folder, Mesh const& mesh);

}  // namespace tessera::io::foam
