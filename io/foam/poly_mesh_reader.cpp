// SPDX-License-Identifier: Apache-2.0
#include "io/foam/poly_mesh_reader.hpp"

#include "core/error.hpp"
#include "io/files/together.hpp"
#include "io/foam/boxes_in_order.hpp"
#include "io/foam/patch_entries.hpp"
#include "io/foam/poly_mesh_cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace tessera::io::foam {
namespace {

using Label = PolyMeshFiles::Label;

/// More blocks than these are an order of cells: each takes messages of its own when fields are read and written.
std::size_t most_blocks(core::Count cells) {
  return static_cast<std::size_t>(std::min<core::Count>(1000, 16 + cells / 16));
}

/// A patch of the file `boundary`: its faces follow each other.
struct PatchOfFaces {
  PatchEntry entry;
  core::Count first = 0, count = 0;
};

std::vector<PatchOfFaces> read_boundary(core::Dictionary const& dictionary) {
  std::vector<PatchOfFaces> patches;
  std::vector<PatchEntry> before;
  for (auto const& item : dictionary.items("boundary")) {
    if (item.dictionary == nullptr || item.name.empty())
      dictionary.fail_expected("boundary", "patches 'name { type ...; nFaces ...; startFace ...; }'");
    core::Dictionary const& entry = *item.dictionary;
    constexpr core::Count most = std::numeric_limits<Label>::max();
    PatchOfFaces read{read_patch(entry, item.name, before), entry.get_in<core::Count>("startFace", {0, most}),
                      entry.get_in<core::Count>("nFaces", {0, most})};
    if (read.entry.patch.type == "overset" && read.count > 0) refuse_overset(entry, item.name);
    for (char const* key : {"physicalType", "separationVector"})
      if (entry.contains(key)) entry.mark_read(key);
    entry.check_all_read();
    before.push_back({{read.entry.patch.name, read.entry.patch.type, {}}, {}});
    patches.push_back(std::move(read));
  }
  return patches;
}

/// What the root knows of a mesh, as all ranks need it.
struct PolyMeshParts {
  std::array<std::vector<double>, 3> planes;
  struct Block {
    core::Box box;
    Turn turn;
  };
  std::vector<Block> blocks;  ///< none: `places` have the order
  std::vector<core::Count> places;
  core::Count cells = 0;
  std::vector<core::Box> absent;
  std::vector<std::string> zone_names;
  std::vector<core::Box> zone_boxes;
  std::vector<Label> zone_of_box;
  core::Wedge wedge{};
  bool is_wedge = false, has_axis = false;  ///< cells end at the wedge's axis
  Patch axis;                               ///< and their faces there
};

class PolyMeshReading {
 public:
  PolyMeshReading(std::string const& folder, core::Dictionary const& boundary, std::vector<PatchOfFaces>& patches)
      : folder_(folder),
        boundary_(boundary),
        patches_(patches),
        mesh_(read_poly_mesh_files(folder)) {}

  /// Pieces go to the patches, the rest is returned.
  PolyMeshParts read() {
    bool const wedge = std::any_of(patches_.begin(), patches_.end(),
                                   [](PatchOfFaces const& p) { return p.entry.patch.type == "wedge" && p.count > 0; });
    std::optional<core::Wedge> flat;
    if (wedge) flat = flatten(mesh_);
    cells_ = find_cells(mesh_, flat);
    PolyMeshParts parts;
    if (flat) parts.wedge = *flat;
    parts.is_wedge = wedge;
    check_ranges();
    for (auto& patch : patches_) take_faces(patch, flat);
    parts.planes = cells_.planes;
    parts.cells = mesh_.cells;
    if (auto const blocks = blocks_in_order(cells_.places, cells_.cells(), most_blocks(mesh_.cells)))
      for (auto const& block : *blocks) parts.blocks.push_back({block, block.turn});
    parts.absent = absent();
    take_zones(parts);
    if (flat) take_axis(*flat, parts);
    if (parts.blocks.empty()) parts.places = std::move(cells_.places);
    return parts;
  }

 private:
  /// Patches hold all faces behind those between cells, one after the other.
  void check_ranges() const {
    auto next = static_cast<core::Count>(mesh_.neighbour.size());
    for (auto const& patch : patches_) {
      if (patch.first != next && patch.count > 0)
        boundary_.fail("boundary",
                       fmt::format("the patch '{}' begins at face {}, expected {}, where those before it end",
                                   patch.entry.patch.name, patch.first, next));
      next += patch.count;
    }
    if (next != static_cast<core::Count>(mesh_.faces.size()))
      boundary_.fail("boundary",
                     fmt::format("patches end at face {}, expected all {} faces", next, mesh_.faces.size()));
  }

