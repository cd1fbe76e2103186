// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm.hpp"

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

/// How many threads there are for a core among those ranks of this machine that may run where this one may: 1 where each
/// has a core of its own, 2 where two ranks of one thread are bound to one core. What else runs there is not known.
/// Linux; where the bindings cannot be asked for, the answer is 1. Collective.
double measure_crowding(Comm const& comm);

}  // namespace tessera::core
