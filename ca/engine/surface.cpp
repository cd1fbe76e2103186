// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/surface.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace tessera::ca {
namespace {

using core::Count;

/// The cells of a grid within `depth` of a side, numbered: rows at the bottom and at the top, columns on the left and
/// on the right.
struct Border {
  std::array<Count, 2> n;
  Count depth;

  std::size_t cells() const { return static_cast<std::size_t>(2 * depth * (n[0] + n[1])); }
  bool contains(core::Index x) const { return std::min({x.i, x.j, n[0] - 1 - x.i, n[1] - 1 - x.j}) < depth; }
  std::size_t number(core::Index x) const {
    Count const rows = 2 * depth * n[0];
    if (x.j < depth) return static_cast<std::size_t>(x.j * n[0] + x.i);
    if (n[1] - 1 - x.j < depth) return static_cast<std::size_t>((depth + n[1] - 1 - x.j) * n[0] + x.i);
    if (x.i < depth) return static_cast<std::size_t>(rows + x.i * n[1] + x.j);
    return static_cast<std::size_t>(rows + (depth + n[0] - 1 - x.i) * n[1] + x.j);
  }
};

}  // namespace

Surface Surface::read(core::Dictionary const& boundary) {
  Surface surface;
  if (!boundary.contains("surface")) return surface;
  std::vector<std::string> const kinds{"torus", "kleinBottle", "crossSurface", "sphere"};
  auto const kind = boundary.get_choice("surface", kinds);
  surface.where = boundary.location("surface");
  surface.kind = static_cast<Kind>(1 + std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
  bool const klein = surface.kind == Kind::klein_bottle, torus = surface.kind == Kind::torus;
  if (klein) surface.mirrored[boundary.get_choice("mirrored", {"x", "y"}) == "y"] = true;
  if (surface.kind == Kind::cross_surface) surface.mirrored = {true, true};
  if (!boundary.contains("shift")) return surface;
  surface.shift = boundary.get<std::array<Count, 2>>("shift");
  auto const& [x, y] = surface.shift;
  if ((x != 0 || y != 0) && !torus && !klein) boundary.fail("shift", "expected none on a cross-surface or a sphere");
  if (x != 0 && y != 0) boundary.fail("shift", "is along x and y, expected one of them 0");
  if (klein && surface.shift[surface.mirrored[0] ? 1 : 0] != 0)
    boundary.fail("shift", "is along the axis that is not mirrored, expected 0 there");
  return surface;
}

void Surface::set_grid(core::Dictionary const& boundary, core::Grid const& grid) {
  if (!joined()) return;
  auto const n = grid.cells();
  cells = {n[0], n[1]};
  if (n[0] < 2 || n[1] < 2 || n[2] != 1)
    boundary.fail("surface",
                  fmt::format("is for grids of one layer, but this one has {} x {} x {} cells", n[0], n[1], n[2]));
  if (kind == Kind::sphere && n[0] != n[1])
    boundary.fail(
        "surface",
        fmt::format("is a sphere, expected as many cells along x as along y, but the grid has {} x {}", n[0], n[1]));
  for (int a = 0; a < 2; ++a)
    if (grid.periodic(a))
      boundary.fail("surface", "says how sides are joined, but the grid is periodic, expected `periodic no`");
}

core::Index Surface::inside(core::Index x) const {
  auto const& [nx, ny] = cells;
  if (kind == Kind::sphere) {
    bool const beside = x.i < 0 || x.i >= nx, above = x.j < 0 || x.j >= ny;
    // y downwards, so that left and top are alike; corners see themselves
    Count const i = x.i, j = ny - 1 - x.j, n = nx;
    if (beside && above) return {std::clamp<Count>(x.i, 0, nx - 1), std::clamp<Count>(x.j, 0, ny - 1), 0};
    auto const turned = [n](Count d) { return d < 0 ? -1 - d : 2 * n - 1 - d; };  // so deep within
    if (beside) return {j, ny - 1 - turned(i), 0};
    if (above) return {turned(j), ny - 1 - i, 0};
    return x;
  }
  // over a side, and along it what the other side is mirrored and shifted by
  auto const pass = [](Count& across, Count n, Count& along, Count length, bool mirror, Count s) {
    bool const high = across >= n;
    across += high ? -n : n;
    along = mirror ? length - 1 - along + s : high ? along - s : along + s;
  };
  for (;;)
    if (x.i < 0 || x.i >= nx)
      pass(x.i, nx, x.j, ny, mirrored[1], shift[1]);
    else if (x.j < 0 || x.j >= ny)
      pass(x.j, ny, x.i, nx, mirrored[0], shift[0]);
    else
      return x;
}

Seams::Seams(Surface const& surface, core::Layout const& layout, core::Tiles const& tiles, int depth) {
  if (!surface.joined()) return;
  bool const corners = surface.kind == Surface::Kind::cross_surface || surface.kind == Surface::Kind::sphere;
  if (corners && depth > 1)
    throw core::Error(fmt::format(
        "{}: entry 'surface': a cross-surface or a sphere is for rules that look one cell far, but this one "
        "looks {}; expected torus or kleinBottle",
        surface.where, depth));
  Border const border{surface.cells, depth};
  border_cells_ = border.cells();
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& tile = layout.info(slot);
    for (int j = 0; j < tile.nj; ++j)
      for (int i = 0; i < tile.ni; ++i)
        if (auto const x = tile.global(0, j, i); border.contains(x)) own_.push_back({slot, j, i, border.number(x)});
  }
  core::Box const grid = layout.grid().box();
  auto const slots = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), tiles.slots);
  for (std::size_t q = 0; q < slots.extent(0); ++q) {
    auto const& tile = layout.info(slots(q));
    for (int j = -depth; j < tile.nj + depth; ++j)
      for (int i = -depth; i < tile.ni + depth; ++i)
        if (auto const x = tile.global(0, j, i); !grid.contains(x))
          outside_.push_back({slots(q), j, i, border.number(surface.inside(x))});
  }
}

}  // namespace tessera::ca
