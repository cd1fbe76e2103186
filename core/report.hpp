// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera::core {

/// Kokkos' name of what kernels run on: Serial, OpenMP, Cuda; "fenced OpenMP" in a fenced build.
std::string backend_name();


/// What a run found and what it cost: `postProcessing/report.json` (keys: DESIGN 9). Only measured numbers go in.
class Report {
 public:
  using Json = nlohmann::ordered_json;

  /// Starts with version, commit, Kokkos version, backend and the threads of the root rank; `time` is filled by
  /// `finish`.
  Report(std::string case_name, std::string application);

  Json& json() { return json_; }
  Json& operator[](char const* key) { return json_[key]; }
  Json& results() { return json_["results"]; }

  /// Grid, tiles, ranks, cells a rank, edge cut (cells whose neighbour lies on another rank) and imbalance.
  void describe(Layout const& layout, std::string const& partition_method, std::vector<double> const& weights);
  void hash(std::string const& field, std::string const& digits) { json_["hash"][field] = digits; }

  /// Fills `steps`, `time`, `rate`, `computed` (what computed each part, and by how many threads) and `memory`. Time [s]: the mean over ranks of each part, and of each rank (`ofRanks`);
  /// imbalance = max / mean of the time in `compute` - 1; and PROC = least time in compute of a rank, L-IMB = most - least,
  /// BOOT = start and reading, OVER = the rest of the wall time: messages, sums, files, waiting for anything but compute.
  /// `cell_updates` counts cells stepped over all steps. Collective.
  void finish(Comm const& comm, std::int64_t steps, double cell_updates);

  /// As the file has it. One rank only.
  std::string text() const;

 private:
  Json json_;
};

/// Largest resident set of this process so far [bytes].
double peak_memory();

}  // namespace tessera::core
