// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/regions.hpp"

#include "core/case/error_list.hpp"
#include "core/files.hpp"
#include "core/grid/loops.hpp"
#include "io/foam/patch_faces.hpp"
#include "io/foam/poly_mesh_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tessera::run::heat {

namespace foam = io::foam;

namespace {

constexpr std::size_t most_regions = 255;  // numbers of a byte

}  // namespace

std::vector<std::string> region_names(Session& session) {
  core::Dictionary const& properties = session.files.open("constant/regionProperties");
  std::vector<std::string> solids;
  auto in = properties.stream("regions");
  for (in.expect('('); !in.accept(')');) {
    auto const kind = in.read<std::string>();
    auto const names = in.read<std::vector<std::string>>();
    if (kind != "solid" && !names.empty())
      properties.fail("regions", fmt::format("the region '{}' is {}, which is not supported: all regions must be solid",
                                             names.front(), kind));
    solids.insert(solids.end(), names.begin(), names.end());
  }
  in.end();
  if (solids.empty()) properties.fail_expected("regions", "a region: ( fluid () solid (a b) )");
  if (solids.size() > most_regions)
    properties.fail("regions", fmt::format("{} regions, expected at most {}", solids.size(), most_regions));
  for (std::size_t n = 0; n < solids.size(); ++n) {
    if (!core::is_file_name(solids[n]))
      properties.fail("regions", fmt::format("the region '{}' names folders, expected a word without '/'", solids[n]));
    if (std::find(solids.begin(), solids.begin() + static_cast<std::ptrdiff_t>(n), solids[n]) !=
        solids.begin() + static_cast<std::ptrdiff_t>(n))
      properties.fail("regions", fmt::format("the region '{}' is there twice", solids[n]));
  }
  return solids;
}

std::string of_region(std::string const& region, std::string const& file) {
  return region.empty() ? file : region + "/" + file;
}

std::string of_region(std::string const& folder, std::string const& region, std::string const& file) {
  return folder + "/" + of_region(region, file);
}

std::vector<std::string> of_regions(std::vector<std::string> const& regions, std::vector<std::string> const& files) {
  std::vector<std::string> all;
  for (auto const& region : regions)
    for (auto const& file : files) all.push_back(of_region(region, file));
  return all;
}

foam::Regions read_region_meshes(Session& session, std::vector<std::string> const& names) {
  Case& files = session.files;
  auto const points = [](std::string const& name) { return of_region("constant", name, "polyMesh/points"); };
  auto* const blocks = files.find("system/blockMeshDict");
  bool const whole =
      blocks && std::none_of(names.begin(), names.end(), [&](auto const& name) { return files.exists(points(name)); });
  std::vector<std::pair<std::string, foam::Mesh>> meshes;
  for (auto const& name : whole ? std::vector<std::string>{} : names) {
    if (!files.exists(points(name)))
      throw core::Error(fmt::format("{}: no such file; the mesh of the region '{}' is made by blockMesh, topoSet and "
                                    "splitMeshRegions -cellZones -overwrite, or its blocks are those of a zone of that "
                                    "name in system/blockMeshDict",
                                    files.path(points(name)), name));
    meshes.emplace_back(name, foam::read_poly_mesh(files.path(of_region("constant", name, "polyMesh")), session.comm));
  }
  auto regions = whole ? foam::split_by_zones(foam::read_block_mesh(*blocks), names, blocks->location())
                       : foam::put_together(std::move(meshes));
  for (auto const& region : regions.regions) session.log.line("Region {}: {} cells", region.name, region.mesh->total());
  auto const n = regions.mesh.grid.cells();
  session.log.line("{} cells in a grid of {} x {} x {}", regions.mesh.total(), n[0], n[1], n[2]);
  return regions;
}

Substance read_substance(Session& session, std::string const& region) {
  Case& files = session.files;
  core::Dictionary& properties = files.open(of_region("constant", region, "thermophysicalProperties"));
  core::Dictionary const& type = properties.sub("thermoType");
  for (auto const& [key, valid] : std::vector<std::pair<char const*, std::vector<std::string>>>{
           {"type", {"heSolidThermo"}},
           {"mixture", {"pureMixture"}},
           {"transport", {"constIso"}},
           {"thermo", {"hConst"}},
           {"equationOfState", {"rhoConst"}},
           {"specie", {"specie"}},
           {"energy", {"sensibleEnthalpy", "sensibleInternalEnergy"}}})
    type.get_choice(key, valid);
  core::Dictionary const& mixture = properties.sub("mixture");
  double const kappa = mixture.sub("transport").get_positive<double>("kappa");
  double const cp = mixture.sub("thermodynamics").get_positive<double>("Cp");
  double const rho = mixture.sub("equationOfState").get_positive<double>("rho");
  for (auto const& [block, key] : {std::pair{"specie", "molWeight"}, {"specie", "nMoles"}, {"thermodynamics", "Hf"}})
    if (auto const* const of = mixture.find_sub(block)) of->mark_read(key);  // no part of dT/dt
  properties.check_all_read();
  if (auto* const radiation = files.find(of_region("constant", region, "radiationProperties"))) {
    bool const on = radiation->get_or<bool>("radiation", true);
    // between opaque solids nothing radiates
    if (on) radiation->get_choice("radiationModel", {"none", "opaqueSolid"});
    radiation->mark_read();
  }
  return {kappa, rho * cp, cp};
}

