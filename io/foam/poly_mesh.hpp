// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/cell_sets.hpp"
#include "io/foam/time_directory.hpp"

#include <string>

namespace tessera::io::foam {

/// Writes the mesh as OpenFOAM keeps it: FOLDER/points, faces, owner, neighbour, boundary, and cellZones where there are
/// zones (folder CASE/constant/polyMesh). Cells are numbered as in the fields of time directories, faces and patches as
/// blockMesh and topoSet number them; of a mesh of one block the ascii files hold what theirs do. With them OpenFOAM's
/// tools and ParaView's reader open the case without blockMesh having been run.
///
/// The root alone writes, from the coordinates of the axes: nothing of the mesh is held but the labels of zones. Each
/// file is written aside and renamed. Size in 2-D: about 200 bytes a cell ascii, 80 binary. Throws core::Error for meshes
/// of more than 2^29 faces, whose corners 32-bit labels cannot number, core::RunError where it cannot write; on all ranks.
/// Collective.
void write_poly_mesh(std::string const& folder, Mesh const& mesh, core::Layout const& layout, CellSets const& sets,
                     FieldFormat const& format);

}  // namespace tessera::io::foam
