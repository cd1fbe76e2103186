// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/grid.hpp"
#include "core/grid/wedge.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io::foam {

using Point = std::array<double, 3>;

/// A region of space that selects the cells whose centre lies in it. What comes after `bounds` says where its surface is,
/// for those who cut cells at it: each may name places where there is none, but leaves none out.
class CellShape {
 public:
  virtual ~CellShape() = default;
  virtual bool contains(Point const& centre) const = 0;
  /// Corners of a box along the axes that holds the region.
  virtual std::array<Point, 2> bounds() const = 0;
  /// Whether the surface may pass through the box that reaches so far from a point along each axis, on both sides.
  virtual bool near_surface(Point const& c, Point const& reach) const = 0;
  /// Appends the t at which the line p + t v passes through the surface.
  virtual void crossings(Point const& p, Point const& v, std::vector<double>& t) const = 0;
  /// Appends the coordinates along an axis where the surface begins, ends or turns.
  virtual void extremes(std::size_t axis, std::vector<double>& x) const = 0;
  /// Whether all sections across the axis are alike, from end to end.
  virtual bool prismatic(std::size_t axis) const = 0;
};

/// The shapes that `make_shape` knows.
std::vector<std::string> const& shape_names();

/// Makes a shape from the keys that OpenFOAM gives it; c is the cell centre, d = c - p1 or c - origin:
///   boxToCell          box (min) (max); | boxes ((min) (max) ...); | min (..); max (..);    min <= c <= max
///   cylinderToCell     p1; p2; radius; innerRadius 0;       a = p2 - p1: 0 < d.a < a.a and
///                                                           innerRadius^2 < d.d - (d.a)^2/a.a < radius^2
///   cylinderAnnulusToCell  p1; p2; outerRadius; innerRadius;
///   sphereToCell       origin | centre; radius; innerRadius 0;    innerRadius^2 < d.d < radius^2
///   rotatedBoxToCell   origin; i; j; k;                     0 <= d.(j x k) <= i.(j x k), and in turn; right-handed
///   searchableSurfaceToCell  surfaceType searchableBox (min; max) | searchableSphere (centre; radius) | searchableCylinder
///                           (point1; point2; radius): the cells inside
/// The comparisons are OpenFOAM's (box and rotated box closed, cylinder and sphere open); an inner radius of 0 is none.
/// Throws core::Error with file and line, for an unknown name listing the known ones.
std::unique_ptr<CellShape> make_shape(std::string const& name, core::Dictionary const& dictionary);

/// A box along the axes.
std::unique_ptr<CellShape> make_box(Point const& low, Point const& high);

/// A cylinder along z from -1 to 1 m, which in a plane grid about z = 0 is a disc.
std::unique_ptr<CellShape> make_disc(double x, double y, double radius);

/// Cells that the shape may contain: those with a centre inside its bounds, and one more on each side.
core::Box cells_near(CellShape const& shape, core::Grid const& grid);

inline std::array<Point, 2> cell_corners(core::Grid const& grid, core::Index const& x) {
  return {Point{grid.axis(0).face(x.i), grid.axis(1).face(x.j), grid.axis(2).face(x.k)},
          Point{grid.axis(0).face(x.i + 1), grid.axis(1).face(x.j + 1), grid.axis(2).face(x.k + 1)}};
}
inline Point centre(core::Grid const& grid, core::Index const& x) {
  return {grid.axis(0).centre(x.i), grid.axis(1).centre(x.j), grid.axis(2).centre(x.k)};
}
/// The same where the grid may stand for a wedge: the centre of gravity.
inline Point centre(core::Grid const& grid, core::Index const& x, std::optional<core::Wedge> const& wedge) {
  Point p = centre(grid, x);
  if (!wedge) return p;
  int const a = wedge->radial;
  p[static_cast<std::size_t>(a)] = core::Wedge::centre(grid.axis(a), core::along(x, a));
  return p;
}

}  // namespace tessera::io::foam
