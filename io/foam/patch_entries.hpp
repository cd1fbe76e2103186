// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/mesh.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::foam {

/// A patch as a mesh's file gives it.
struct PatchEntry {
  Patch patch;
  std::string neighbour = {};  ///< of a cyclic one
};

std::vector<std::string> const& patch_types();

/// Type, groups and neighbour of a patch `name { type ...; }`, without its faces; what mapped patches sample is kept
/// where they say a mode, and not checked. Throws core::Error at the entry: for other types, and where `before` has the name.
PatchEntry read_patch(core::Dictionary const& entry, std::string const& name, std::vector<PatchEntry> const& before);

/// Throws core::Error: an overset patch has faces.
[[noreturn]] void refuse_overset(core::Dictionary const& entry, std::string const& name);

/// Cyclic patches pair the two sides of an axis, face by face; returns the periodic axes. Whether they hold whole sides is
/// seen later. Throws core::Error at `key`.
std::array<bool, 3> periodic_axes(core::Dictionary const& dictionary, char const* key,
                                  std::vector<PatchEntry> const& patches);

/// The patches, each in the group of its type, as polyPatch has it.
std::vector<Patch> patches_of(std::vector<PatchEntry> entries);

/// Names the sides of the grid by the patches that hold them wholly. Throws core::Error at `key` where cyclic patches do not
/// hold whole sides.
void name_sides(Mesh& mesh, core::Dictionary const& dictionary, char const* key);

}  // namespace tessera::io::foam
