// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/site.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tessera::run::rating {

/// The highest temperature of each circuit's conductors at some currents [C]. None: they have no temperature that they keep.
using Highest = std::function<std::optional<std::vector<double>>(std::vector<double> const& currents)>;

/// Currents of all circuits together: those that are given, and for the others those at which each is at its limit, to a
/// tolerance [K] (Newton's method on the squares of the currents; slopes by squares that are larger by this part). Throws
/// core::Error where a circuit has no such current: others heat its conductors above their limit; core::RunError where given
/// currents have no steady temperature.
std::vector<double> seek(Site const& site, Highest const& highest, std::vector<double> begin, double tolerance,
                         double by = 1e-5);

}  // namespace tessera::run::rating
