// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/run.hpp"

namespace tessera::run {

struct PlanOptions {
  RunOptions run;                ///< `report`: where the report goes; empty: nowhere
  std::string machine;           ///< file that describes the cluster; empty: this machine
  bool measure = false;          ///< writes such a file of this machine
  std::string output;            ///< where it goes; empty: to the terminal
  std::string page;              ///< of HTML with plots; empty: none
  std::string deadline;          ///< 90s, 30min, 2h, 3d; empty: none
  int repeats = 3;               ///< runs of each sample at least, of which the fastest counts
  double sample_cells = 262144;  ///< of the largest sample that is run to its end
};

/// Predicts what a case takes on a described cluster (docs/plans.md): samples of it, of fewer cells and steps, are run on this
/// machine; the cluster is not asked. With `measure` writes this machine's description; under mpirun that of the link between
/// the first and the last rank. Returns the exit code (core::Exit): `failed` where a deadline does not hold. Throws as run_case.
int run_plan(core::Comm const& comm, PlanOptions const& options);

}  // namespace tessera::run
