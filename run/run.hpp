// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <string>
#include <vector>

namespace tessera::run {

struct RunOptions {
  std::string directory;
  std::vector<std::string> settings;  ///< FILE:entry.path=value, laid over the case's files
  std::string report;                 ///< empty: postProcessing/report.json of the case
  bool quiet = false;
  bool allow_code = false;  ///< libraries and scripts of the case may run
};

/// Runs a case, writes its results and its report. Returns the exit code (core::Exit). Throws core::Error for wrong input,
/// core::RunError for what fails on the way. Collective.
int run_case(core::Comm const& comm, RunOptions const& options);
/// Reads all of a case, lays out no field, runs no code of it, and tells what is wrong with it, all of it.
int check_case(core::Comm const& comm, RunOptions const& options);

}  // namespace tessera::run
