// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "io/foam/solid.hpp"

namespace tessera::io::foam {

/// A property of space: shapes of one value each, the later over the earlier, on a ground.
class Drawing {
 public:
  explicit Drawing(double ground = 0) : ground_(ground) {}
  void draw(Solid::Part shape, double value) { strokes_.push_back({std::move(shape), value}); }

  double at(Point const& c) const;
  /// What of the drawing may change in the box that reaches so far from a point along each axis.
  Drawing near(Point const& c, Point const& reach) const;
  bool uniform() const { return strokes_.empty(); }
  /// Whether all sections across the axis are alike.
  bool prismatic(std::size_t axis) const;

  /// sum l_k / value_k over the straight line from p to q, l_k its lengths in the values [m]: with a conductivity, the
  /// resistance of an area of 1 m^2. Exact for any number of layers. Values must be above 0.
  double resistance(Point const& p, Point const& q) const;
  /// Mean over the volume of a box. Lines along one axis are measured exactly; across them the ends of shapes divide Gauss's
  /// rule, so that sections of boxes and of cylinders along an axis are exact to 1e-5 of the box, unless two surfaces cross
  /// inside it; spheres and oblique cylinders to 1e-3.
  double mean(Point const& low, Point const& high) const;

  /// From `low` to `high` along an axis, divided where shapes begin or end and where they pass through some lines.
  std::vector<double> pieces(std::size_t axis, double low, double high, std::vector<Point> const& lines) const;

  /// Calls f(slot, k, j, i, drawing near the cell) for own cells beside which (as far as the centres of their neighbours)
  /// the value may change, tile by tile. Cost: the cells in the bounds of each shape.
  template <class F>
  void for_each_near(core::Layout const& layout, F const& f) const;

 private:
  struct Stroke {
    Solid::Part shape;
    double value;
  };
  double along(Point const& p, Point const& v, bool inverse) const;
  double section(Point const& low, Point const& high, std::array<std::size_t, 3> const& axes, double c) const;
  std::vector<core::Index> cells_near_surfaces(core::Layout const& layout, int slot) const;

  double ground_;
  std::vector<Stroke> strokes_;
};

/// From a cell's centre to the farther of its neighbours' centres, along each axis; at least to its faces [m].
Point reach_of(core::Grid const& grid, core::Index const& x);

template <class F>
void Drawing::for_each_near(core::Layout const& layout, F const& f) const {
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& t = layout.info(slot);
    for (auto const& x : cells_near_surfaces(layout, slot)) {
      Drawing const here = near(centre(layout.grid(), x), reach_of(layout.grid(), x));
      if (!here.uniform())
        f(slot, static_cast<int>(x.k - t.k0), static_cast<int>(x.j - t.j0), static_cast<int>(x.i - t.i0), here);
    }
  }
}

/// Parts of the cells' volumes that lie in a region, 0 to 1, on own cells. Collective as Field is.
core::Field<double> shares(Solid::Part const& shape, core::Layout const& layout);

}  // namespace tessera::io::foam
