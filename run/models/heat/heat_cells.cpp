// SPDX-License-Identifier: Apache-2.0
// Values and sets of cells: of the files of fields, and those that topoSetDict and setFieldsDict give.
#include "core/grid/loops.hpp"
#include "io/foam/cell_selection.hpp"
#include "run/models/heat/heat_case.hpp"

#include <map>
#include <optional>
#include <string>

namespace tessera::run::heat {

namespace foam = io::foam;

namespace {

/// The cells of a region.
void copy_region(core::Field<double> const& of, foam::Region const& region, core::Field<double>& field) {
  for (auto const& box : region.cells)
    core::for_own_cells(field.layout(), box, [to = field.host(), from = of.host()](int s, int k, int j, int i) {
      to(s, k, j, i) = from(s, k, j, i);
    });
}

}  // namespace

void set_cells(std::vector<foam::FieldFile> const& files, MeshPart const& mesh, core::Field<double>& field) {
  if (files.size() == 1) return foam::set_cells(files.front(), field, mesh.regions.front().mesh->blocks);
  // blocks in an order of their own lie in boxes that other regions have cells in, too
  core::Field<double> one(field.name(), mesh.layout(), 0);
  for (std::size_t r = 0; r < files.size(); ++r) {
    foam::set_cells(files[r], one, mesh.regions[r].mesh->blocks);
    copy_region(one, mesh.regions[r], field);
  }
}

namespace {

/// Carries out topoSetDict and setFieldsDict of a region, or of a case without any. `known`: the fields that may be set.
void set_region(Reading const& in, foam::Region const& region, core::Layout const& layout, Begin const& begin,
                std::map<std::string, core::Field<double>*> const& known, foam::CellSets& sets, Materials& materials) {
  Case& files = in.session.files;
  std::map<std::string, core::Field<double>> others;  // of the case, that only sources of cells ask for
  std::optional<core::Field<double>> passed_over;     // takes what is not set
  auto may_set = known;
  char const* const conductivity = in.names.conductivity;
  if (!in.names.capacity && !materials.conductivity_has_file())
    may_set[conductivity] = &passed_over.emplace(conductivity, layout, 0);
  foam::SourceContext const context{region.mesh.get(),
                                    [&](std::string const& name) -> core::Field<double> const* {
                                      if (auto const found = known.find(name); found != known.end())
                                        return found->second;
                                      if (auto const read = others.find(name); read != others.end())
                                        return &read->second;
                                      std::string const path = region.file(begin.directory, name);
                                      if (!files.exists(path)) return nullptr;
                                      auto const file =
                                          foam::read_field(files.input(path), in.session.comm, in.reader());
                                      auto& field = others.try_emplace(name, name, layout).first->second;
                                      foam::set_cells(file, field, region.mesh->blocks);
                                      return &field;
                                    },
                                    [&](foam::Stroke const& stroke) {
                                      if (!passed_over || stroke.field != conductivity) materials.drawn(stroke);
                                    }};
  auto* const topo = files.find(region.file("system", "topoSetDict"));
  auto* const set = files.find(region.file("system", "setFieldsDict"));
  auto const make_sets = [&] {
    if (topo) sets = foam::topo_set(*topo, layout, std::move(sets), context);
  };
  // sets that ask for fields want those that setFields gives, as far as these do not ask for sets
  bool const fields_first = topo && set && foam::asks_for_fields(*topo) && !foam::asks_for_sets(*set);
  if (!fields_first) make_sets();
  if (set && foam::set_fields(*set, may_set, sets, context).contains(conductivity)) {
    if (passed_over)
      in.session.log.line("{}: {} is not set, as by OpenFOAM's setFields: there is no file {}/{}", set->name(),
                          conductivity, begin.first, conductivity);
    else
      materials.follow_cells();
  }
  if (fields_first) make_sets();
  // shapes may hold cells that do not exist, or are those of another region
  for (auto* kind : {&sets.sets, &sets.zones})
    for (auto& [name, mask] : *kind)
      for (auto const& box : region.mesh->absent)
        core::for_own_cells(layout, box, [cell = mask.host()](int s, int k, int j, int i) { cell(s, k, j, i) = 0; });
}

}  // namespace

void set_cells_and_fields(Reading const& in, MeshPart const& mesh, Begin const& begin, Fields& fields) {
  if (!in.names.of_regions) {
    auto known = fields.materials.fields();
    known["T"] = &fields.temperature;
    return set_region(in, mesh.regions.front(), mesh.layout(), begin, known, fields.sets, fields.materials);
  }
  for (char const* file : {"topoSetDict", "setFieldsDict"})
    if (std::string const whole = std::string("system/") + file; in.session.files.exists(whole))
      in.session.log.line("{} is not carried out: those of regions are system/REGION/{}", whole, file);
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    auto const& region = mesh.regions[r];
    if (!in.session.files.exists(region.file("system", "topoSetDict")) &&
        !in.session.files.exists(region.file("system", "setFieldsDict")))
      continue;
    core::Field<double> one("T", mesh.layout(), 0);  // setFields may reach beyond the region
    copy_region(fields.temperature, region, one);
    set_region(in, region, mesh.layout(), begin, {{"T", &one}}, fields.sets_of_regions[r], fields.materials);
    copy_region(one, region, fields.temperature);
  }
}

}  // namespace tessera::run::heat
