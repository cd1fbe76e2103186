// SPDX-License-Identifier: Apache-2.0
#include "io/foam/patch_entries.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera::io::foam {

std::vector<std::string> const& patch_types() {
  static std::vector<std::string> const types{"patch",    "wall",        "empty",      "cyclic",  "symmetryPlane",
                                              "symmetry", "mappedPatch", "mappedWall", "overset", "wedge"};
  return types;
}

namespace {

/// What a mapped patch samples. Conditions that couple regions want it, others pass it over.
std::optional<Patch::Sample> read_sample(core::Dictionary const& entry) {
  std::optional<Patch::Sample> sample;
  if (entry.contains("sampleMode")) {
    sample = {entry.get<std::string>("sampleMode"), entry.get_or<std::string>("sampleRegion", ""),
              entry.get_or<std::string>("samplePatch", "")};
    if (entry.contains("offset"))
      for (double const x : entry.get<std::array<double, 3>>("offset")) sample->beside &= x == 0;
    sample->beside &= !entry.contains("offsets") && entry.get_or<double>("distance", 0) == 0;
  }
  entry.mark_read();
  return sample;
}

}  // namespace

PatchEntry read_patch(core::Dictionary const& entry, std::string const& name, std::vector<PatchEntry> const& before) {
  PatchEntry read{{name, entry.get_choice("type", patch_types()), {}}, {}};
  auto& [patch, neighbour] = read;
  for (auto const& other : before)
    if (other.patch.name == name) entry.fail("type", "patch '" + name + "' is there twice");
  if (patch.type.starts_with("mapped")) {
    patch.type = patch.type == "mappedWall" ? "wall" : "patch";
    patch.sample = read_sample(entry);
  }
  if (patch.type == "cyclic") neighbour = entry.get<std::string>("neighbourPatch");
  if (entry.contains("inGroups")) {  // one word or a list
    auto in = entry.stream("inGroups");
    patch.groups = in.at_word() ? std::vector{in.read<std::string>()} : in.read<std::vector<std::string>>();
    in.end();
  }
  if (entry.contains("transform")) entry.get_choice("transform", {"noOrdering", "unknown", "translational", "none"});
  if (entry.contains("matchTolerance")) entry.mark_read("matchTolerance");
  return read;
}

void refuse_overset(core::Dictionary const& entry, std::string const& name) {
  entry.fail("type", "the patch '" + name +
                         "' of type overset has faces, which would be interpolated from another mesh: expected none");
}

std::array<bool, 3> periodic_axes(core::Dictionary const& dictionary, char const* key,
                                  std::vector<PatchEntry> const& patches) {
  std::array<bool, 3> periodic{};
  for (auto const& [patch, neighbour] : patches) {
    if (patch.type != "cyclic") continue;
    auto const other = std::find_if(patches.begin(), patches.end(),
                                    [&name = neighbour](PatchEntry const& q) { return q.patch.name == name; });
    if (other == patches.end() || other->patch.type != "cyclic" || other->neighbour != patch.name)
      dictionary.fail(
          key,
          fmt::format("neighbourPatch '{}' of the cyclic patch '{}' is no cyclic patch whose neighbourPatch is '{}'",
                      neighbour, patch.name, patch.name));
    auto const &mine = patch.pieces, &theirs = other->patch.pieces;
    auto const across = [](Patch::Piece const& piece) {  // as if the cells were those of layer 0
      core::Box box = piece.cells;
      int const axis = static_cast<int>(piece.side) / 2;
      (axis == 0 ? box.lo.i : axis == 1 ? box.lo.j : box.lo.k) = 0;
      (axis == 0 ? box.hi.i : axis == 1 ? box.hi.j : box.hi.k) = 1;
      return box;
    };
    bool opposite = !mine.empty() && mine.size() == theirs.size() && patch.order == other->patch.order;
    for (std::size_t n = 0; opposite && n < mine.size(); ++n)
      opposite = (static_cast<int>(mine[n].side) ^ 1) == static_cast<int>(theirs[n].side) &&
                 mine[n].side == mine[0].side && across(mine[n]) == across(theirs[n]) && mine[n].turn == theirs[n].turn;
    if (!opposite)
      dictionary.fail(key,
                      fmt::format("the cyclic patches '{}' and '{}' do not lie opposite each other on two sides of the "
                                  "mesh, face by face in one order",
                                  patch.name, other->patch.name));
    periodic[static_cast<std::size_t>(mine[0].side) / 2] = true;
  }
  return periodic;
}

std::vector<Patch> patches_of(std::vector<PatchEntry> entries) {
  std::vector<Patch> patches;
  for (auto& [patch, neighbour] : entries) {
    if (patch.type != "patch" && !patch.in_group(patch.type)) patch.groups.push_back(patch.type);
    patches.push_back(std::move(patch));
  }
  return patches;
}

void name_sides(Mesh& mesh, core::Dictionary const& dictionary, char const* key) {
  std::array<core::Count, 6> cyclic{};
  for (auto const& patch : mesh.patches)
    for (auto const& plane : patch.planes()) {
      auto const side = static_cast<std::size_t>(plane.side);
      if (patch.type == "cyclic") {
        if (!mesh.outer(plane))
          dictionary.fail(key, fmt::format("the cyclic patch '{}' lies inside the box round the mesh, expected a side "
                                           "of it",
                                           patch.name));
        cyclic[side] += patch.faces(plane);
      }
      if (mesh.whole(patch, plane)) mesh.grid.name_patch(plane.side, patch.name);
    }
  for (std::size_t side = 0; side < 6; ++side) {
    auto const at = static_cast<core::Side>(side);
    core::Count wanted = faces(mesh.grid, at);
    for (auto const& box : mesh.absent) wanted -= core::intersect(box, cells_along(mesh.grid, at)).cells();
    if (mesh.grid.periodic(static_cast<int>(side) / 2) && cyclic[side] != wanted)
      dictionary.fail(key, fmt::format("cyclic patches hold a part of the side {}, expected the whole side",
                                       core::side_names[side]));
  }
}

}  // namespace tessera::io::foam
