// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/plan/machine_file.hpp"

#include <string>
#include <vector>

namespace tessera::tools {

using run::MachineLine;

/// Ranks and threads that a line with `cores` does not give, for a program of this backend: a device has one rank, Serial
/// one rank a core, OpenMP one rank a socket, and the cores of a rank are its threads where the backend has threads. Throws
/// core::Error where more are asked for than there are cores.
void share_cores(MachineLine& line, std::string const& backend);

/// The mpirun command for `tessera run CASE` on these machines, one application context a line (MPMD), as Open MPI takes
/// it: argument by argument, each host with the slots that all of its lines take. Where all say localhost no host is named. Ranks of
/// several threads are not bound: Open MPI would bind each to one core.
std::vector<std::string> launch_command(std::vector<MachineLine> const& machines, std::string const& directory,
                                        std::vector<std::string> const& arguments);

/// The batch script for Slurm: a component of a heterogeneous job for each line, started by one srun with PMIx, as Open MPI
/// takes it. HOST is a node that must be given, `any`: none must. A job that Slurm begins again goes on from the last snapshot; two
/// minutes before its time is over SIGTERM ends the run at one. Throws core::Error where a line says localhost.
std::string slurm_script(std::vector<MachineLine> const& machines, std::string const& directory,
                         std::vector<std::string> const& arguments);

/// The batch script for a sweep of a case as a job array of so many shards, and for the job that makes its tables: the same
/// script, which asks the environment whether it is one of an array. Throws as slurm_script, and where there are several lines.
std::string slurm_array_script(std::vector<MachineLine> const& machines, std::string const& directory, int shards,
                               std::vector<std::string> const& arguments);

/// The command as a shell would read it.
std::string shell_line(std::vector<std::string> const& command);

}  // namespace tessera::tools