  std::string shown(core::Count face) const {
    return fmt::format("face {} of cell {}", face, mesh_.owner[static_cast<std::size_t>(face)]);
  }

  void take_faces(PatchOfFaces& read, std::optional<core::Wedge> const& wedge) const {
    Patch& patch = read.entry.patch;
    auto const n = cells_.cells();
    core::Box const all{{0, 0, 0}, {n[0], n[1], n[2]}};
    std::vector<BoundaryFace> faces;
    for (core::Count f = read.first; f < read.first + read.count; ++f) {
      auto const side = static_cast<core::Side>(cells_.sides[static_cast<std::size_t>(f)]);
      core::Count const place = cells_.places[static_cast<std::size_t>(mesh_.owner[static_cast<std::size_t>(f)])];
      int const axis = static_cast<int>(side) / 2;
      core::Index beyond = cell_at(n, place);
      along(beyond, axis) += static_cast<int>(side) % 2 == 0 ? -1 : 1;
      if (all.contains(beyond))
        if (Label const other = cells_.taken[static_cast<std::size_t>(place_of(n, beyond))];
            other != PolyMeshFiles::none)
          boundary_.fail("boundary", fmt::format("{} in the patch '{}' lies against cell {}, expected patches on the "
                                                 "surface of the mesh: none between two cells",
                                                 shown(f), patch.name, other));
      bool const across = wedge && axis == wedge->thin;
      if (across != (patch.type == "wedge"))
        boundary_.fail("boundary",
                       fmt::format("{} in the patch '{}' of type {} lies {}, expected {}", shown(f), patch.name,
                                   patch.type, across ? "in a plane of a wedge" : "in no plane of a wedge",
                                   across ? "type wedge" : "another type"));
      faces.push_back({place, side});
    }
    set_faces(patch, faces, n);
  }

  std::vector<core::Box> boxes_of(std::vector<core::Count> const& places) const {
    std::vector<core::Box> boxes;
    auto const blocks = blocks_in_order(places, cells_.cells(), places.size() + 1);
    for (auto const& block : *blocks) boxes.push_back(block);
    return boxes;
  }

  std::vector<core::Box> absent() const {
    std::vector<core::Count> places;
    for (std::size_t p = 0; p < cells_.taken.size(); ++p)
      if (cells_.taken[p] == PolyMeshFiles::none) places.push_back(static_cast<core::Count>(p));
    return boxes_of(places);
  }

  void take_zones(PolyMeshParts& parts) const {
    for (auto const& zone : mesh_.zones) {
      std::vector<core::Count> places;
      for (Label const cell : zone.cells) places.push_back(cells_.places[static_cast<std::size_t>(cell)]);
      std::sort(places.begin(), places.end());
      places.erase(std::unique(places.begin(), places.end()), places.end());
      auto boxes = boxes_of(places);
      if (boxes.empty()) boxes.emplace_back();  // a zone without cells is one, too
      for (auto const& box : boxes) {
        parts.zone_boxes.push_back(box);
        parts.zone_of_box.push_back(static_cast<Label>(parts.zone_names.size()));
      }
      parts.zone_names.push_back(zone.name);
    }
  }

  /// Faces without an area, which files do not have: the grid has them.
  void take_axis(core::Wedge const& wedge, PolyMeshParts& parts) const {
    auto const n = cells_.cells();
    parts.has_axis = cells_.planes[static_cast<std::size_t>(wedge.radial)][0] == 0;
    std::vector<BoundaryFace> faces;
    for (std::size_t p = 0; parts.has_axis && p < cells_.taken.size(); ++p)
      if (auto const place = static_cast<core::Count>(p);
          cells_.taken[p] != PolyMeshFiles::none && along(cell_at(n, place), wedge.radial) == 0)
        faces.push_back({place, static_cast<core::Side>(2 * wedge.radial)});
    set_faces(parts.axis, faces, n);
  }

