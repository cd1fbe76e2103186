// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// zeroGradient, symmetry, symmetryPlane: no heat passes.
struct Closed final : ConditionType {
  SideCondition read(PatchEntry const&) const override {
    return SideCondition::constant({Boundary::Type::zero_gradient});
  }
};

[[maybe_unused]] static bool const added = add_condition<Closed>("zeroGradient", "no heat passes") &&
                                           add_condition<Closed>("symmetry", "no heat passes") &&
                                           add_condition<Closed>("symmetryPlane", "no heat passes");

}  // namespace tessera::run::heat::conditions