core::Dictionary& read_regions_solver(Session& session, std::vector<std::string> const& names) {
  core::Dictionary* first = nullptr;
  double tolerance = std::numeric_limits<double>::infinity(), relative = tolerance;
  for (auto const& name : names) {
    core::Dictionary& solution = session.files.open(of_region("system", name, "fvSolution"));
    core::Dictionary& solvers = solution.sub("solvers");
    core::Dictionary& entry = solvers.sub(solvers.contains("hFinal") ? "hFinal" : "h");
    tolerance = std::min(tolerance, entry.get_or<double>("tolerance", 1e-6));
    relative = std::min(relative, entry.get_or<double>("relTol", 0));
    if (first != nullptr) solution.mark_read();
    if (first != nullptr) continue;
    first = &entry;
    for (auto const& key : solvers.keys())
      if (key != "hFinal" && solvers.find_sub(key) != &entry) solvers.mark_read(key);
    // all regions are solved at once: what is for the rounds of one after the other is not needed
    for (char const* key : {"PIMPLE", "SIMPLE", "relaxationFactors"}) solution.mark_read(key);
  }
  first->set("tolerance", fmt::format("{:.17g}", tolerance), first->location("tolerance"));
  first->set("relTol", fmt::format("{:.17g}", relative), first->location("relTol"));
  return *first;
}

// ---- where regions touch

void Joints::note(foam::RegionContact::Place const& patch, core::Dictionary const& entry,
                  SideCondition const& condition) {
  if (condition.layers && coupled(patch) == nullptr) coupled_.push_back({patch, &entry, *condition.layers});
}

Joints::Coupled const* Joints::coupled(foam::RegionContact::Place const& patch) const {
  auto const place = std::find_if(coupled_.begin(), coupled_.end(), [&](auto const& c) { return c.patch == patch; });
  return place == coupled_.end() ? nullptr : &*place;
}

std::vector<Joint> Joints::find(std::vector<foam::Region> const& regions,
                                std::vector<Substance> const& substances) const {
  if (regions.size() == 1 && coupled_.empty()) return {};
  auto const contacts = foam::contacts(regions);
  auto const patch_of = [&](foam::RegionContact::Place const& p) -> foam::Patch const& {
    return regions[p.region].mesh->patches[p.patch];
  };
  for (auto const& mine : coupled_) {
    auto const& patch = patch_of(mine.patch);
    std::string const& own = regions[mine.patch.region].name;
    if (own.empty())
      mine.entry->fail("type", fmt::format("the patch '{}' is coupled to another region, which this case has not: "
                                           "expected application chtMultiRegionFoam",
                                           patch.name));
    auto const& sample = patch.sample;
    if (!sample)
      mine.entry->fail("type", fmt::format("the patch '{}' of the region '{}' is coupled, expected a patch of type "
                                           "mappedWall or mappedPatch with a sampleMode",
                                           patch.name, own));
    if (sample->mode != "nearestPatchFace" && sample->mode != "nearestPatchFaceAMI")
      mine.entry->fail("type", fmt::format("the coupled patch '{}' of the region '{}' has sampleMode '{}', expected "
                                           "nearestPatchFace",
                                           patch.name, own, sample->mode));
    if (!sample->beside)
      mine.entry->fail("type", fmt::format("the coupled patch '{}' of the region '{}' has an offset, expected (0 0 0): "
                                           "a patch that lies against the one it samples",
                                           patch.name, own));
    core::Count met = 0;
    for (auto const& contact : contacts)
      for (std::size_t n = 0; n < 2; ++n) {
        auto const& other = contact.places[1 - n];
        if (!(contact.places[n] == mine.patch) || regions[other.region].name != sample->region ||
            patch_of(other).name != sample->patch)
          continue;
        met += contact.cells.cells();
        auto const* const theirs = coupled(other);
        if (theirs == nullptr)
          mine.entry->fail("type", fmt::format("the patch '{}' of the region '{}' is coupled to '{}' of '{}', which is "
                                               "not: expected the same on both sides",
                                               patch.name, own, sample->patch, sample->region));
        if (std::abs(theirs->resistance - mine.resistance) > 1e-9 * mine.resistance)
          mine.entry->fail(
              "type", fmt::format("layers of {:g} m2 K/W on the patch '{}' of the region '{}', and of {:g} on "
                                  "'{}' of '{}': expected the same on both sides",
                                  mine.resistance, patch.name, own, theirs->resistance, sample->patch, sample->region));
      }
    if (met != patch.faces())
      mine.entry->fail("type",
                       fmt::format("of the {} faces of the coupled patch '{}' of the region '{}' {} lie against "
                                   "the patch '{}' of '{}' that it samples, expected all",
                                   patch.faces(), patch.name, own, met, sample->patch, sample->region));
  }
  std::vector<Joint> joints;
  for (auto const& contact : contacts) {
    auto const* const below = coupled(contact.places[0]);
    joints.push_back(
        {contact,
         {substances[contact.places[0].region].conductivity, substances[contact.places[1].region].conductivity},
         below ? below->resistance : std::numeric_limits<double>::infinity()});
  }
  return joints;
}

