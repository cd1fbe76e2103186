// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run::heat {

namespace foam = io::foam;

solvers::FaceValues PatchEntry::values(char const* key) const {
  auto v = foam::patch_values(dictionary, key, mesh_, patch_, plane_);
  bool const equal = std::equal(v.begin() + 1, v.end(), v.begin());
  return equal ? solvers::FaceValues(v.front()) : solvers::FaceValues(std::move(v));
}

solvers::FaceValues PatchEntry::values(char const* key, double least, double most) const {
  auto const all = values(key);
  for (std::size_t n = 0; n < all.size(); ++n)
    if (!(all[n] >= least && all[n] <= most))
      dictionary.fail_entry(key, std::isfinite(most)
                                     ? fmt::format("has the value {}, expected {} to {}", all[n], least, most)
                                     : fmt::format("has the value {}, expected a number from {} on", all[n], least));
  return all;
}

solvers::FaceValues PatchEntry::temperatures(char const* key) const {
  auto all = values(key);
  for (std::size_t n = 0; n < all.size() && in_kelvin_; ++n)
    if (all[n] < 0) dictionary.fail_entry(key, fmt::format("has the value {}, expected kelvin, from 0 on", all[n]));
  return all;
}

PatchEntry::Temperature PatchEntry::temperature(char const* key) const {
  auto const f = function(key);
  if (!in_kelvin_) return {f, f};
  if (f.constant() && f(0) < 0)
    dictionary.fail_entry(key, fmt::format("has the value {}, expected kelvin, from 0 on", f(0)));
  return {f, [f, key = std::string(key), where = dictionary.location(key)](double time) {
            double const now = f(time);
            if (now < 0)
              throw core::Error(fmt::format("{}: entry '{}' has the value {} at time {}, expected kelvin, from 0 on",
                                            where, key, now, time));
            return now;
          }};
}

void PatchEntry::pass_over_mixed() const {
  for (char const* word : {"kappa", "alpha", "alphaAni"})
    if (dictionary.contains(word)) dictionary.mark_read(word);
  for (char const* values : {"refValue", "refGradient", "valueFraction"})
    if (dictionary.contains(values)) foam::check_values(dictionary, values);
}

double PatchEntry::area() const {
  double sum = 0;
  for (auto const& [side, cells, turn] : patch_.pieces) {
    if (mesh_.wedge) {
      for (core::Count n = 0; n < cells.cells(); ++n)
        sum += mesh_.area(side, foam::Patch::Piece{side, cells, turn}.cell(n));
      continue;
    }
    auto const length = [this](int a, core::Count lo, core::Count hi) {
      return mesh_.grid.axis(a).face(hi) - mesh_.grid.axis(a).face(lo);
    };
    std::array<double, 3> const size{length(0, cells.lo.i, cells.hi.i), length(1, cells.lo.j, cells.hi.j),
                                     length(2, cells.lo.k, cells.hi.k)};
    auto const axis = static_cast<std::size_t>(side) / 2;
    sum += size[(axis + 1) % 3] * size[(axis + 2) % 3];
  }
  return sum;
}

double resistance_of_layers(core::Dictionary const& dictionary) {
  auto const list = [&](char const* key) {
    auto in = dictionary.stream(key);
    if (in.at_word() && in.peek().text == "List<scalar>") in.next();  // as OpenFOAM writes it
    auto values = in.read<std::vector<double>>();
    in.end();
    return values;
  };
  auto const d = list("thicknessLayers"), kappa = list("kappaLayers");
  if (d.size() != kappa.size())
    dictionary.fail("kappaLayers", fmt::format("{} values, expected {} as of thicknessLayers", kappa.size(), d.size()));
  double sum = 0;
  for (std::size_t n = 0; n < d.size(); ++n) {
    if (!(kappa[n] > 0 && d[n] >= 0))
      dictionary.fail("kappaLayers", fmt::format("layer {} has thickness {} and kappa {}, expected values > 0", n + 1,
                                                 d[n], kappa[n]));
    sum += d[n] / kappa[n];
  }
  return sum;
}

bool tell_condition(std::string const& name, std::string const& doc, std::string const& keys) {
  return core::add_topic("boundaryConditions", name, doc,
                         fmt::format("boundaryField {{ PATCH {{ type {}; {}}} }} of 0/T.{}", name, keys,
                                     keys.empty() ? ""
                                                  : "\nA list `nonuniform List<scalar> N (...)` gives a value a face; "
                                                    "`tessera list values` shows what VALUE may be."));
}

SideCondition read_side_condition(foam::FieldFile& file, foam::Mesh const& mesh, foam::Patch const& patch,
                                  foam::Patch::Plane const& plane, bool in_watts,
                                  core::Dictionary::Reader const& reader) {
  core::Dictionary const* const entry = foam::patch_entry(file, patch);
  if (!entry) return SideCondition::constant({solvers::Boundary::Type::empty});
  // OpenFOAM writes it for types that do not read it
  if (entry->contains("value")) foam::check_values(*entry, "value");
  auto const name = entry->get<std::string>("type");
  if (!ConditionTypes::contains(name)) {
    auto const names = ConditionTypes::names();
    std::string const guess = core::nearest(name, names);
    bool const code = name.starts_with("coded") || name.starts_with("expr");
    entry->fail("type", fmt::format("boundary condition '{}' on the patch '{}' is not supported{}, supported: {}{}",
                                    name, patch.name,
                                    code ? ": code of a case is not compiled here; uniformFixedValue and "
                                           "uniformFixedGradient take a table, polynomial or sine of time"
                                         : "",
                                    fmt::join(names, " "),
                                    code || guess.empty() ? std::string() : "; did you mean '" + guess + "'?"));
  }
  auto const type = ConditionTypes::make(name);
  if (type->is_in_watts() && !in_watts)
    entry->fail("type", fmt::format("{} needs a conductivity, which laplacianFoam's equation has not: use application "
                                    "heatConduction",
                                    name));
  return type->read({*entry, mesh, patch, plane, in_watts, reader});
}

}  // namespace tessera::run::heat
