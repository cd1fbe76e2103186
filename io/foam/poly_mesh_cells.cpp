// SPDX-License-Identifier: Apache-2.0
#include "io/foam/poly_mesh_cells.hpp"

#include "core/error.hpp"
#include "io/foam/flattened.hpp"
#include "io/foam/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace tessera::io::foam {
namespace {

using Label = PolyMeshFiles::Label;
using Corners = std::array<Label, 4>;

/// The first cell that does not fit, and why.
class FirstFault {
 public:
  template <class F>
  void note(Label cell, F const& why) {
    if (cell_ != PolyMeshFiles::none && cell_ <= cell) return;
    cell_ = cell;
    why_ = why();
  }
  void raise(std::string const& file) const {
    if (cell_ != PolyMeshFiles::none)
      throw core::Error(file, 0,
                        fmt::format("cell {} {}; of constant/polyMesh meshes are read whose cells are boxes along the "
                                    "axes, of one rectilinear grid",
                                    cell_, why_));
  }

 private:
  Label cell_ = PolyMeshFiles::none;
  std::string why_;
};

/// An edge of a face from a corner to the next.
struct FaceEdge {
  std::array<double, 3> d;
  std::size_t axis;  // along which it is longest
  double length() const { return std::abs(d[axis]); }
};

class CellFinder {
 public:
  CellFinder(PolyMeshFiles const& mesh, std::optional<core::Wedge> const& wedge) : mesh_(mesh), wedge_(wedge) {}

  PolyMeshCells find() {
    find_sides();
    for (std::size_t a = 0; a < 3; ++a) find_planes(a);
    place_cells();
    return std::move(found_);
  }

 private:
  FaceEdge edge(Corners const& c, std::size_t from) const {
    auto const &p = mesh_.points[static_cast<std::size_t>(c[from])],
               &q = mesh_.points[static_cast<std::size_t>(c[(from + 1) % 4])];
    FaceEdge e{{q[0] - p[0], q[1] - p[1], q[2] - p[2]}, 0};
    for (std::size_t a = 1; a < 3; ++a)
      if (std::abs(e.d[a]) > std::abs(e.d[e.axis])) e.axis = a;
    return e;
  }

  /// The side of its owner that a face is; why it is none.
  std::optional<int> side_of(Corners const& c) const {
    if (c[3] == PolyMeshFiles::none || c[0] == PolyMeshFiles::none) return std::nullopt;
    std::array<FaceEdge, 4> const e{edge(c, 0), edge(c, 1), edge(c, 2), edge(c, 3)};
    std::size_t const a = e[0].axis, b = e[1].axis;
    if (a == b || e[2].axis != a || e[3].axis != b) return std::nullopt;
    std::size_t const normal = 3 - a - b;
    for (std::size_t n = 0; n < 4; ++n) {
      std::size_t const own = n % 2 == 0 ? a : b, other = n % 2 == 0 ? b : a;
      if (!(e[n].length() > 0) || (e[n].d[own] > 0) == (e[(n + 2) % 4].d[own] > 0)) return std::nullopt;
      if (std::abs(e[n].d[normal]) > 2 * mesh_.rounding[normal]) return std::nullopt;
      if (std::abs(e[n].d[other]) > std::min(2 * mesh_.rounding[other], 0.01 * e[(n + 1) % 4].length()))
        return std::nullopt;
    }
    bool const up = (e[0].d[a] > 0) == (e[1].d[b] > 0), cyclic = (b + 3 - a) % 3 == 1;
    return static_cast<int>(2 * normal) + (up == cyclic ? 1 : 0);
  }

  std::string describe(std::size_t face) const {
    auto const& c = mesh_.faces[face];
    if (c[0] == PolyMeshFiles::none || c[3] == PolyMeshFiles::none)
      return fmt::format("is no box: its face {} has {} corners", face, c[0] == PolyMeshFiles::none ? c[3] : 3);
    auto const& p = mesh_.points[static_cast<std::size_t>(c[0])];
    return fmt::format("is no box: its face {} at ({:g} {:g} {:g}) is no rectangle along the axes", face, p[0], p[1],
                       p[2]);
  }

  bool on_axis(int side) const { return wedge_ && side == 2 * wedge_->radial; }

