// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/mesh.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::foam {

/// A part of a case that has a mesh, fields and properties of its own, in folders of its name.
struct Region {
  std::string name;                  ///< "": the only one, whose files lie in no such folders
  std::shared_ptr<Mesh const> mesh;  ///< its cells and patches, in the grid of all regions
  std::vector<core::Box> cells;      ///< that it has; no two share a cell

  /// A file of a folder such as `constant`, and of the region: constant/REGION/FILE.
  std::string file(std::string const& folder, std::string const& file) const;
  /// The name of a patch among those of all regions: REGION/PATCH.
  std::string full_name(Patch const& patch) const;
};

/// Regions on one rectilinear grid.
struct Regions {
  /// All of them: patches have their full names, and lie between cells where regions touch.
  Mesh mesh;
  std::vector<Region> regions;
};

/// A mesh that is no part of another.
Region one_region(std::shared_ptr<Mesh const> mesh);

/// Puts meshes, by the names of their regions, into one grid. Its axes have the planes of all; they are the same where they
/// differ by no more than digits leave (1e-5 of a coordinate, 5 % of a cell). Throws core::Error naming the regions where
/// cells of one would be cut by planes of another, where two have the same cells, and for wedges and cyclic patches.
/// Time: by the product of the numbers of blocks of two regions.
Regions put_together(std::vector<std::pair<std::string, Mesh>> parts);

/// Cuts the mesh of a blockMeshDict into regions, as `splitMeshRegions -cellZones` does: a region has the blocks whose zone
/// has its name, those faces of patches that lie on them, and for each region that it touches a mapped patch REGION_to_OTHER.
/// Cells and faces keep the order of the whole mesh. Throws core::Error naming `where` for blocks in no region's zone,
/// regions without a block, wedges and cyclic patches.
Regions split_by_zones(Mesh const& mesh, std::vector<std::string> const& names, std::string const& where);

/// Faces at which two regions touch: of the cells in a box one cell thick along an axis, and of those below it there.
struct RegionContact {
  /// A patch by the numbers of its region and among the patches of that.
  struct Place {
    std::size_t region, patch;
    friend bool operator==(Place const&, Place const&) = default;
  };
  int axis;
  core::Box cells;              ///< above the faces
  std::array<Place, 2> places;  ///< of the cells below the faces, and above
};
std::vector<RegionContact> contacts(std::vector<Region> const& regions);

}  // namespace tessera::io::foam
