// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"

#include <string>
#include <vector>

namespace tessera::tools {

/// One line of a case's file `expect`: `PATH VALUE exact|+- TOLERANCE  # reason`.
struct Expectation {
  std::string path;  ///< into report.json, dotted: results.max
  std::string value;
  double tolerance = -1;  ///< negative: exact
  std::string reason;
  std::string where;  ///< FILE:LINE
};

/// Throws core::Error for a line that is not of that form, or has no reason.
std::vector<Expectation> parse_expectations(std::string const& text, std::string const& file);

/// The sentences of those that do not hold; empty when all do.
std::vector<std::string> check_expectations(std::vector<Expectation> const& expectations,
                                            core::Report::Json const& report);

}  // namespace tessera::tools
