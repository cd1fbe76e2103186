// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace tessera::tools {

/// A line of a machine file: ranks of one program on one host.
struct MachineLine {
  std::string host, program;
  int ranks = 1, threads = 1;
  std::string devices;  ///< numbers with commas between them, for CUDA_VISIBLE_DEVICES; empty: none is named
  /// Cores of the host and the sockets that they lie on, for ranks and threads to be chosen by; 0 cores: chosen by hand;
  /// -1: all that this process may run on.
  int cores = 0, sockets = 1;
  bool has_ranks = false, has_threads = false;
  std::vector<std::string> slurm;  ///< options of sbatch
  std::string where;               ///< file and line
};

/// Reads a machine file:
///
///   HOST program=PATH ranks=N threads=N devices=0,1      # ranks and threads: 1; devices: none
///   HOST program=PATH cores=N sockets=N                  # or cores=auto on localhost; ranks and threads: share_cores
///   any  program=PATH ranks=N slurm=--partition=gpu      # for Slurm: whichever nodes it gives, with these options of sbatch
///
/// `name`: for messages. Throws core::Error with file and line for other words, numbers below 1, or no line at all.
std::vector<MachineLine> parse_machine(std::string const& text, std::string const& name);

/// Ranks and threads that a line with `cores` does not give, for a program of this backend: a device has one rank, Serial
/// one rank a core, OpenMP one rank a socket, and the cores of a rank are its threads where the backend has threads. Throws
/// core::Error where more are asked for than there are cores.
void share_cores(MachineLine& line, std::string const& backend);

/// The mpirun command for `tessera run CASE` on these machines, one application context a line (MPMD), as Open MPI takes
/// it: argument by argument. Lines whose host is localhost name no host. Ranks of several threads are not bound: Open MPI
/// would bind each to one core.
std::vector<std::string> launch_command(std::vector<MachineLine> const& machines, std::string const& directory,
                                        std::vector<std::string> const& arguments);

/// The batch script for Slurm: a component of a heterogeneous job for each line, started by one srun with PMIx, as Open MPI
/// takes it. HOST is a node that must be given, `any`: none must. A job that Slurm begins again goes on from the last snapshot; two
/// minutes before its time is over SIGTERM ends the run at one. Throws core::Error where a line says localhost.
std::string slurm_script(std::vector<MachineLine> const& machines, std::string const& directory,
                         std::vector<std::string> const& arguments);

/// The command as a shell would read it.
std::string shell_line(std::vector<std::string> const& command);

}  // namespace tessera::tools
