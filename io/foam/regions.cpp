// SPDX-License-Identifier: Apache-2.0
#include "io/foam/regions.hpp"

#include "core/error.hpp"
#include "io/foam/boxes_in_order.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam {
namespace {

using core::along;

/// What is left of boxes without the cells of another.
std::vector<core::Box> without(std::vector<core::Box> const& boxes, core::Box const& hole) {
  std::vector<core::Box> rest;
  for (core::Box box : boxes) {
    core::Box const cut = core::intersect(box, hole);
    if (cut.empty()) {
      rest.push_back(box);
      continue;
    }
    for (int a = 2; a >= 0; --a) {  // layers as large as may be
      core::Box below = box, above = box;
      along(below.hi, a) = along(box.lo, a) = along(cut.lo, a);
      along(above.lo, a) = along(box.hi, a) = along(cut.hi, a);
      for (auto const& part : {below, above})
        if (!part.empty()) rest.push_back(part);
    }
  }
  return rest;
}

std::vector<core::Box> without(std::vector<core::Box> boxes, std::vector<core::Box> const& holes) {
  for (auto const& hole : holes) boxes = without(boxes, hole);
  return boxes;
}

std::vector<core::Box> cells_of(Mesh const& mesh) {
  bool const ordered = std::any_of(mesh.blocks.begin(), mesh.blocks.end(), [](auto const& b) { return bool(b.order); });
  return ordered ? without({mesh.grid.box()}, mesh.absent)
                 : std::vector<core::Box>(mesh.blocks.begin(), mesh.blocks.end());
}

using Parts = std::vector<std::pair<std::string, Mesh>>;

/// The planes of all regions on one axis.
class JoinedAxis {
 public:
  JoinedAxis(Parts const& parts, int axis) : parts_(parts), axis_(axis) {
    struct Plane {
      double x, width;  // the narrower of the cells beside it
      std::size_t part;
      core::Count number;
    };
    std::vector<Plane> all;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      auto const& a = parts[p].second.grid.axis(axis);
      core::Count const n = a.cells();
      for (core::Count i = 0; i <= n; ++i)
        all.push_back(
            {a.face(i), std::min(a.width(std::max<core::Count>(i - 1, 0)), a.width(std::min(i, n - 1))), p, i});
    }
    std::stable_sort(all.begin(), all.end(), [](Plane const& a, Plane const& b) { return a.x < b.x; });
    first_.assign(parts.size(), 0);
    double width = 0;
    for (auto const& plane : all) {
      double const near = std::min(1e-5 * std::abs(plane.x) + 1e-12, 0.05 * std::min(plane.width, width));
      if (planes_.empty() || plane.x - planes_.back() > near) {
        planes_.push_back(plane.x);
        width = plane.width;
      }
      width = std::min(width, plane.width);
      core::Count const here = static_cast<core::Count>(planes_.size()) - 1;
      if (plane.number == 0) first_[plane.part] = here;
      if (here != first_[plane.part] + plane.number) refuse(plane.part, here - 1);
    }
  }
  core::Axis axis() const { return core::Axis(planes_); }
  /// The first cell of a region.
  core::Count first(std::size_t part) const { return first_[part]; }

 private:
  /// A plane inside a region is none of its own.
  [[noreturn]] void refuse(std::size_t part, core::Count plane) const {
    throw core::Error(fmt::format(
        "constant/{}/polyMesh: cells of the region '{}' are cut by the plane {} = {:g} of another region, expected "
        "regions whose cells' faces meet: all lie on one rectilinear grid",
        parts_[part].first, parts_[part].first, "xyz"[axis_], planes_[static_cast<std::size_t>(plane)]));
  }

  Parts const& parts_;
  int axis_;
  std::vector<double> planes_;
  std::vector<core::Count> first_;
};

void refuse_kind(std::string const& where, Mesh const& mesh) {
  std::string what = mesh.wedge ? "is a wedge" : "";
  for (auto const& patch : mesh.patches)
    if (patch.type == "cyclic") what = "has a cyclic patch, '" + patch.name + "'";
  if (!what.empty())
    throw core::Error(fmt::format("{}: the mesh {}, which is not supported in a case with regions", where, what));
}

/// Moves a mesh into the grid of all.
Mesh moved(Mesh mesh, core::Grid const& grid, core::Index const& by) {
  mesh.grid = grid;
  for (auto& block : mesh.blocks) static_cast<core::Box&>(block) = core::shifted(block, by);
  for (auto& patch : mesh.patches)
    for (auto& piece : patch.pieces) piece.cells = core::shifted(piece.cells, by);
  for (auto& [name, box] : mesh.zones) box = core::shifted(box, by);
  for (auto& box : mesh.absent) box = core::shifted(box, by);
  return mesh;
}

