// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/materials.hpp"

#include "core/case/error_list.hpp"
#include "core/grid/migrate.hpp"
#include "core/grid/sweep.hpp"
#include "io/foam/cell_selection.hpp"
#include "solvers/algebra/require.hpp"
#include "solvers/heat/side_faces.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tessera::run::heat {

namespace foam = io::foam;

namespace {

constexpr char const* properties_file = "constant/transportProperties";

/// Calls f for the own cells of a mask, or all.
template <class F>
void for_each_cell_of(core::Layout const& layout, foam::CellSets::Mask const* mask, F const& f) {
  auto const in = mask ? mask->host() : core::FieldView<std::uint8_t const>{};
  core::for_each_on_host("cells", layout, [&](int s, int k, int j, int i) {
    if (!mask || in(s, k, j, i) != 0) f(s, k, j, i);
  });
}

}  // namespace

core::Dictionary* Materials::transport_properties() const {
  return names_.of_regions ? nullptr : session_.files.find(properties_file);
}

Materials::Materials(Session& session, EquationNames const& names, foam::Mesh const& mesh, core::Layout const& layout,
                     std::vector<foam::Region> const& regions, std::vector<Substance> const& substances)
    : Materials(session, names, mesh, layout) {
  make_capacity();
  auto const lambda = conductivity_.host(), rho_c = capacity_->host();
  for (std::size_t r = 0; r < regions.size(); ++r)
    for (auto const& box : regions[r].cells)
      core::for_own_cells(layout, box, [&, &of = substances[r]](int s, int k, int j, int i) {
        lambda(s, k, j, i) = of.conductivity;
        rho_c(s, k, j, i) = of.capacity;
      });
  for (auto* field : {&conductivity_, &*capacity_}) foam::fill_absent(*field, mesh);
}

Materials::Materials(Session& session, EquationNames const& names, foam::Mesh const& mesh, core::Layout const& layout,
                     std::string start)
    : Materials(session, names, mesh, layout) {
  start_ = std::move(start);
  if (auto* const given = transport_properties())
    exact_ = given->get_choice("interfaces", {"staircase", "exact"}, "staircase") == "exact";
  complete_ = core::attempt([this] { read(names_.conductivity, names_.conductivity_dimensions, true); });
  complete_ = core::attempt([this] {
                if (names_.capacity) read(names_.capacity, foam::dimensions_of_heat_capacity, false);
              }) &&
              complete_;
  core::attempt([this] { refuse_source(); });
  complete_ = core::attempt([this] { depends_ = !functions_.empty() || region_depends(); }) && complete_;
}

Materials::Materials(Session& session, EquationNames const& names, foam::Mesh const& mesh, core::Layout const& layout)
    : session_(session),
      names_(names),
      mesh_(mesh),
      layout_(&layout),
      conductivity_(core::FieldInfo{.name = names.conductivity,
                                    .description = "conductivity",
                                    .units = names.capacity ? "W/(m K)" : "m2/s",
                                    .dimensions = names.conductivity_dimensions,
                                    .constant = true},
                    layout, 0) {}

void Materials::refuse_source() const {
  auto const* const given = transport_properties();
  if (given && names_.capacity && given->stands_alone("q"))
    given->fail_expected("q",
                         "none: sources of heat are entries of system/fvOptions, such as heat { type "
                         "scalarSemiImplicitSource; selectionMode all; volumeMode specific; injectionRateSuSp { T (100 "
                         "0); } } for 100 W/m3");
}

bool Materials::region_depends() const {
  auto* const given = transport_properties();
  core::Dictionary* const regions = given ? given->find_sub("regions") : nullptr;
  for (auto const& name : regions ? regions->keys() : std::vector<std::string>{}) {
    core::Dictionary const& region = regions->sub(name);
    if (region.contains(names_.conductivity) &&
        !read_value(region, names_.conductivity, names_.conductivity_dimensions).constant())
      return true;
  }
  return false;
}

