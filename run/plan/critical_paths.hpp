// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/plan/samples.hpp"

#include <string>
#include <vector>

namespace tessera::run {

class SampleRuns;

/// What the model says of a sample, its tiles shared out over the machine's ranks as in a run. `settings`: of the sample.
Prediction predict_sample(core::Comm const& comm, PlanOptions const& options, std::vector<std::string> const& settings,
                          Work const& work, MachineFile const& machine, partition::SpeedCurve const& curve);

struct PathSamples {
  std::vector<double> sizes;  ///< cells, one or two, rising
  double steps;
  int most_ranks;
};
/// Paths of 2, 4 and 8 ranks, at most `most_ranks` but two at least: each by runs on an emulated cluster (core::Emulation) of as
/// many nodes, whose links take no time, whose links have a latency, and whose links have a bandwidth; what the model says
/// of these runs without a path is taken off. Of one size waiting is a share of computing, of two also a constant. Messages
/// grow with the logarithm of the cells. Throws core::RunError where a run fails.
std::vector<CriticalPath> critical_paths(core::Comm const& comm, PlanOptions const& options, SampleRuns& runs,
                                         Sampled& found, PathSamples const& samples);

}  // namespace tessera::run
