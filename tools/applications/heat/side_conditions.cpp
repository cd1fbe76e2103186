// SPDX-License-Identifier: Apache-2.0
#include "tools/applications/heat/side_conditions.hpp"

#include "core/topics.hpp"
#include "io/foam/function1.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::tools::heat {

namespace foam = io::foam;
using solvers::Boundary;
using solvers::FaceValues;
using Type = solvers::Boundary::Type;

namespace {

std::vector<std::string> const types{"fixedValue",    "uniformFixedValue",
                                     "zeroGradient",  "symmetry",
                                     "symmetryPlane", "empty",
                                     "cyclic",        "mixed",
                                     "convective",    "externalWallHeatFluxTemperature",
                                     "fixedGradient", "uniformFixedGradient"};

SideCondition constant(Boundary boundary) {
  return {[boundary = std::move(boundary)](double) { return boundary; }, false};
}

class Reading {
 public:
  Reading(core::Dictionary const& entry, foam::Mesh const& mesh, foam::Patch const& patch, core::Side side,
          core::Dictionary::Reader const& reader)
      : entry_(entry),
        mesh_(mesh),
        patch_(patch),
        side_(side),
        reader_(reader) {}

  SideCondition read(std::string const& type) const {
    if (type == "fixedValue") return constant({Type::fixed_value, values("value")});
    if (type == "fixedGradient") return constant({Type::fixed_gradient, 0, 1, values("gradient")});
    if (type == "uniformFixedValue")
      return in_time("uniformValue", [](double v) { return Boundary{Type::fixed_value, v}; });
    if (type == "uniformFixedGradient")
      return in_time("uniformGradient", [](double v) { return Boundary{Type::fixed_gradient, 0, 1, v}; });
    if (type == "mixed")
      return constant({Type::mixed, values("refValue"), values("valueFraction"), values("refGradient")});
    if (type == "convective") {
      auto const h = function("h"), t = function("Tinf");
      return {[h, t](double time) {
                return Boundary{Type::convective, t(time), h(time)};
              },
              !h.constant() || !t.constant()};
    }
    if (type == "externalWallHeatFluxTemperature") return external_wall();
    if (type == "empty") return constant({Type::empty});
    if (type == "cyclic") return constant({Type::cyclic});
    return constant({Type::zero_gradient});
  }

 private:
  foam::Function1 function(char const* key) const { return foam::Function1::read(entry_, key, reader_); }

  template <class Make>
  SideCondition in_time(char const* key, Make make) const {
    auto const f = function(key);
    return {[f, make](double time) { return make(f(time)); }, !f.constant()};
  }

  /// As few numbers as there are different ones.
  FaceValues values(char const* key) const {
    auto v = foam::patch_values(entry_, key, mesh_, patch_, side_);
    bool const equal = std::equal(v.begin() + 1, v.end(), v.begin());
    return equal ? FaceValues(v.front()) : FaceValues(std::move(v));
  }

  SideCondition external_wall() const {
    // what would change the flux and is not there
    entry_.get_choice("kappaMethod", {"fluidThermo", "solidThermo", "directionalSolidThermo", "lookup"}, "solidThermo");
    // what OpenFOAM writes of it besides
    for (char const* key : {"kappa", "alphaAni", "refValue", "refGradient", "valueFraction"})
      if (entry_.contains(key)) entry_.mark_read(key);
    for (auto const& [key, only] : {std::pair{"emissivity", 0.0}, {"relaxation", 1.0}, {"qrRelaxation", 1.0}})
      if (entry_.contains(key) && entry_.get<double>(key) != only)
        entry_.fail(key, fmt::format("{} other than {} is not supported", key, only));
    for (char const* key : {"qr", "qrPrevious"})
      if (entry_.contains(key)) entry_.get_choice(key, {"none"});
    auto const mode = entry_.get_choice("mode", {"coefficient", "flux", "power"});
    if (mode == "flux") return constant({Type::heat_flux, 0, 1, values("q")});
    if (mode == "power") {
      double area = 0;
      for (auto const& [side, cells] : patch_.pieces) {
        auto const length = [this](int a, core::Count lo, core::Count hi) {
          return mesh_.grid.axis(a).face(hi) - mesh_.grid.axis(a).face(lo);
        };
        std::array<double, 3> const size{length(0, cells.lo.i, cells.hi.i), length(1, cells.lo.j, cells.hi.j),
                                         length(2, cells.lo.k, cells.hi.k)};
        auto const axis = static_cast<std::size_t>(side) / 2;
        area += size[(axis + 1) % 3] * size[(axis + 2) % 3];
      }
      return in_time("Q", [area](double q) { return Boundary{Type::heat_flux, 0, 1, q / area}; });
    }
    return layered_wall();
  }

