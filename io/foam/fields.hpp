// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"
#include "io/foam/list_file.hpp"
#include "io/foam/mesh.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// Exponents of kg m s K mol A cd.
using Dimensions = std::array<double, 7>;
inline constexpr Dimensions dimensions_of_temperature{0, 0, 0, 1, 0, 0, 0};       ///< K
inline constexpr Dimensions dimensions_of_heating{0, 0, -1, 1, 0, 0, 0};          ///< K/s
inline constexpr Dimensions dimensions_of_diffusivity{0, 2, -1, 0, 0, 0, 0};      ///< m^2/s: DT of laplacianFoam
inline constexpr Dimensions dimensions_of_conductivity{1, 1, -3, -1, 0, 0, 0};    ///< W/(m K)
inline constexpr Dimensions dimensions_of_heat_capacity{1, -1, -2, -1, 0, 0, 0};  ///< J/(m^3 K)
inline constexpr Dimensions dimensions_of_heat_source{1, -1, -3, 0, 0, 0, 0};     ///< W/m^3

inline constexpr Dimensions dimensions_of_heat_flux{1, 0, -3, 0, 0, 0, 0};         ///< W/m^2
inline constexpr Dimensions dimensions_of_temperature_flux{0, 1, -1, 1, 0, 0, 0};  ///< K m/s: the same over rho c

/// `[0 2 -1 0 0 0 0]`
std::string to_string(Dimensions const& dimensions);

/// Throws core::Error `WHERE: dimensions [...], expected [...]` unless they are equal (to 1e-12).
void check_dimensions(Dimensions const& found, Dimensions const& expected, std::string_view where);

/// A volScalarField file of OpenFOAM (`0/T`), all but the values of a nonuniform internal field, which stay in the
/// file.
struct FieldFile {
  std::string path;
  std::string name;             ///< `object` of the header, otherwise the file's name
  core::Dictionary dictionary;  ///< the whole file but the internal list
  Dimensions dimensions{};
  std::optional<double> uniform;  ///< `internalField uniform v`
  std::optional<ListPlace> list;  ///< `internalField nonuniform List<scalar> ...`
  std::string location(std::string_view key) const { return dictionary.location(key); }
  /// Values that the list of internalField announces (`N{v}`, of which `uniform` is v, too); none where it is no list.
  std::optional<std::int64_t> announced() const;
};

/// Reads a field file: `class volScalarField`, `dimensions` (7 or 5 exponents), `internalField uniform v` or
/// `nonuniform List<scalar> N (...)`, ascii or binary (little-endian, scalars of 64 or 32 bits), and `boundaryField`.
/// PATH.gz stands for a file that is not there. `reader` reads what is included. Throws core::Error with file and line;
/// refuses by name other classes and big-endian data. The root alone opens the file. Collective.
FieldFile read_field(std::string const& path, core::Comm const& comm, core::Dictionary::Reader const& reader = {});

/// What an entry of boundaryField is that has a name of no patch and no group of the mesh: an error, or, as for OpenFOAM,
/// nothing.
enum class StrangePatches { refused, passed_over };

/// Throws core::Error unless boundaryField has an entry with a `type` for every patch of the mesh, and, where they are
/// refused, none for a patch or group that the mesh has not (patterns, and the names of constraint types, may match
/// nothing). Returns a line for the log of each name that is passed over. As in OpenFOAM an
/// exact name goes before a group (the last in the file first) and that before a pattern, empty patches need no entry,
/// and those on patches of constraint types (`empty`, `cyclic`, `wedge`, `symmetryPlane`, `symmetry`) must have that type, and no
/// others may. `empty` also stands on a `patch` across a direction of one cell, symmetries on sides whose file has no types.
std::vector<std::string> check_patches(FieldFile& file, Mesh const& mesh,
                                       StrangePatches strange = StrangePatches::refused);

/// The boundaryField entry of a patch; nullptr for an empty patch that has none. Throws core::Error naming the patch
/// where it is missing. Patches that match one group or pattern share the entry.
core::Dictionary* patch_entry(FieldFile& file, Patch const& patch);

/// Gives the internal field to the owned cells of `field` and, where it is uniform, to the halos too. Cells of the list
/// are ordered block by block (`Mesh::blocks`; by default the grid is one block), in each x fastest, then y, then z. A
/// list is streamed from the root (`distribute`), and never held by one rank but for blocks that do not lie straight. Throws
/// core::Error when its length is not the number of cells, and for values that are not finite, naming the value. Cells that
/// do not exist keep what they have. Collective.
void set_cells(FieldFile const& file, core::Field<double>& field, std::vector<CellBlock> blocks = {});

/// Gives a value to the cells that do not exist; by default the mean of those that do. Collective.
void fill_absent(core::Field<double>& field, Mesh const& mesh, std::optional<double> value = {});

/// Throws core::Error unless an entry is a number, `uniform` and one, or a list of numbers, of any length: where OpenFOAM has it and nobody
/// here uses it.
void check_values(core::Dictionary const& entry, std::string_view key);

/// Values of an entry of a patch, `uniform v`, plain `v` or `nonuniform List<scalar> N (...)`: one a face, in the order of
/// the patch's pieces. Throws core::Error for another length.
std::vector<double> face_values(core::Dictionary const& entry, std::string_view key, Patch const& patch);

/// The same, of the faces in a plane, as one a face of that side of the grid: the lower of the side's two axes fastest.
std::vector<double> patch_values(core::Dictionary const& entry, std::string_view key, Mesh const& mesh,
                                 Patch const& patch, Patch::Plane const& plane);

}  // namespace tessera::io::foam
