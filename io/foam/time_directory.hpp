// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/fields.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam {

/// How the values of a field are written: `writeFormat` and `writePrecision` of controlDict.
struct FieldFormat {
  bool binary = false;
  int precision = 6;  ///< significant digits of ascii; 17 lose nothing
};

/// boundaryField for a file that is written, from the entries of the file that was read: patch by patch in the order
/// of the mesh, patterns resolved, empty patches added.
std::string boundary_text(FieldFile& file, Mesh const& mesh, FieldFormat const& format);

/// Writes the owned cells as the volScalarField FOLDER/NAME (folder CASE/86400, NAME of the field), which OpenFOAM and
/// ParaView's OpenFOAM reader open beside the polyMesh that blockMesh makes of the same blockMeshDict. `boundary` is
/// the body of boundaryField, `blocks` are those of the mesh (`Mesh::blocks`), by default one. The cells stream up to the root, which writes NAME.part and renames it at the end, so a
/// file of that name is always whole. Throws core::RunError on all ranks when it cannot be written. Collective.
void write_field(std::string const& folder, core::Field<double> const& field, Dimensions const& dimensions,
                 std::string const& boundary, FieldFormat const& format, std::vector<core::Box> blocks = {});

/// The folders of `folder` that are named as a time [s] and hold a file `field`, the earliest first. One rank.
std::vector<std::pair<double, std::string>> time_directories(std::string const& folder, std::string const& field);

/// Deletes the file FOLDER/FIELD, and the folder if nothing else is in it. Nothing happens where there is none. One rank.
void remove_field(std::string const& folder, std::string const& field);

}  // namespace tessera::io::foam
