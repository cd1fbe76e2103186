// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

namespace tessera::run::heat::conditions {

/// compressible::turbulentTemperatureRadCoupledMixed: the patch lies against one of another region, perhaps with layers
/// between (thicknessLayers, kappaLayers).
struct CoupledRegions final : ConditionType {
  bool is_in_watts() const override { return true; }
  SideCondition read(PatchEntry const& in) const override {
    auto const& entry = in.dictionary;
    entry.get_choice("Tnbr", {"T"});
    entry.get_choice("kappaMethod", {"solidThermo"});
    for (char const* radiation : {"qr", "qrNbr", "Qr", "QrNbr"})
      if (entry.contains(radiation)) entry.get_choice(radiation, {"none"});
    if (entry.get_or<bool>("thermalInertia", false)) entry.fail("thermalInertia", "thermalInertia is not supported");
    in.pass_over_mixed();
    SideCondition condition = SideCondition::constant({});
    condition.layers = in.layers();
    return condition;
  }
  static constexpr char const* keys =
      "Tnbr T; kappaMethod solidThermo; thicknessLayers (0.001) [m]; kappaLayers (0.5) [W/(m K)]; ";
};

[[maybe_unused]] static bool const added =
    add_condition<CoupledRegions>("compressible::turbulentTemperatureRadCoupledMixed",
                                  "lies against another region, perhaps behind layers; in chtMultiRegionFoam",
                                  CoupledRegions::keys) &&
    add_condition<CoupledRegions>("compressible::turbulentTemperatureCoupledBaffleMixed", "the same, without radiation",
                                  CoupledRegions::keys) &&
    add_condition<CoupledRegions>("compressible::turbulentTemperatureRadCoupledBaffleMixed",
                                  "the same, under a name that v1912 does not know", CoupledRegions::keys);

}  // namespace tessera::run::heat::conditions