  std::string folder_;
  core::Dictionary const& boundary_;
  std::vector<PatchOfFaces>& patches_;
  PolyMeshFiles mesh_;
  PolyMeshCells cells_;
};

void broadcast(core::Comm const& comm, Patch& patch) {
  comm.broadcast(patch.sides);
  comm.broadcast(patch.pieces);
  comm.broadcast(patch.order);
}

void broadcast(core::Comm const& comm, PolyMeshParts& parts) {
  for (auto& planes : parts.planes) comm.broadcast(planes);
  comm.broadcast(parts.blocks);
  comm.broadcast(parts.cells);
  comm.broadcast(parts.absent);
  comm.broadcast(parts.zone_names);
  comm.broadcast(parts.zone_boxes);
  comm.broadcast(parts.zone_of_box);
  comm.broadcast(parts.wedge);
  comm.broadcast(parts.is_wedge);
  comm.broadcast(parts.has_axis);
  broadcast(comm, parts.axis);
}

std::string text_of_boundary(std::string const& folder, core::Comm const& comm) {
  std::string text;
  on_root(comm, [&] { text = read_poly_mesh_boundary(folder); });
  comm.broadcast(text);
  return text;
}

}  // namespace

Mesh read_poly_mesh(std::string const& folder, core::Comm const& comm) {
  auto const dictionary = core::Dictionary::parse(text_of_boundary(folder, comm), folder + "/boundary");
  auto patches = read_boundary(dictionary);
  PolyMeshParts parts;
  on_root(comm, [&] { parts = PolyMeshReading(folder, dictionary, patches).read(); });
  broadcast(comm, parts);
  std::vector<PatchEntry> entries;
  for (auto& patch : patches) {
    broadcast(comm, patch.entry.patch);
    entries.push_back(std::move(patch.entry));
  }
  if (parts.has_axis) {  // to a patch without faces, if there is one
    auto place = std::find_if(entries.begin(), entries.end(),
                              [](PatchEntry const& e) { return e.patch.type == "empty" && e.patch.pieces.empty(); });
    if (place == entries.end()) place = entries.insert(place, {{"defaultFaces", "empty", {}}, {}});
    place->patch.sides = parts.axis.sides;
    place->patch.pieces = parts.axis.pieces;
    place->patch.order = parts.axis.order;
  }
  auto const periodic = periodic_axes(dictionary, "boundary", entries);
  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) axes[a] = core::Axis(std::move(parts.planes[a]), periodic[a]);
  core::Grid::Shape const cells{axes[0].cells(), axes[1].cells(), axes[2].cells()};
  if (auto const fault = core::Grid::fault_of(cells, {0, 0, 0}); !fault.empty())
    throw core::Error(folder + "/points", 0, fault);
  Mesh mesh{core::Grid(std::move(axes)), patches_of(std::move(entries))};
  mesh.of_poly_mesh = true;
  mesh.blocks.clear();
  for (auto const& [box, turn] : parts.blocks) mesh.blocks.emplace_back(box, turn);
  if (parts.blocks.empty()) {
    mesh.blocks.emplace_back(mesh.grid.box());
    mesh.blocks.back().order =
        std::make_shared<CellOrder const>(CellOrder{.cells = parts.cells, .places = std::move(parts.places)});
  }
  for (std::size_t b = 0; b < parts.zone_boxes.size(); ++b)
    mesh.zones.emplace_back(parts.zone_names[static_cast<std::size_t>(parts.zone_of_box[b])], parts.zone_boxes[b]);
  mesh.absent = std::move(parts.absent);
  if (parts.is_wedge) mesh.wedge = parts.wedge;
  name_sides(mesh, dictionary, "boundary");
  return mesh;
}

bool asks_for_poly_mesh(core::Dictionary const& control) { return control.get_or<bool>("readMesh", false); }

std::string difference_of_poly_mesh(std::string const& folder, Mesh const& mesh) {
  try {
    if (auto const cells = cells_told(folder); cells >= 0 && cells != mesh.total())
      return fmt::format("has {} cells, not {}", cells, mesh.total());
    auto const dictionary = core::Dictionary::parse(read_poly_mesh_boundary(folder), folder + "/boundary");
    auto const patches = dictionary.items("boundary");
    // faces at the axis of a wedge are in no file
    for (auto const& patch : mesh.patches) {
      auto const same =
          std::find_if(patches.begin(), patches.end(), [&](auto const& p) { return p.name == patch.name; });
      if (same == patches.end() || same->dictionary == nullptr) return fmt::format("has no patch '{}'", patch.name);
      auto const count = same->dictionary->get<core::Count>("nFaces");
      if (count != patch.faces() && !(mesh.wedge && patch.type == "empty"))
        return fmt::format("has {} faces in the patch '{}', not {}", count, patch.name, patch.faces());
    }
    return {};
  } catch (core::Error const&) {
    return {};
  }
}

}  // namespace tessera::io::foam
