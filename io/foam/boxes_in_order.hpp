// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/mesh.hpp"

#include <optional>
#include <span>
#include <vector>

namespace tessera::io::foam {

/// A place in a grid of n cells, x fastest, and back.
inline core::Count place_of(core::Grid::Shape const& n, core::Index const& cell) {
  return (cell.k * n[1] + cell.j) * n[0] + cell.i;
}
inline core::Index cell_at(core::Grid::Shape const& n, core::Count place) {
  return {place % n[0], place / n[0] % n[1], place / (n[0] * n[1])};
}

/// Cells that follow each other, by their places, as blocks that follow each other: as large ones as a search from the front
/// finds. None where they are more than `most`. Time: in proportion to the cells.
std::optional<std::vector<CellBlock>> blocks_in_order(std::span<core::Count const> places, core::Grid::Shape const& n,
                                                      std::size_t most);

/// A face on the boundary: the cell behind it, by its place, and the side of the grid that it faces.
struct BoundaryFace {
  core::Count place;
  core::Side side;
};

/// Gives a patch these faces: pieces in their order, or where these would be many, larger ones and `Patch::order`.
void set_faces(Patch& patch, std::vector<BoundaryFace> const& faces, core::Grid::Shape const& n);

}  // namespace tessera::io::foam
