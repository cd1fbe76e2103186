// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// fixedValue: value [K].
struct FixedValue final : ConditionType {
  SideCondition read(PatchEntry const& in) const override {
    return SideCondition::constant({Boundary::Type::fixed_value, in.temperatures("value")});
  }
};
/// uniformFixedValue: uniformValue, a Function1 of time [K].
struct UniformFixedValue final : ConditionType {
  SideCondition read(PatchEntry const& in) const override {
    auto condition = in.temperature_in_time("uniformValue", [](double t) {
      return Boundary{Boundary::Type::fixed_value, t};
    });
    condition.value = condition.functions.front();
    return condition;
  }
};

[[maybe_unused]] static bool const added =
    add_condition<FixedValue>("fixedValue", "a temperature [K]", "value uniform 300; ") &&
    add_condition<UniformFixedValue>("uniformFixedValue", "a temperature over time [K]", "uniformValue VALUE; ");

}  // namespace tessera::run::heat::conditions
