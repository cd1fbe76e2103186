// SPDX-License-Identifier: Apache-2.0
#include "io/foam/mesh.hpp"

#include "core/grid/tile_shape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam {

core::Count Patch::Piece::number(core::Index const& cell) const {
  auto const n = cells.shape(), x = cell - cells.lo;
  if (static_cast<int>(side) / 2 == 0) return x.k * n.j + x.j;
  return x.i * (n.j * n.k) + x.j * n.k + x.k;
}

core::Index Patch::Piece::cell(core::Count number) const {
  auto const n = cells.shape();
  if (static_cast<int>(side) / 2 == 0) return cells.lo + core::Index{0, number % n.j, number / n.j};
  core::Count const layer = n.j * n.k, rest = number % layer;
  return cells.lo + core::Index{number / layer, rest / n.k, rest % n.k};
}

std::vector<core::Box> Patch::cells(core::Side side) const {
  std::vector<core::Box> boxes;
  for (auto const& piece : pieces)
    if (piece.side == side) boxes.push_back(piece.cells);
  return boxes;
}

core::Count Patch::faces(core::Side side) const {
  core::Count count = 0;
  for (auto const& box : cells(side)) count += box.cells();
  return count;
}

bool Patch::in_group(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

Patch const& Mesh::patch(core::Side side) const {
  for (auto const& patch : patches)
    for (auto const s : patch.sides)
      if (s == side) return patch;
  throw core::BrokenPromise("a side of the grid has no patch", std::source_location::current());
}

Patch const* Mesh::find(std::string_view name) const {
  for (auto const& patch : patches)
    if (patch.name == name) return &patch;
  return nullptr;
}

std::vector<std::string> Mesh::patch_names() const {
  std::vector<std::string> names;
  for (auto const& patch : patches) names.push_back(patch.name);
  return names;
}

core::Count Mesh::number(core::Index const& cell) const {
  core::Count before = 0;
  for (auto const& block : blocks) {
    if (block.contains(cell)) {
      auto const n = block.shape(), x = cell - block.lo;
      return before + (x.k * n.j + x.j) * n.i + x.i;
    }
    before += block.cells();
  }
  throw core::BrokenPromise("a cell of the grid lies in no block", std::source_location::current());
}

core::Index Mesh::cell(core::Count number) const {
  for (auto const& block : blocks) {
    if (number < block.cells()) {
      auto const n = block.shape();
      return block.lo + core::Index{number % n.i, number / n.i % n.j, number / (n.i * n.j)};
    }
    number -= block.cells();
  }
  throw core::BrokenPromise("the mesh has no cell of that number", std::source_location::current());
}

core::Box cells_along(core::Grid const& grid, core::Side side) {
  core::Box box = grid.box();
  int const s = static_cast<int>(side);
  core::Count& lo = s / 2 == 0 ? box.lo.i : s / 2 == 1 ? box.lo.j : box.lo.k;
  core::Count& hi = s / 2 == 0 ? box.hi.i : s / 2 == 1 ? box.hi.j : box.hi.k;
  (s % 2 == 0 ? hi : lo) = s % 2 == 0 ? 1 : hi - 1;
  return box;
}

core::Count faces(core::Grid const& grid, core::Side side) { return cells_along(grid, side).cells(); }

bool tile_by_hand(core::Dictionary const& dictionary) {
  return dictionary.contains("tile") && dictionary.words("tile") != std::vector<std::string>{"auto"};
}

core::Grid::Shape read_tile(core::Dictionary const& dictionary, core::Grid::Shape cells) {
  if (!tile_by_hand(dictionary)) return {0, 0, 0};
  auto const tile = dictionary.get<core::Grid::Shape>("tile");
  for (auto const n : tile)
    if (n < 1) dictionary.fail("tile", fmt::format("tile size is {}, expected 1 or more, or 'tile auto;'", n));
  if (auto const fault = core::Grid::fault_of(cells, tile); !fault.empty()) dictionary.fail("tile", fault);
  return tile;
}

Mesh read_grid_dict(core::Dictionary& dictionary, std::array<bool, 3> periodic, std::span<double const> rates) {
  auto const cells = dictionary.get<std::array<core::Count, 3>>("cells");
  std::array<double, 3> unit{};
  for (std::size_t a = 0; a < 3; ++a) {
    if (cells[a] < 1 || cells[a] > most_cells_along)
      dictionary.fail("cells",
                      fmt::format("cells along {} are {}, expected 1 to {}", "xyz"[a], cells[a], most_cells_along));
    unit[a] = static_cast<double>(cells[a]);
  }
  if (unit[0] * unit[1] * unit[2] > most_cells) dictionary.fail("cells", "more than 9e15 cells in all");
  auto const origin = dictionary.get_or<std::array<double, 3>>("origin", {0, 0, 0});
  auto const size = dictionary.get_or<std::array<double, 3>>("size", unit);
  auto const grading = dictionary.get_or<std::array<double, 3>>("grading", {1, 1, 1});
  auto const wrapped = dictionary.get_or<std::array<bool, 3>>("periodic", {false, false, false});
  auto tile = read_tile(dictionary, cells);
  if (tile[0] == 0 && !rates.empty()) tile = core::choose_tile(core::TileUse::automata, cells, rates);
  if (auto const fault = core::Grid::fault_of(cells, tile); !fault.empty()) dictionary.fail("cells", fault);
  dictionary.check_all_read();

  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!(size[a] > 0))
      dictionary.fail("size", fmt::format("size along {} is {}, expected a length above 0", "xyz"[a], size[a]));
    if (!(grading[a] > 0))
      dictionary.fail("grading", fmt::format("grading along {} is {}, expected a ratio above 0", "xyz"[a], grading[a]));
    axes[a] = core::Axis::make_graded(cells[a], origin[a], size[a], grading[a], wrapped[a] || periodic[a]);
  }
  Mesh mesh{core::Grid(std::move(axes), tile), {}};
  for (int s = 0; s < 6; ++s) {
    bool const flat = s / 2 == 2 && mesh.grid.thin(2);
    std::string const type = mesh.grid.periodic(s / 2) ? "cyclic" : flat ? "empty" : "patch";
    auto const side = static_cast<core::Side>(s);
    mesh.patches.push_back({core::side_names[s], type, {side}, {{side, cells_along(mesh.grid, side)}}});
    if (type != "patch") mesh.patches.back().groups = {type};
  }
  return mesh;
}

}  // namespace tessera::io::foam