  /// 1 / weight = 1 / h + sum thickness / kappa
  SideCondition layered_wall() const {
    double layers = 0;
    if (entry_.contains("thicknessLayers")) {
      auto const d = entry_.get<std::vector<double>>("thicknessLayers"),
                 kappa = entry_.get<std::vector<double>>("kappaLayers");
      if (d.size() != kappa.size())
        entry_.fail("kappaLayers", fmt::format("{} values, expected {} as of thicknessLayers", kappa.size(), d.size()));
      for (std::size_t n = 0; n < d.size(); ++n) {
        if (!(kappa[n] > 0 && d[n] >= 0))
          entry_.fail("kappaLayers", fmt::format("layer {} has thickness {} and kappa {}, expected values > 0", n + 1,
                                                 d[n], kappa[n]));
        layers += d[n] / kappa[n];
      }
    }
    auto const h = values("h");
    std::vector<double> weights;
    for (std::size_t n = 0; n < h.size(); ++n) weights.push_back(h[n] > 0 ? 1 / (1 / h[n] + layers) : h[n]);
    FaceValues const weight = h.uniform() ? FaceValues(weights.front()) : FaceValues(std::move(weights));
    return in_time("Ta", [weight](double t) { return Boundary{Type::convective, t, weight}; });
  }

  core::Dictionary const& entry_;
  foam::Mesh const& mesh_;
  foam::Patch const& patch_;
  core::Side side_;
  core::Dictionary::Reader const& reader_;
};

}  // namespace

SideCondition read_side_condition(foam::FieldFile& file, foam::Mesh const& mesh, foam::Patch const& patch,
                                  core::Side side, bool in_watts, core::Dictionary::Reader const& reader) {
  core::Dictionary const* const entry = foam::patch_entry(file, patch);
  if (!entry) return constant({Type::empty});
  for (char const* written : {"value", "gradient"})  // OpenFOAM writes them for types that do not read them
    if (entry->contains(written)) entry->mark_read(written);
  auto const type = entry->get<std::string>("type");
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    std::string const guess = core::nearest(type, types);
    bool const code = type.starts_with("coded") || type.starts_with("expr");
    entry->fail("type", fmt::format("boundary condition '{}' on the patch '{}' is not supported{}, supported: {}{}",
                                    type, patch.name,
                                    code ? ": code of a case is not compiled here; uniformFixedValue and "
                                           "uniformFixedGradient take a table, polynomial or sine of time"
                                         : "",
                                    fmt::join(types, " "),
                                    code || guess.empty() ? std::string() : "; did you mean '" + guess + "'?"));
  }
  bool const in_heat = type == "convective" || type == "externalWallHeatFluxTemperature";
  if (in_heat && !in_watts)
    entry->fail("type", fmt::format("{} needs a conductivity, which laplacianFoam's equation has not: use application "
                                    "heatConduction",
                                    type));
  auto condition = Reading(*entry, mesh, patch, side, reader).read(type);
  return condition;
}

// ---- tessera help

[[maybe_unused]] static bool const told = [] {
  auto const add = [](char const* name, char const* doc, std::string const& keys = {}) {
    return core::add_topic("boundaryConditions", name, doc,
                           fmt::format("boundaryField {{ PATCH {{ type {}; {}}} }} of 0/T.{}", name, keys,
                                       keys.empty()
                                           ? ""
                                           : "\nA list `nonuniform List<scalar> N (...)` gives a value a face; "
                                             "`tessera list values` shows what VALUE may be."));
  };
  return add("fixedValue", "a temperature [K]", "value uniform 300; ") &&
         add("uniformFixedValue", "a temperature over time [K]", "uniformValue VALUE; ") &&
         add("zeroGradient", "no heat passes") && add("symmetry", "no heat passes") &&
         add("symmetryPlane", "no heat passes") && add("empty", "the two sides of a plane case") &&
         add("cyclic", "two opposite sides are joined") &&
         add("fixedGradient", "the derivative outwards [K/m]", "gradient uniform 0; ") &&
         add("uniformFixedGradient", "the derivative outwards over time [K/m]", "uniformGradient VALUE; ") &&
         add("mixed", "value and gradient by a fraction",
             "refValue uniform 300; refGradient uniform 0; valueFraction uniform 0.5; ") &&
         add("convective", "heat h (T - Tinf) goes out; in heatConduction", "h VALUE [W/(m2 K)]; Tinf VALUE [K]; ") &&
         add("externalWallHeatFluxTemperature", "a flux, a power or a coefficient with layers; in heatConduction",
             "mode coefficient; h uniform 10 [W/(m2 K)]; Ta VALUE [K]; thicknessLayers (0.01) [m]; kappaLayers (0.5) "
             "[W/(m K)]; | mode flux; q uniform 100 [W/m2]; | mode power; Q VALUE [W]; ");
}();

}  // namespace tessera::tools::heat
