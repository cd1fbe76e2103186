// SPDX-License-Identifier: Apache-2.0
#include "io/foam/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tessera::io::foam {
namespace {

Point operator+(Point const& a, Point const& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Point operator-(Point const& a, Point const& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(Point const& a, Point const& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(Point const& a, Point const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
/// The square that an inner radius must exceed; without one every distance does, 0 included.
double inner_square(double radius) { return radius > 0 ? radius * radius : -1.0; }

/// The smallest box along the axes around some points.
std::array<Point, 2> hull(std::vector<Point> const& points, double margin = 0) {
  std::array<Point, 2> box{points.front(), points.front()};
  for (auto const& p : points)
    for (std::size_t a = 0; a < 3; ++a) {
      box[0][a] = std::min(box[0][a], p[a]);
      box[1][a] = std::max(box[1][a], p[a]);
    }
  for (std::size_t a = 0; a < 3; ++a) {
    box[0][a] -= margin;
    box[1][a] += margin;
  }
  return box;
}

/// Roots of a t^2 + 2 b t + c = 0.
void add_roots(double a, double b, double c, std::vector<double>& t) {
  double const square = b * b - a * c;
  if (!(a > 0) || square < 0) return;
  double const root = std::sqrt(square);
  t.insert(t.end(), {(-b - root) / a, (-b + root) / a});
}
/// Where n.(p + t v) = level.
void add_plane(double n_p, double n_v, double level, std::vector<double>& t) {
  if (n_v != 0) t.push_back((level - n_p) / n_v);
}
bool along_only(Point const& v, std::size_t axis) { return v[(axis + 1) % 3] == 0 && v[(axis + 2) % 3] == 0; }
bool near_sphere(double distance, double radius, double reach) {
  return radius > 0 && std::abs(distance - radius) <= reach;
}

struct Boxes final : CellShape {
  std::vector<std::array<Point, 2>> boxes;
  bool contains(Point const& c) const override {
    return std::any_of(boxes.begin(), boxes.end(), [&](auto const& box) {
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) inside = inside && box[0][a] <= c[a] && c[a] <= box[1][a];
      return inside;
    });
  }
  std::array<Point, 2> bounds() const override {
    std::vector<Point> corners;
    for (auto const& box : boxes) corners.insert(corners.end(), box.begin(), box.end());
    return hull(corners);
  }
  bool near_surface(Point const& c, Point const& reach) const override {
    return std::any_of(boxes.begin(), boxes.end(), [&](auto const& box) {
      bool within = true, beside = false;
      for (std::size_t a = 0; a < 3; ++a) {
        within = within && box[0][a] - reach[a] <= c[a] && c[a] <= box[1][a] + reach[a];
        beside = beside || std::abs(c[a] - box[0][a]) <= reach[a] || std::abs(c[a] - box[1][a]) <= reach[a];
      }
      return within && beside;
    });
  }
  void crossings(Point const& p, Point const& v, std::vector<double>& t) const override {
    for (auto const& box : boxes)
      for (auto const& corner : box)
        for (std::size_t a = 0; a < 3; ++a) add_plane(p[a], v[a], corner[a], t);
  }
  void extremes(std::size_t axis, std::vector<double>& x) const override {
    for (auto const& box : boxes) x.insert(x.end(), {box[0][axis], box[1][axis]});
  }
  bool prismatic(std::size_t) const override { return true; }
};

struct Cylinder final : CellShape {
  Point p1{}, p2{};
  double radius = 0, inner = 0;
  bool contains(Point const& c) const override {
    Point const axis = p2 - p1, d = c - p1;
    double const along = dot(d, axis), length2 = dot(axis, axis);
    if (!(along > 0 && along < length2)) return false;
    double const distance2 = dot(d, d) - along * along / length2;
    return distance2 < radius * radius && distance2 > inner_square(inner);
  }
  std::array<Point, 2> bounds() const override { return hull({p1, p2}, radius); }
  bool near_surface(Point const& c, Point const& reach) const override {
    Point const axis = p2 - p1, d = c - p1;
    double const length = std::sqrt(dot(axis, axis)), along = dot(d, axis) / length;
    double const distance = std::sqrt(std::max(0.0, dot(d, d) - along * along));
    double wide = 0, far = 0;  // of the box across and along the axis, at most
    for (std::size_t a = 0; a < 3; ++a) {
      double const u = std::abs(axis[a]) / length;
      wide += reach[a] * std::sqrt(std::max(0.0, 1 - u * u));
      far += reach[a] * u;
    }
    if (along < -far || along > length + far || distance > radius + wide) return false;
    return near_sphere(distance, radius, wide) || near_sphere(distance, inner, wide) || along <= far ||
           along >= length - far;
  }
  void crossings(Point const& p, Point const& v, std::vector<double>& t) const override {
    Point const axis = p2 - p1;
    double const length2 = dot(axis, axis);
    Point o = p - p1, w = v;
    double const along = dot(o, axis), rate = dot(v, axis);
    for (std::size_t a = 0; a < 3; ++a) {
      o[a] -= along / length2 * axis[a];
      w[a] -= rate / length2 * axis[a];
    }
    add_roots(dot(w, w), dot(o, w), dot(o, o) - radius * radius, t);
    if (inner > 0) add_roots(dot(w, w), dot(o, w), dot(o, o) - inner * inner, t);
    add_plane(along, rate, 0, t);
    add_plane(along, rate, length2, t);
  }
  void extremes(std::size_t a, std::vector<double>& x) const override {
    Point const axis = p2 - p1;
    double const across = std::sqrt(std::max(0.0, 1 - axis[a] * axis[a] / dot(axis, axis)));
    for (double const end : {p1[a], p2[a]})
      for (double const r : {radius, inner}) x.insert(x.end(), {end - r * across, end + r * across});
  }
  bool prismatic(std::size_t axis) const override { return along_only(p2 - p1, axis); }
};

struct Sphere final : CellShape {
  Point origin{};
  double radius = 0, inner = 0;
  bool contains(Point const& c) const override {
    Point const d = c - origin;
    double const distance2 = dot(d, d);
    return distance2 < radius * radius && distance2 > inner_square(inner);
  }
  std::array<Point, 2> bounds() const override { return hull({origin}, radius); }
  bool near_surface(Point const& c, Point const& reach) const override {
    double const distance = std::sqrt(dot(c - origin, c - origin)), far = std::sqrt(dot(reach, reach));
    return near_sphere(distance, radius, far) || near_sphere(distance, inner, far);
  }
  void crossings(Point const& p, Point const& v, std::vector<double>& t) const override {
    Point const o = p - origin;
    add_roots(dot(v, v), dot(o, v), dot(o, o) - radius * radius, t);
    if (inner > 0) add_roots(dot(v, v), dot(o, v), dot(o, o) - inner * inner, t);
  }
  void extremes(std::size_t axis, std::vector<double>& x) const override {
    for (double const r : {radius, inner}) x.insert(x.end(), {origin[axis] - r, origin[axis] + r});
  }
  bool prismatic(std::size_t) const override { return false; }
};

struct RotatedBox final : CellShape {
  Point origin{};
  std::array<Point, 3> edges{};
  std::array<Point, 3> normals{};  // of the faces at the far ends of the edges
  bool contains(Point const& c) const override {
    for (std::size_t e = 0; e < 3; ++e)
      if (dot(c - origin, normals[e]) < 0 || dot(c - (origin + edges[e]), normals[e]) > 0) return false;
    return true;
  }
  std::array<Point, 2> bounds() const override {
    std::vector<Point> corners{origin};
    for (auto const& edge : edges)
      for (std::size_t c = 0, n = corners.size(); c < n; ++c) corners.push_back(corners[c] + edge);
    return hull(corners);
  }
  bool near_surface(Point const& c, Point const& reach) const override {
    bool within = true, beside = false;
    for (std::size_t e = 0; e < 3; ++e) {
      double const low = dot(c - origin, normals[e]), high = dot(c - (origin + edges[e]), normals[e]);
      double far = 0;
      for (std::size_t a = 0; a < 3; ++a) far += reach[a] * std::abs(normals[e][a]);
      within = within && low >= -far && high <= far;
      beside = beside || std::abs(low) <= far || std::abs(high) <= far;
    }
    return within && beside;
  }
  void crossings(Point const& p, Point const& v, std::vector<double>& t) const override {
    for (std::size_t e = 0; e < 3; ++e)
      for (double const end : {0.0, 1.0})
        add_plane(dot(p - origin, normals[e]), dot(v, normals[e]), end * dot(edges[e], normals[e]), t);
  }
  void extremes(std::size_t axis, std::vector<double>& x) const override {
    std::size_t const first = x.size();
    x.push_back(origin[axis]);
    for (auto const& edge : edges)
      for (std::size_t c = first, n = x.size(); c < n; ++c) x.push_back(x[c] + edge[axis]);
  }
  bool prismatic(std::size_t axis) const override {
    bool along = false, flat = true;
    for (auto const& edge : edges) {
      along = along || along_only(edge, axis);
      flat = flat && (edge[axis] == 0 || along_only(edge, axis));
    }
    return along && flat;
  }
};

void check_box(core::Dictionary const& dictionary, std::string_view key, std::array<Point, 2> const& box) {
  for (std::size_t a = 0; a < 3; ++a)
    if (!(box[0][a] <= box[1][a]))
      dictionary.fail(key, fmt::format("{} of the box runs from {} to {}, expected the lower corner first", "xyz"[a],
                                       box[0][a], box[1][a]));
}

std::unique_ptr<CellShape> make_boxes(core::Dictionary const& dictionary) {
  auto shape = std::make_unique<Boxes>();
  if (dictionary.contains("boxes")) {
    auto const corners = dictionary.get<std::vector<Point>>("boxes");
    if (corners.empty() || corners.size() % 2 != 0)
      dictionary.fail(
          "boxes", fmt::format("entry 'boxes' has {} points, expected two a box: ((min) (max) ...)", corners.size()));
    for (std::size_t c = 0; c < corners.size(); c += 2) {
      shape->boxes.push_back({corners[c], corners[c + 1]});
      check_box(dictionary, "boxes", shape->boxes.back());
    }
    return shape;
  }
  std::array<Point, 2> box{};
  if (dictionary.contains("box") || !dictionary.contains("min")) {
    auto in = dictionary.stream("box");
    box[0] = in.read<Point>();
    box[1] = in.read<Point>();
    in.end();
    check_box(dictionary, "box", box);
  } else {
    box[0] = dictionary.get<Point>("min");
    box[1] = dictionary.contains("span") ? box[0] + dictionary.get<Point>("span") : dictionary.get<Point>("max");
    check_box(dictionary, "min", box);
  }
  shape->boxes.push_back(box);
  return shape;
}

std::unique_ptr<CellShape> make_cylinder(core::Dictionary const& dictionary, bool annulus) {
  auto shape = std::make_unique<Cylinder>();
  char const *const p1 = dictionary.contains("point1") ? "point1" : "p1", *const p2 = dictionary.contains("point2")
                                                                                          ? "point2"
                                                                                          : "p2";
  shape->p1 = dictionary.get<Point>(p1);
  shape->p2 = dictionary.get<Point>(p2);
  if (shape->p1 == shape->p2) dictionary.fail(p2, "p1 and p2 are the same point, expected two ends of an axis");
  char const* const radius = annulus && dictionary.contains("outerRadius") ? "outerRadius" : "radius";
  shape->radius = dictionary.get_positive<double>(radius);
  shape->inner = annulus ? dictionary.get_in<double>("innerRadius", {0, shape->radius})
                         : dictionary.get_in<double>("innerRadius", {0, shape->radius}, 0.0);
  return shape;
}

std::unique_ptr<CellShape> make_sphere(core::Dictionary const& dictionary) {
  auto shape = std::make_unique<Sphere>();
  shape->origin = dictionary.get<Point>(dictionary.contains("centre") ? "centre" : "origin");
  shape->radius = dictionary.get_positive<double>("radius");
  shape->inner = dictionary.get_in<double>("innerRadius", {0, shape->radius}, 0.0);
  return shape;
}

std::unique_ptr<CellShape> make_rotated_box(core::Dictionary const& dictionary) {
  auto shape = std::make_unique<RotatedBox>();
  shape->origin = dictionary.get<Point>("origin");
  shape->edges = {dictionary.get<Point>("i"), dictionary.get<Point>("j"), dictionary.get<Point>("k")};
  auto const& [i, j, k] = shape->edges;
  if (!(dot(i, cross(j, k)) > 0))
    dictionary.fail("k", "the edges i, j, k are not right-handed: expected i . (j x k) above 0");
  shape->normals = {cross(j, k), cross(k, i), cross(i, j)};
  return shape;
}

}  // namespace

std::vector<std::string> const& shape_names() {
  static std::vector<std::string> const names{"boxToCell",    "cylinderToCell",   "cylinderAnnulusToCell",
                                              "sphereToCell", "rotatedBoxToCell", "searchableSurfaceToCell"};
  return names;
}

std::unique_ptr<CellShape> make_box(Point const& low, Point const& high) {
  auto shape = std::make_unique<Boxes>();
  shape->boxes.push_back({low, high});
  return shape;
}

std::unique_ptr<CellShape> make_disc(double x, double y, double radius) {
  auto shape = std::make_unique<Cylinder>();
  shape->p1 = {x, y, -1};
  shape->p2 = {x, y, 1};
  shape->radius = radius;
  return shape;
}

std::unique_ptr<CellShape> make_shape(std::string const& name, core::Dictionary const& dictionary) {
  if (name == "boxToCell") return make_boxes(dictionary);
  if (name == "cylinderToCell") return make_cylinder(dictionary, false);
  if (name == "cylinderAnnulusToCell") return make_cylinder(dictionary, true);
  if (name == "sphereToCell") return make_sphere(dictionary);
  if (name == "rotatedBoxToCell") return make_rotated_box(dictionary);
  if (name == "searchableSurfaceToCell") {
    auto const type = dictionary.get_choice(
        "surfaceType", {"searchableBox", "box", "searchableSphere", "sphere", "searchableCylinder", "cylinder"});
    if (type.ends_with("ox")) return make_boxes(dictionary);
    return type.ends_with("phere") ? make_sphere(dictionary) : make_cylinder(dictionary, false);
  }
  throw core::Error(dictionary.location() + ": " + core::unknown_name("shape", name, shape_names()));
}

core::Box cells_near(CellShape const& shape, core::Grid const& grid) {
  auto const [low, high] = shape.bounds();
  std::array<core::Count, 3> first{}, last{};
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(static_cast<int>(a));
    core::Count const n = grid.cells()[a];
    // cells whose faces enclose the bounds, widened by one against rounding
    first[a] = std::clamp<core::Count>(axis.faces_up_to(low[a]) - 2, 0, n);
    last[a] = std::clamp<core::Count>(axis.faces_below(high[a]) + 1, 0, n);
  }
  return {{first[0], first[1], first[2]}, {last[0], last[1], last[2]}};
}

}  // namespace tessera::io::foam
