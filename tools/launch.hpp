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
};

/// Reads a machine file:
///
///   HOST program=PATH ranks=N threads=N devices=0,1      # ranks and threads: 1; devices: none
///
/// `name`: for messages. Throws core::Error with file and line for other words, numbers below 1, or no line at all.
std::vector<MachineLine> parse_machine(std::string const& text, std::string const& name);

/// The mpirun command for `tessera run CASE` on these machines, one application context a line (MPMD), as Open MPI takes
/// it: argument by argument. Lines whose host is localhost name no host.
std::vector<std::string> launch_command(std::vector<MachineLine> const& machines, std::string const& directory,
                                        std::vector<std::string> const& arguments);

/// The command as a shell would read it.
std::string shell_line(std::vector<std::string> const& command);

}  // namespace tessera::tools
