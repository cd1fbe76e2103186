// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/run.hpp"

namespace tessera::run {

struct StudyOptions {
  RunOptions run;
  bool anew = false;   ///< finished runs are forgotten
  bool count = false;  ///< runs are counted and points checked, no more
};

/// Measures a case at all points of its system/studyDict (docs/studies.md): each run is an mpirun of this program, one after
/// the other. Writes tables and a page with plots to the folder `study` of the case. A run counts only where its answer is
/// that of the first run that must have the same. Returns the exit code (core::Exit): `failed` where runs failed or had
/// another answer. Throws as run_case; core::Error under mpirun.
int run_study(core::Comm const& comm, StudyOptions const& options);

/// Reads all of a case's system/studyDict, where it has one. Throws core::Error. Collective.
void check_study(Case& files);

}  // namespace tessera::run