/// Meshes that lie in one grid already, and the cells of each.
Regions joined(core::Grid grid, Parts parts, std::vector<std::vector<core::Box>> cells) {
  Mesh all{std::move(grid), {}};
  all.of_poly_mesh = true;
  all.blocks.clear();
  all.absent = {all.grid.box()};
  std::vector<Region> regions;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    auto& [name, mesh] = parts[p];
    mesh.absent = without({all.grid.box()}, cells[p]);
    Region region{name, std::make_shared<Mesh const>(std::move(mesh)), std::move(cells[p])};
    all.absent = without(std::move(all.absent), region.cells);
    all.blocks.insert(all.blocks.end(), region.mesh->blocks.begin(), region.mesh->blocks.end());
    for (auto patch : region.mesh->patches) {
      patch.name = region.full_name(patch);
      all.patches.push_back(std::move(patch));
    }
    regions.push_back(std::move(region));
  }
  for (auto const& patch : all.patches)
    for (auto const& plane : patch.planes())
      if (all.whole(patch, plane)) all.grid.name_patch(plane.side, patch.name);
  return {std::move(all), std::move(regions)};
}

void check_disjoint(Parts const& parts, std::vector<std::vector<core::Box>> const& cells) {
  for (std::size_t b = 0; b < parts.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      for (auto const& mine : cells[a])
        for (auto const& other : cells[b])
          if (core::Box const both = core::intersect(mine, other); !both.empty()) {
            auto const& grid = parts[a].second.grid;
            throw core::Error(
                fmt::format("constant/{}/polyMesh: the regions '{}' and '{}' both have the cell at ({:g} {:g} {:g})",
                            parts[b].first, parts[a].first, parts[b].first, grid.axis(0).centre(both.lo.i),
                            grid.axis(1).centre(both.lo.j), grid.axis(2).centre(both.lo.k)));
          }
}

core::Index step_up(int axis) {
  core::Index up;
  along(up, axis) = 1;
  return up;
}

/// The patches that a region with these blocks has of the whole mesh.
std::vector<Patch> patches_on(std::vector<CellBlock> const& blocks, Mesh const& mesh, std::string const& where) {
  std::vector<Patch> patches;
  for (auto const& patch : mesh.patches) {
    Patch part{patch.name, patch.type, {}};
    part.groups = patch.groups;
    for (auto const& piece : patch.pieces) {
      core::Count cells = 0;
      for (auto const& block : blocks) cells += core::intersect(block, piece.cells).cells();
      if (cells == 0) continue;
      if (cells != piece.cells.cells())
        throw core::Error(fmt::format("{}: faces of the patch '{}' are those of several blocks at once, expected faces "
                                      "of one block each in a mesh that is cut into regions",
                                      where, patch.name));
      part.pieces.push_back(piece);
      if (std::find(part.sides.begin(), part.sides.end(), piece.side) == part.sides.end())
        part.sides.push_back(piece.side);
    }
    if (!part.pieces.empty()) patches.push_back(std::move(part));
  }
  return patches;
}

/// Gives the two regions the patches at which they touch, if they do, their faces in the order of the whole mesh.
void couple(Mesh const& whole, std::pair<std::string, Mesh>& one, std::pair<std::string, Mesh>& other) {
  struct Face {
    std::array<core::Count, 2> cells;  // by their numbers in the whole mesh, the lower first: the order of faces
    std::array<BoundaryFace, 2> behind;
  };
  auto const n = whole.grid.cells();
  std::vector<Face> faces;
  for (int axis = 0; axis < 3; ++axis)
    for (bool const up : {true, false})  // `one` below, and above
      for (auto const& mine : one.second.blocks)
        for (auto const& theirs : other.second.blocks) {
          core::Index const step = up ? step_up(axis) : core::Index{} - step_up(axis);
          core::Box const own = core::intersect(mine, core::shifted(theirs, core::Index{} - step));
          for (core::Count k = own.lo.k; k < own.hi.k; ++k)
            for (core::Count j = own.lo.j; j < own.hi.j; ++j)
              for (core::Count i = own.lo.i; i < own.hi.i; ++i) {
                core::Index const x{i, j, k}, y = x + step;
                core::Count const a = whole.number(x), b = whole.number(y);
                auto const side = 2 * axis + (up ? 1 : 0);
                faces.push_back({{std::min(a, b), std::max(a, b)},
                                 {BoundaryFace{place_of(n, x), static_cast<core::Side>(side)},
                                  BoundaryFace{place_of(n, y), static_cast<core::Side>(side ^ 1)}}});
              }
        }
  if (faces.empty()) return;
  std::sort(faces.begin(), faces.end(), [](Face const& a, Face const& b) { return a.cells < b.cells; });
  std::string const names[2] = {one.first + "_to_" + other.first, other.first + "_to_" + one.first};
  for (std::size_t s = 0; s < 2; ++s) {
    Patch patch{names[s], "wall", {}};
    patch.groups = {"wall"};
    patch.sample = {"nearestPatchFace", s == 0 ? other.first : one.first, names[1 - s]};
    std::vector<BoundaryFace> own;
    for (auto const& face : faces) own.push_back(face.behind[s]);
    set_faces(patch, own, n);
    (s == 0 ? one : other).second.patches.push_back(std::move(patch));
  }
}

}  // namespace

