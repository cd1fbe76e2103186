// SPDX-License-Identifier: Apache-2.0
#include "tools/applications/percolation/findings.hpp"

#include "core/error.hpp"
#include "core/sweep.hpp"
#include "tools/conduction.hpp"
#include "tools/ensemble.hpp"

#include <cmath>
#include <limits>

namespace tessera::tools::percolation {
namespace detail {

struct Without {
  core::FieldView<std::uint8_t const> all, less;
  core::FieldView<std::uint8_t> rest;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    rest(s, k, j, i) = all(s, k, j, i) != 0 && less(s, k, j, i) == 0;
  }
};

}  // namespace detail

namespace {

using Kind = Quantity::Kind;

Quantity count(char const* name, std::int64_t n) { return {name, Kind::count, static_cast<double>(n)}; }

/// Cells of the medium next to the lower or the upper end along an axis.
core::Box end_of(core::Box box, int axis, bool upper) {
  core::Count core::Index::*const along[3] = {&core::Index::i, &core::Index::j, &core::Index::k};
  auto const a = along[axis];
  if (upper)
    box.lo.*a = box.hi.*a - 1;
  else
    box.hi.*a = box.lo.*a + 1;
  return box;
}

/// Conductance of the backbone, and what it says of the medium.
///   conductivity      of the medium as a whole, of the conductivity of occupied sites: conductance x length / area
///   tortuosityFactor  occupation / conductivity, as image tools define it
void add_conductivity(Settings const& settings, Medium const& medium, Crossing const& crossing, double occupation,
                      core::Field<std::uint8_t> const& conducting, Crossed& found) {
  Conduction result;
  if (found.spans)
    result = conduct(conducting,
                     {.inlet = end_of(medium.interior, crossing.axis, false),
                      .outlet = end_of(medium.interior, crossing.axis, true),
                      .bond = settings.electrode_bond},
                     settings.potential);
  auto const shape = medium.interior.shape();
  double const cells[3] = {static_cast<double>(shape.i), static_cast<double>(shape.j), static_cast<double>(shape.k)};
  double const along = cells[crossing.axis];
  double const area = cells[(crossing.axis + 1) % 3] * cells[(crossing.axis + 2) % 3];
  double const length = settings.electrode_bond == 1 ? along + 1 : along;
  double const conductivity = result.conductance * length / area;
  found.quantities.push_back({"conductance", Kind::number, result.conductance});
  found.quantities.push_back({"conductivity", Kind::number, conductivity});
  found.quantities.push_back({"tortuosityFactor", Kind::number,
                              found.spans ? occupation / conductivity : std::numeric_limits<double>::quiet_NaN()});
  found.solves = std::move(result.solves);
  found.notes = std::move(result.notes);
}

std::unique_ptr<core::Field<std::uint8_t>> dangling_ends(core::Field<std::uint8_t> const& spanning,
                                                         core::Field<std::uint8_t> const& backbone) {
  auto rest = std::make_unique<core::Field<std::uint8_t>>(
      core::FieldInfo{"dangling", "sites of spanning clusters off the backbone", "1", {}}, spanning.layout(), 0);
  core::for_each("dangling", spanning.layout().all(), detail::Without{spanning.view(), backbone.view(), rest->view()});
  return rest;
}

/// NAME_DIRECTION instead of NAME.
void rename(std::unique_ptr<core::Field<std::uint8_t>>& mask, std::string const& direction) {
  if (!mask) return;
  auto info = mask->info();
  info.name += "_" + direction;
  auto renamed = std::make_unique<core::Field<std::uint8_t>>(std::move(info), mask->layout(), mask->halo());
  renamed->swap_values(*mask);
  mask = std::move(renamed);
}

/// The plane medium along one direction, by its faces.
void cross_plane(Settings const& settings, Medium const& medium, Crossing const& crossing,
                 core::Field<std::uint8_t>& occupied, Findings& findings) {
  auto const direction = crossing.axis == 0 ? ca::Direction::x : ca::Direction::y;
  ca::frame(occupied, direction);
  bool const first = findings.crossings.empty(), dangling = settings.keeps("dangling");
  auto result = ca::percolate(occupied, {.direction = direction,
                                         .definition = settings.definition,
                                         .label = settings.keeps("label") && first,
                                         .spanning = settings.keeps("spanning") || dangling,
                                         .backbone = settings.keeps("backbone") || dangling || settings.conductivity,
                                         .articulation = settings.keeps("articulation"),
                                         .red = settings.keeps("red")});
  Crossed found{crossing.name, result.spans, {}, {}, {}, {}, {}, {}, {}, {}};
  found.quantities = {{"spans", Kind::flag, result.spans ? 1.0 : 0.0, false},
                      count("spanningSites", result.spanning_sites),
                      count("backboneSites", result.backbone_sites),
                      count("articulationSites", result.articulation_sites),
                      count("redSites", result.red_sites)};
  if (first) {
    findings.common = {{"occupation", Kind::number, result.occupation, false},
                       {"clusters", Kind::count, static_cast<double>(result.clusters), false},
                       {"largestCluster", Kind::count, static_cast<double>(result.largest_cluster), false}};
    findings.label = std::move(result.label);
  }
  if (settings.conductivity) add_conductivity(settings, medium, crossing, result.occupation, *result.backbone, found);
  if (dangling) found.dangling = dangling_ends(*result.spanning, *result.backbone);
  if (settings.keeps("spanning")) found.spanning = std::move(result.spanning);
  if (settings.keeps("backbone")) found.backbone = std::move(result.backbone);
  found.articulation = std::move(result.articulation);
  found.red = std::move(result.red);
  findings.crossings.push_back(std::move(found));
}

}  // namespace

