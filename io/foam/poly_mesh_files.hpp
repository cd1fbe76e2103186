// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// What the files of a constant/polyMesh say, number by number. Labels take 32 bits here, whatever they have in the files.
struct PolyMeshFiles {
  using Label = std::int32_t;
  struct Zone {
    std::string name;
    std::vector<Label> cells;
  };
  static constexpr Label none = -1;

  std::string folder;
  std::vector<std::array<double, 3>> points;  ///< [m]
  std::array<double, 3> rounding{};           ///< what the digits of the file may leave of a coordinate [m]
  /// Corners: four, or three and `none`. Of a face that has others: none none none and their number.
  std::vector<std::array<Label, 4>> faces;
  std::vector<Label> owner, neighbour;  ///< a cell a face; of those between cells, which come first, the other cell
  Label cells = 0;
  std::vector<Zone> zones;

  std::string path(char const* file) const { return folder + "/" + file; }
};

/// Reads points, faces, owner, neighbour and cellZones (which may lack; files of other zones are not looked at) of a folder:
/// ascii, or binary (little-endian; labels of 32 and 64 bits, scalars of 64 and 32 bits, as `arch` says), packed (.gz) or
/// not. One rank. Memory: some 120 bytes a cell of a 3-D mesh; time: one pass over the files. Throws core::Error with file
/// and line, or the number of the value: for what is no such list, for labels out of range, for meshes of more than 2^31 - 1
/// faces or points.
PolyMeshFiles read_poly_mesh_files(std::string const& folder);

/// The text of FOLDER/boundary as a dictionary with the one entry `boundary ( PATCH { ... } ... )`, each line where the file
/// has it. One rank. Throws core::Error.
std::string read_poly_mesh_boundary(std::string const& folder);

/// Whether there is a mesh: FOLDER/points and FOLDER/faces, packed or not. One rank.
bool poly_mesh_there(std::string const& folder);

/// The number of cells that the header of FOLDER/owner tells; -1 where it does not. One rank.
std::int64_t cells_told(std::string const& folder);

}  // namespace tessera::io::foam
