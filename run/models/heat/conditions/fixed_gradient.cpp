// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// fixedGradient: gradient, outwards [K/m].
struct FixedGradient final : ConditionType {
  SideCondition read(PatchEntry const& in) const override {
    return SideCondition::constant({Boundary::Type::fixed_gradient, 0, 1, in.values("gradient")});
  }
};
/// uniformFixedGradient: uniformGradient, a Function1 of time [K/m]; OpenFOAM writes what it was as `gradient`, and does not read it.
struct UniformFixedGradient final : ConditionType {
  SideCondition read(PatchEntry const& in) const override {
    if (in.dictionary.contains("gradient")) io::foam::check_values(in.dictionary, "gradient");
    return in.in_time("uniformGradient",
                      [](double v) {
                        return Boundary{Boundary::Type::fixed_gradient, 0, 1, v};
                      })
        .following();
  }
};

[[maybe_unused]] static bool const added =
    add_condition<FixedGradient>("fixedGradient", "the derivative outwards [K/m]", "gradient uniform 0; ") &&
    add_condition<UniformFixedGradient>("uniformFixedGradient", "the derivative outwards over time [K/m]",
                                        "uniformGradient VALUE; ");

}  // namespace tessera::run::heat::conditions