foam::Function1 Materials::read_value(core::Dictionary const& dictionary, std::string const& name,
                                      foam::Dimensions const& dimensions) const {
  if (!dictionary.is_dictionary(name)) {
    auto const tokens = dictionary.tokens(name);
    bool const has = std::any_of(tokens.begin(), tokens.end(), [](core::Token const& t) { return t.is('['); });
    if (has) foam::check_dimensions(dictionary.dimensions(name), dimensions, dictionary.location(name));
  }
  return foam::Function1::read(dictionary, name, [this](std::string const& p) { return session_.files.read_text(p); });
}

void Materials::read(std::string const& name, foam::Dimensions const& dimensions, bool conductivity) {
  Case& files = session_.files;
  auto* const properties = files.find(properties_file);
  std::string const file = start_ + "/" + name;
  if (files.exists(file)) {
    if (!conductivity) make_capacity();
    // the field goes first, as in OpenFOAM
    if (properties && properties->contains(name)) properties->mark_read(name);
    return read_field(name, dimensions, conductivity ? conductivity_ : *capacity_);
  }
  if (!properties || !properties->contains(name))
    throw core::Error(fmt::format("{}: '{}' is missing: neither a field {} nor an entry of {}",
                                  properties ? properties->location() : files.path(file), name, file, properties_file));
  places_[name] = properties->location(name);
  auto const value = read_value(*properties, name, dimensions);
  if (value.constant()) drawings_.insert_or_assign(name, foam::Drawing(value(0)));
  if (conductivity) return set_conductivity(value, nullptr);
  if (!value.constant()) properties->fail_expected(name, fmt::format("a number: {} may not depend on T", name));
  uniform_capacity_ = value(0);
  // setFieldsDict or a region may set it in some cells
  auto* const set_fields = files.find("system/setFieldsDict");
  bool const in_regions = properties->find_sub("regions") != nullptr;
  if (in_regions || (set_fields && set_fields->text().find(" " + name + " ") != std::string::npos)) make_capacity();
}

void Materials::make_capacity() {
  capacity_.emplace(core::FieldInfo{.name = names_.capacity,
                                    .description = "heat capacity per volume",
                                    .units = "J/(m3 K)",
                                    .dimensions = foam::dimensions_of_heat_capacity,
                                    .constant = true},
                    *layout_, 0, uniform_capacity_);
}

void Materials::read_field(std::string const& name, foam::Dimensions const& dimensions, core::Field<double>& field) {
  Case& files = session_.files;
  auto file = foam::read_field(files.input(start_ + "/" + name), session_.comm,
                               [&files](std::string const& p) { return files.read_text(p); });
  foam::check_dimensions(file.dimensions, dimensions, file.location("dimensions"));
  for (auto const& line : foam::check_patches(file, mesh_, names_.strange_patches())) session_.log.line("{}", line);
  places_[name] = file.location("internalField");
  bool const conductivity = &field == &conductivity_;
  std::vector<std::string> types{"zeroGradient", "empty", "wedge", "cyclic", "symmetry", "symmetryPlane", "calculated"};
  if (conductivity) types.insert(types.end(), {"fixedValue", "fixedGradient"});
  for (auto const& patch : mesh_.patches)
    if (auto* entry = foam::patch_entry(file, patch)) {
      if (entry->contains("value")) foam::check_values(*entry, "value");
      if (entry->get_choice("type", types) != "fixedGradient") continue;
      for (auto const& plane : patch.planes())
        for (double const g : foam::patch_values(*entry, "gradient", mesh_, patch, plane))
          if (g != 0)
            entry->fail("gradient",
                        fmt::format("entry 'gradient' of {} is {}, expected 0: at the faces it is that of the "
                                    "cells behind",
                                    name, g));
    }
  foam::set_cells(file, field, mesh_.blocks);
  foam::fill_absent(field, mesh_);
  if (file.uniform) drawings_.insert_or_assign(name, foam::Drawing(*file.uniform));
  if (conductivity) conductivity_file_ = std::move(file);
  for (auto const& patch : mesh_.patches)
    for (auto const& plane : patch.planes()) given_at_faces(patch, plane, false);
  auto const& dictionary = (conductivity ? *conductivity_file_ : file).dictionary;
  dictionary.check_all_read();
  session_.log.lines(dictionary.unused_variables());
}

