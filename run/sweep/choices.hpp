// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/sweep/tables.hpp"

#include <string>
#include <vector>

namespace tessera::run {

/// What system/sweepDict says beside axes, rounds and thresholds.
struct SweepChoices {
  std::vector<std::string> results;
  Histograms histograms;
  bool keeps = false;      ///< each task's results, report and log
  bool duplicates = true;  ///< late tasks may be begun a second time

  /// Throws core::Error.
  static SweepChoices read(core::Dictionary& dictionary, Axes const& axes);
};

}  // namespace tessera::run
