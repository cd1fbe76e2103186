// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/link.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera::run {

/// A line of a machine file: ranks of one program on one host, or on several that are alike.
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
  // what `tessera plan` wants to know of a host
  std::string kind;                   ///< what kernel lines call it by; the host where it is not said
  int nodes = 1;                      ///< hosts of this kind
  double speed = 1;                   ///< of a rank that is alone on its node, in units of those of the kernel lines
  std::vector<double> contention{1};  ///< times as long that a rank computes where 1, 2, ... ranks of a node do
  double memory = 0;                  ///< [bytes] of a node; 0: not said
  double watts = 0, idle_watts = 0;   ///< of a node with all, with none of its ranks at work; 0: not said
  double price = 0;                   ///< of a node for an hour; 0: not said
};

/// How fast the ranks of a kind of hosts, of speed 1, run a kernel.
struct KernelLine {
  std::string name, kind;                         ///< kind: of hosts; empty: all that have no line of their own
  std::vector<std::pair<double, double>> points;  ///< cells of a rank, cells a second
};

/// A machine file as a whole.
struct MachineFile {
  std::vector<MachineLine> hosts;
  core::Link network, memory;  ///< between nodes, between ranks of a node; bandwidth 0, overhead below 0: not said
  std::vector<KernelLine> kernels;
};

/// Reads a machine file, of which `tessera launch` takes the hosts:
///
///   HOST program=PATH ranks=N threads=N devices=0,1      # ranks and threads: 1; devices: none
///   HOST program=PATH cores=N sockets=N                  # or cores=auto on localhost; ranks and threads: share_cores
///   any  program=PATH ranks=N slurm=--partition=gpu      # for Slurm: whichever nodes it gives, with these options of sbatch
///
/// and `tessera plan` all:
///
///   HOST kind=cpu nodes=8 ranks=4 speed=1.5 contention=1,1.2,1.5,1.9 memory=16e9 watts=130 idleWatts=60 price=0.2
///   network: latency=50e-6 bandwidth=1.12e8 overhead=1e-6     # between nodes
///   memory:  latency=1e-6 bandwidth=5e9                  # between ranks of a node
///   kernel:  name=PCG-DIC kind=cpu points=65536:4e8,1048576:2.6e8      # cells of a rank : cells a second
///
/// `name`: for messages. Throws core::Error with file and line for other words, numbers out of their range, kernels of kinds
/// that are not there, lines given twice, or no host at all.
MachineFile parse_machine_file(std::string const& text, std::string const& name);
/// Its hosts, each with a program.
std::vector<MachineLine> parse_machine(std::string const& text, std::string const& name);

}  // namespace tessera::run