void Materials::drawn(foam::Stroke const& stroke) {
  if (!exact_ || (stroke.field != names_.conductivity && !(names_.capacity && stroke.field == names_.capacity))) return;
  if (stroke.everywhere) {
    drawings_.insert_or_assign(stroke.field, foam::Drawing(stroke.value));
    return;
  }
  if (!stroke.shape)
    throw core::Error(
        fmt::format("{}: interfaces are exact, expected {} in a region made of shapes", stroke.where, stroke.field));
  if (auto const drawing = drawings_.find(stroke.field); drawing != drawings_.end())
    drawing->second.draw(stroke.shape, stroke.value);
}

void Materials::draw_region(core::Dictionary const& region, foam::Solid::Part const& shape) {
  for (char const* name : {names_.conductivity, names_.capacity}) {
    if (name == nullptr || !region.contains(name)) continue;
    if (!shape) region.fail(name, fmt::format("interfaces are exact, expected {} in a region made of shapes", name));
    auto const value = read_value(
        region, name, name == names_.capacity ? foam::dimensions_of_heat_capacity : names_.conductivity_dimensions);
    if (auto const drawing = drawings_.find(name); value.constant() && drawing != drawings_.end())
      drawing->second.draw(shape, value(0));
  }
}

void Materials::cut_cells() {
  if (!mesh_.absent.empty() || mesh_.wedge)
    throw core::Error(session_.files.path(properties_file) +
                      ": interfaces are exact, expected a mesh whose blocks fill a box");
  auto const where = [&](char const* name) {
    return places_.contains(name) ? places_[name] : session_.files.path(properties_file);
  };
  if (depends_on_temperature())
    throw core::Error(fmt::format("{}: interfaces are exact, expected {} that does not depend on T",
                                  where(names_.conductivity), names_.conductivity));
  for (auto const& [name, field] : fields())
    if (!drawings_.contains(name))
      throw core::Error(fmt::format("{}: interfaces are exact, expected one value of {}, on which regions are drawn",
                                    where(name.c_str()), name));
  if (capacity_) fill_means(drawings_.at(names_.capacity), *capacity_);
  auto const cut = session_.comm.sum(static_cast<std::int64_t>(cut_faces().size()));
  session_.log.line("Interfaces exact: {} faces near surfaces of materials", cut);
}

std::vector<solvers::CutFace> Materials::cut_faces() const {
  if (!exact_) return {};
  return heat::cut_faces(drawings_.at(names_.conductivity), *layout_);
}

std::optional<solvers::FaceValues> Materials::at_faces(foam::Patch const& patch, foam::Patch::Plane const& plane,
                                                       bool open) {
  auto given = given_at_faces(patch, plane, open);
  if (given || !exact_) return given;
  return cut_side(drawings_.at(names_.conductivity), mesh_.grid, plane.side);
}

std::optional<solvers::FaceValues> Materials::given_at_faces(foam::Patch const& patch, foam::Patch::Plane const& plane,
                                                             bool open) {
  if (!conductivity_file_) return std::nullopt;
  core::Dictionary const* const entry = foam::patch_entry(*conductivity_file_, patch);
  if (entry == nullptr) return std::nullopt;
  auto const type = entry->get<std::string>("type");
  if (type != "fixedValue" && !(type == "calculated" && entry->contains("value"))) return std::nullopt;
  auto values = foam::patch_values(*entry, "value", mesh_, patch, plane);
  for (auto const& piece : patch.pieces)
    for (core::Count n = 0; open && foam::Patch::Plane{piece.side, piece.layer()} == plane && n < piece.cells.cells();
         ++n)
      if (double const v = values[solvers::heat::face_number(mesh_.grid, plane.side, piece.cell(n))]; !(v > 0))
        entry->fail("value", fmt::format("{} on the patch '{}' is {}, expected a value > 0", names_.conductivity,
                                         patch.name, v));
  return solvers::FaceValues(std::move(values));
}

