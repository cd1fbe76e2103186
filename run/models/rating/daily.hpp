// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/course.hpp"

namespace tessera::run::rating {

/// What circuits may carry at the peak of a load that repeats every day.
struct DailyRating {
  std::vector<double> peaks;    ///< of the circuits [A]
  std::vector<double> factors;  ///< peak over the steady rating: IEC 60853's M
  std::vector<double> highest;  ///< of the conductors of each [C]
  struct Row {
    double hour;
    std::vector<double> currents, temperatures;  ///< of the circuits: hottest conductors [C]
  };
  std::vector<Row> day;  ///< from midnight on, at the end of each step
};

/// Peak currents with which each circuit that is sought just reaches its limit once a day, for ever, to 1e-4 K. `steady`: the
/// rating without a load curve. `step` [s]: the longest over which losses are taken at a mean temperature.
DailyRating rate_daily(InTime const& of, State const& steady, double step);

}  // namespace tessera::run::rating