  /// Each cell has one face on each of its sides (but at the axis of a wedge).
  void find_sides() {
    FirstFault fault;
    std::vector<std::uint8_t> has(static_cast<std::size_t>(mesh_.cells));
    auto const give = [&](Label cell, int side, std::size_t face) {
      auto& mask = has[static_cast<std::size_t>(cell)];
      if (mask >> side & 1)
        fault.note(cell, [&] {
          return fmt::format("is no box: it has several faces on its {} side, one of them face {}",
                             core::side_names[static_cast<std::size_t>(side)], face);
        });
      mask = static_cast<std::uint8_t>(mask | 1 << side);
    };
    found_.sides.resize(mesh_.faces.size());
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      auto const side = side_of(mesh_.faces[f]);
      bool const inner = f < mesh_.neighbour.size();
      Label const first = inner ? std::min(mesh_.owner[f], mesh_.neighbour[f]) : mesh_.owner[f];
      if (!side) {
        fault.note(first, [&] { return describe(f); });
        continue;
      }
      found_.sides[f] = static_cast<std::int8_t>(*side);
      give(mesh_.owner[f], *side, f);
      if (inner) give(mesh_.neighbour[f], *side ^ 1, f);
    }
    for (Label c = 0; c < mesh_.cells; ++c)
      for (int side = 0; side < 6; ++side)
        if ((has[static_cast<std::size_t>(c)] >> side & 1) == 0 && !on_axis(side))
          fault.note(c, [&] {
            return fmt::format("is no box: it has no face on its {} side",
                               core::side_names[static_cast<std::size_t>(side)]);
          });
    fault.raise(mesh_.path("faces"));
  }

  /// Points that faces and edges across the axis join lie in one plane; planes of parts that do not touch may be the same.
  struct Plane {
    double low, high, width;  // of its points; the shortest edge along the axis from one of them
    Label root;               // one of its points
    double middle() const { return low + 0.5 * (high - low); }
  };