bool Joint::closed() const { return std::isinf(resistance); }

std::array<double, 2> Joint::halves(core::Grid const& grid) const {
  core::Count const n = along(cells.lo, axis);
  return {0.5 * grid.axis(axis).width(n - 1) / conductivity[0], 0.5 * grid.axis(axis).width(n) / conductivity[1]};
}

std::vector<solvers::CutFace> joint_faces(std::vector<Joint> const& joints, core::Layout const& layout) {
  std::vector<solvers::CutFace> faces;
  for (auto const& joint : joints) {
    if (joint.resistance == 0) continue;  // two half cells in series, as between any two
    auto const& axis = layout.grid().axis(joint.axis);
    core::Count const n = along(joint.cells.lo, joint.axis);
    auto const [below, above] = joint.halves(layout.grid());
    double const lambda = 0.5 * (axis.width(n - 1) + axis.width(n)) / (below + joint.resistance + above);
    core::for_own_cells(layout, joint.cells, [&](int s, int k, int j, int i) {
      faces.push_back({joint.axis, s, k, j, i, lambda});
    });
  }
  return faces;
}

std::vector<std::vector<std::vector<double>>> joint_temperatures(std::vector<Joint> const& joints,
                                                                 std::vector<foam::Region> const& regions,
                                                                 core::Field<double> const& t) {
  core::Layout const& layout = t.layout();
  std::vector<foam::PatchFaces> faces;
  std::vector<std::vector<double>> behind;  // in the cells behind all faces of patches
  for (auto const& region : regions) {
    faces.emplace_back(*region.mesh);
    behind.emplace_back(faces.back().size());
    faces.back().for_own(layout, [&, view = t.host()](std::size_t n, core::Side, int s, int k, int j, int i) {
      behind.back()[n] = view(s, k, j, i);
    });
    faces.back().gather(layout, behind.back());
  }
  auto at = behind;
  for (auto const& joint : joints) {
    if (joint.closed()) continue;
    auto const [half_below, half_above] = joint.halves(layout.grid());
    double const all = half_below + joint.resistance + half_above;
    std::size_t const low = joint.places[0].region, high = joint.places[1].region;
    auto const& [lo, hi] = joint.cells;
    for (core::Count k = lo.k; k < hi.k; ++k)
      for (core::Count j = lo.j; j < hi.j; ++j)
        for (core::Count i = lo.i; i < hi.i; ++i) {
          core::Index const above{i, j, k};
          core::Index below = above;
          --along(below, joint.axis);
          std::size_t const a = faces[low].number(static_cast<core::Side>(2 * joint.axis + 1), below),
                            b = faces[high].number(static_cast<core::Side>(2 * joint.axis), above);
          double const flow = (behind[high][b] - behind[low][a]) / all;  // downwards
          at[low][a] += flow * half_below;
          at[high][b] -= flow * half_above;
        }
  }
  std::vector<std::vector<std::vector<double>>> values(regions.size());
  for (std::size_t r = 0; r < regions.size(); ++r) {
    values[r] = faces[r].by_patch(at[r]);
    for (std::size_t p = 0; p < values[r].size(); ++p) {
      foam::RegionContact::Place const place{r, p};
      bool const leads = std::any_of(joints.begin(), joints.end(), [&](Joint const& joint) {
        return !joint.closed() && (joint.places[0] == place || joint.places[1] == place);
      });
      if (!leads) values[r][p].clear();
    }
  }
  return values;
}

}  // namespace tessera::run::heat
