// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cases of several solid regions, as chtMultiRegionFoam has them: what their files say of regions. Each function throws
// core::Error with file and line, and is collective.
#include "io/foam/regions.hpp"
#include "run/model.hpp"
#include "run/models/heat/side_conditions.hpp"
#include "solvers/heat.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::run::heat {

/// The solid regions of constant/regionProperties, in its order. Fluids are refused.
std::vector<std::string> region_names(Session& session);

/// REGION/FILE, or FILE where the region has no name; FOLDER/REGION/FILE.
std::string of_region(std::string const& region, std::string const& file);
std::string of_region(std::string const& folder, std::string const& region, std::string const& file);
/// Those files of each region.
std::vector<std::string> of_regions(std::vector<std::string> const& regions, std::vector<std::string> const& files);

/// The meshes constant/REGION/polyMesh in one grid; where none of them is there, the blockMeshDict's mesh, cut by the zones of
/// its blocks.
io::foam::Regions read_region_meshes(Session& session, std::vector<std::string> const& names);

/// What a region is made of.
struct Substance {
  double conductivity;  ///< [W/(m K)]
  double capacity;      ///< rho Cp [J/(m3 K)]
  double specific;      ///< Cp [J/(kg K)]: h of v1912's hConst is Cp T, whatever Hf and the pressure
};
/// constant/REGION/thermophysicalProperties: heSolidThermo of constant properties. Refuses radiation that is on.
Substance read_substance(Session& session, std::string const& region);

/// The solver of all regions: hFinal, or h, of the first one's fvSolution, with the smallest tolerance and relTol of all.
core::Dictionary& read_regions_solver(Session& session, std::vector<std::string> const& names);

/// Faces between two regions, and what lies there.
struct Joint : io::foam::RegionContact {
  std::array<double, 2> conductivity;  ///< below and above [W/(m K)]
  double resistance;                   ///< of the layers between [m2 K/W]; infinite: no heat passes
  bool closed() const;
  /// Of half a cell below the faces, and above [m2 K/W].
  std::array<double, 2> halves(core::Grid const& grid) const;
};

/// What the patches of regions say of the faces at which they touch.
class Joints {
 public:
  /// A patch, of which `condition` holds on some of its faces.
  void note(io::foam::RegionContact::Place const& patch, core::Dictionary const& entry, SideCondition const& condition);
  /// The joints. Throws core::Error for a patch that is coupled and does not touch, all of it, a coupled patch of the region
  /// that its mesh samples, or where the two sides disagree on the layers.
  std::vector<Joint> find(std::vector<io::foam::Region> const& regions, std::vector<Substance> const& substances) const;

  struct Coupled {
    io::foam::RegionContact::Place patch;
    core::Dictionary const* entry;
    double resistance;
  };
  /// nullptr where a patch is not.
  Coupled const* coupled(io::foam::RegionContact::Place const& patch) const;

 private:
  std::vector<Coupled> coupled_;
};

/// The temperature at the faces of patches where joints lead heat, by region, patch, and the place of a face among a
/// file's values; empty for other patches. Collective.
std::vector<std::vector<std::vector<double>>> joint_temperatures(std::vector<Joint> const& joints,
                                                                 std::vector<io::foam::Region> const& regions,
                                                                 core::Field<double> const& t);

/// The faces of joints whose conductivity does not follow from the two cells' own.
std::vector<solvers::CutFace> joint_faces(std::vector<Joint> const& joints, core::Layout const& layout);

}  // namespace tessera::run::heat
