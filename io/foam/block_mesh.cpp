// SPDX-License-Identifier: Apache-2.0
#include "core/case/error_list.hpp"
#include "io/foam/block_contacts.hpp"
#include "io/foam/mesh.hpp"
#include "io/foam/patch_entries.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tessera::io::foam {
namespace {

/// A face of a block as the file names it: four vertices, or the number of the block and of its side.
using FaceName = std::vector<std::int64_t>;

/// Which faces of blocks belong to which patch.
class Surface {
 public:
  Surface(core::Dictionary const& dictionary, BlockLattice const& lattice)
      : pairs_(read_merged_pairs(dictionary)),
        lattice_(lattice),
        owner_(lattice.blocks.size()) {
    for (auto const& contact : contacts(lattice)) {
      if (pairs_.empty()) fail(dictionary, contact);
      contacts_.push_back(contact);
    }
  }

  /// Gives the face to the patch. Throws core::Error, at the entry `key` of `where`.
  void take(core::Dictionary const& where, std::string_view key, FaceName const& face, Patch& patch) {
    auto const [block, side] = find(where, key, face);
    auto const shown = fmt::format("({})", fmt::join(face, " "));
    if (!lattice_.outside(lattice_.blocks[block], side) && !touched(block, side))
      where.fail(key, fmt::format("face {} lies between two blocks, expected one on the surface", shown));
    auto& owner = owner_[block][side];
    if (!owner.empty()) where.fail(key, fmt::format("face {} belongs to patch '{}' already", shown, owner));
    bool const across = lattice_.wedge && side / 2 == lattice_.wedge->thin;
    if (across != (patch.type == "wedge"))
      where.fail(key,
                 fmt::format("face {} of the patch '{}' of type {} {}", shown, patch.name, patch.type,
                             across ? "lies in a plane of a wedge, expected type wedge"
                                    : "lies in no plane of a wedge: expected vertices on two planes through an axis of "
                                      "coordinates, alike on both sides of a plane of coordinates"));
    if (lattice_.on_axis(lattice_.blocks[block], side) && patch.type != "empty")
      where.fail(key,
                 fmt::format("face {} of the patch '{}' lies on the axis of a wedge, where it has no area: expected "
                             "type empty",
                             shown, patch.name));
    owner = patch.name;
    add(patch, block, side);
  }

  /// Gives the faces that no patch has to `patch`.
  void take_rest(Patch& patch) {
    for (std::size_t block = 0; block < owner_.size(); ++block)
      for (int own = 0; own < 6; ++own) {
        int const side = side_of_grid(lattice_.blocks[block].turn, own);
        auto& owner = owner_[block][side];
        if (!owner.empty() || !lattice_.outside(lattice_.blocks[block], side)) continue;
        owner = patch.name;
        add(patch, block, side);
      }
  }

  /// Throws core::Error where a patch that got the rest has faces on a wedge's planes or axis, and is not of their
  /// type.
  void check_wedge(core::Dictionary const& dictionary, Patch const& patch) const {
    auto const& wedge = lattice_.wedge;
    if (!wedge) return;
    for (auto const& piece : patch.pieces) {
      int const side = static_cast<int>(piece.side);
      bool const on_axis =
          side == 2 * wedge->radial &&
          lattice_.faces[static_cast<std::size_t>(wedge->radial)][static_cast<std::size_t>(piece.layer())] == 0;
      char const* const expected = side / 2 == wedge->thin ? "wedge" : on_axis ? "empty" : nullptr;
      if (expected != nullptr && patch.type != expected)
        dictionary.fail("blocks",
                        fmt::format("faces {} of a wedge belong to the patch '{}' of type {}, expected type {}",
                                    on_axis ? "on the axis" : "in a plane", patch.name, patch.type, expected));
    }
  }

