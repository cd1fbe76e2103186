// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/side_conditions.hpp"

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// convective: h [W/(m2 K)] and Tinf [K], both Function1 of time.
struct Convective final : ConditionType {
  bool is_in_watts() const override { return true; }
  SideCondition read(PatchEntry const& in) const override {
    auto const h = in.function("h"), t = in.function("Tinf");
    return {[h, t](double time) {
              return Boundary{Boundary::Type::convective, t(time), h(time)};
            },
            !h.constant() || !t.constant()};
  }
};

[[maybe_unused]] static bool const added = add_condition<Convective>(
    "convective", "heat h (T - Tinf) goes out; in heatConduction", "h VALUE [W/(m2 K)]; Tinf VALUE [K]; ");

}  // namespace tessera::run::heat::conditions
