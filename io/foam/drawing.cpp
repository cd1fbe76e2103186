// SPDX-License-Identifier: Apache-2.0
#include "io/foam/drawing.hpp"

#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::io::foam {
namespace {

/// Gauss's rule of eight points on (-1, 1).
constexpr std::array<double, 4> gauss_at{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975363};
constexpr std::array<double, 4> gauss_weight{0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                             0.1012285362903763};

/// The mean of f over each piece between `ends`, weighted by length, over the whole length. s (3 - s^2) / 2 stands for s, so
/// that a root at the end of a piece, where a circle begins, is smooth.
template <class F>
double mean_over(std::vector<double> const& ends, F const& f) {
  double sum = 0;
  for (std::size_t n = 0; n + 1 < ends.size(); ++n) {
    double const middle = 0.5 * (ends[n] + ends[n + 1]), half = 0.5 * (ends[n + 1] - ends[n]);
    for (std::size_t g = 0; g < gauss_at.size(); ++g)
      for (double const s : {-gauss_at[g], gauss_at[g]})
        sum += half * gauss_weight[g] * 1.5 * (1 - s * s) * f(middle + half * 0.5 * s * (3 - s * s));
  }
  return sum / (ends.back() - ends.front());
}

}  // namespace

double Drawing::at(Point const& c) const {
  for (auto stroke = strokes_.rbegin(); stroke != strokes_.rend(); ++stroke)
    if (stroke->shape->contains(c)) return stroke->value;
  return ground_;
}

Drawing Drawing::near(Point const& c, Point const& reach) const {
  Drawing result(ground_);
  for (auto const& stroke : strokes_) {
    if (stroke.shape->near_surface(c, reach))
      result.strokes_.push_back(stroke);
    else if (stroke.shape->contains(c))
      result = Drawing(stroke.value);
  }
  return result;
}

bool Drawing::prismatic(std::size_t axis) const {
  return std::all_of(strokes_.begin(), strokes_.end(), [&](Stroke const& s) { return s.shape->prismatic(axis); });
}

/// Mean of the value, or of its inverse, on the line from p to p + v.
double Drawing::along(Point const& p, Point const& v, bool inverse) const {
  std::vector<double> t;
  for (auto const& stroke : strokes_) stroke.shape->crossings(p, v, t);
  std::erase_if(t, [](double x) { return !(x > 0 && x < 1); });
  t.insert(t.end(), {0.0, 1.0});
  std::sort(t.begin(), t.end());
  double sum = 0;
  for (std::size_t n = 0; n + 1 < t.size(); ++n) {
    double const length = t[n + 1] - t[n], middle = 0.5 * (t[n] + t[n + 1]);
    if (length <= 0) continue;
    double const value = at({p[0] + middle * v[0], p[1] + middle * v[1], p[2] + middle * v[2]});
    sum += inverse ? length / value : length * value;
  }
  return sum;
}

