// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/fields.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam {

/// How the values of a field are written: `writeFormat`, `writePrecision` and `writeCompression` of controlDict.
struct FieldFormat {
  bool binary = false;
  int precision = 6;    ///< significant digits of ascii; 17 lose nothing
  bool packed = false;  ///< fields of ascii go to .gz files, as in OpenFOAM
};

/// `uniform v` where all values are equal, otherwise `nonuniform List<scalar> N (...)`; of vectors with three parts, which
/// follow each other, `uniform (x y z)` or `List<vector>`.
std::string values_text(std::vector<double> const& values, FieldFormat const& format, std::size_t parts = 1);

/// boundaryField for a file that is written, from the entries of the file that was read: patch by patch in the order
/// of the mesh, patterns resolved, empty patches added. `value` is left out of zeroGradient, and of patches `without_value`, to which
/// the caller adds what holds at the time.
std::string boundary_text(FieldFile& file, Mesh const& mesh, FieldFormat const& format,
                          std::function<bool(Patch const&)> const& without_value = {});

/// Writes the owned cells as the volScalarField FOLDER/NAME (folder CASE/86400, NAME of the field), which OpenFOAM and
/// ParaView's OpenFOAM reader open beside the polyMesh that blockMesh makes of the same blockMeshDict. `boundary` is
/// the body of boundaryField, `blocks` are those of the mesh (`Mesh::blocks`), by default one; `name` is given where it
/// is not the field's. The cells stream up to the root, which writes NAME.part and renames it at the end, so a file of
/// that name is always whole; NAME and NAME.gz replace each other. Throws core::RunError on all ranks when it cannot be
/// written. Collective.
void write_field(std::string const& folder, core::Field<double> const& field, Dimensions const& dimensions,
                 std::string const& boundary, FieldFormat const& format, std::vector<CellBlock> blocks = {},
                 std::string name = {});

/// The same of a vector, whose components are given, as the volVectorField FOLDER/NAME. The root holds some rows, but a block
/// where it does not lie straight.
void write_vector_field(std::string const& folder, std::array<core::Field<double> const*, 3> const& field,
                        Dimensions const& dimensions, std::string const& boundary, FieldFormat const& format,
                        std::vector<CellBlock> const& blocks, std::string const& name);

/// boundaryField of a quantity that follows from the cells: `zeroGradient`, or another type, on patches whose own type is
/// no condition.
std::string plain_boundary(Mesh const& mesh, std::string const& type = "zeroGradient");

/// FOLDER/uniform/time, from which OpenFOAM goes on counting steps. One rank.
void write_time(std::string const& folder, double time, std::string const& name, long step, double delta_t,
                double delta_t0);

/// The folders of `folder` that are named as a time [s] and hold a file `field` or `field`.gz, the earliest first. One
/// rank.
std::vector<std::pair<double, std::string>> time_directories(std::string const& folder, std::string const& field);

/// What function objects go on from, in a time directory.
inline constexpr char const* functions_properties = "uniform/functionObjects/functionObjectProperties";

/// Deletes the files FOLDER/FIELD or FIELD.gz, FOLDER/uniform/time and the properties of function objects, and the
/// folder if nothing else is in it. Nothing happens where there are none. One rank.
void remove_fields(std::string const& folder, std::vector<std::string> const& fields);

}  // namespace tessera::io::foam