  Label root(Label point) {
    auto& p = parent_;
    while (p[static_cast<std::size_t>(point)] != point) {
      Label& up = p[static_cast<std::size_t>(point)];
      up = p[static_cast<std::size_t>(up)];
      point = up;
    }
    return point;
  }
  void join(Label a, Label b) {
    Label const x = root(a), y = root(b);
    parent_[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
  }

  void find_planes(std::size_t axis) {
    parent_.resize(mesh_.points.size());
    std::iota(parent_.begin(), parent_.end(), Label{0});
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      auto const& c = mesh_.faces[f];
      bool const across = static_cast<std::size_t>(found_.sides[f]) / 2 == axis;
      std::size_t const first = edge(c, 0).axis == axis ? 1 : 0;  // of the edges across
      for (std::size_t e : {first, first + 2}) join(c[e], c[(e + 1) % 4]);
      for (std::size_t e = 0; across && e < 3; ++e) join(c[e], c[e + 1]);
    }
    std::vector<double> width(mesh_.points.size(), 0);
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      auto const& c = mesh_.faces[f];
      for (std::size_t e = 0; e < 4; ++e)
        if (auto const d = edge(c, e); d.axis == axis)
          for (Label const p : {c[e], c[(e + 1) % 4]}) {
            double& w = width[static_cast<std::size_t>(root(p))];
            w = w == 0 ? d.length() : std::min(w, d.length());
          }
    }
    std::vector<Label> number(mesh_.points.size(), PolyMeshFiles::none);
    std::vector<Plane> planes;
    for (Label p = 0; p < static_cast<Label>(mesh_.points.size()); ++p) {
      Label const r = root(p);
      double const x = mesh_.points[static_cast<std::size_t>(p)][axis], w = width[static_cast<std::size_t>(r)];
      if (w == 0) continue;  // a point of no face
      Label& n = number[static_cast<std::size_t>(r)];
      if (n == PolyMeshFiles::none) {
        n = static_cast<Label>(planes.size());
        planes.push_back({x, x, w, r});
      }
      Plane& plane = planes[static_cast<std::size_t>(n)];
      plane.low = std::min(plane.low, x);
      plane.high = std::max(plane.high, x);
    }
    merge(axis, planes, number);
    auto& index = index_[axis];
    index.assign(mesh_.points.size(), PolyMeshFiles::none);
    for (Label p = 0; p < static_cast<Label>(mesh_.points.size()); ++p)
      index[static_cast<std::size_t>(p)] = number[static_cast<std::size_t>(root(p))];
  }

  /// Gives the roots of planes their final numbers, along the axis.
  void merge(std::size_t axis, std::vector<Plane> planes, std::vector<Label>& number) {
    double const rounding = mesh_.rounding[axis];
    std::sort(planes.begin(), planes.end(), [](Plane const& a, Plane const& b) { return a.middle() < b.middle(); });
    std::vector<Plane> merged;
    for (Plane const& plane : planes) {
      bool const same = !merged.empty() && plane.low - merged.back().high <=
                                               std::min(rounding, 0.05 * std::min(plane.width, merged.back().width));
      if (!same) {
        merged.push_back(plane);
      } else {
        merged.back().low = std::min(merged.back().low, plane.low);
        merged.back().high = std::max(merged.back().high, plane.high);
        merged.back().width = std::min(merged.back().width, plane.width);
      }
      number[static_cast<std::size_t>(plane.root)] = static_cast<Label>(merged.size()) - 1;
      Plane const& now = merged.back();
      if (now.high - now.low > std::min(2 * rounding, 0.05 * now.width)) refuse_bent(axis, plane);
    }
    for (Plane const& plane : merged) found_.planes[axis].push_back(plane.middle());
  }

  [[noreturn]] void refuse_bent(std::size_t axis, Plane const& plane) {
    FirstFault fault;
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f)
      for (Label const p : mesh_.faces[f])
        if (root(p) == plane.root)
          fault.note(mesh_.owner[f], [&] {
            return fmt::format("has a side that is not flat with those of the cells beside it, at {} = {:g} to {:g}",
                               "xyz"[axis], plane.low, plane.high);
          });
    fault.raise(mesh_.path("points"));
    throw core::BrokenPromise("a plane has no cell", std::source_location::current());
  }

  /// The cell of the grid that an owner, or a neighbour, is by one of its faces.
  core::Index cell_of(std::size_t face, bool owner, FirstFault& fault) const {
    auto const& c = mesh_.faces[face];
    auto const normal = static_cast<std::size_t>(found_.sides[face]) / 2;
    bool const outward = found_.sides[face] % 2 == 1;
    core::Index x;
    for (std::size_t a = 0; a < 3; ++a) {
      Label low = std::numeric_limits<Label>::max(), high = 0;
      for (Label const p : c) {
        low = std::min(low, index_[a][static_cast<std::size_t>(p)]);
        high = std::max(high, index_[a][static_cast<std::size_t>(p)]);
      }
      along(x, a) = a == normal && outward == owner ? low - 1 : low;
      if (a != normal && high - low != 1)
        fault.note(owner ? mesh_.owner[face] : mesh_.neighbour[face], [&] {
          return fmt::format("goes over {} cells along {}, as other cells have faces between {:g} and {:g}", high - low,
                             "xyz"[a], found_.planes[a][static_cast<std::size_t>(low)],
                             found_.planes[a][static_cast<std::size_t>(high)]);
        });
    }
    return x;
  }

  void place_cells() {
    auto const n = found_.cells();
    double total = 1;
    for (core::Count const count : n) total *= static_cast<double>(count);
    if (total > most_cells || total > 1000.0 * mesh_.cells + 1e6)
      throw core::Error(
          mesh_.path("points"), 0,
          fmt::format("{} cells lie in a box of {} x {} x {} cells, expected them to fill a thousandth of it",
                      mesh_.cells, n[0], n[1], n[2]));
    core::Box const all{{0, 0, 0}, {n[0], n[1], n[2]}};
    FirstFault fault;
    auto& places = found_.places;
    places.assign(static_cast<std::size_t>(mesh_.cells), -1);
    auto const place = [&](Label cell, core::Index const& x) {
      core::Count& known = places[static_cast<std::size_t>(cell)];
      core::Count const here = all.contains(x) ? (x.k * n[1] + x.j) * n[0] + x.i : -2;
      if (here == -2 || (known != -1 && known != here))
        fault.note(cell, [] { return "is inside out, or its faces do not lie round one cell of the grid"; });
      known = here;
    };
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      place(mesh_.owner[f], cell_of(f, true, fault));
      if (f < mesh_.neighbour.size()) place(mesh_.neighbour[f], cell_of(f, false, fault));
    }
    fault.raise(mesh_.path("faces"));
    found_.taken.assign(static_cast<std::size_t>(total), PolyMeshFiles::none);
    for (Label c = 0; c < mesh_.cells; ++c) {
      Label& there = found_.taken[static_cast<std::size_t>(places[static_cast<std::size_t>(c)])];
      if (there != PolyMeshFiles::none) fault.note(c, [&] { return fmt::format("lies where cell {} lies", there); });
      there = c;
    }
    fault.raise(mesh_.path("points"));
    if (wedge_) check_axis();
  }

  /// Cells of a wedge have a face towards the axis unless they end there.
  void check_axis() const {
    std::vector<bool> has(static_cast<std::size_t>(mesh_.cells));
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      if (on_axis(found_.sides[f])) has[static_cast<std::size_t>(mesh_.owner[f])] = true;
      if (f < mesh_.neighbour.size() && on_axis(found_.sides[f] ^ 1))
        has[static_cast<std::size_t>(mesh_.neighbour[f])] = true;
    }
    FirstFault fault;
    auto const n = found_.cells();
    auto const radial = static_cast<std::size_t>(wedge_->radial);
    for (Label c = 0; c < mesh_.cells; ++c) {
      core::Count const place = found_.places[static_cast<std::size_t>(c)];
      core::Index const x{place % n[0], place / n[0] % n[1], place / (n[0] * n[1])};
      if (!has[static_cast<std::size_t>(c)] && (along(x, radial) != 0 || found_.planes[radial][0] != 0))
        fault.note(c, [] { return "is no part of a wedge: it has no face towards the axis"; });
    }
    fault.raise(mesh_.path("faces"));
  }

  PolyMeshFiles const& mesh_;
  std::optional<core::Wedge> const& wedge_;
  PolyMeshCells found_;
  std::vector<Label> parent_;                // of points that lie in one plane
  std::array<std::vector<Label>, 3> index_;  // an axis: the number of each point's plane
};

}  // namespace

