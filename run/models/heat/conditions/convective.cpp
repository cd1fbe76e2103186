// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "run/models/heat/side_conditions.hpp"

#include <fmt/format.h>

namespace tessera::run::heat::conditions {

using solvers::Boundary;

/// convective: h [W/(m2 K)] and Tinf [K], both Function1 of time.
struct Convective final : ConditionType {
  bool is_in_watts() const override { return true; }
  SideCondition read(PatchEntry const& in) const override {
    auto const h = in.function("h");
    auto const t = in.temperature("Tinf");
    SideCondition result{[h, t = t.at, where = in.dictionary.location("h")](double time) {
                           double const now = h(time);
                           if (!(now >= 0))
                             throw core::Error(
                                 fmt::format("{}: entry 'h' has the value {} at time {}, expected a number from 0 on",
                                             where, now, time));
                           return Boundary{Boundary::Type::convective, t(time), now};
                         },
                         !h.constant() || !t.function.constant(),
                         {},
                         {h, t.function}};
    return std::move(result).following();
  }
};

[[maybe_unused]] static bool const added = add_condition<Convective>(
    "convective", "heat h (T - Tinf) goes out; in heatConduction", "h VALUE [W/(m2 K)]; Tinf VALUE [K]; ");

}  // namespace tessera::run::heat::conditions