void Materials::follow_cells() {
  for (auto const& patch : mesh_.patches) {
    auto* const entry = conductivity_file_ ? foam::patch_entry(*conductivity_file_, patch) : nullptr;
    if (entry && entry->get<std::string>("type") == "calculated") entry->set("type", "zeroGradient");
  }
}

std::string Materials::boundary_text(foam::FieldFormat const& format) {
  return conductivity_file_ ? foam::boundary_text(*conductivity_file_, mesh_, format) : foam::plain_boundary(mesh_);
}

std::map<std::string, core::Field<double>*> Materials::fields() {
  std::map<std::string, core::Field<double>*> fields{{names_.conductivity, &conductivity_}};
  if (capacity_) fields[names_.capacity] = &*capacity_;
  return fields;
}

void Materials::set_conductivity(foam::Function1 const& value, Mask const* mask) {
  if (!value.constant()) {
    if (!function_of_) function_of_.emplace("function of T", *layout_, 0, std::uint8_t{0});
    functions_.push_back(value);
    core::expect(functions_.size() < 255, "more than 254 functions of T");
  }
  auto const number = static_cast<std::uint8_t>(value.constant() ? 0 : functions_.size());
  auto const lambda = conductivity_.host();
  auto const of = function_of_ ? function_of_->host() : core::FieldView<std::uint8_t>{};
  double const v = value.constant() ? value(0) : 0;
  for_each_cell_of(*layout_, mask, [&](int s, int k, int j, int i) {
    lambda(s, k, j, i) = v;
    if (of.first) of(s, k, j, i) = number;
  });
}

void Materials::finish(foam::CellSets const& sets, core::Field<double> const& t) {
  auto* const given = transport_properties();
  core::Dictionary* const regions = given ? given->find_sub("regions") : nullptr;
  std::map<std::string, std::string> given_by;  // what of which cells, and the entry that gives it
  for (auto const& name : regions ? regions->keys() : std::vector<std::string>{}) {
    core::Dictionary const& region = regions->sub(name);
    bool const zone = region.contains("cellZone");
    char const* const kind = zone ? "cellZone" : "cellSet";
    auto const cells = region.get<std::string>(kind);
    Mask const& mask = foam::find_mask(zone ? sets.zones : sets.sets, cells, kind, region, kind);
    bool any = false;
    for (char const* property : {names_.conductivity, names_.capacity}) {
      if (property == nullptr || !region.contains(property)) continue;
      any = true;
      auto const [first, added] = given_by.try_emplace(fmt::format("{} of {} {}", property, kind, cells), name);
      if (!added)
        region.fail(property, fmt::format("the region '{}' gives {}, as '{}' does: expected one value for these cells",
                                          name, first->first, first->second));
    }
    if (!any)
      region.fail(kind, fmt::format("the region '{}' says nothing of {} '{}', expected {}", name, kind, cells,
                                    names_.capacity ? fmt::format("{} or {}", names_.conductivity, names_.capacity)
                                                    : std::string(names_.conductivity)));
    if (exact_) {
      auto const& shapes = zone ? sets.zone_shapes : sets.set_shapes;
      auto const shape = shapes.find(cells);
      draw_region(region, shape == shapes.end() ? nullptr : shape->second);
    }
    auto const above_zero = [&](char const* of, foam::Function1 const& value) {
      if (value.constant() && !(value(0) > 0))
        region.fail_expected(of, fmt::format("a value above 0 in the region '{}'", name));
    };
    if (region.contains(names_.conductivity)) {
      auto const value = read_value(region, names_.conductivity, names_.conductivity_dimensions);
      above_zero(names_.conductivity, value);
      set_conductivity(value, &mask);
      follow_cells();
    }
    if (!names_.capacity || !region.contains(names_.capacity)) continue;
    auto const value = read_value(region, names_.capacity, foam::dimensions_of_heat_capacity);
    if (!value.constant()) region.fail_expected(names_.capacity, "a number: it may not depend on T");
    above_zero(names_.capacity, value);
    if (!capacity_) make_capacity();
    auto const out = capacity_->host();
    for_each_cell_of(*layout_, &mask, [&, v = value(0)](int s, int k, int j, int i) { out(s, k, j, i) = v; });
  }
  if (depends_on_temperature()) {
    widen_conductivity();
    fit(t);
  }
  solvers::require_positive(conductivity_, with_place(names_.conductivity), "");
  check_magnitudes();
  if (exact_) cut_cells();
  if (!names_.capacity) return;
  if (capacity_)
    solvers::require_positive(*capacity_, with_place(names_.capacity), "");
  else if (!(uniform_capacity_ > 0))
    throw core::Error(fmt::format("{} is {}, expected a value > 0", with_place(names_.capacity), uniform_capacity_));
}

