// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// mixed: refValue [K], refGradient [K/m], valueFraction.
struct Mixed final : ConditionType {
  SideCondition read(PatchEntry const& in) const override {
    return SideCondition::constant({Boundary::Type::mixed, in.temperatures("refValue"),
                                    in.values("valueFraction", 0, 1), in.values("refGradient")})
        .following();
  }
};

[[maybe_unused]] static bool const added =
    add_condition<Mixed>("mixed", "value and gradient by a fraction",
                         "refValue uniform 300; refGradient uniform 0; valueFraction uniform 0.5; ");

}  // namespace tessera::run::heat::conditions