double Drawing::resistance(Point const& p, Point const& q) const {
  Point const v{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  return std::hypot(v[0], v[1], v[2]) * along(p, v, true);
}

std::vector<double> Drawing::pieces(std::size_t axis, double low, double high, std::vector<Point> const& lines) const {
  std::vector<double> ends;
  for (auto const& stroke : strokes_) {
    stroke.shape->extremes(axis, ends);
    for (auto const& from : lines) {
      Point p = from, v{};
      p[axis] = low;
      v[axis] = high - low;
      std::size_t const first = ends.size();
      stroke.shape->crossings(p, v, ends);
      for (std::size_t n = first; n < ends.size(); ++n) ends[n] = low + ends[n] * (high - low);
    }
  }
  double const least = 1e-12 * (high - low);
  std::erase_if(ends, [&](double x) { return !(x > low + least && x < high - least); });
  ends.insert(ends.end(), {low, high});
  std::sort(ends.begin(), ends.end());
  return ends;
}

/// Mean over a section of the box across axes[2], at the coordinate c: lines along axes[0].
double Drawing::section(Point const& low, Point const& high, std::array<std::size_t, 3> const& axes, double c) const {
  Point from = low, to = high;
  from[axes[2]] = to[axes[2]] = c;
  return mean_over(pieces(axes[1], low[axes[1]], high[axes[1]], {from, to}), [&](double b) {
    Point p = from, v{};
    p[axes[1]] = b;
    v[axes[0]] = high[axes[0]] - low[axes[0]];
    return along(p, v, false);
  });
}

double Drawing::mean(Point const& low, Point const& high) const {
  std::size_t axis = 3;
  for (std::size_t a = 3; a-- > 0;)
    if (axis == 3 && prismatic(a)) axis = a;
  bool const alike = axis < 3;
  if (!alike) axis = 2;
  std::array<std::size_t, 3> const axes{(axis + 1) % 3, (axis + 2) % 3, axis};
  auto const ends = pieces(axis, low[axis], high[axis], {});
  if (!alike) return mean_over(ends, [&](double c) { return section(low, high, axes, c); });
  double sum = 0;
  for (std::size_t n = 0; n + 1 < ends.size(); ++n)
    sum += (ends[n + 1] - ends[n]) * section(low, high, axes, 0.5 * (ends[n] + ends[n + 1]));
  return sum / (high[axis] - low[axis]);
}

Point reach_of(core::Grid const& grid, core::Index const& x) {
  Point reach{};
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(static_cast<int>(a));
    core::Count const n = a == 0 ? x.i : a == 1 ? x.j : x.k;
    double beside = 0;
    if (n > 0) beside = axis.width(n - 1);
    if (n + 1 < axis.cells()) beside = std::max(beside, axis.width(n + 1));
    reach[a] = 0.5 * (axis.width(n) + beside) * (1 + 1e-9);
  }
  return reach;
}

std::vector<core::Index> Drawing::cells_near_surfaces(core::Layout const& layout, int slot) const {
  core::Grid const& grid = layout.grid();
  auto const& t = layout.info(slot);
  std::vector<bool> near(static_cast<std::size_t>(t.ni) * t.nj * t.nk);
  auto const number = [&](int k, int j, int i) { return (static_cast<std::size_t>(k) * t.nj + j) * t.ni + i; };
  for (auto const& stroke : strokes_) {
    core::Box box = cells_near(*stroke.shape, grid);
    box = {{box.lo.i - 1, box.lo.j - 1, box.lo.k - 1}, {box.hi.i + 1, box.hi.j + 1, box.hi.k + 1}};
    core::for_cells(t, box, [&](int k, int j, int i) {
      core::Index const x = t.global(k, j, i);
      if (!near[number(k, j, i)] && stroke.shape->near_surface(centre(grid, x), reach_of(grid, x)))
        near[number(k, j, i)] = true;
    });
  }
  std::vector<core::Index> cells;
  core::for_cells(t, [&](int k, int j, int i) {
    if (near[number(k, j, i)]) cells.push_back(t.global(k, j, i));
  });
  return cells;
}

core::Field<double> shares(Solid::Part const& shape, core::Layout const& layout) {
  core::Grid const& grid = layout.grid();
  core::Field<double> result("share", layout, 0, 0.0);
  auto const share = result.host();
  core::Box const box = cells_near(*shape, grid);
  for (int slot = 0; slot < layout.tiles(); ++slot)
    core::for_cells(layout.info(slot), box, [&](int k, int j, int i) {
      share(slot, k, j, i) = shape->contains(centre(grid, layout.info(slot).global(k, j, i))) ? 1 : 0;
    });
  Drawing drawing(0);
  drawing.draw(shape, 1);
  drawing.for_each_near(layout, [&](int slot, int k, int j, int i, Drawing const& here) {
    auto const [low, high] = cell_corners(grid, layout.info(slot).global(k, j, i));
    share(slot, k, j, i) = std::clamp(here.mean(low, high), 0.0, 1.0);
  });
  return result;
}

}  // namespace tessera::io::foam
