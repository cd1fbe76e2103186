// SPDX-License-Identifier: Apache-2.0
#include "io/foam/mesh.hpp"

#include "core/error.hpp"
#include "core/grid/tile_shape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam {

namespace {

/// The block's own axis across a side of the grid.
int own_axis(Turn const& turn, core::Side side) {
  for (int a = 0; a < 3; ++a)
    if (turn.axis[a] == static_cast<int>(side) / 2) return a;
  return 0;
}

}  // namespace

core::Index Turn::shape(core::Box const& box) const {
  auto const n = box.shape();
  return {along(n, axis[0]), along(n, axis[1]), along(n, axis[2])};
}

core::Index Turn::inside(core::Box const& box, core::Index const& cell) const {
  core::Index place;
  for (int a = 0; a < 3; ++a)
    along(place, a) =
        back[a] ? along(box.hi, axis[a]) - 1 - along(cell, axis[a]) : along(cell, axis[a]) - along(box.lo, axis[a]);
  return place;
}

core::Index Turn::outside(core::Box const& box, core::Index const& place) const {
  core::Index cell;
  for (int a = 0; a < 3; ++a)
    along(cell, axis[a]) =
        back[a] ? along(box.hi, axis[a]) - 1 - along(place, a) : along(box.lo, axis[a]) + along(place, a);
  return cell;
}

core::Count CellBlock::number(core::Index const& cell) const {
  if (order) {
    auto const shape_of_box = shape(), at = cell - lo;
    auto const found =
        std::find(order->places.begin(), order->places.end(), (at.k * shape_of_box.j + at.j) * shape_of_box.i + at.i);
    core::expect(found != order->places.end(), "the cell exists, and this rank has the order of cells");
    return found - order->places.begin();
  }
  auto const n = turn.shape(*this), x = turn.inside(*this, cell);
  return (x.k * n.j + x.j) * n.i + x.i;
}

core::Index CellBlock::cell(core::Count number) const {
  if (order) {
    core::expect(!order->places.empty(), "this rank has the order of cells");
    auto const n_of_box = shape();
    core::Count const at = order->places[static_cast<std::size_t>(number)];
    return lo + core::Index{at % n_of_box.i, at / n_of_box.i % n_of_box.j, at / (n_of_box.i * n_of_box.j)};
  }
  auto const n = turn.shape(*this);
  return turn.outside(*this, {number % n.i, number / n.i % n.j, number / (n.i * n.j)});
}

core::Count Patch::Piece::number(core::Index const& cell) const {
  auto const n = turn.shape(cells), x = turn.inside(cells, cell);
  if (own_axis(turn, side) == 0) return x.k * n.j + x.j;
  return x.i * (n.j * n.k) + x.j * n.k + x.k;
}

core::Index Patch::Piece::cell(core::Count number) const {
  auto const n = turn.shape(cells);
  if (own_axis(turn, side) == 0) return turn.outside(cells, {0, number % n.j, number / n.j});
  core::Count const layer = n.j * n.k, rest = number % layer;
  return turn.outside(cells, {number / layer, rest / n.k, rest % n.k});
}

core::Count Patch::Piece::layer() const { return along(cells.lo, static_cast<int>(side) / 2); }

std::vector<Patch::Plane> Patch::planes() const {
  std::vector<Plane> planes;
  for (auto const& piece : pieces)
    if (Plane const plane{piece.side, piece.layer()}; std::find(planes.begin(), planes.end(), plane) == planes.end())
      planes.push_back(plane);
  return planes;
}

std::vector<core::Box> Patch::cells(Plane const& plane) const {
  std::vector<core::Box> boxes;
  for (auto const& piece : pieces)
    if (piece.side == plane.side && piece.layer() == plane.layer) boxes.push_back(piece.cells);
  return boxes;
}

core::Count Patch::faces() const {
  core::Count count = 0;
  for (auto const& piece : pieces) count += piece.cells.cells();
  return count;
}

core::Count Patch::faces(Plane const& plane) const {
  core::Count count = 0;
  for (auto const& box : cells(plane)) count += box.cells();
  return count;
}

bool Patch::in_group(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

Patch const& Mesh::patch(core::Side side) const {
  for (auto const& patch : patches)
    for (auto const& plane : patch.planes())
      if (plane.side == side && outer(plane)) return patch;
  throw core::BrokenPromise("a side of the grid has no patch", std::source_location::current());
}

double Mesh::volume(core::Index const& cell) const {
  double const box = grid.volume(cell);
  if (!wedge) return box;
  auto const& r = grid.axis(wedge->radial);
  return box / grid.axis(wedge->thin).length() * wedge->mean_thickness(r, along(cell, wedge->radial));
}

double Mesh::area(core::Side side, core::Index const& cell) const {
  std::array<double, 3> const width{grid.axis(0).width(cell.i), grid.axis(1).width(cell.j), grid.axis(2).width(cell.k)};
  int const axis = static_cast<int>(side) / 2;
  double const flat = width[static_cast<std::size_t>((axis + 1) % 3)] * width[static_cast<std::size_t>((axis + 2) % 3)];
  if (!wedge || axis == wedge->thin) return flat;
  auto const& r = grid.axis(wedge->radial);
  core::Count const n = along(cell, wedge->radial);
  double const thickness =
      axis == wedge->radial ? wedge->thickness(r.face(n + static_cast<int>(side) % 2)) : wedge->mean_thickness(r, n);
  return flat / grid.axis(wedge->thin).length() * thickness;
}

double Mesh::distance(core::Side side, core::Index const& cell) const {
  int const axis = static_cast<int>(side) / 2;
  core::Count const n = along(cell, axis);
  if (!wedge || axis != wedge->radial) return 0.5 * grid.axis(axis).width(n);
  return std::abs(grid.axis(axis).face(n + static_cast<int>(side) % 2) - core::Wedge::centre(grid.axis(axis), n));
}

core::Count Mesh::total() const {
  core::Count sum = grid.total();
  for (auto const& box : absent) sum -= box.cells();
  return sum;
}

bool Mesh::exists(core::Index const& cell) const {
  return std::none_of(absent.begin(), absent.end(), [&](core::Box const& box) { return box.contains(cell); });
}

bool Mesh::outer(Patch::Plane const& plane) const {
  return plane.layer == along(cells_along(grid, plane.side).lo, static_cast<int>(plane.side) / 2);
}

bool Mesh::whole(Patch const& patch, Patch::Plane const& plane) const {
  if (!outer(plane)) return false;
  core::Count wanted = faces(grid, plane.side);
  for (auto const& box : absent) wanted -= core::intersect(box, cells_along(grid, plane.side)).cells();
  return patch.faces(plane) == wanted;
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
    if (block.contains(cell)) return before + block.number(cell);
    before += block.cells();
  }
  throw core::BrokenPromise("a cell of the grid lies in no block", std::source_location::current());
}

core::Index Mesh::cell(core::Count number) const {
  for (auto const& block : blocks) {
    if (number < block.cells()) return block.cell(number);
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
    mesh.patches.back().untyped = type == "patch";
    if (type != "patch") mesh.patches.back().groups = {type};
  }
  return mesh;
}

}  // namespace tessera::io::foam