std::string Region::file(std::string const& folder, std::string const& file) const {
  return name.empty() ? folder + "/" + file : folder + "/" + name + "/" + file;
}

std::string Region::full_name(Patch const& patch) const { return name.empty() ? patch.name : name + "/" + patch.name; }

Region one_region(std::shared_ptr<Mesh const> mesh) {
  auto cells = cells_of(*mesh);
  return {"", std::move(mesh), std::move(cells)};
}

Regions put_together(Parts parts) {
  core::expect(!parts.empty(), "there are regions");
  for (auto const& [name, mesh] : parts) refuse_kind("constant/" + name + "/polyMesh", mesh);
  std::array<JoinedAxis, 3> const axis{JoinedAxis(parts, 0), JoinedAxis(parts, 1), JoinedAxis(parts, 2)};
  std::array<core::Axis, 3> axes{axis[0].axis(), axis[1].axis(), axis[2].axis()};
  core::Grid::Shape const shape{axes[0].cells(), axes[1].cells(), axes[2].cells()};
  if (auto const fault = core::Grid::fault_of(shape, {0, 0, 0}); !fault.empty())
    throw core::Error("constant/regionProperties: the grid of all regions: " + fault);
  core::Grid grid(std::move(axes));
  std::vector<std::vector<core::Box>> cells;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    core::Index const by{axis[0].first(p), axis[1].first(p), axis[2].first(p)};
    cells.push_back(cells_of(parts[p].second));
    for (auto& box : cells.back()) box = core::shifted(box, by);
    parts[p].second = moved(std::move(parts[p].second), grid, by);
  }
  check_disjoint(parts, cells);
  return joined(std::move(grid), std::move(parts), std::move(cells));
}

Regions split_by_zones(Mesh const& mesh, std::vector<std::string> const& names, std::string const& where) {
  refuse_kind(where, mesh);
  Parts parts;
  for (auto const& name : names) {
    Mesh part{mesh.grid, {}};
    part.blocks.clear();
    parts.emplace_back(name, std::move(part));
  }
  for (auto const& block : mesh.blocks) {
    auto const zone = std::find_if(mesh.zones.begin(), mesh.zones.end(), [&](auto const& z) {
      return core::intersect(z.second, block).cells() == block.cells();
    });
    auto const part = std::find_if(parts.begin(), parts.end(),
                                   [&](auto const& p) { return zone != mesh.zones.end() && p.first == zone->first; });
    if (part == parts.end())
      throw core::Error(fmt::format("{}: a block is in {}, expected the name of a region behind the vertices of each "
                                    "block",
                                    where, zone == mesh.zones.end() ? "no zone" : "the zone '" + zone->first + "'"));
    part->second.blocks.push_back(block);
    part->second.zones.emplace_back(part->first, block);
  }
  std::vector<std::vector<core::Box>> cells;
  for (auto& [name, part] : parts) {
    if (part.blocks.empty())
      throw core::Error(fmt::format("{}: no block is in the zone '{}' of that region", where, name));
    part.patches = patches_on(part.blocks, mesh, where);
    cells.emplace_back(part.blocks.begin(), part.blocks.end());
  }
  for (std::size_t b = 0; b < parts.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) couple(mesh, parts[a], parts[b]);
  return joined(mesh.grid, std::move(parts), std::move(cells));
}

std::vector<RegionContact> contacts(std::vector<Region> const& regions) {
  struct Piece {
    RegionContact::Place place;
    core::Box cells;
  };
  std::array<std::vector<Piece>, 6> pieces;  // by their sides
  for (std::size_t r = 0; r < regions.size(); ++r)
    for (std::size_t p = 0; p < regions[r].mesh->patches.size(); ++p)
      for (auto const& piece : regions[r].mesh->patches[p].pieces)
        pieces[static_cast<std::size_t>(piece.side)].push_back({{r, p}, piece.cells});
  std::vector<RegionContact> found;
  for (int axis = 0; axis < 3; ++axis)
    for (auto const& below : pieces[static_cast<std::size_t>(2 * axis + 1)]) {
      core::Box const beyond = core::shifted(below.cells, step_up(axis));
      for (auto const& above : pieces[static_cast<std::size_t>(2 * axis)])
        if (core::Box const both = core::intersect(beyond, above.cells); !both.empty())
          found.push_back({axis, both, {below.place, above.place}});
    }
  return found;
}

}  // namespace tessera::io::foam
