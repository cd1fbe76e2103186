// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/course.hpp"

#include <optional>

namespace tessera::run::rating {

/// A circuit is overloaded from its steady state on: for how long at a current, or how much for a duration.
struct Emergency {
  std::size_t circuit = 0;
  std::optional<double> current;    ///< [A]; none: sought for the duration
  std::optional<double> duration;   ///< [s]; none: sought for the current
  double limit = 90;                ///< that its conductors may reach [C]
  bool own_limit = true;            ///< of the circuit, none is given for the emergency
  double longest = 3650 * 86400.0;  ///< that is looked at: ten years [s]
  std::string where;                ///< FILE:LINE of the limit, or of the emergency

  /// An entry `emergency { circuit NAME; current A; | duration S; limit 105; }`. Throws core::Error.
  Emergency(core::Dictionary const& in, Site const& site);
};

struct EmergencyRating {
  std::size_t circuit = 0;
  bool sought_current = false;      ///< for the duration; no: the time for the current
  double current = 0, seconds = 0;  ///< until the limit
  bool reached = true;              ///< no: it stays below the limit for as long as was looked at
  double temperature = 0;           ///< of the hottest conductor at the end [C]
  struct Row {
    double time, temperature;
  };
  std::vector<Row> curve;
};

/// From the steady state `before` on. Throws core::Error where it is above the limit already.
EmergencyRating rate_emergency(InTime const& of, State const& before, Emergency const& emergency);

}  // namespace tessera::run::rating
