// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/interfaces.hpp"

#include "core/grid/sweep.hpp"
#include "io/foam/mesh.hpp"
#include "solvers/heat/side_faces.hpp"

#include <algorithm>

namespace tessera::run::heat {

namespace foam = io::foam;
using foam::Drawing, foam::Point;

namespace {

Point shifted(Point p, std::size_t axis, double to) {
  p[axis] = to;
  return p;
}

/// Whether heat along the axis passes nothing that begins or ends between two centres.
bool side_by_side(Drawing const& here, std::size_t axis, Point const& p, Point const& q) {
  return here.prismatic(axis) && here.pieces(axis, p[axis], q[axis], {}).size() == 2;
}

/// Between the centre of x and that of the cell below it.
double conductivity_below(Drawing const& here, core::Grid const& grid, std::size_t axis, core::Index const& x) {
  core::Index below = x;
  along(below, axis) -= 1;
  Point const p = foam::centre(grid, below), q = foam::centre(grid, x);
  if (!side_by_side(here, axis, p, q)) return (q[axis] - p[axis]) / here.resistance(p, q);
  auto const [low, high] = foam::cell_corners(grid, x);
  return here.mean(shifted(low, axis, p[axis]), shifted(high, axis, q[axis]));
}

/// The same across a periodic side, over both halves.
double conductivity_across(Drawing const& drawing, core::Grid const& grid, std::size_t axis, core::Index const& x) {
  auto const& a = grid.axis(static_cast<int>(axis));
  core::Index last = x;
  along(last, axis) = a.cells() - 1;
  Point const p = foam::centre(grid, last), q = foam::centre(grid, x);
  double const distance = a.high() - p[axis] + q[axis] - a.low();
  return distance /
         (drawing.resistance(p, shifted(p, axis, a.high())) + drawing.resistance(shifted(q, axis, a.low()), q));
}

}  // namespace

std::vector<solvers::CutFace> cut_faces(Drawing const& conductivity, core::Layout const& layout) {
  core::Grid const& grid = layout.grid();
  std::vector<solvers::CutFace> faces;
  conductivity.for_each_near(layout, [&](int slot, int k, int j, int i, Drawing const& here) {
    core::Index const x = layout.info(slot).global(k, j, i);
    for (int axis = 0; axis < 3; ++axis)
      if (solvers::heat::Geometry::along(x, axis) > 0)
        faces.push_back({axis, slot, k, j, i, conductivity_below(here, grid, static_cast<std::size_t>(axis), x)});
  });
  for (int axis = 0; axis < 3; ++axis) {
    if (!grid.periodic(axis) || conductivity.uniform()) continue;
    core::for_own_cells(layout, [&](int slot, int k, int j, int i) {
      core::Index const x = layout.info(slot).global(k, j, i);
      if (solvers::heat::Geometry::along(x, axis) == 0)
        faces.push_back(
            {axis, slot, k, j, i, conductivity_across(conductivity, grid, static_cast<std::size_t>(axis), x)});
    });
  }
  return faces;
}

std::optional<solvers::FaceValues> cut_side(Drawing const& conductivity, core::Grid const& grid, core::Side side) {
  auto const axis = static_cast<std::size_t>(side) / 2;
  bool const high = static_cast<std::size_t>(side) % 2 == 1;
  core::Box const cells = foam::cells_along(grid, side);
  std::vector<double> values(static_cast<std::size_t>(cells.cells()));
  bool cut = false;
  for (core::Count k = cells.lo.k; k < cells.hi.k; ++k)
    for (core::Count j = cells.lo.j; j < cells.hi.j; ++j)
      for (core::Count i = cells.lo.i; i < cells.hi.i; ++i) {
        core::Index const x{i, j, k};
        Point const p = foam::centre(grid, x);
        auto const& a = grid.axis(static_cast<int>(axis));
        Point const q = shifted(p, axis, high ? a.high() : a.low());
        Drawing const here = conductivity.near(p, foam::reach_of(grid, x));
        double& value = values[solvers::heat::face_number(grid, side, x)];
        if (side_by_side(here, axis, p, q)) {
          auto [from, to] = foam::cell_corners(grid, x);
          (high ? from : to)[axis] = p[axis];
          value = here.mean(from, to);
        } else {
          value = std::abs(q[axis] - p[axis]) / here.resistance(p, q);
        }
        cut = cut || !here.uniform();
      }
  if (!cut) return std::nullopt;
  return solvers::FaceValues(std::move(values));
}

core::Count fill_means(Drawing const& drawing, core::Field<double>& field) {
  core::Layout const& layout = field.layout();
  auto const out = field.host();
  core::Count count = 0;
  drawing.for_each_near(layout, [&](int slot, int k, int j, int i, Drawing const& here) {
    auto const [low, high] = foam::cell_corners(layout.grid(), layout.info(slot).global(k, j, i));
    double const mean = here.mean(low, high);
    if (mean != out(slot, k, j, i)) ++count;
    out(slot, k, j, i) = mean;
  });
  return count;
}

}  // namespace tessera::run::heat
