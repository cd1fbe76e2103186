// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/run.hpp"

namespace tessera::run {

struct SweepOptions {
  RunOptions run;
  bool anew = false;   ///< what is finished is forgotten
  bool count = false;  ///< the tasks are counted and the first is checked, no more
  std::string shard;   ///< "I/N": task I and each N-th after it alone, and no tables; empty: all
};

/// Runs a case for all points of the axes in its system/sweepDict (docs/sweeps.md), a task on each team of ranks at a time, and
/// writes what they found to the folder `sweep` of the case. What is finished in an earlier run is taken from there. Returns
/// the exit code (core::Exit): `failed` where tasks failed. Shards of a sweep may run at the same time, as jobs of their own; a
/// sweep of all then takes what they found. Throws as run_case. Collective.
int run_sweep(core::Comm const& comm, SweepOptions const& options);

/// Reads all of a case's system/sweepDict, where it has one. Throws core::Error. Collective.
void check_sweep(Case& files);

}  // namespace tessera::run
