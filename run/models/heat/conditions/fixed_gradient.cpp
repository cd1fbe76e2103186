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
/// uniformFixedGradient: uniformGradient, a Function1 of time [K/m].
struct UniformFixedGradient final : ConditionType {
  SideCondition read(PatchEntry const& in) const override {
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