PolyMeshCells find_cells(PolyMeshFiles const& mesh, std::optional<core::Wedge> const& wedge) {
  return CellFinder(mesh, wedge).find();
}

core::Wedge flatten(PolyMeshFiles& mesh) {
  double most = 0;
  for (auto const& point : mesh.points)
    for (double const x : point) most = std::max(most, std::abs(x));
  for (auto& point : mesh.points)
    for (double& x : point)
      if (std::abs(x) <= 1e-12 * most) x = 0;  // on the axis, but for rounding
  auto const wedge = wedge_of(mesh.points, mesh.rounding[0] > 1e-6 * most ? 5e-5 : 1e-6);
  if (!wedge)
    throw core::Error(
        mesh.path("points"), 0,
        "has a patch of type wedge, expected points on two planes through an axis of coordinates, alike on "
        "both sides of a plane of coordinates");
  auto const radial = static_cast<std::size_t>(wedge->radial), thin = static_cast<std::size_t>(wedge->thin);
  double largest = 0;
  for (auto const& point : mesh.points) largest = std::max(largest, point[radial]);
  double const half = 0.5 * wedge->slope * largest;
  // a point of the axis becomes two: itself below, and one above
  auto const count = static_cast<Label>(mesh.points.size());
  std::vector<Label> above(mesh.points.size(), PolyMeshFiles::none);
  for (Label p = 0; p < count; ++p) {
    auto point = mesh.points[static_cast<std::size_t>(p)];
    bool const axis = point[radial] == 0;
    mesh.points[static_cast<std::size_t>(p)][thin] = point[thin] > 0 ? half : -half;
    if (!axis) continue;
    point[thin] = half;
    above[static_cast<std::size_t>(p)] = static_cast<Label>(mesh.points.size());
    mesh.points.push_back(point);
  }
  for (auto& face : mesh.faces) {
    if (face[0] == PolyMeshFiles::none) continue;
    std::vector<Label> corners(face.begin(), face[3] == PolyMeshFiles::none ? face.end() - 1 : face.end());
    auto const on_axis = [&](Label p) { return above[static_cast<std::size_t>(p)] != PolyMeshFiles::none; };
    auto const high = [&](Label p) { return mesh.points[static_cast<std::size_t>(p)][thin] > 0; };
    auto const at = [&](Label p, bool up) { return up ? above[static_cast<std::size_t>(p)] : p; };
    std::vector<Label> flat;
    std::size_t const n = corners.size();
    for (std::size_t c = 0; c < n; ++c) {
      Label const p = corners[c], before = corners[(c + n - 1) % n], after = corners[(c + 1) % n];
      if (!on_axis(p)) {
        flat.push_back(p);
      } else if (n == 3) {  // an end of a cell at the axis
        flat.push_back(at(p, high(before)));
        flat.push_back(at(p, high(after)));
      } else {
        flat.push_back(at(p, high(on_axis(before) ? after : before)));
      }
    }
    if (flat.size() == 4) std::copy(flat.begin(), flat.end(), face.begin());
  }
  return *wedge;
}

}  // namespace tessera::io::foam
