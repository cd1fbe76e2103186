// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

#include <fmt/format.h>
#include <limits>

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// externalWallHeatFluxTemperature: mode coefficient (h, Ta; thicknessLayers and kappaLayers add to 1/h) | flux (q) |
/// power (Q [W] on the whole patch).
class ExternalWall final : public ConditionType {
 public:
  bool is_in_watts() const override { return true; }
  SideCondition read(PatchEntry const& in) const override {
    auto const& entry = in.dictionary;
    // what would change the flux and is not there
    entry.get_choice("kappaMethod", {"fluidThermo", "solidThermo", "directionalSolidThermo", "lookup"}, "solidThermo");
    in.pass_over_mixed();
    for (auto const& [key, only] : {std::pair{"emissivity", 0.0}, {"relaxation", 1.0}, {"qrRelaxation", 1.0}})
      if (entry.contains(key) && entry.get<double>(key) != only)
        entry.fail(key, fmt::format("{} other than {} is not supported", key, only));
    for (char const* key : {"qr", "qrPrevious"})
      if (entry.contains(key)) entry.get_choice(key, {"none"});
    auto const mode = entry.get_choice("mode", {"coefficient", "flux", "power"});
    if (mode == "flux") return SideCondition::constant({Boundary::Type::heat_flux, 0, 1, in.values("q")}).following();
    if (mode == "power")
      return in
          .in_time("Q",
                   [area = in.area()](double q) {
                     return Boundary{Boundary::Type::heat_flux, 0, 1, q / area};
                   })
          .following();
    return layered(in).following();
  }

 private:
  /// 1 / weight = 1 / h + sum thickness / kappa
  static SideCondition layered(PatchEntry const& in) {
    double const layers = in.layers();
    auto const h = in.values("h", 0, std::numeric_limits<double>::infinity());
    std::vector<double> weights;
    for (std::size_t n = 0; n < h.size(); ++n) weights.push_back(h[n] > 0 ? 1 / (1 / h[n] + layers) : 0);
    solvers::FaceValues const weight =
        h.uniform() ? solvers::FaceValues(weights.front()) : solvers::FaceValues(std::move(weights));
    return in.temperature_in_time("Ta", [weight](double t) { return Boundary{Boundary::Type::convective, t, weight}; });
  }
};

[[maybe_unused]] static bool const added = add_condition<ExternalWall>(
    "externalWallHeatFluxTemperature", "a flux, a power or a coefficient with layers; in heatConduction",
    "mode coefficient; h uniform 10 [W/(m2 K)]; Ta VALUE [K]; thicknessLayers (0.01) [m]; kappaLayers (0.5) [W/(m K)]; "
    "| mode flux; q uniform 100 [W/m2]; | mode power; Q VALUE [W]; ");

}  // namespace tessera::run::heat::conditions
