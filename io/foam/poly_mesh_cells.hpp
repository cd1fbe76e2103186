// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"
#include "core/grid/wedge.hpp"
#include "io/foam/poly_mesh_files.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::io::foam {

/// Where the cells of a polyMesh lie in the rectilinear grid that they form.
struct PolyMeshCells {
  std::array<std::vector<double>, 3> planes;  ///< an axis: coordinates of the cells' faces, ascending [m]
  std::vector<core::Count> places;            ///< of each cell in the grid, x fastest
  std::vector<PolyMeshFiles::Label> taken;    ///< a place: the cell there, or `PolyMeshFiles::none`
  std::vector<std::int8_t> sides;             ///< of each face: the side of its owner (core::Side) that it is
  std::array<core::Count, 3> cells() const {
    std::array<core::Count, 3> n{};
    for (std::size_t a = 0; a < 3; ++a) n[a] = static_cast<core::Count>(planes[a].size()) - 1;
    return n;
  }
};

/// Moves the points of a wedge (core/grid/wedge.hpp) to two parallel planes, as if it were a box, and gives the faces at its
/// axis four corners. Returns the wedge. Throws core::Error where the points lie on no two planes through an axis of
/// coordinates, alike on both sides of a plane of coordinates.
core::Wedge flatten(PolyMeshFiles& mesh);

/// Finds the grid. Coordinates may differ by what the digits of the files leave. Throws core::Error that names the file and
/// the first cell that is no box along the axes, or no single cell of the grid. Time: in proportion to the mesh, and to the
/// box round it. `wedge`: what `flatten` returned, where it was called.
PolyMeshCells find_cells(PolyMeshFiles const& mesh, std::optional<core::Wedge> const& wedge);

}  // namespace tessera::io::foam