void Materials::check_magnitudes() const {
  constexpr double least = 1e-140, most = 1e140;  // incomplete factors hold squares of coefficients
  auto const conductivity = solvers::range(conductivity_);
  std::array<double, 3> narrow{}, wide{};
  for (int a = 0; a < 3; ++a) {
    auto const& axis = mesh_.grid.axis(a);
    auto const n = static_cast<std::size_t>(a);
    narrow[n] = wide[n] = axis.width(0);
    for (core::Count i = 1; i < mesh_.grid.cells()[n]; ++i) {
      narrow[n] = std::min(narrow[n], axis.width(i));
      wide[n] = std::max(wide[n], axis.width(i));
    }
  }
  for (std::size_t a = 0; a < 3; ++a) {
    std::size_t const b = (a + 1) % 3, c = (a + 2) % 3;
    double const lo = conductivity.min * narrow[b] * narrow[c] / wide[a],
                 hi = conductivity.max * wide[b] * wide[c] / narrow[a];
    if (lo >= least && hi <= most) continue;
    auto const place = places_.find(names_.conductivity);
    throw core::Error(fmt::format("{}: {} from {:g} to {:g} and cells of {:g} x {:g} x {:g} to {:g} x {:g} x {:g} m "
                                  "give coefficients from {:g} to "
                                  "{:g}, expected numbers from {:g} to {:g}",
                                  place == places_.end() ? session_.files.path(properties_file) : place->second,
                                  names_.conductivity, conductivity.min, conductivity.max, narrow[0], narrow[1],
                                  narrow[2], wide[0], wide[1], wide[2], lo, hi, least, most));
  }
}

void Materials::move_to(core::Layout const& layout) {
  core::migrate_to(layout, conductivity_);
  if (capacity_) core::migrate_to(layout, *capacity_);
  if (function_of_) core::migrate_to(layout, *function_of_);
  layout_ = &layout;
  if (!halo_) return;
  halo_.emplace(layout, 1, core::Reach::faces);
  halo_->exchange(conductivity_);
}

std::string Materials::with_place(std::string const& name) const {
  auto const place = places_.find(name);
  return place == places_.end() ? name : place->second + ": " + name;
}

/// The matrix is formed of it again and again.
void Materials::widen_conductivity() {
  core::Field<double> wider(conductivity_.info(), *layout_, 1);
  core::migrate(conductivity_, wider);
  conductivity_ = std::move(wider);
  halo_.emplace(*layout_, 1, core::Reach::faces);
}

solvers::Property Materials::capacity() const {
  return capacity_ ? solvers::Property(*capacity_) : solvers::Property(uniform_capacity_);
}

}  // namespace tessera::run::heat
