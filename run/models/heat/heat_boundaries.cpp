// SPDX-License-Identifier: Apache-2.0
#include "core/case/digest.hpp"
#include "core/case/error_list.hpp"
#include "io/foam/patch_faces.hpp"
#include "run/models/heat/heat_case.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run::heat {

namespace foam = io::foam;

namespace {

/// The entry of a coupled patch without the temperature at its faces.
std::string coupled_text(foam::FieldFile& file, foam::Patch const& patch) {
  auto const& entry = *foam::patch_entry(file, patch);
  std::string text = "    " + patch.name + "\n    {\n";
  for (auto const& key : entry.keys())
    if (key != "value" && key != "refValue" && key != "refGradient" && key != "valueFraction")
      text += fmt::format("        {:<15} {};\n", key, fmt::join(entry.words(key), " "));
  return text + "    }\n";
}

}  // namespace

Boundaries read_boundaries(Reading const& in, MeshPart const& mesh, std::vector<Substance> const& substances,
                           std::vector<foam::FieldFile>& temperatures) {
  foam::Mesh const& m = *mesh.mesh;
  Boundaries result;
  result.sides.fill(SideCondition::constant({}));
  Joints joints;
  bool all = true;
  for (auto const& region : mesh.regions) {
    result.values_in_time.emplace_back(region.mesh->patches.size());
    result.follow_cells.emplace_back(region.mesh->patches.size());
  }
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    auto const& region = mesh.regions[r];
    auto& temperature = temperatures[r];
    for (std::size_t p = 0; p < region.mesh->patches.size(); ++p) {
      auto const& patch = region.mesh->patches[p];
      for (auto const& plane : patch.planes())
        all &= core::attempt([&] {
          auto condition =
              read_side_condition(temperature, *region.mesh, patch, plane, in.names.capacity != nullptr, in.reader());
          if (condition.value) result.values_in_time[r][p] = condition.value;
          if (condition.follows) result.follow_cells[r][p] = true;
          if (condition.layers) return joints.note({r, p}, *foam::patch_entry(temperature, patch), condition);
          // several cyclic patches may make up a side
          if (m.whole(patch, plane) || patch.type == "cyclic")
            result.sides[static_cast<std::size_t>(plane.side)] = std::move(condition);
          else if (!patch.unsolved())
            result.parts.push_back(
                {{plane.side, patch.cells(plane), {}, region.full_name(patch)}, std::move(condition)});
        });
    }
    temperature.dictionary.check_all_read();  // before all of it is read to be written again
    in.session.log.lines(temperature.dictionary.unused_variables());
  }
  core::rely_on(all);
  result.joints = joints.find(mesh.regions, substances);
  std::string exactly;
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    foam::Mesh const& own = *mesh.regions[r].mesh;
    auto const changes = [&](foam::Patch const& patch) {
      auto const p = static_cast<std::size_t>(own.find(patch.name) - own.patches.data());
      return result.values_in_time[r][p].has_value() || result.follow_cells[r][p];
    };
    exactly += foam::boundary_text(temperatures[r], own, {false, 17}, changes);
    auto& texts = result.texts.emplace_back();
    for (std::size_t p = 0; p < own.patches.size(); ++p)
      texts.push_back(joints.coupled({r, p})
                          ? coupled_text(temperatures[r], own.patches[p])
                          : foam::boundary_text(temperatures[r], {own.grid, {own.patches[p]}}, in.format(), changes));
  }
  result.kind = core::Digest::of(exactly);
  return result;
}

std::vector<std::string> Boundaries::written(MeshPart const& mesh, core::Field<double> const& temperature, double time,
                                             AtFace const& at_face, foam::FieldFormat const& format) const {
  bool const leads = std::any_of(joints.begin(), joints.end(), [](Joint const& joint) { return !joint.closed(); });
  auto values = leads ? joint_temperatures(joints, mesh.regions, temperature)
                      : std::vector<std::vector<std::vector<double>>>(texts.size());
  std::vector<std::string> result;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    auto& all = result.emplace_back();
    values[r].resize(texts[r].size());
    if (std::find(follow_cells[r].begin(), follow_cells[r].end(), true) != follow_cells[r].end()) {
      foam::PatchFaces const faces(*mesh.regions[r].mesh);
      std::vector<double> of_faces(faces.size());
      faces.for_own(mesh.layout(), [&](std::size_t n, core::Side side, int s, int k, int j, int i) {
        of_faces[n] = at_face(side, s, k, j, i);
      });
      faces.gather(mesh.layout(), of_faces);
      auto of_patches = faces.by_patch(of_faces);
      for (std::size_t p = 0; p < texts[r].size(); ++p)
        if (follow_cells[r][p]) values[r][p] = std::move(of_patches[p]);
    }
    for (std::size_t p = 0; p < texts[r].size(); ++p) {
      all += texts[r][p];
      if (auto const& value = values_in_time[r][p]) values[r][p] = {(*value)(time)};
      if (!values[r][p].empty())
        all.insert(all.rfind("    }\n"),
                   fmt::format("        value          {};\n", foam::values_text(values[r][p], format)));
    }
  }
  return result;
}

bool Boundaries::vary() const {
  return std::any_of(sides.begin(), sides.end(), [](auto const& side) { return side.varies; }) ||
         std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.condition.varies; });
}

double Boundaries::step_end(double time, double until) const {
  auto const meet = [&](SideCondition const& condition) {
    for (auto const& function : condition.functions) until = function.step_end(time, until);
  };
  for (auto const& side : sides) meet(side);
  for (auto const& part : parts) meet(part.condition);
  return until;
}

std::vector<std::string> Boundaries::open_patches(foam::Mesh const& mesh, double time) const {
  std::vector<std::string> patches(6);
  for (std::size_t s = 0; s < 6; ++s)
    if (sides[s].at(time).open()) patches[s] = mesh.patch(static_cast<core::Side>(s)).name;
  for (auto const& [part, condition] : parts) patches.push_back(condition.at(time).open() ? part.name : "");
  return patches;
}

void Boundaries::take_conductivity(Materials& materials, foam::Mesh const& mesh, double time) {
  auto const take = [&](foam::Patch const& patch, foam::Patch::Plane const& plane, SideCondition& condition) {
    auto const lambda = materials.at_faces(patch, plane, condition.at(time).open());
    if (lambda)
      condition.at = [lambda, at = std::move(condition.at)](double t) {
        auto boundary = at(t);
        boundary.lambda = lambda;
        return boundary;
      };
  };
  for (std::size_t s = 0; s < 6; ++s) {
    auto const side = static_cast<core::Side>(s);
    auto const& patch = mesh.patch(side);
    for (auto const& plane : patch.planes())
      if (plane.side == side && mesh.whole(patch, plane)) take(patch, plane, sides[s]);
  }
  for (auto& [part, condition] : parts)
    take(*mesh.find(part.name), {part.side, foam::Patch::Piece{part.side, part.cells.front()}.layer()}, condition);
}

}  // namespace tessera::run::heat