  /// Throws core::Error unless the pairs of patches of `mergePatchPairs` join all blocks that touch and share no face, and
  /// each pair joins some. `patches` loses those without faces then, as in blockMesh.
  void merge(core::Dictionary const& dictionary, std::vector<PatchEntry>& patches) const {
    std::vector<bool> joins(pairs_.size());
    for (auto const& contact : contacts_) {
      auto const &mine = owner_[contact.block][contact.side], &theirs = owner_[contact.other][contact.side ^ 1];
      auto const pair = std::find_if(pairs_.begin(), pairs_.end(), [&](auto const& p) {
        return (p[0] == mine && p[1] == theirs) || (p[1] == mine && p[0] == theirs);
      });
      if (pair == pairs_.end()) fail(dictionary, contact);
      joins[static_cast<std::size_t>(pair - pairs_.begin())] = true;
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      if (!joins[p])
        dictionary.fail("mergePatchPairs", fmt::format("no face of patch '{}' lies against one of '{}', expected two "
                                                       "patches that touch",
                                                       pairs_[p][0], pairs_[p][1]));
    if (!pairs_.empty()) std::erase_if(patches, [](PatchEntry const& read) { return read.patch.pieces.empty(); });
  }

 private:
  [[noreturn]] void fail(core::Dictionary const& dictionary, Contact const& contact) const {
    throw core::Error(dictionary.name(), lattice_.blocks[contact.block].line, contact.message);
  }

  bool touched(std::size_t block, int side) const {
    return std::any_of(contacts_.begin(), contacts_.end(),
                       [&](Contact const& c) { return c.block == block && c.side == side; });
  }

  std::pair<std::size_t, int> find(core::Dictionary const& where, std::string_view key, FaceName face) const {
    std::string const shown = fmt::format("({})", fmt::join(face, " "));
    if (face.size() == 2) {
      if (face[0] < 0 || face[0] >= static_cast<std::int64_t>(owner_.size()) || face[1] < 0 || face[1] > 5)
        where.fail(key, fmt::format("face {} is none of (BLOCK SIDE) with a block of 0 to {} and a side of 0 to 5",
                                    shown, owner_.size() - 1));
      auto const block = static_cast<std::size_t>(face[0]);
      return {block, side_of_grid(lattice_.blocks[block].turn, static_cast<int>(face[1]))};
    }
    std::optional<std::pair<std::size_t, int>> inner;
    std::sort(face.begin(), face.end());
    for (std::size_t b = 0; b < owner_.size(); ++b)
      for (int own = 0; own < 6; ++own) {
        FaceName side;
        for (int const c : corners_of_side[own]) side.push_back(lattice_.blocks[b].corners[c]);
        std::sort(side.begin(), side.end());
        if (side != face) continue;
        int const s = side_of_grid(lattice_.blocks[b].turn, own);
        if (lattice_.outside(lattice_.blocks[b], s) || touched(b, s)) return {b, s};
        inner = {b, s};
      }
    if (!inner)
      where.fail(key, "face " + shown + " is not one of the six sides of a block, expected their four vertices");
    return *inner;
  }

  void add(Patch& patch, std::size_t block, int side) const {
    for (auto& piece : surface_of(lattice_, lattice_.blocks[block], side)) {
      if (std::find(patch.sides.begin(), patch.sides.end(), piece.side) == patch.sides.end())
        patch.sides.push_back(piece.side);
      patch.pieces.push_back(std::move(piece));
    }
  }

  std::vector<std::array<std::string, 2>> pairs_;
  BlockLattice const& lattice_;
  std::vector<Contact> contacts_;                  // that pairs of patches have to join
  std::vector<std::array<std::string, 6>> owner_;  // of the sides of the blocks, by core::Side
};

/// The entries of `boundary`.
std::vector<PatchEntry> read_boundary(core::Dictionary const& dictionary, Surface& surface) {
  std::vector<PatchEntry> patches;
  if (!dictionary.contains("boundary")) return patches;
  bool all_read = true;
  auto const read_item = [&](core::Dictionary::Item const& item) {
    if (item.dictionary == nullptr || item.name.empty())
      dictionary.fail_expected("boundary", "patches 'name { type ...; faces (...); }'");
    core::Dictionary const& entry = *item.dictionary;
    PatchEntry read = read_patch(entry, item.name, patches);
    for (auto const& face : entry.get<std::vector<FaceName>>("faces")) surface.take(entry, "faces", face, read.patch);
    if (read.patch.type == "overset" && !read.patch.pieces.empty()) refuse_overset(entry, item.name);
    entry.check_all_read();
    patches.push_back(std::move(read));
  };
  for (auto const& item : dictionary.items("boundary")) all_read = core::attempt([&] { read_item(item); }) && all_read;
  core::rely_on(all_read);
  return patches;
}

/// The list `patches ( TYPE NAME (faces) ... )` of old files.
std::vector<PatchEntry> read_old_patches(core::Dictionary const& dictionary, Surface& surface) {
  std::vector<PatchEntry> patches;
  if (!dictionary.contains("patches")) return patches;
  if (dictionary.contains("boundary"))
    dictionary.fail("patches", "both 'patches' and 'boundary' are there, expected one");
  auto in = dictionary.stream("patches");
  in.expect('(');
  while (!in.accept(')')) {
    if (!in.at_word()) in.fail_expected("TYPE NAME ((v0 v1 v2 v3) ...)");
    auto const type = in.read<std::string>();
    auto const& known = patch_types();
    if (type == "cyclic" || std::find(known.begin(), known.end(), type) == known.end())
      in.fail(fmt::format("has a patch of type '{}', which is not supported in 'patches', expected one of patch wall "
                          "empty symmetryPlane symmetry",
                          type));
    PatchEntry read{{in.read<std::string>(), type, {}}, {}};
    for (auto const& face : in.read<std::vector<FaceName>>()) surface.take(dictionary, "patches", face, read.patch);
    patches.push_back(std::move(read));
  }
  in.end();
  return patches;
}

/// Faces that no patch lists, as blockMesh does it: to `defaultPatch`, by default defaultFaces of type empty.
void add_default_patch(core::Dictionary& dictionary, Surface& surface, std::vector<PatchEntry>& patches) {
  std::string name = "defaultFaces", type = "empty";
  if (auto const* given = dictionary.find_sub("defaultPatch")) {
    name = given->get_or<std::string>("name", name);
    type = given->get_choice("type", patch_types(), type);
    if (type == "cyclic") given->fail("type", "the default patch cannot be cyclic");
  }
  for (auto& read : patches)
    if (read.patch.name == name) return surface.take_rest(read.patch);
  PatchEntry rest{{name, type, {}}, {}};
  surface.take_rest(rest.patch);
  if (!rest.patch.sides.empty()) patches.push_back(std::move(rest));
}

/// What blockMesh knows and boxes along the axes do not need: accepted empty or harmless, refused otherwise.
void refuse_unsupported(core::Dictionary& dictionary) {
  for (char const* key : {"edges", "faces"}) {
    if (!dictionary.contains(key)) continue;
    auto in = dictionary.stream(key);
    in.expect('(');
    if (!in.accept(')')) in.fail_expected("an empty list: " + std::string(key) + " are not supported");
    in.end();
  }
  if (auto const* geometry = dictionary.find_sub("geometry"); geometry != nullptr && !geometry->keys().empty())
    dictionary.fail("geometry", "surfaces are not supported, expected 'geometry {}'");
  for (char const* key : {"fastMerge", "mergeType", "verbose", "checkFaceCorrespondence"})
    if (dictionary.contains(key)) dictionary.mark_read(key);
}

}  // namespace

core::Box BlockLattice::cells(core::Box const& place) const {
  auto const at = [&](std::size_t axis, core::Count place) { return cuts[axis][static_cast<std::size_t>(place)]; };
  auto const& [lo, hi] = place;
  return {{at(0, lo.i), at(1, lo.j), at(2, lo.k)}, {at(0, hi.i), at(1, hi.j), at(2, hi.k)}};
}

int BlockLattice::block_at(core::Index const& place) const {
  auto const n = places;
  return taken[static_cast<std::size_t>((place.k * n[1] + place.j) * n[0] + place.i)];
}

core::Box BlockLattice::face(Block const& block, int side) const {
  core::Box box = block.place;
  core::Count& lo = side / 2 == 0 ? box.lo.i : side / 2 == 1 ? box.lo.j : box.lo.k;
  core::Count& hi = side / 2 == 0 ? box.hi.i : side / 2 == 1 ? box.hi.j : box.hi.k;
  (side % 2 == 0 ? hi : lo) = side % 2 == 0 ? lo + 1 : hi - 1;
  return box;
}

core::Box BlockLattice::beside(Block const& block, int side) const {
  core::Box box = face(block, side);
  core::Count& lo = side / 2 == 0 ? box.lo.i : side / 2 == 1 ? box.lo.j : box.lo.k;
  core::Count& hi = side / 2 == 0 ? box.hi.i : side / 2 == 1 ? box.hi.j : box.hi.k;
  lo += side % 2 == 0 ? -1 : 1;
  hi += side % 2 == 0 ? -1 : 1;
  return core::intersect(box, {{0, 0, 0}, {places[0], places[1], places[2]}});
}

bool BlockLattice::on_axis(Block const& block, int side) const {
  return wedge && side == 2 * wedge->radial &&
         faces[static_cast<std::size_t>(wedge->radial)]
              [static_cast<std::size_t>(along(cells(block.place).lo, wedge->radial))] == 0;
}

bool BlockLattice::outside(Block const& block, int side) const {
  bool outside = true;
  over_places(beside(block, side), [&](core::Index const& x) { outside = outside && block_at(x) < 0; });
  return outside;
}

Mesh read_block_mesh(core::Dictionary& dictionary, core::Grid::Shape tile) {
  refuse_unsupported(dictionary);
  char const* scale_key = dictionary.contains("scale") ? "scale" : "convertToMeters";
  auto const lattice = read_blocks(dictionary, dictionary.get_positive<double>(scale_key, 1.0));
  Surface surface(dictionary, lattice);
  auto entries = read_boundary(dictionary, surface);
  for (auto& old : read_old_patches(dictionary, surface)) entries.push_back(std::move(old));
  add_default_patch(dictionary, surface, entries);
  for (auto const& [patch, neighbour] : entries) surface.check_wedge(dictionary, patch);
  surface.merge(dictionary, entries);
  auto const periodic = periodic_axes(dictionary, "boundary", entries);
  dictionary.check_all_read();

  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) axes[a] = core::Axis(lattice.faces[a], periodic[a]);
  core::Grid::Shape const cells{axes[0].cells(), axes[1].cells(), axes[2].cells()};
  if (auto const fault = core::Grid::fault_of(cells, tile); !fault.empty()) dictionary.fail("blocks", fault);
  Mesh mesh{core::Grid(std::move(axes), tile), patches_of(std::move(entries))};
  mesh.wedge = lattice.wedge;
  mesh.blocks.clear();
  for (auto const& block : lattice.blocks) {
    mesh.blocks.emplace_back(lattice.cells(block.place), block.turn);
    if (!block.zone.empty()) mesh.zones.emplace_back(block.zone, mesh.blocks.back());
  }
  over_places({{0, 0, 0}, {lattice.places[0], lattice.places[1], lattice.places[2]}}, [&](core::Index const& x) {
    if (lattice.block_at(x) < 0) mesh.absent.push_back(lattice.cells({x, {x.i + 1, x.j + 1, x.k + 1}}));
  });
  char const* const where = dictionary.contains("boundary") ? "boundary" : "blocks";
  name_sides(mesh, dictionary, where);
  return mesh;
}

}  // namespace tessera::io::foam
