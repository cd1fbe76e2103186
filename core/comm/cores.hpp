// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <vector>

namespace tessera::core {

/// Cores that a process may run on, by number, and the threads that it runs there.
struct CoreUse {
  std::vector<int> cores;
  int threads = 1;
};

/// Threads a core, at least 1, for each of the processes of one machine: processes whose cores overlap form a group, in
/// which all threads share all cores alike. Where the cores of a group differ from process to process this is a mean.
std::vector<double> crowding(std::vector<CoreUse> const& processes);

/// Threads a core, counted over the ranks of this machine that may run on the cores of this rank: 1 where each thread has a
/// core of its own, 2 where two ranks of one thread are bound to one core. Other programs are not counted.
/// Linux; where the bindings cannot be asked for, the answer is 1. Collective.
double measure_crowding(Comm const& comm);

/// For each rank a number, equal for those on one socket of one node; on a node where some rank may run on several sockets,
/// equal for all of its ranks. `nodes`: as memory_nodes gives it; `sockets`: of each rank, -1 where it may run on several.
std::vector<int> socket_domains(std::vector<int> const& nodes, std::vector<int> const& sockets);

/// What this process may run on: cores, of which the threads of one core count as one, and the sockets that they lie on. At
/// least 1 each. Linux; elsewhere 1 and 1.
struct HostCores {
  int cores = 1, sockets = 1;
};
HostCores host_cores();

/// The socket that all cores of this process lie on, -1: they lie on several, or it cannot be told. Linux.
int own_socket();

}  // namespace tessera::core
