// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"

#include <string>
#include <vector>

namespace tessera::run {

/// A run of this program that is to be made under mpirun.
struct Launch {
  int ranks = 1, threads = 1;
  std::string emulated, nodes;  ///< for the environment: a core::EmulatedCluster, the nodes of its ranks; empty: none
  std::vector<std::string> settings;
  bool writes = false;  ///< what the case says; no: no snapshots
};

/// What such a run found.
struct ApartResult {
  int code = 0;       ///< core::Exit
  std::string error;  ///< what it said, where it failed
  core::Report::Json report;
};

/// Runs of one case, each in processes of its own, from the case's start time on.
class Apart {
 public:
  /// `folder`: for their files.
  Apart(std::string directory, std::string folder, bool allow_code);
  /// One run to its end. One rank.
  ApartResult operator()(Launch const& launch) const;
  std::string const& program() const { return program_; }
  int cores() const { return cores_; }  ///< that runs may use
  /// Forgets the files of the last run.
  void clear() const;

 private:
  std::vector<std::string> command(Launch const& launch, std::string const& output) const;
  std::string directory_, folder_, program_;
  bool allow_code_;
  int cores_;
};

std::string host_name();
std::string processor();
/// Rows as lines whose columns stand below each other.
std::vector<std::string> aligned(std::vector<std::vector<std::string>> const& rows);

}  // namespace tessera::run
