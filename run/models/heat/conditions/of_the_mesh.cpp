// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// empty: the two sides of a plane case; wedge: of one round an axis.
struct Empty final : ConditionType {
  SideCondition read(PatchEntry const&) const override { return SideCondition::constant({Boundary::Type::empty}); }
};
/// cyclic: two opposite sides are joined.
struct Cyclic final : ConditionType {
  SideCondition read(PatchEntry const&) const override { return SideCondition::constant({Boundary::Type::cyclic}); }
};

[[maybe_unused]] static bool const added = add_condition<Empty>("empty", "the two sides of a plane case") &&
                                           add_condition<Empty>("wedge", "the two planes of a wedge round an axis") &&
                                           add_condition<Cyclic>("cyclic", "two opposite sides are joined");

}  // namespace tessera::run::heat::conditions