core::Report::Json Quantity::json() const {
  if (kind == Kind::number || std::isnan(value)) return finite_or_null(value);
  if (kind == Kind::flag) return value != 0;
  return static_cast<std::int64_t>(value);
}

double Crossed::value(std::string_view quantity) const {
  for (Quantity const& q : quantities)
    if (q.name == quantity) return q.value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<Quantity> Findings::all() const {
  auto result = common;
  for (Crossed const& c : crossings)
    for (Quantity q : c.quantities) {
      if (crossings.size() > 1) q.name = c.name + "." + q.name;
      result.push_back(std::move(q));
    }
  return result;
}

core::Report::Json Findings::json() const {
  core::Report::Json results = core::Report::Json::object();
  auto const add = [](core::Report::Json& to, std::vector<Quantity> const& quantities) {
    for (Quantity const& q : quantities) to[q.name] = q.json();
  };
  add(results, common);
  for (Crossed const& c : crossings) add(crossings.size() > 1 ? results["directions"][c.name] : results, c.quantities);
  return results;
}

std::vector<core::FieldBase const*> Findings::fields(Settings const& settings,
                                                     core::Field<std::uint8_t> const& occupied) const {
  std::vector<core::FieldBase const*> result;
  if (settings.keeps("occupied")) result.push_back(&occupied);
  if (label) result.push_back(label.get());
  for (Crossed const& c : crossings)
    for (auto* field : {&c.spanning, &c.backbone, &c.dangling, &c.articulation, &c.red})
      if (*field) result.push_back(field->get());
  return result;
}

Findings explore(Settings const& settings, Medium const& medium, core::Field<std::uint8_t>& occupied) {
  Findings findings;
  for (Crossing const& crossing : settings.crossings) cross_plane(settings, medium, crossing, occupied, findings);
  if (findings.crossings.size() > 1)
    for (Crossed& c : findings.crossings)
      for (auto* mask : {&c.spanning, &c.backbone, &c.dangling, &c.articulation, &c.red}) rename(*mask, c.name);
  return findings;
}

}  // namespace tessera::tools::percolation
