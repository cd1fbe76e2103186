// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/percolation/method.hpp"

namespace tessera::run::percolation::methods {

/// What the settings ask of an exact method of the plane along a crossing.
ca::PercolationOptions plane_options(Settings const& settings, Query const& query);
inline ca::Direction direction_of(Crossing const& crossing) {
  return crossing.axis == 0 ? ca::Direction::x : ca::Direction::y;
}

/// Moves what was found in the plane into the findings of a crossing, and of all.
Crossed take(ca::PercolationResult& result, Settings const& settings, Medium const& medium, Query const& query);

}  // namespace tessera::run::percolation::methods
